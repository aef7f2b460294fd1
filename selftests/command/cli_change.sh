#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The xroce command: changes of regions, physical regions, and windows.
set -eu

. "$(dirname "$0")/../lib/net.sh"
. "$(dirname "$0")/../lib/command.sh"

# share PD: make a second region over the first one's memory, then change both
changes() {
	local pd=$1 other

	other=$(makes pd pd add)
	truncate -s 64K "$work/file"
	truncate -s 16K "$work/file2"
	xr -j mr add pd "$pd" name one access local-write,remote-write \
		file "$work/file" >"$work/one"
	xr -j mr add pd "$other" name two share one iova 0x5000 \
		access remote-read >"$work/two"
	xr -j mr show one >"$work/mr1"
	xr -j mr show two >"$work/mr2"
	holds 'two["length"] == 65536 and two["mr"] == mr2[0]["mr"] and
		mr2[0]["sharers"] == mr1[0]["sharers"] == 2 and
		mr2[0]["iova"] == 0x5000 and mr2[0]["pd"] != mr1[0]["pd"] and
		mr2[0]["access"] == ["remote-read"] and
		mr1[0]["physical"] is False' two mr1 mr2

	xr -j mr change mr two pd "$pd" access local-write >"$work/two"
	xr -j mr show two >"$work/mr2"
	holds 'mr2[0]["pd"] == '"$pd"' and mr2[0]["access"] == ["local-write"] and
		two["lkey"] == mr2[0]["lkey"] and two["rkey"] == 0 and
		two["lkey"] >> 8 == two["mr"] and two["iova"] == 0x5000 and
		mr2[0]["sharers"] == 2' two mr2
	xr -j mr change mr one file "$work/file2" offset 100 iova 0x10 >"$work/new"
	xr -j mr show one >"$work/mr1"
	holds 'new["mr"] == one["mr"] and new["rkey"] != one["rkey"] and
		new["length"] == mr1[0]["length"] == 16284 and
		mr1[0]["iova"] == 0x10 and mr1[0]["sharers"] == 1 and
		mr1[0]["access"] == ["local-write", "remote-write"]' one new mr1

	fails 2 'nothing to change' mr change mr one
	fails 2 'mr is missing' mr change pd 1
	fails 2 'cannot be combined' mr change mr one file "$work/file" phys 0x1000
	fails 2 'iova' mr change mr one iova 3
	fails 1 'mr nobody: no such region' mr change mr nobody pd "$pd"
	fails 1 'mr one: pd 999: no such' mr change mr one pd 999
	fails 1 'remote write needs local write' \
		mr change mr one access remote-write
	fails 1 'not inside the file' mr change mr one file "$work/file" size 1M
	fails 1 'mr nobody: no such region' \
		mr add pd "$pd" access none share nobody
	xr -j mr show one >"$work/mr2"
	holds 'mr1 == mr2' mr1 mr2
	xr mr add pd "$pd" name ro access none file "$work/file" >"$work/made"
	fails 1 'share ro: its pages are pinned read-only' \
		mr add pd "$pd" access local-write share ro
	for mr in one two ro; do xr mr del mr $mr; done
	xr pd del pd "$other"
}

# A change is told the limit that it exceeds, in whole pages. It is not one more region.
limited() {
	local pd=$1 heap

	heap=0x$(sed -n 's/-.* \[heap\]$//p' /proc/$$/maps)
	truncate -s 64K "$work/file"
	xr mr add pd "$pd" name a access none pid $$ addr "$heap" size 8K >"$work/made"
	xr link limit mr 1 pinned 12K
	fails 1 'mr: file .*: the link is limited to 12K bytes pinned: 8K in use, 20K more needed' \
		mr change mr a file "$work/file" size 20K
	fails 1 'mr a: the link is limited to 12K bytes pinned: 8K in use, 8K more needed' \
		mr change mr a access local-write
	xr link limit mr none
	fails 1 'mr: pid .*: the link is limited to 12K bytes pinned: 8K in use, 8K more needed' \
		mr add pd "$pd" access none pid $$ addr $((heap + 2048)) size 4K
	fails 1 'mr: file .*: the link is limited to 12K bytes pinned: 8K in use, 8K more needed' \
		mr add pd "$pd" access none file "$work/file" offset 2K size 4K
	xr link limit pinned none
	xr mr change mr a access local-write >"$work/made"
	xr mr del mr a
}

# Print the physical addresses of a file's pages, in hexadecimal, joined by commas.
pages_of() { # FILE
	python3 -SI - "$1" <<-'END'
	import ctypes, mmap, os, struct, sys
	f = os.open(sys.argv[1], os.O_RDWR)
	size = os.fstat(f).st_size
	m = mmap.mmap(f, size)
	for i in range(0, size, 4096): m[i] = 1
	at = ctypes.addressof(ctypes.c_char.from_buffer(m))
	with open("/proc/self/pagemap", "rb") as p:
	    p.seek(at // 4096 * 8)
	    frames = struct.unpack(f"{size // 4096}Q", p.read(size // 512))
	print(",".join(hex((n & (1 << 55) - 1) * 4096) for n in frames))
	END
}

physical() {
	local pd=$1 list

	rm -f "$work/file"
	truncate -s 12K "$work/file"
	list=$(pages_of "$work/file")
	xr -j mr add pd "$pd" name phys access local-write,remote-write \
		phys "$list" offset 10 iova 0x42 >"$work/made"
	xr -j mr show phys >"$work/mr"
	holds 'mr[0]["physical"] is True and mr[0]["pages"] == 3 and
		mr[0]["page_size"] == 4096 and mr[0]["offset"] == 10 and
		mr[0]["length"] == made["length"] == 12278 and
		mr[0]["iova"] == 0x42 and mr[0]["pid"] == mr[0]["addr"] == 0' mr made
	xr mr show phys | grep -q ' physical persistent$' ||
		not_so "physical: $(xr mr show phys)"
	xr -j mr change mr phys phys "${list%%,*}" size 7 >"$work/made"
	holds 'made["length"] == 7' made
	fails 2 'phys "0x10,"' mr add pd "$pd" access none phys 0x10,
	fails 2 'phys "x"' mr add pd "$pd" access none phys x
	fails 2 'page-size 5000' \
		mr add pd "$pd" access none phys 0x1000 page-size 5000
	fails 2 'page-size: can only be used with phys' \
		mr add pd "$pd" access none file "$work/file" page-size 4096
	fails 1 'phys 0x1001: .* not valid' \
		mr add pd "$pd" access none phys 0x1001
	fails 1 'phys 0xa0000: not all of these pages are in use' \
		mr add pd "$pd" access none phys 0xa0000
	fails 1 'offset 4096: not inside' \
		mr add pd "$pd" access none phys 0x1000 offset 4096
	fails 1 'pd 999' mr add pd 999 access none phys "$list"
	xr mr del mr phys
}

# Bind, show and revoke a window of one type.
window() { # TYPE QPN
	local key mw first second

	mw=$(makes mw mw add pd "$(makes pd pd show)" type "$1")
	fails 1 "mw $mw: .*not bound|mw $mw: .*type 1" mw invalidate mw "$mw"
	first=$(makes rkey mw bind mw "$mw" qpn "$2" mr windowed size 100 \
		addr 0x1001 access remote-read,remote-write)
	xr mw show mw "$mw" -j >"$work/mw"
	xr mpt show index "$mw" -j >"$work/mpt"
	holds 'len(mw) == 1 and mw[0]["state"] == "bound" and
		mw[0]["type"] == mpt[0]["type"][2:] and
		mw[0]["length"] == mpt[0]["length"] == 100 and
		mw[0]["addr"] == mpt[0]["iova"] == 0x1001 and
		mw[0]["rkey"] == mpt[0]["key"] and
		mw[0]["mr"] == mpt[0]["mr"] and mpt[0]["state"] == "valid" and
		mw[0]["access"] == mpt[0]["access"]' mw mpt
	fails 1 "^xroce: mr windowed: window $mw is bound to it$" mr del mr windowed
	fails 1 "^xroce: mr windowed: window $mw is bound to it$" mr change mr windowed access none
	if [ "$1" = 1 ]; then
		second=$(makes rkey mw bind mw "$mw" qpn "$2" mr windowed \
			size 0 access none)
		fails 1 "mw $mw: .*type 1" mw invalidate mw "$mw"
		fails 1 "mw $mw: key" mw bind mw "$mw" qpn "$2" mr windowed \
			key 3 access none
	else
		fails 1 "mw $mw: it is already bound" mw bind mw "$mw" qpn "$2" \
			mr windowed access none
		xr mw invalidate mw "$mw"
		key=$(printf %02x $(((first + 1) & 0xff)))
		second=$(makes rkey mw bind mw "$mw" qpn "$2" mr windowed \
			key "0x$key" access remote-atomic)
		[ "${second: -2}" = "$key" ] || not_so "$second ends in $key"
		[ "$1" = 2b ] || fails 1 "qp $2: window 0x[0-9a-f]+ of type 2a is tied to it" qp del qpn "$2"
		xr mw invalidate mw "$mw"
	fi
	[ "$first" != "$second" ] || not_so "another key than $first"
	xr mw show mw "$mw" | grep -q "state unbound rkey $second" ||
		not_so "unbound: $(xr mw show)"
	fails 1 "mw $mw: .*without mw-bind" mw bind mw "$mw" qpn "$2" mr plain \
		access remote-read
	fails 1 "mw $mw: .*not inside" mw bind mw "$mw" qpn "$2" mr windowed \
		size 8193 access remote-read
	fails 1 "mw $mw: .*rights" mw bind mw "$mw" qpn "$2" mr windowed \
		access local-write
	fails 1 'mr none: no such' mw bind mw "$mw" qpn "$2" mr none access none
	xr mw del mw "$mw"
	fails 1 "mw $mw: no such window" mw del mw "$mw"
}

windows() {
	local pd qpn type

	pd=$(makes pd pd add)
	qpn=$(makes qpn qp add pd "$pd")
	xr qp modify qpn "$qpn" state init access remote-write
	xr qp modify qpn "$qpn" state rtr sgid 10.77.0.2 dgid 10.77.0.1 \
		mtu 1024 dest-qpn 0x11 rq-psn 0
	xr qp modify qpn "$qpn" state rts
	truncate -s 8K "$work/file"
	xr mr add pd "$pd" access local-write,mw-bind name windowed iova 0x1000 \
		file "$work/file" >"$work/made"
	xr mr add pd "$pd" access local-write,remote-read name plain \
		file "$work/file" >"$work/made"
	for type in 1 2a 2b; do
		window $type "$qpn"
	done
	fails 2 'type "3": must be' mw add pd "$pd" type 3
	fails 2 'mw is missing' mw invalidate
	fails 1 'mw: pd 999: no such' mw add pd 999 type 1
	xr mw add pd "$pd" type 1 >"$work/made"
	xr pd show pd "$pd" -j >"$work/pd"
	holds 'pd[0]["mws"] == 1' pd
	xr mw del mw "$(makes mw mw show)"
	shows 'mw == []' mw show
	xr qp del qpn "$qpn"
	xr mr del mr windowed
	xr mr del mr plain
	xr pd del pd "$pd"
}

no_packets
command_up

run changes_of_regions 'U1 R5 R6' with_a_pd changes
run limits_of_regions 'U1 R4 R6' with_a_pd limited
run physical_regions 'U1 R4' with_a_pd physical
run windows 'U1 W1 W5 W6 W7 W8 W9'
command_passed
