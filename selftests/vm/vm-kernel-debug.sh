#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A debug kernel, built from Debian's source with the options of ../config and debug.config. It
# is in a cache of its own inside the user's, with the layout of vm-kernel.sh, so that $XROCE_CACHE
# alone selects the kernels:
#
#   $XROCE_CACHE/debug/kernel/VERSION-debug-HASH/boot/vmlinuz-*
#                                               /lib/modules/*/
#                                               /usr/src/linux-headers-*/  (KDIR)
#   $XROCE_CACHE/debug/build-HASH/   during the build; an interrupted build continues
#
# HASH is the hash of the options. KDIR is the source tree after the build.
#
# usage: vm-kernel-debug.sh build    build it, if it does not exist; print its path
#        vm-kernel-debug.sh dir      print its path
#        vm-kernel-debug.sh source   unpack the source for its scripts; print its path
set -eu

here=$(realpath "$(dirname "$0")")
cache=${XROCE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/xroce}/debug
options=("$here/../config" "$here/debug.config")	# the last one counts
hash=$(grep -hE '^(CONFIG|# CONFIG)' "${options[@]}" | sha256sum | cut -c 1-8)
work=$cache/build-$hash
needed=(bc bison flex gcc make pahole libelf-dev libssl-dev xz-utils kmod)

die() { echo "vm-kernel-debug: $*" >&2; exit 1; }

dir() {
	local image

	for image in "$cache"/kernel/*-debug-"$hash"/boot/vmlinuz-*; do
		[ ! -e "$image" ] || { echo "${image%/boot/*}"; return; }
	done
	return 1
}

install_needed() {
	local package missing=() sudo=

	for package in "${needed[@]}"; do
		dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null |
			grep -qx installed || missing+=("$package")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	[ "$(id -u)" = 0 ] || sudo=sudo
	echo "vm-kernel-debug: installing ${missing[*]}" >&2
	$sudo env DEBIAN_FRONTEND=noninteractive apt-get -q -y \
		--no-install-recommends install "${missing[@]}" >&2
}

# The newest source package of the distribution.
source_package() {
	apt-cache search --names-only '^linux-source-[0-9.]*$' |
		sed 's/ .*//' | sort -V | tail -n 1 | grep .
}

unpack() {
	local package tmp

	[ ! -d "$work/source" ] || return 0
	package=$(source_package) || {
		apt-get update >&2
		package=$(source_package) || die "no linux-source package"
	}
	dpkg --compare-versions "${package#linux-source-}" ge 6.12 ||
		die "$package is too old: it takes 6.12"
	echo "vm-kernel-debug: unpacking $package" >&2
	mkdir -p "$work"
	tmp=$(mktemp -d "$work/.unpack.XXXXXX")
	# shellcheck disable=SC2064 # the path of now
	trap "rm -rf '$tmp'" EXIT
	chmod 755 "$tmp"
	# apt drops root for downloads and could not write into our directory
	(cd "$tmp" && apt-get -q -o APT::Sandbox::User=root download "$package" >&2)
	dpkg-deb --fsys-tarfile "$tmp"/linux-source-*.deb |
		tar -xO --wildcards './usr/src/linux-source-*.tar.xz' |
		tar -xJ -C "$tmp"
	rm "$tmp"/*.deb
	mv -T "$tmp"/linux-source-* "$work/source"
}

configure() { # in the source
	make -s x86_64_defconfig kvm_guest.config
	scripts/kconfig/merge_config.sh -m .config "${options[@]}" >/dev/null
	make -s olddefconfig
	# Report options that are not available.
	grep -hE '^CONFIG.*=[ym]' "${options[@]}" | tac | sort -s -t = -u -k 1,1 | grep -vxFf .config |
		sed 's/^/vm-kernel-debug: not to be had: /' >&2 || :
	grep -qx CONFIG_KASAN=y .config || die "no KASAN"
}

# Both spellings of the modules' path must work.
link_modules() {
	mkdir -p "$1/usr/lib"
	[ -e "$1/usr/lib/modules" ] ||
		ln -s ../../lib/modules "$1/usr/lib/modules"
}

build() {
	local root=$work/root release

	install_needed
	mkdir -p "$cache/kernel"
	unpack
	cd "$work/source"
	[ -e .config ] || configure
	export LOCALVERSION=-debug-$hash KBUILD_BUILD_TIMESTAMP=@0
	release=$(make -s kernelrelease)
	echo "vm-kernel-debug: building $release, a quarter of an hour or more" >&2
	make -s -j"${XROCE_JOBS:-$(nproc)}" bzImage modules >&2
	rm -rf "$root"
	mkdir -p "$root/boot" "$root/usr/src"
	cp arch/x86/boot/bzImage "$root/boot/vmlinuz-$release"
	cp System.map "$root/boot/System.map-$release"
	cp .config "$root/boot/config-$release"
	make -s INSTALL_MOD_PATH="$root" INSTALL_MOD_STRIP=1 modules_install >&2
	rm -f "$root/lib/modules/$release"/{build,source}
	link_modules "$root"
	# Building modules needs the programs in scripts/ and tools/, but no objects.
	find . -path ./scripts -prune -o -path ./tools -prune -o -type f \
		\( -name '*.o' -o -name '*.a' -o -name '*.ko' -o -name '.*.cmd' \) \
		-exec rm {} +
	cd /
	mv -T "$work/source" "$root/usr/src/linux-headers-$release"
	mv -T "$root" "$cache/kernel/$release"
	rm -rf "$work"
}

# Print the source of the built kernel, or of the one to be built, for its scripts.
source_dir() {
	local kernel

	if kernel=$(dir); then
		echo "$kernel/usr/src/linux-headers-${kernel##*/}"
		return
	fi
	unpack
	echo "$work/source"
}

case ${1:-} in
build)	dir || { build; dir; } ;;
dir)	dir || die "not built yet: run '$0 build'" ;;
source)	source_dir ;;
*)	die "usage: vm-kernel-debug.sh build | dir | source" ;;
esac
