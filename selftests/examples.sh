#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The programs of examples/: those on libxroce serve, the one on libibverbs is their
# client, over rxe.
set -eu

. "$(dirname "$0")/net.sh"

xroce=$net_here/../build/user/xroce
examples=$net_here/../build/examples
work=/dev/shm/examples
server=

link_down() { in_xr "$xroce" link del dev x0; }
work_down() { rm -rf "$work"; }

# serve NAME [ARGUMENT]...: start a server, whose output goes to a file
serve() {
	local name=$1

	shift
	# Not by in_xr, so that the process is its own.
	nsenter --net=/run/netns/xr "$examples/$name" "$@" \
		>"$work/server" 2>&1 &
	server=$!
	wait_until 20 listens_or_ended
}

listens_or_ended() {
	in_xr ss -Hltn 'sport = 18600' | grep -q . || ! kill -0 "$server"
}

# ended [STATUS]: the server ends as its client does
ended() {
	local status=0

	wait "$server" || status=$?
	[ "$status" = "${1:-0}" ] || {
		echo "# the server: status $status, $(cat "$work/server")"
		return 1
	}
}

# client [ARGUMENT]...: its output goes to a file
client() {
	timeout 60 "$examples/memory_client" "$@" >"$work/client" 2>&1 || {
		sed 's/^/# client: /' "$work/client"
		return 1
	}
}

says() {
	grep -q "$2" "$work/$1" || {
		echo "# the $1 says: $(cat "$work/$1"), not: $2"
		return 1
	}
}

# lent BYTES: a file of zeros to serve, and another to compare it with
lent() {
	rm -f "$work/lent" "$work/want"
	truncate -s "$1" "$work/lent" "$work/want"
}

put() {
	dd if="$work/file" of="$work/want" conv=notrunc bs=1M oflag=seek_bytes \
		seek="$1" status=none
}

same() { cmp "$work/lent" "$work/want" | sed 's/^/# /'; [ "${PIPESTATUS[0]}" = 0 ]; }

# memory ADDRESS OFFSET: what the client writes is there, and nothing else
memory() {
	lent 2M
	put "$2"
	serve memory_server x0 "$work/lent"
	client -o "$2" rxe0 "$1" "$work/file" &&
		ended && says client 'the same' && says server 'state good' &&
		says server "bytes $(stat -c %s "$work/file") " && same
}

# The last byte would be one past the end: nothing is written, and both know.
past_the_end() {
	local size

	lent 2M
	size=$(stat -c %s "$work/file")
	serve memory_server x0 "$work/lent"
	! client -o $((2097152 - size + 1)) rxe0 10.77.0.2 "$work/file" &&
		ended && says client 'remote access error' &&
		says server 'state refused' && same
}

# Revoked while the client writes, round after round: it is refused, and what the
# server writes there afterwards stays.
window() {
	serve window_granter -t 3000 x0
	! client -n 1000000 rxe0 10.77.0.2 "$work/file" &&
		ended && says client 'remote access error' &&
		says server 'has written something' &&
		says server 'nothing written since' &&
		says server 'state refused'
}

# A client that says something else is told nothing, and the server leaves.
garbage() {
	lent 2M
	serve memory_server x0 "$work/lent"
	[ -z "$(exec 3<>/dev/tcp/10.77.0.2/18600
		echo 'GET / HTTP/1.0' >&3; cat <&3)" ] &&
		ended 1 && says server 'Protocol error' && same
}

# Without a link the server says what to do.
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
# Not 0 at the beginning, as the memory is.
{ printf x; head -c 300000 /dev/urandom; } >"$work/file"

run example_memory 'U3' memory 10.77.0.2 0
run example_memory_offset 'U3' memory 10.77.0.2 12345
run example_memory_last 'U3' memory 10.77.0.2 $((2097152 - 300001))
run example_memory_ipv6 'U3' memory fd77::2 77
run example_past_the_end 'U3 R9' past_the_end
run example_window 'U3 W3 W7' window
run example_garbage 'U3' garbage
run example_no_link 'U3' no_link
results
