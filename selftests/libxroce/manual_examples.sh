#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The examples of the manual's section 3 compile with what "make install-user" installs,
# as a page says, and say what they shall.
set -eu

. "$(dirname "$0")/../lib/net.sh"

xroce=$top/build/user/xroce
work=/dev/shm/manual
own='10.77.0.2 10.77.0.1 0x11'

link_down() { in_xr "$xroce" link del dev x0; }
work_down() { rm -rf "$work"; }

# With none of what the build sets.
install_all() {
	env -u MAKEFLAGS make --no-print-directory -C "$top" PREFIX="$work/usr" install-user \
		>"$work/said" 2>&1 || { sed 's/^/# /' "$work/said"; return 1; }
}

# compile NAME
compile() {
	local flags

	flags=$(PKG_CONFIG_PATH=$work/usr/lib/pkgconfig pkg-config --cflags --libs libxroce)
	# shellcheck disable=SC2086 # words
	cc -std=c11 -Wall -Werror "$top/examples/manual/$1.c" $flags -o "$work/$1" \
		>"$work/said" 2>&1 || { sed 's/^/# /' "$work/said"; return 1; }
}

compile_all() {
	local file status=0 seen=0

	install_all || return
	for file in "$top"/examples/manual/*.c; do
		seen=$((seen + 1))
		compile "$(basename "$file" .c)" || status=1
	done
	[ $seen -ge 10 ] && return $status
}

# A mistake does not pass.
compile_complains() {
	! (
		top=$work
		mkdir -p "$work/examples/manual"
		echo 'int main(void) { int unused; return 0; }' >"$work/examples/manual/wrong.c"
		compile wrong >/dev/null
	)
}

# example NAME [ARGUMENT]...
example() {
	local name=$1

	shift
	XROCE_BPF_OBJECT=$(echo "$work"/usr/lib/libxroce*/xroce.bpf.o) \
		LD_LIBRARY_PATH=$work/usr/lib in_xr timeout 60 "$work/$name" "$@" </dev/null
}

# says PATTERN... -- NAME [ARGUMENT]...: an example succeeds, and each pattern is a part of a
# line
says() {
	local patterns=() pattern status=0

	while [ "$1" != -- ]; do
		patterns+=("$1")
		shift
	done
	shift
	example "$@" >"$work/said" 2>&1 || { echo "# $1: status $?"; status=1; }
	for pattern in "${patterns[@]}"; do
		grep -qE "$pattern" "$work/said" || { echo "# $1: not said: $pattern"; status=1; }
	done
	[ $status = 0 ] || sed 's/^/# /' "$work/said"
	return $status
}

# A link that is there stays, another does not.
link_is_left() {
	says 'link [0-9]+ mpt 65536 qp 1024 users 0' 'pd 0 of 100' -- link x0 || return
	! in_xr "$xroce" link show dev x0 >/dev/null 2>&1
}

link_stays() {
	says 'users 0' 'of 100' -- link x0 && in_xr "$xroce" link show dev x0 >/dev/null
}

ready() { grep -q ready "$work/event.said"; }
dropped() { grep -q 'dropped: drop_qpn, qpn 0x800001, psn 7' "$work/event.said"; }

# A SEND for a queue pair that is not there.
event() {
	local monitor status=0

	example event x0 >"$work/event.said" 2>&1 &
	monitor=$!
	wait_until 20 ready || status=1
	printf '\4\0\xff\xff\0\x80\0\1\0\0\0\7\0\0\0\0' >/dev/udp/10.77.0.2/4791
	wait_until 10 dropped || status=1
	# It ends when there have been no more.
	wait "$monitor" || status=1
	[ $status = 0 ] || sed 's/^/# /' "$work/event.said"
	return $status
}

# send_datagram FILE TEXT: to the queue pair that FILE names, once it is there
send_datagram() {
	python3 -SI - "$@" <<-'END'
		import re, socket, struct, sys, time, zlib

		while not (said := re.search(r"^qpn (\S+) qkey (\S+)$", open(sys.argv[1]).read(), re.M)):
		    time.sleep(0.01)
		qpn, qkey = int(said[1], 16), int(said[2], 16)
		text = sys.argv[2].encode()
		# UD SEND only; queue key, and source queue pair.
		bth = struct.pack(">BBHII", 0x64, 0, 0xffff, qpn, 0)
		deth = struct.pack(">II", qkey, 0x12)
		size = 20 + 8 + len(bth + deth + text) + 4

		def headers(tos, ttl, check, reserved):
		    ip = struct.pack(">BBHHHBBH4s4s", 0x45, tos, size, 1, 0x4000, ttl, 17, check,
		                     socket.inet_aton("10.77.0.1"), socket.inet_aton("10.77.0.2"))
		    udp = struct.pack(">HHHH", 0xc000, 4791, size - 20, check)
		    return ip + udp + bth[:4] + reserved + bth[5:] + deth

		# What varies on the way is all ones in the invariant CRC.
		crc = zlib.crc32(b"\xff" * 8 + headers(0xff, 0xff, 0xffff, b"\xff") + text)
		frame = headers(0, 64, 0, b"\0") + text + struct.pack("<I", crc)
		raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
		raw.sendto(frame, ("10.77.0.2", 0))
	END
}

# It has come, and its work request was posted again.
datagram() {
	local sender status=0

	: >"$work/said"
	send_datagram "$work/said" 'good day' &
	sender=$!
	says '^8 bytes from 0x12: good day$' '^16 work requests flushed' -- recv x0 10.77.0.2 ||
		status=1
	kill "$sender" 2>/dev/null || :
	return $status
}

# Without a link each says so.
no_link() {
	local name status=0

	for name in pd mr map event; do
		if example "$name" lo >"$work/said" 2>&1 ||
		   ! grep -q 'lo: No such file' "$work/said"; then
			echo "# $name: $(cat "$work/said")"
			status=1
		fi
	done
	return $status
}

net_up
module_up
mkdir "$work"
undo+=(work_down)
run manual_example_compiles U3 compile_all
run manual_example_complains U3 compile_complains
run manual_example_link_made U3 link_is_left
in_xr "$xroce" link add dev x0 >/dev/null
undo+=(link_down)

# shellcheck disable=SC2086 # words
{
	run manual_example_libxroce U3 says '^qpn 0x[89a-f][0-9a-f]{5} psn 0 rkey 0x' \
		'^first byte 0x00' -- libxroce x0 $own
	run manual_example_link U3 link_stays
	run manual_example_pd U3 says '^pd [0-9]+: 0 regions, 1 queue pairs' '^busy' '^deallocated' \
		-- pd x0
	run manual_example_mr U3 says '^region example: 1048576 bytes, access 0x7, another key' \
		'^deregistered' -- mr x0
	run manual_example_qp U3 says 'state 3 .*access 0x4, 1024 bytes .*cause none' -- qp x0 $own
	run manual_example_recv U3 says '^qpn .* qkey 0x11111111' '^16 work requests flushed' \
		-- recv x0 10.77.0.2
	run manual_example_send 'U3 V7' says '^status 0: hello$' \
		-- send x0 10.77.0.2
	run manual_example_recv_datagram U3 datagram
	run manual_example_mw U3 says '^granted' '^taken back' -- mw x0 $own
	run manual_example_event U3 event
	run manual_example_map U3 says '^packets [1-9]' -- map x0
	run manual_example_no_link U3 no_link
}
results
