#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Run the examples of the README, of the pages in doc/ and of the manual, and compare their
# output with the page; transcript.py defines which differences are allowed. Each page
# starts with the module loaded, no link, /dev/shm and /srv of its own, and rxe0 at the
# client. Default: all pages; in "make check" without storage.md, whose commands storage_units.sh
# runs, but for those after its first half.
#
# A page with the line "<!-- network: ulp.sh -->" is about consumers in the kernel. Both sides
# are in the initial namespace, the server on t0, 10.81.0.2, the client on h0, 10.81.0.1. It
# starts with xroce_ib, and runs under systemd: see systemd_machine.sh and storage_machine.sh.
#
# A page with the line "<!-- network: initial -->" makes a network of its own; its commands run in
# the initial namespace, and xroce_ib is loaded.
set -eu

here=$(realpath "$(dirname "$0")")
. "$here/../lib/ulp.sh"
. "$here/../lib/systemd_machine.sh"
. "$here/../lib/storage_machine.sh"

doc=$top/doc/man
work=$(mktemp -d)
export PATH=$top/build/user:$top/build/examples:$PATH
# In place of those that are installed.
export CPATH=$top/include

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
	packets
	if grep -qx '<!-- network: ulp.sh -->' "$1"; then
		page_of_kernel "$1"
	elif grep -qx '<!-- network: initial -->' "$1"; then
		page_of_verbs "$1"
	else
		# Nobody sends packets in a page without another terminal.
		grep -qE '(client|other)# ' "$1" || no_packets
		page_in "$1" nsenter --net=/run/netns/xr
	fi >"$work/out" || status=$?
	cat "$work/out"
	case $status:${1##*/} in
	0:* | 4:libxroce* | 4:*.md) return 0 ;;
	4:*)		echo "# no examples" ;;
	esac
	return 1
}

# page_in FILE [COMMAND...]: run it, with COMMAND before the shell of the server's side, in a
# directory with the sources of the examples that are BPF programs
page_in() {
	unshare --mount bash -euc 'for dir in /srv /dev/shm; do mount -t tmpfs tmpfs $dir; cd $dir; done
		cp "$1"/*.bpf.c .
		shift
		exec "$@"' - "$top/examples" "$here/transcript.py" "$@"
}

# Without the module, on a kernel without RDMA, the page is not run.
page_of_verbs() {
	local status=0

	[ -e "$verbs_module" ] || return 4
	undo_mark
	verbs_module_up
	page_in "$1" env || status=$?
	undo_to_mark || status=1
	return $status
}

# The client is rxe. Without the modules, as on a kernel that was built for tests, or outside of a
# disposable machine, a page is not run.
page_of_kernel() {
	local status=0

	(needs_systemd; needs_verbs; storage_needs) | sed 's/^/# /'
	[ "${PIPESTATUS[0]}" = 0 ] || return 4
	undo_mark
	storage_up
	systemd_boot basic.target
	sd "$here/transcript.py" "$1" || status=$?
	undo_to_mark || status=1
	return $status
}

if [ $# -gt 0 ]; then
	mapfile -t pages < <(realpath "$@")
else
	mapfile -t pages < <(ls "$top/README.md" "$top"/doc/*.md "$doc"/*.rst |
		grep -v "$(amount '/storage\.md$' '^$')")
fi
net_up
undo+=(work_down)
module_up
rxe_up
undo+=(link_down)
for file in "${pages[@]}"; do
	name=${file##*/}
	run "transcript_${name%.*}" 'U1 U5' page "$file"
done
results
