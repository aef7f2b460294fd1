#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Debian packages for virtual machines only, because their services are not for the machine that
# runs the tests: an NFS server, say.
#
# $XROCE_PACKAGES names a set of them, with a directory of its own; without it there is one more.
#
# usage: guest-packages.sh fetch PACKAGE...   download what is not installed
#        guest-packages.sh install            install that, in a machine of vm.sh
#        guest-packages.sh unpack             only unpack it there, for programs and libraries that
#                                             need no scripts: in a tenth of the time
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

install() {
	[ "${XROCE_VM:-}" = 1 ] && [ -e "$dir/of" ] || return 0
	# Do not start services.
	printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
	chmod 755 /usr/sbin/policy-rc.d
	DEBIAN_FRONTEND=noninteractive dpkg -i "$dir"/*.deb
}

[ $# -ge 1 ] || set -- usage
unpack() {
	local deb

	[ "${XROCE_VM:-}" = 1 ] && [ -e "$dir/of" ] || return 0
	for deb in "$dir"/*.deb; do
		dpkg-deb --extract "$deb" /
	done
	ldconfig
}

case $1 in
fetch)		shift; fetch "$@" ;;
install)	install ;;
unpack)		unpack ;;
*)		sed -n '/^# usage/,/^[^#]/s/^# //p' "$0" >&2; exit 2 ;;
esac
