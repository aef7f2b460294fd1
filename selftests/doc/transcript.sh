#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Run the examples of the README, of the pages in doc/ and of the manual, and compare their
# output with the page; transcript.py defines which differences are allowed. Each page
# starts with the module loaded, no link, a /dev/shm of its own, and rxe0 at the client.
# Default: all pages.
set -eu

here=$(realpath "$(dirname "$0")")
. "$here/../lib/net.sh"

doc=$top/doc/man
work=$(mktemp -d)
export PATH=$top/build/user:$top/build/examples:$PATH

work_down() { rm -rf "$work"; }

# Clean up after a page. Its programs may take a while to exit.
anew() {
	wait_until 20 link_down
	tc qdisc replace dev c0 root pfifo limit 20000
	in_xr tc qdisc del dev x0 root 2>/dev/null || :
}

link_down() {
	[ ! -e /sys/fs/bpf/xroce/x0 ] || in_xr xroce link del dev x0 force
}

# page FILE: the examples print what the page says; pages of the command must have examples
page() {
	local status=0

	anew
	unshare --mount bash -euc 'mount -t tmpfs tmpfs /dev/shm; cd /dev/shm; exec "$@"' \
		- "$here/transcript.py" "$1" \
		nsenter --net=/run/netns/xr >"$work/out" || status=$?
	cat "$work/out"
	case $status:${1##*/} in
	0:* | 4:libxroce* | 4:*.md) return 0 ;;
	4:*)		echo "# no examples" ;;
	esac
	return 1
}

if [ $# -gt 0 ]; then
	mapfile -t pages < <(realpath "$@")
	set -- "${pages[@]}"
else
	set -- "$top/README.md" "$top"/doc/*.md "$doc"/*.rst
fi
net_up
undo+=(work_down)
module_up
rxe_up
undo+=(link_down)
for file; do
	name=${file##*/}
	run "transcript_${name%.*}" 'U1 U5' page "$file"
done
results
