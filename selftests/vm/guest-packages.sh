#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Debian packages for virtual machines only, because their services are not for the machine that
# runs the tests: an NFS server, say.
#
# $XROCE_PACKAGES names a set of them, with a directory of its own; without it there is one more.
#
# usage: guest-packages.sh fetch PACKAGE...   download what is not installed
#        guest-packages.sh unpack             unpack it there. Their scripts, which take ten times as
#                                             long, do not run: a test does what it needs of that
set -eu

here=$(realpath "$(dirname "$0")")
cache=${XROCE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/xroce}
dir=$cache/packages${XROCE_PACKAGES:+-$XROCE_PACKAGES}

# Those of PACKAGE... that are not installed
missing() {
	local package

	for package; do
		dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed ||
			echo "$package"
	done
}

as_root() {
	[ "$(id -u)" = 0 ] || exec sudo XROCE_CACHE="$cache" XROCE_PACKAGES="${XROCE_PACKAGES:-}" \
		"$here/guest-packages.sh" "$@"
}

# The file "of" names the packages that the directory is complete for.
fetch() {
	local wanted

	wanted=$(missing "$@" | xargs)
	[ -n "$wanted" ] || return 0
	[ ! -e "$dir/of" ] || [ "$(cat "$dir/of")" != "$wanted" ] || return 0
	as_root fetch "$@"
	rm -rf "$dir"
	mkdir -p "$dir/partial"
	# shellcheck disable=SC2086 # names without blanks
	if apt-get -q -y -o DPkg::Lock::Timeout=300 -o Dir::Cache::archives="$dir" --download-only \
		--no-install-recommends install $wanted; then
		echo "$wanted" >"$dir/of"
	else
		echo "deps: going on without $wanted: tests skip what needs them"
	fi
}

# Directories that are links stay so: /lib.
unpack() {
	local deb

	[ "${XROCE_VM:-}" = 1 ] && [ -e "$dir/of" ] || return 0
	for deb in "$dir"/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -x -C / --keep-directory-symlink
	done
	ldconfig
}

[ $# -ge 1 ] || set -- usage
case $1 in
fetch)	shift; fetch "$@" ;;
unpack)	unpack ;;
*)	sed -n '/^# usage/,/^[^#]/s/^# //p' "$0" >&2; exit 2 ;;
esac
