#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The kernels under test. They are in a cache of the user and are never installed on the
# host:
#
#   $XROCE_CACHE/kernel/RELEASE/boot/vmlinuz-RELEASE
#                              /lib/modules/RELEASE/
#                              /usr/src/linux-headers-RELEASE/   (KDIR)
#
# The roots of root.sh contain other kernels in the same layout.
#
# usage: vm-kernel.sh fetch            unpack Debian's 6.12, if it does not exist
#        vm-kernel.sh list             print the cached releases, newest last
#        vm-kernel.sh dir [KERNEL]     print the path of a release (default: the
#                                      newest), of a suite's kernel or of a directory
#        vm-kernel.sh release DIR      print the release in DIR
set -eu

here=$(realpath "$(dirname "$0")")
cache=${XROCE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/xroce}/kernel

die() { echo "vm-kernel: $*" >&2; exit 1; }

list() {
	local image

	for image in "$cache"/*/boot/vmlinuz-*; do
		[ -e "$image" ] || continue
		echo "${image##*/boot/vmlinuz-}"
	done | sort -V
}

release() {
	local image

	for image in "$1"/boot/vmlinuz-*; do
		[ -e "$image" ] || die "no kernel in $1"
		echo "${image##*/boot/vmlinuz-}"
	done | sort -V | tail -n 1
}

dir() {
	local release=${1:-$(list | tail -n 1)}

	case $release in
	*/*)		realpath "$release"; return ;;
	[a-z]*)		"$here/root.sh" dir "$release"; return ;;
	esac
	[ -n "$release" ] || die "no kernel in $cache: run 'make deps'"
	[ -e "$cache/$release/boot/vmlinuz-$release" ] ||
		die "$release is not in $cache, which has: $(list | xargs)"
	echo "$cache/$release"
}

depends() { # PACKAGE PATTERN
	apt-cache depends --no-recommends --no-suggests "$1" 2>/dev/null |
		sed -nE "s/^ .*Depends: (linux-$2)\$/\\1/p" | head -n 1 | grep .
}

# Print the package that the distribution's meta package depends on. Debian 12 has 6.12
# beside its own 6.1; from Debian 13 on the plain meta package is new enough.
image_package() {
	local meta package

	for meta in linux-image-6.12-amd64 linux-image-amd64; do
		package=$(depends "$meta" 'image-[0-9].*') || continue
		dpkg --compare-versions "${package#linux-image-}" ge 6.12 || continue
		echo "$package"
		return
	done
	return 1
}

# Both spellings of the modules' path must work, whichever the package and the host's kmod
# prefer.
link_modules() {
	local root=$1

	mkdir -p "$root/usr/lib"
	[ -e "$root/lib" ] || ln -s usr/lib "$root/lib"
	[ -e "$root/usr/lib/modules" ] ||
		ln -s ../../lib/modules "$root/usr/lib/modules"
}

# Debian's headers include their common part by its installed path: make it relative.
relocate_headers() {
	local headers=$1 common=$2

	# shellcheck disable=SC2016 # make expands it
	printf 'include $(dir $(lastword $(MAKEFILE_LIST)))../%s/Makefile\n' \
		"$common" >"$headers/Makefile"
}

fetch() {
	local image release headers common kbuild tmp deb

	[ -z "$(list)" ] || return 0
	image=$(image_package) || {
		echo "vm-kernel: no 6.12 in the package lists, updating them"
		apt-get update
		image=$(image_package) ||
			die "the package sources have no linux-image of 6.12 or newer"
	}
	release=${image#linux-image-}
	headers=linux-headers-$release
	common=$(depends "$headers" 'headers-.*-common') ||
		die "$headers: unknown to apt"
	kbuild=$(depends "$headers" 'kbuild-[0-9].*')

	echo "vm-kernel: unpacking $release into $cache"
	mkdir -p "$cache"
	tmp=$(mktemp -d "$cache/.fetch.XXXXXX")
	# shellcheck disable=SC2064 # the path of now
	trap "rm -rf '$tmp'" EXIT
	# apt drops root for downloads and could not write into our directory
	(cd "$tmp" && apt-get -q -o APT::Sandbox::User=root download \
		"$image" "$headers" "$common" "$kbuild")
	mkdir "$tmp/root"
	for deb in "$tmp"/*.deb; do
		dpkg-deb -x "$deb" "$tmp/root"
	done
	chmod 755 "$tmp/root"
	link_modules "$tmp/root"
	relocate_headers "$tmp/root/usr/src/$headers" "$common"
	depmod -b "$tmp/root" "$release"
	mv -T "$tmp/root" "$cache/$release" ||
		[ -e "$cache/$release/boot/vmlinuz-$release" ]
}

case ${1:-} in
fetch|list)	"$1" ;;
dir)		dir "${2:-}" ;;
release)	release "$2" ;;
*)		die "usage: vm-kernel.sh fetch | list | dir [KERNEL] | release DIR" ;;
esac
