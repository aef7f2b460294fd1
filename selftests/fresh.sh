#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Run a command on a system where nothing is installed: in a new root of a Debian suite
# with minbase, git and make, and a clone of HEAD.
#
#   debootstrap --> SUITE.tar --unpack--> root/ <--clone-- HEAD of this checkout
#                                          |
#                   SUITE.debs/ <--------> /var/cache/apt/archives
#
# The command is one line of shell, run by root in the clone. It has the network for
# packages, the host's /dev, and a home, a /dev/shm and processes of its own. The archive
# and the packages are kept for a week, in $XROCE_CACHE/fresh/.
#
# usage: fresh.sh SUITE COMMAND
#
# The exit status is that of the command, or 125 if it could not be run.
set -euo pipefail

here=$(realpath "$(dirname "$0")")
top=${here%/*}
cache=${XROCE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/xroce}
kept=$cache/fresh

say() { echo "fresh: $suite: $*"; }
die() { say "$@" >&2; exit 125; }

# quiet WHAT COMMAND...: show its output only if it fails
quiet() {
	local what=$1

	shift
	"$@" >"$work/log" 2>&1 </dev/null || {
		tail -n 40 "$work/log" >&2
		die "$what failed: $*"
	}
}

# Unpack the minimal root, and build it again if it is older than a week.
unpack() {
	local tar=$kept/$suite.tar

	[ -z "$(find "$tar" -mtime +7 2>/dev/null)" ] || rm -rf "$tar" "$kept/$suite.debs"
	[ ! -e "$tar" ] || {
		quiet 'unpacking the minimal root' tar -xpf "$tar" -C "$root" \
			--numeric-owner --xattrs --xattrs-include='*'
		return
	}
	say 'making a minimal root with git and make'
	quiet 'making a minimal root' "$here/vm/root.sh" minimal "$suite" "$root" git make
	quiet 'packing the minimal root' tar -cf "$work/tar" -C "$root" \
		--numeric-owner --xattrs --xattrs-include='*' .
	mv "$work/tar" "$tar"
}

# Hard-link packages to and from apt's archive.
link_packages() { # FROM TO
	mkdir -p "$1" "$2"
	find "$1" -maxdepth 1 -name '*.deb' -exec cp -lnt "$2" {} +
}

# git refuses a checkout of another user unless told otherwise.
clone() {
	git config --file "$work/gitconfig" safe.directory '*'
	GIT_CONFIG_GLOBAL=$work/gitconfig quiet 'the clone' \
		git clone -q --depth 1 "file://$top" "$root/root/xroce"
}

# The command runs in a PID namespace, whose processes all end with its process 1.
inside() {
	exec unshare --pid --fork --kill-child --mount --ipc --propagation private \
		"$here/vm/root.sh" enter "$root" sh -c '
			mount -t tmpfs tmpfs /dev/shm
			cd /root/xroce
			unset LC_ALL DEBIAN_FRONTEND
			eval "$1"' sh "$1"
}

clean_up() {
	[ -z "${child:-}" ] || kill -KILL "$child" 2>/dev/null || :
	wait
	# The last processes may take a moment to end.
	for _ in {1..50}; do
		rm -rf --one-file-system "$work" 2>/dev/null && return
		sleep 0.1
	done
	say "cannot be removed: $work" >&2
}

[ $# = 2 ] || { echo 'usage: fresh.sh SUITE COMMAND' >&2; exit 125; }
[ "$(id -u)" = 0 ] || exec sudo XROCE_CACHE="$cache" "$here/fresh.sh" "$@"
suite=$1
make -s --no-print-directory -C "$top" deps-root || die 'debootstrap cannot be installed'

mkdir -p "$kept"
work=$(mktemp -d "$kept/run.XXXXXX")
root=$work/root
trap clean_up EXIT
trap 'exit 130' INT TERM HUP
mkdir "$root"
chmod 755 "$work" "$root"
unpack
link_packages "$kept/$suite.debs" "$root/var/cache/apt/archives"
clone
head=$(git -C "$root/root/xroce" log -1 --format='%h "%s"')

say "$2, in a clone of $head"
# In the background: bash runs no trap while it waits for a foreground command.
status=0
inside "$2" <&0 &
child=$!
wait "$child" || status=$?
child=
link_packages "$root/var/cache/apt/archives" "$kept/$suite.debs"
if [ "$status" = 0 ]; then
	say "$2: passed, after $SECONDS s"
else
	say "$2: failed with exit status $status, after $SECONDS s" >&2
fi
exit "$status"
