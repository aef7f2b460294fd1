#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The programs in examples/: those with libxroce are the servers, the one with libibverbs
# is their client, over rxe.
set -eu

. "$(dirname "$0")/../lib/net.sh"

xroce=$top/build/user/xroce
examples=$top/build/examples
work=/dev/shm/examples
group=/sys/fs/cgroup/xroce_examples
server=

link_down() { in_xr "$xroce" link del dev x0; }
work_down() { rm -rf "$work"; }

# serve NAME [ARGUMENT]...: start a server, with its output in the file "server"
serve() {
	local name=$1

	shift
	# Without in_xr, so that $! is the server itself.
	nsenter --net=/run/netns/xr "$examples/$name" "$@" \
		>"$work/server" 2>&1 &
	server=$!
	wait_until 20 listens_or_ended
}

listens_or_ended() {
	in_xr ss -Hltn 'sport = 18600' | grep -q . || ! kill -0 "$server"
}

# ended [STATUS]: wait for the server and check its exit status, 0 by default
ended() {
	local status=0

	wait "$server" || status=$?
	[ "$status" = "${1:-0}" ] || {
		echo "# the server: status $status, $(cat "$work/server")"
		return 1
	}
}

# client [ARGUMENT]...: run the client, with its output in the file "client"
client() {
	timeout 60 "$examples/memory_client" "$@" >"$work/client" 2>&1 || {
		sed 's/^/# client: /' "$work/client"
		return 1
	}
}

# says server|client PATTERN: its output has a line that matches
says() {
	grep -q "$2" "$work/$1" || {
		echo "# the $1 says: $(cat "$work/$1"), not: $2"
		return 1
	}
}

# lent BYTES: make a file of zeros to serve, "lent", and a copy, "want"
lent() {
	rm -f "$work/lent" "$work/want"
	truncate -s "$1" "$work/lent" "$work/want"
}

# put OFFSET: write into "want" what the client writes into "lent"
put() {
	dd if="$work/file" of="$work/want" conv=notrunc bs=1M oflag=seek_bytes \
		seek="$1" status=none
}

same() { cmp "$work/lent" "$work/want" | sed 's/^/# /'; [ "${PIPESTATUS[0]}" = 0 ]; }

# memory ADDRESS OFFSET: the file has what the client wrote, and is otherwise unchanged
memory() {
	lent 2M
	put "$2"
	serve memory_server x0 "$work/lent"
	client -o "$2" rxe0 "$1" "$work/file" &&
		ended && says client 'the same' && says server 'state good' &&
		says server "bytes $(stat -c %s "$work/file") " && same
}

# The last byte would be one past the end: nothing is written, and both report an error.
past_the_end() {
	local size

	lent 2M
	size=$(stat -c %s "$work/file")
	serve memory_server x0 "$work/lent"
	! client -o $((2097152 - size + 1)) rxe0 10.77.0.2 "$work/file" &&
		ended && says client 'remote access error' &&
		says server 'state refused' && same
}

# The window is revoked while the client writes again and again: the client is refused,
# and bytes that the server writes afterwards do not change.
window() {
	serve window_granter -t 3000 x0
	! client -n 1000000 rxe0 10.77.0.2 "$work/file" &&
		ended && says client 'remote access error' &&
		says server 'has written something' &&
		says server 'nothing written since' &&
		says server 'state refused'
}

disk_down() {
	umount "$work/disk"
	rmmod brd
	rmdir "$group"
}

# Empty the page cache: the file's pages are charged to the process that reads them next.
disk_anew() {
	umount "$work/disk"
	mount /dev/ram0 "$work/disk"
}

# A file system on a RAM disk, and a control group with much less memory than the size of
# the file.
disk_up() {
	# An earlier test may have left a smaller one.
	! [ -d /sys/module/brd ] || rmmod brd
	modprobe brd rd_nr=1 rd_size=98304 && modprobe ext4 &&
		mkfs.ext4 -q -F /dev/ram0 2>/dev/null || return 1
	mkdir "$work/disk"
	mount /dev/ram0 "$work/disk"
	# With both controllers, writers wait for the disk instead of being killed.
	echo '+memory +io' >/sys/fs/cgroup/cgroup.subtree_control
	mkdir "$group"
	undo+=(disk_down)
	# With 16 MiB, multi-generational LRU of Linux 7.3 finds nothing to reclaim.
	echo 24M >"$group/memory.max"
	head -c 64M /dev/urandom >"$work/disk/file"
	cp "$work/disk/file" "$work/want"
	head -c 40000000 /dev/urandom >"$work/large"
	disk_anew
}

# serve_in_group NAME [ARGUMENT]...: the same as serve, in the control group
serve_in_group() {
	local name=$1

	shift
	bash -c 'echo 0 >"$1/cgroup.procs"; shift; exec "$@"' - "$group" \
		nsenter --net=/run/netns/xr "$examples/$name" "$@" >"$work/server" 2>&1 &
	server=$!
	wait_until 20 listens_or_ended
}

# The client writes 40 MB into a file of 64 MiB, with 24 MiB of memory, so that most pages
# are reclaimed meanwhile. In the end the disk has the bytes that the client wrote, and the
# old bytes elsewhere.
file_larger_than_memory() {
	local most taken

	serve_in_group odp_file_server -w x0 "$work/disk/file"
	timeout 240 "$examples/memory_client" -o 20000001 rxe0 10.77.0.2 "$work/large" \
		>"$work/client" 2>&1 || { sed 's/^/# client: /' "$work/client"; return 1; }
	ended && says server 'state good' &&
		says server "^rkey 0x[0-9a-f]* addr 0x0 length 67108864$" || return 1
	sed 's/^/# /' "$work/server"
	taken=$(sed -nE 's/.* invalidated ([0-9]+) .*/\1/p' "$work/server")
	[ "$taken" -gt 5000 ] || { echo "# $taken pages invalidated"; return 1; }
	# The kernel charges what must not fail beyond the limit: less than 1 MiB here.
	most=$(cat "$group/memory.peak")
	[ "$most" -le $(((24 + 1) << 20)) ] || { echo "# $most bytes of memory"; return 1; }
	dd if="$work/large" of="$work/want" conv=notrunc bs=1M oflag=seek_bytes \
		seek=20000001 status=none
	disk_anew
	cmp "$work/disk/file" "$work/want" >"$work/cmp" ||
		{ sed 's/^/# /' "$work/cmp"; return 1; }
}

# Without -w the file is read-only: a WRITE is refused, and the file does not change.
file_read_only() {
	cp "$work/disk/file" "$work/want"
	serve odp_file_server x0 "$work/disk/file"
	! client rxe0 10.77.0.2 "$work/file" &&
		ended && says client 'remote invalid request\|remote access' &&
		says server 'state refused' && cmp "$work/disk/file" "$work/want"
}

# A client with another protocol gets no response, and the server exits.
garbage() {
	lent 2M
	serve memory_server x0 "$work/lent"
	[ -z "$(exec 3<>/dev/tcp/10.77.0.2/18600
		echo 'GET / HTTP/1.0' >&3; cat <&3)" ] &&
		ended 1 && says server 'Protocol error' && same
}

# Without a link the server prints the command that makes one.
no_link() {
	local status=0

	lent 2M
	in_xr "$examples/memory_server" lo "$work/lent" >"$work/server" 2>&1 ||
		status=$?
	[ "$status" = 1 ] && says server 'xroce link add dev lo'
}

net_up
rxe_up
module_up
mkdir "$work"
undo+=(work_down)
in_xr "$xroce" link add dev x0 >/dev/null
undo+=(link_down)
# The first byte must not be 0, because the memory is all zeros.
{ printf x; head -c 300000 /dev/urandom; } >"$work/file"

run example_memory 'U3' memory 10.77.0.2 0
run example_memory_offset 'U3' memory 10.77.0.2 12345
run example_memory_last 'U3' memory 10.77.0.2 $((2097152 - 300001))
run example_memory_ipv6 'U3' memory fd77::2 77
run example_past_the_end 'U3 R9' past_the_end
if disk_up; then
	run example_file_larger_than_memory 'U3 O1 O3 O4 O6' file_larger_than_memory
	run example_file_read_only 'U3 R2' file_read_only
else
	result 0 example_file_larger_than_memory '# SKIP no RAM disk with ext4'
fi
run example_window 'U3 W3 W7' window
run example_garbage 'U3' garbage
run example_no_link 'U3' no_link
results
