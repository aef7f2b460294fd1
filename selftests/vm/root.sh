#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Root file systems of Debian suites, made by debootstrap from this host's mirror, with a
# kernel of 6.12 or newer, the packages that build its modules, and those that tests run.
# They are in a cache of the user:
#
#   $XROCE_CACHE/root/SUITE/
#
# SUITE is bookworm, trixie, or one of them with -backports, which then provides the
# kernel.
#
# usage: root.sh fetch SUITE           make it, if it does not exist
#        root.sh dir SUITE             print its path
#        root.sh run DIR COMMAND...    run there; this checkout is at its own path
#        root.sh enter DIR COMMAND...  run there, without this checkout
#        root.sh minimal SUITE DIR [PACKAGE...]
#                                      make a root in DIR, an empty directory, with
#                                      only these packages (see fresh.sh)
#
# Changing the root needs privilege, so everything but "dir" uses sudo.
set -eu

here=$(realpath "$(dirname "$0")")
top=$(realpath "$here/../..")
cache=${XROCE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/xroce}

# Dependencies of deb.sh, except the packages that it tests; those from iproute2 to busybox
# are for the tests of vm.sh --root.
packages='systemd udev kmod dkms pahole gcc libc6-dev make bash-completion libbpf1 libjson-c5
	libelf1 libbpf-dev iproute2 ethtool rdma-core ibverbs-providers ibverbs-utils
	python3-pyverbs perftest bpftool procps python3 jq pkgconf initramfs-tools busybox'

die() { echo "root: $*" >&2; exit 1; }

dir() {
	[ -e "$cache/root/$1/etc/debian_version" ] ||
		die "$1 is not in $cache/root: 'root.sh fetch $1' makes it"
	echo "$cache/root/$1"
}

known_mirror() {
	# shellcheck disable=SC2016 # apt expands it
	apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
		"Label: $1" | head -n 1 | grep .
}

# mirror LABEL: print this host's mirror. apt knows labels only if it has package lists.
mirror() {
	known_mirror "$1" || { apt-get -q update >&2 && known_mirror "$1"; } ||
		die "apt has no source that is labelled $1"
}

# enter TOP ROOT COMMAND...: run in a mount namespace, so that no mount is left over;
# bind-mount the checkout TOP, unless that is empty
enter() {
	local top=$1 root=$2

	shift 2
	# shellcheck disable=SC2016 # for the other shell
	unshare --mount --propagation private bash -euc '
		root=$1 top=$2
		shift 2
		mount -t proc proc "$root/proc"
		mount -t sysfs sysfs "$root/sys"
		mount --rbind /dev "$root/dev"
		[ -z "$top" ] || {
			mkdir -p "$root$top"
			mount --bind "$top" "$root$top"
		}
		cp -L /etc/resolv.conf "$root/etc/"
		exec chroot "$root" /usr/bin/env -i HOME=/root TERM=dumb \
			PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
			LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
			http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}" \
			"$@"' bash "$root" "$top" "$@"
}

run() { enter "$top" "$@"; }

sources() { # SUITE
	local base=${1%-backports} main

	main=$(mirror Debian)
	echo "deb $main $base main"
	echo "deb $main $base-updates main"
	echo "deb $(mirror Debian-Security) $base-security main"
	[ "$base" = "$1" ] || echo "deb $main $1 main"
}

# Print the apt settings of this host that concern its sources.
apt_settings() {
	apt-config dump |
		grep -iE '^acquire::(.*proxy|check-(valid-until|date)) ' || :
}

minimal() { # SUITE DIR [PACKAGE...]
	local base=${1%-backports} suite=$1 root=$2 include

	shift 2
	command -v debootstrap >/dev/null || die 'debootstrap is not installed'
	include=$(IFS=, && echo "$*")
	# debootstrap's mounts end with the namespace.
	unshare --mount --propagation private debootstrap --variant=minbase \
		${include:+"--include=$include"} "$base" "$root" "$(mirror Debian)"
	sources "$suite" >"$root/etc/apt/sources.list"
	apt_settings >"$root/etc/apt/apt.conf.d/90host"
	# Do not start services.
	printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
	chmod 755 "$root/usr/sbin/policy-rc.d"
	enter "" "$root" apt-get -q update
	enter "" "$root" apt-get clean
}

fetch() {
	local suite=$1 tmp kernel=amd64
	local from=()

	[ ! -e "$cache/root/$suite" ] || return 0
	case $suite in
	bookworm)	kernel=6.12-amd64 ;;
	*-backports)	from=(-t "$suite") ;;
	esac
	mkdir -p "$cache/root"
	tmp=$(mktemp -d "$cache/root/.fetch.XXXXXX")
	# shellcheck disable=SC2064 # the path of now
	trap "rm -rf --one-file-system '$tmp'" EXIT
	chmod 755 "$tmp"

	echo "root: making $suite in $cache/root"
	minimal "$suite" "$tmp"
	# shellcheck disable=SC2086 # names without blanks
	run "$tmp" apt-get -q -y --no-install-recommends install $packages
	run "$tmp" env INITRD=No \
		apt-get -q -y --no-install-recommends "${from[@]}" install \
		"linux-headers-$kernel" "linux-image-$kernel"
	run "$tmp" apt-get clean
	mv -T "$tmp" "$cache/root/$suite"
}

as_root() {
	[ "$(id -u)" = 0 ] || exec sudo XROCE_CACHE="$cache" \
		http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}" \
		"$here/root.sh" "$@"
}

[ $# -ge 2 ] || set -- usage
case $1 in
fetch)	[ -e "$cache/root/$2" ] || as_root "$@"; fetch "$2" ;;
dir)	dir "$2" ;;
run)	as_root "$@"; shift; run "$@" ;;
enter)	as_root "$@"; shift; enter '' "$@" ;;
minimal) as_root "$@"; shift; minimal "$@" ;;
*)	die 'usage: root.sh fetch SUITE | dir SUITE | run DIR COMMAND... |
	enter DIR COMMAND... | minimal SUITE DIR [PACKAGE...]' ;;
esac
