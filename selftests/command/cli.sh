#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The xroce command: what it makes, shows and refuses. Each test is a function; TAP.
set -eu

. "$(dirname "$0")/../lib/net.sh"
. "$(dirname "$0")/../lib/command.sh"

# The command, bpftool and the map of keys must agree about a region.
three_views() {
	local pd mr

	pd=$(makes pd pd add)
	truncate -s 1M "$work/file"
	mr=$(makes mr mr add pd "$pd" name three access \
		local-write,remote-write,remote-read \
		file "$work/file" offset 4097 size 64K iova 0x7000000000000001)
	xr mr show -j >"$work/mr"
	xr mpt show -j >"$work/mpt"
	bpftool map dump pinned /sys/fs/bpf/xroce/x0/mpt -j >"$work/dump"
	holds 'len(mr) == 1 and len(mpt) == 1 and len(dump) == 64' mr mpt dump
	# One table entry for each block; blocks can be larger than a page if pages happen
	# to be contiguous.
	holds 'mr[0]["length"] == 65536 and mr[0]["offset"] % 4096 == 1 and
		mr[0]["pages"] == -(-(mr[0]["offset"] + 65536) //
			mr[0]["page_size"]) and mr[0]["name"] == "three" and
		mr[0]["iova"] == 0x7000000000000001 and
		mr[0]["persistent"] is True' mr
	holds 'all(mr[0][k] == mpt[0][k] for k in
			("dev", "pd", "access", "iova", "length")) and
		mr[0]["mr"] == mpt[0]["index"] and
		mr[0]["rkey"] == mr[0]["lkey"] == mpt[0]["key"] and
		mpt[0]["state"] == "valid" and mpt[0]["type"] == "mr"' mr mpt
	holds '[e["formatted"]["key"] for e in dump if
			e["formatted"]["value"]["state"] == "XROCE_MPT_VALID"]
		== [mr[0]["mr"]]' mr dump
	holds '(lambda e: all(mr[0][k] == e[k] for k in
				("pd", "iova", "length")) and
			e["key"] == mr[0]["rkey"] and
			e["type"] == "XROCE_MPT_MR" and e["access"] == 7)(
		dump[mr[0]["mr"]]["formatted"]["value"])' mr dump
	xr mr del mr "$mr"
	xr pd del pd "$pd"
	bpftool map dump pinned /sys/fs/bpf/xroce/x0/mpt -j >"$work/dump"
	holds 'all(e["formatted"]["value"]["state"] == "XROCE_MPT_FREE" and
		e["formatted"]["value"]["key"] == 0 for e in dump)' dump
}

# All commands that show print JSON, with and without objects.
json_everywhere() {
	local pd qpn noun

	for noun in link pd mr qp mpt stat; do
		xr -j "$noun" show >"$work/$noun"
	done
	holds 'pd == mr == qp == mpt == [] and len(link) == len(stat) == 1' \
		pd mr qp mpt \
		link stat
	pd=$(makes pd pd add)
	qpn=$(makes qpn qp add pd "$pd")
	truncate -s 8K "$work/file"
	xr -j mr add pd "$pd" access none file "$work/file" >"$work/made"
	for noun in link pd mr qp mpt stat; do
		xr "$noun" show --json --pretty >"$work/$noun"
	done
	holds 'len(pd) == len(mr) == len(qp) == len(mpt) == 1 and
		qp[0]["pd"] == mr[0]["pd"] == pd[0]["pd"] and
		pd[0]["mrs"] == pd[0]["qps"] == 1 and
		made["mr"] == mr[0]["mr"] and made["rkey"] == 0 and
		qp[0]["state"] == "reset" and stat[0]["dev"] == "x0" and
		link[0]["mrs"] == 1 and link[0]["mpt"] == 64' \
		pd mr qp mpt \
		link stat made
	xr qp del qpn "$qpn"
	xr mr del mr "$(makes mr mr show)"
	xr pd del pd "$pd"
}

# Counters of a region are shown only on request, and match those of bpftool.
counters() {
	local pd=$1 pin=/sys/fs/bpf/xroce/x0/mr_stat names index id byte

	names='in_requests in_packets in_bytes out_requests out_packets
		out_bytes atomics refused'
	truncate -s 8K "$work/file"
	xr -j mr add pd "$pd" name counted access none file "$work/file" \
		>"$work/made"
	index=$(makes mr mr show)
	# Each CPU counts 1 to 8 in the eight counters.
	for byte in 1 2 3 4 5 6 7 8; do echo $byte 0 0 0 0 0 0 0; done |
		xargs bpftool map update pinned $pin key \
			$((index & 255)) $((index >> 8)) 0 0 value
	xr -j mr show >"$work/plain"
	xr -j -s mr show >"$work/all"
	xr -j mr show counted -s >"$work/one"
	holds '"refused" not in plain[0] and all == one and
		[one[0][k] / os.cpu_count()
			for k in """'"$names"'""".split()] ==
		[1, 2, 3, 4, 5, 6, 7, 8]' plain all one
	xr mr show --stats counted >"$work/text"
	grep -q "out_bytes $((6 * $(nproc))) atomics" "$work/text"
	bpftool map dump pinned $pin -j >"$work/dump"
	holds '(lambda e: all(v["value"]["refused"] == 8 for v in e["values"]))(
		dump['"$((index))"']["formatted"])' dump

	id=$(bpftool map show pinned $pin -j | jq .id)
	rm $pin
	fails 1 'dev x0: mr_stat: it has no pinned map' mr show -s
	xr mr show >"$work/text"
	bpftool map pin id "$id" $pin
	xr mr del mr counted

	# With so many regions, the map of counters would be too large.
	xr link add dev lo mpt 4194304 qp 16 >"$work/made"
	fails 1 'dev lo: its regions are not counted' mr show dev lo -s
	xr mr show dev lo >"$work/text"
	xr link del dev lo
}

# A queue pair goes through its states, by name.
states() {
	local pd=$1 qpn state

	qpn=$(makes qpn qp add pd "$pd")
	xr qp modify qpn "$qpn" state init access remote-write
	fails 1 "qp $qpn: from init to sqd: no such transition; .* can go to rtr, reset or err" \
		qp modify qpn "$qpn" state sqd
	fails 1 "qp $qpn: to go from init to rtr: .* are needed; missing: mtu and rq-psn$" \
		qp modify qpn "$qpn" state rtr sgid 10.77.0.2 dgid 10.77.0.1 dest-qpn 1
	fails 1 "qp $qpn: sgid 10.77.9.9: dev x0 has only .*10.77.0.2.*; 'ip address add 10.77.9.9 dev x0' .*; force accepts it" \
		qp modify qpn "$qpn" state rtr sgid 10.77.9.9 dgid 10.77.0.1 \
		mtu 1024 dest-qpn 0x11 rq-psn 0
	fails 1 "qp $qpn: dgid 224.0.0.1: is a multicast address" \
		qp modify qpn "$qpn" state rtr sgid 10.77.0.2 dgid 224.0.0.1 \
		mtu 1024 dest-qpn 0x11 rq-psn 0 force
	fails 1 "qp $qpn: tos 35: must be without ECN bits .*; the change is from init to rtr$" \
		qp modify qpn "$qpn" state rtr sgid 10.77.0.2 dgid 10.77.0.1 \
		mtu 1024 dest-qpn 1 rq-psn 0 tos 35
	fails 2 'rq-psn "16777216": must be a number from 0 to 16777215' \
		qp modify qpn "$qpn" rq-psn 16777216
	fails 2 'pkey "65536": must be 1 to 65535, except 32768$' \
		qp modify qpn "$qpn" pkey 65536
	fails 2 'sport "65536": must be 49152 to 65535, or 0 ' \
		qp modify qpn "$qpn" sport 65536
	xr qp modify qpn "$qpn" state rtr sgid 10.77.9.9 dgid 10.77.0.1 \
		mtu 1024 dest-qpn 0x11 rq-psn 0 force
	xr qp modify qpn "$qpn" state reset
	xr qp modify qpn "$qpn" state init access remote-write
	xr qp modify qpn "$qpn" state rtr sgid 10.77.0.2 dgid 10.77.0.1 \
		mtu 1024 dest-qpn 0x11 rq-psn 0
	for state in rts sqd rts sqd err reset; do
		xr qp modify qpn "$qpn" state $state
		xr -j qp show qpn "$qpn" >"$work/qp"
		holds "qp[0]['state'] == '$state'" qp
	done
	fails 1 "from reset to rtr: no such" qp modify qpn "$qpn" state rtr
	fails 2 'state "sqe"' qp modify qpn "$qpn" state sqe
	xr qp del qpn "$qpn"
}

usage_errors() {
	fails 2 'nonsense' nonsense
	fails 2 'nonsense' mr nonsense
	fails 2 'usage: xroce mr add' mr add
	fails 2 'no memory is given; give one of file, pid, phys and share' \
		mr add pd 1 access none
	fails 2 'file and pid: cannot be combined; give one of file, pid, phys and share' \
		mr add pd 1 access none file "$work/file" pid 1 all
	fails 2 'phys and share: cannot be combined' \
		mr add pd 1 access none phys 0 share 1
	fails 2 'file and phys: cannot be combined; give one of file, pid and phys' \
		mr change mr 1 file "$work/file" phys 0
	fails 2 '^xroce: -16: no such option, and numbers have no sign$' pd del pd -16
	fails 2 '^xroce: --de: could be --debug, --details$' pd show --de
	fails 2 '^xroce: --json=1: takes no value$' pd show --json=1
	fails 2 '^xroce: --batch: a value must follow$' pd show --batch
	fails 2 '^xroce: -b: a value must follow$' pd show -b
	fails 2 '^xroce: --cli: no such option$' pd show --cli
	fails 2 '^xroce: --ti: a value must follow$' serve --ti
	fails 2 '^xroce: size "2T": must be a number of bytes.*, from 1 to 1T$' serve --size 2T
	fails 2 '^xroce: gid-ip 224.0.0.1: is a multicast address' serve --gid-ip 224.0.0.1
	fails 2 '^xroce: gid-ip 0.0.0.0: is an unspecified address' serve --gid-ip 0.0.0.0
	fails 1 "^xroce: gid-ip 10.9.9.9: dev x0 has only .*10.77.0.2.*; 'ip address add" \
		serve --netdev x0 --gid-ip 10.9.9.9
	fails 2 'region 17: a name must not be a number' serve region 17 size 4K
	fails 2 'size "5Q"' mr add pd 1 access none file "$work/file" size 5Q
	fails 2 'size "1KB"' mr add pd 1 access none file "$work/file" size 1KB
	fails 2 'access "all"' mr add pd 1 access all file "$work/file"
	fails 2 'addr' mr add pd 1 access none pid 1 size 1
	fails 2 'pd "x"' pd del pd x
	fails 2 'link limit: no limit is given' link limit dev x0 user
	fails 2 'qp "x": .* or none' link limit qp x
	fails 2 'qp "1K"' link limit qp 1K
	fails 2 'pinned "5Q": .* or none' link limit pinned 5Q
	fails 2 '1: no such argument, and dev is already given' link limit nonsense 1
	fails 2 'nonsense' pd add nonsense
	fails 2 '' --nonsense
}

# What keeps a protection domain or a queue pair is named.
members() {
	local pd=$1 mr mw

	mr=$(makes mr mr add pd "$pd" access local-write,mw-bind file "$work/file")
	mw=$(makes mw mw add pd "$pd" type 1)
	fails 1 "^xroce: pd $pd: it still has members \(mr 1, mw 1, qp 0\);" pd del "$pd"
	xr mw del "$mw"
	xr mr del "$mr"
}

# Filters of "mr show"; the command that made a persistent region has ended.
shown() {
	local pd=$1 other mr

	other=$(makes pd pd add)
	truncate -s 8K "$work/file"
	mr=$(makes mr mr add pd "$pd" name here access none file "$work/file")
	xr mr add pd "$other" name there access none file "$work/file" >"$work/made"
	xr -j mr show pd "$pd" >"$work/of_pd"
	xr -j mr show pd "$other" name there >"$work/both"
	xr -j mr show pd "$pd" name there >"$work/neither"
	xr -j mr show owner persistent >"$work/kept"
	xr -j mr show owner program >"$work/programs"
	xr -j mr show name here >"$work/named"
	holds '[m["name"] for m in of_pd] == [m["name"] for m in named] == ["here"] and
		[m["name"] for m in both] == ["there"] and none == [] and programs == [] and
		len(kept) == 2 and all(m["pid"] == 0 for m in kept) and
		[m["file"] for m in kept] == 2 * ["'"$work/file"'"]' \
		of_pd both none="$work/neither" kept \
		programs named
	! xr mr show | grep ' pid ' || not_so "no process that has ended"
	fails 2 'mr here: cannot be combined with pd, name and owner' mr show here pd "$pd"
	fails 2 'owner "me": must be persistent, program or kernel' mr show owner me
	xr mr del "$mr"
	xr mr del there
	xr pd del "$other"
}

# "last" is the protection domain that the batch has made; elsewhere there is none.
last_of_batch() {
	fails 2 "pd \"last\": must be a number, or last behind a 'pd add'" qp add pd last
	truncate -s 8K "$work/file"
	printf '%s\n' 'pd add' 'pd add' 'qp add pd last' 'mw add pd last type 1' \
		"mr add pd last name of_last access none file $work/file" 'pd show last' \
		>"$work/batch"
	xr -b "$work/batch" >"$work/out"
	tail -n 1 "$work/out" | grep -qE '^pd [0-9]+ .* mrs 1 mws 1 qps 1 ' || not_so "$(cat "$work/out")"
	xr -j pd show >"$work/pds"
	holds '[p["mrs"] for p in pds][-2:] == [0, 1]' pds
	for mw in $(makes mw mw show); do xr mw del "$mw"; done
	xr mr del of_last
	for qp in $(makes qpn qp show); do xr qp del "$qp"; done
	for pd in $(makes pd pd show); do xr pd del "$pd"; done
}

# Error messages name the object, the value and the reason.
object_errors() {
	local pd=$1 value

	truncate -s 8K "$work/file"
	fails 1 'mr a: remote write needs local write' \
		mr add pd "$pd" name a access remote-write file "$work/file"
	fails 1 'mr a: flush to persistence: .* cannot be registered' \
		mr add pd "$pd" name a access local-write,flush-persistent \
		file "$work/file"
	fails 1 'remote atomic needs local write' \
		mr add pd "$pd" access remote-atomic file "$work/file"
	fails 1 'pd 999: no such protection domain' \
		mr add pd 999 access none file "$work/file"
	fails 1 "$work/none: No such file" \
		mr add pd "$pd" access none file "$work/none"
	fails 1 'not inside the file' \
		mr add pd "$pd" access none file "$work/file" size 9K
	fails 1 'size 0' \
		mr add pd "$pd" access none file "$work/file" size 0
	fails 1 'pid 4194303 .*no such process' \
		mr add pd "$pd" access none pid 4194303 addr 0x1000 size 1
	fails 1 "pid $$ addr 0x1000 .*not mapped" \
		mr add pd "$pd" access none pid $$ addr 0x1000 size 1
	fails 1 'mr 0x3f: no such region' mr show 0x3f
	fails 1 'mr 0xffffff: no such region' mr del mr 0xffffff
	fails 1 'mr nobody: no such region' mr del mr nobody
	fails 1 'pd 999: no such' pd del pd 999
	fails 1 'qp.* 0x800000: no such' qp del qpn 0x800000
	fails 1 'qp 0x800000: no such queue pair' qp modify qpn 0x800000 state rtr
	fails 1 'dev nope: no such network device' mr show dev nope
	fails 1 'dev lo: it has no link' mr show dev lo
	fails 1 'dev nope' link add dev nope
	fails 1 'dev nope: no such network device$' link show dev nope
	fails 1 'dev nope: no such network device$' link del dev nope
	fails 1 'dev nope: no such network device$' link reload dev nope
	fails 1 'dev lo: it has no link$' link show dev lo
	members "$pd"
	fails 1 'link limit dev lo: it has no link' link limit dev lo pd 1
	fails 1 'dev x0: it already has a link' link add dev x0
	fails 2 'mpt "17": must be a power of two from 16 to 16777216$' link add dev lo mpt 17
	fails 2 'paths "17": must be a number from 1 to 16$' link add dev lo paths 17
	fails 2 'paths "0": must be a number from 1 to 16$' link add dev lo paths 0
	for value in 1/50 0/50 16/0 4097/1 2/20001 16 16/ 16/50us 0x10002/1 no; do
		fails 2 "moderation \"$value\": must be auto, off, or COUNT/USEC from 2/1 to 4096/20000$" \
			link set dev lo moderation "$value"
	done
	fails 2 'link set: cc or moderation must be given$' link set dev lo
	fails 1 'link set dev lo: it has no link$' link set dev lo moderation off
	fails 1 'link del dev x0: it has persistent objects' link del dev x0
}

sizes() {
	local pd=$1 text bytes

	truncate -s 1G "$work/file"
	while read -r text bytes; do
		xr -j mr add pd "$pd" name size access none \
			file "$work/file" size "$text" >"$work/made"
		xr mr del mr size
		holds "made['length'] == $bytes" made
	done <<-END
		1		1
		0x1001		4097
		64K		65536
		3m		3145728
	END
}

names() {
	local pd=$1 long

	long=$(printf 'n%030d' 0)
	truncate -s 8K "$work/file"
	xr mr add pd "$pd" name "$long" access none file "$work/file" \
		>"$work/made"
	xr -j mr show "$long" >"$work/mr"
	holds "len(mr) == 1 and mr[0]['name'] == '$long'" mr
	fails 1 'at most 31 bytes' \
		mr add pd "$pd" name "${long}x" access none file "$work/file"
	xr mr add pd "$pd" name twice access none file "$work/file" >"$work/made"
	fails 1 'mr twice: another persistent region of the link has this name' \
		mr add pd "$pd" name twice access none file "$work/file"
	xr mr add pd "$pd" name $'q"\\ \303\244' access none file "$work/file" \
		>"$work/made"
	xr -j mr show >"$work/mr"
	holds 'sorted(m["name"] for m in mr) ==
		["'"$long"'", "q\"\\ \u00e4", "twice"]' mr
	! LC_ALL=C grep -q $'[\x80-\xff]' "$work/mr" || not_so "ASCII: $(cat "$work/mr")"
	while read -r name why; do
		# shellcheck disable=SC2059 # escapes
		fails 1 "$why" mr add pd "$pd" name "$(printf "$name")" access none \
			file "$work/file"
	done <<-'END'
		0x1f		mr 0x1f: a name must not be a number
		17		mr 17: a name must not be a number
		a\nb		mr a\\nb: a name must not have control characters
		\033[31m	mr \\x1b\[31m: a name must not have control
		\302\233	mr \\xc2\\x9b: a name must not have control
		\377		mr \\xff: a name must be UTF-8
	END
	for mr in $(jq '.[].mr' "$work/mr"); do xr mr del mr "$mr"; done
}

# Several programs may have regions of one name; the command means the persistent one.
shared_names() {
	local pd=$1 servers=() port

	truncate -s 8K "$work/file"
	for port in 18601 18602; do
		nsenter --net=/run/netns/xr "$xroce" serve --netdev x0 --port $port \
			region shared size 4K >"$work/served.$port" &
		servers+=($!)
		wait_until 20 grep -q ^listening "$work/served.$port"
	done
	shows 'len(mr) == 2 and len({m["mr"] for m in mr}) == 2' mr show shared
	fails 1 'mr shared: several regions of programs have this name: give the handle' \
		mr del mr shared
	xr mr add pd "$pd" name shared access none file "$work/file" >"$work/made"
	shows 'len(mr) == 3' mr show shared
	xr mr del mr shared
	shows '["persistent" in m and m["persistent"] for m in mr] == [False] * 2' mr show shared
	kill "${servers[@]}"
	wait "${servers[@]}"
	fails 1 'mr shared: no such region' mr show shared
}

# The pool and the table of a region are shown to callers with the capability.
tables() {
	local pd=$1 without

	xr -j mtt show >"$work/before"
	holds 'b["used"] == b["tables"] == b["fragmentation"] == 0 and
		b["size"] == b["largest"] == b["reserve"] == 524288 and
		b["limit"] == 256 * b["size"] and b["free_extents"] == 1 and
		b["map"] == "." * 64' b="$work/before"
	truncate -s 1M "$work/file"
	xr mr add pd "$pd" name table access none file "$work/file" >"$work/made"
	xr -j mr show table --mtt >"$work/mr"
	xr -j mtt show >"$work/pool"
	holds 'len(mr) == 1 and len(mr[0]["mtt"]) == mr[0]["pages"] and
		all(a and a % mr[0]["page_size"] == 0 for a in mr[0]["mtt"]) and
		pool["used"] == mr[0]["pages"] and pool["tables"] == 1 and
		pool["largest"] == 524288 - pool["used"] and
		pool["map"] == "." * 63 + "1"' mr pool
	xr mr show table >"$work/without"
	xr mr show --mtt table >"$work/with"
	head -n 1 "$work/with" | cmp -s - "$work/without" ||
		not_so "the first line is as without --mtt: $(cat "$work/with")"
	sed -nE 's/^  mtt ([0-9]+) 0x([0-9a-f]+)$/\1/p' "$work/with" >"$work/nr"
	seq 0 $(($(makes pages mr show table) - 1)) | cmp -s - "$work/nr" ||
		not_so "a line an entry: $(cat "$work/with")"
	xr mtt show | grep -qE '^size 524288 used [0-9]+ tables 1 free_extents 1 .* map \.{63}1$' ||
		not_so "text: $(xr mtt show)"
	without='setpriv --inh-caps=-all --bounding-set'
	in_xr $without -sys_admin "$xroce" mr show table --mtt \
		>"$work/out" 2>"$work/err" && not_so "CAP_SYS_ADMIN is needed"
	grep -q 'mr 0x.*: mtt: .*CAP_SYS_ADMIN' "$work/err" ||
		not_so "refused: $(cat "$work/err")"
	in_xr $without -net_admin "$xroce" mtt show >"$work/out" \
		2>"$work/err" && not_so "CAP_NET_ADMIN is needed"
	grep -q 'mtt: .*CAP_NET_ADMIN' "$work/err" ||
		not_so "refused: $(cat "$work/err")"
	fails 2 'mtt.*only be used with' pd show --mtt
	fails 2 'mtt.*only be used with' mr del mr table --mtt
	fails 2 'nonsense' mtt show nonsense
	xr mr del mr table
	xr -j mtt show >"$work/after"
	cmp -s "$work/before" "$work/after" ||
		not_so "as before: $(cat "$work/after")"
}

# Memory of a process that does not cooperate.
process() {
	local pd=$1 holder addr

	python3 -SI -c 'import ctypes, mmap, sys
m = mmap.mmap(-1, 65536)
m.write(b"x" * 65536)
print(hex(ctypes.addressof(ctypes.c_char.from_buffer(m))), flush=True)
sys.stdin.read()' <>"$work/stdin" >"$work/addr" &
	holder=$!
	wait_until 20 test -s "$work/addr"
	addr=$(cat "$work/addr")
	xr -j mr add pd "$pd" name process access local-write,remote-read \
		pid $holder addr "$addr" size 64K >"$work/made"
	xr -j mr show process >"$work/mr"
	kill $holder
	wait $holder || [ $? = 143 ]
	holds "mr[0]['pid'] == $holder and mr[0]['iova'] == $addr and
		mr[0]['length'] == 65536 and made['rkey'] != 0" mr made
	xr mr del mr process
	fails 1 "pid $holder .*no such process" mr add pd "$pd" access none \
		pid $holder addr "$addr" size 64K
}

memory_of_process() { mkfifo "$work/stdin"; with_a_pd process; }

# Persistent objects hold a link; the link holds the module.
going_away() {
	local pd

	pd=$(makes pd pd add)
	truncate -s 64K "$work/file"
	xr mr add pd "$pd" access none file "$work/file" >"$work/made"
	fails 1 'force' link del dev x0
	! rmmod xroce 2>"$work/err" || not_so "the module stays"
	xr link del dev x0 force
	[ ! -e /sys/fs/bpf/xroce/x0 ] || not_so "pins are gone"
	fails 1 'dev x0: it has no link' mr show dev x0
	shows 'link == []' link show
	module_down
	fails 1 'the module is not loaded' mr show
	echo 1 >/proc/sys/vm/stat_refresh
	awk '/^nr_foll_pin_acquired/ { n += $2 } /^nr_foll_pin_released/ { n -= $2 }
		END { exit n != 0 }' /proc/vmstat || not_so "no page is pinned"
	module_up
	xr link add dev x0 mpt 64 qp 16 >"$work/made"
}

# A device that was renamed later is found by its new name.
renamed() {
	in_xr ip link set x0 down name y0
	in_xr ip link set y0 up
	xr -d link show dev y0 | grep -q 'dev y0 .*pins /sys/fs/bpf/xroce/x0$' ||
		not_so "pins of y0: $(xr link show)"
	xr stat show dev y0 | grep -q '^dev y0$'
	xr link del dev y0 force
	[ ! -e /sys/fs/bpf/xroce/x0 ] || not_so "the pins have gone"
	in_xr ip link set y0 down name x0
	in_xr ip link set x0 up
	xr link add dev x0 mpt 64 qp 16 >"$work/made"
}

no_packets
command_up

run three_views 'U1 U2 R7 R9'
run json_everywhere U1
run counters_of_regions 'U1 U2 D6' with_a_pd counters
run states_of_queue_pairs 'U1 D5' with_a_pd states
run usage_errors U1
run regions_shown U1 with_a_pd shown
run last_of_batch U1
run errors_of_objects 'U1 R2' with_a_pd object_errors
run sizes_with_units U1 with_a_pd sizes
run names_of_regions 'U1 R2' with_a_pd names
run names_of_programs 'U1 U4' with_a_pd shared_names
run translation_tables 'U1 T2 T4' with_a_pd tables
run memory_of_process 'U1 R1'
run renamed 'U1 D1'
run going_away 'U1 U6 R7'
command_passed
