#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The command xroce: what it makes, what it shows, how it refuses. Each test is
# a function; TAP.
set -eu

. "$(dirname "$0")/net.sh"

xroce=$net_here/../build/user/xroce
work=$(mktemp -d /dev/shm/cli-XXXXXX)
passed=0 failed=0

xr() { in_xr "$xroce" "$@"; }

not_so() { echo "# not so: $*"; return 1; }

# holds EXPRESSION NAME=FILE...: of Python, over what is in JSON files
holds() {
	python3 - "$@" <<-'END' || not_so "$1"
	import json, os, sys
	names = dict(a.split("=", 1) for a in sys.argv[2:])
	values = {n: json.load(open(f)) for n, f in names.items()}
	if not eval("(" + sys.argv[1] + ")", {"os": os, **values}):
	    for n, v in values.items():
	        print("#", n, "is", json.dumps(v))
	    sys.exit(1)
	END
}

# fails STATUS PATTERN WORD...: status, a message that matches, and no output
fails() {
	local want=$1 pattern=$2 status=0

	shift 2
	xr "$@" >"$work/out" 2>"$work/err" || status=$?
	[ "$status" = "$want" ] || not_so "exit status $want: $status: xroce $*"
	grep -qE "$pattern" "$work/err" ||
		not_so "'$pattern' in '$(cat "$work/err")': xroce $*"
	[ ! -s "$work/out" ] || not_so "no output: xroce $*"
}

# makes NAME WORD...: print a number that the command says, after NAME
makes() {
	local name=$1

	shift
	xr "$@" | sed -nE "s/(^|.* )$name ([^ ]+).*/\2/p"
}

# The command, bpftool and the table of keys say the same of a region.
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
	python3 -m json.tool <"$work/mr" >"$work/pretty"
	holds 'len(mr) == 1 and len(mpt) == 1 and len(dump) == 64' \
		mr="$work/mr" mpt="$work/mpt" dump="$work/dump"
	# One translation a block: neighbours in memory may make it larger than
	# a page.
	holds 'mr[0]["length"] == 65536 and mr[0]["offset"] % 4096 == 1 and
		mr[0]["pages"] == -(-(mr[0]["offset"] + 65536) //
			mr[0]["page_size"]) and mr[0]["name"] == "three" and
		mr[0]["iova"] == 0x7000000000000001 and
		mr[0]["persistent"] is True' mr="$work/mr"
	holds 'all(mr[0][k] == mpt[0][k] for k in
			("dev", "pd", "access", "iova", "length")) and
		mr[0]["mr"] == mpt[0]["index"] and
		mr[0]["rkey"] == mr[0]["lkey"] == mpt[0]["key"] and
		mpt[0]["state"] == "valid" and mpt[0]["type"] == "mr"' \
		mr="$work/mr" mpt="$work/mpt"
	holds '[e["formatted"]["key"] for e in dump if
			e["formatted"]["value"]["state"] == "XROCE_MPT_VALID"]
		== [mr[0]["mr"]]' mr="$work/mr" dump="$work/dump"
	holds '(lambda e: all(mr[0][k] == e[k] for k in
				("pd", "iova", "length")) and
			e["key"] == mr[0]["rkey"] and
			e["type"] == "XROCE_MPT_MR" and e["access"] == 7)(
		dump[mr[0]["mr"]]["formatted"]["value"])' \
		mr="$work/mr" dump="$work/dump"
	xr mr del mr "$mr"
	xr pd del pd "$pd"
	bpftool map dump pinned /sys/fs/bpf/xroce/x0/mpt -j >"$work/dump"
	holds 'all(e["formatted"]["value"]["state"] == "XROCE_MPT_FREE" and
		e["formatted"]["value"]["key"] == 0 for e in dump)' \
		dump="$work/dump"
}

# JSON from every command that shows, with objects and without.
json_everywhere() {
	local pd qpn noun

	for noun in link pd mr qp mpt stat; do
		xr -j "$noun" show >"$work/$noun"
	done
	holds 'pd == mr == qp == mpt == [] and len(link) == len(stat) == 1' \
		pd="$work/pd" mr="$work/mr" qp="$work/qp" mpt="$work/mpt" \
		link="$work/link" stat="$work/stat"
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
		pd="$work/pd" mr="$work/mr" qp="$work/qp" mpt="$work/mpt" \
		link="$work/link" stat="$work/stat" made="$work/made"
	xr qp del qpn "$qpn"
	xr mr del mr "$(makes mr mr show)"
	xr pd del pd "$pd"
}

# Counters of a region: asked for, and only then; as bpftool shows them.
counters() {
	local pd=$1 pin=/sys/fs/bpf/xroce/x0/mr_stat names index id byte

	names='in_requests in_packets in_bytes out_requests out_packets
		out_bytes atomics refused'
	truncate -s 8K "$work/file"
	xr -j mr add pd "$pd" name counted access none file "$work/file" \
		>"$work/made"
	index=$(makes mr mr show)
	# Each CPU's eight numbers are 1 to 8.
	for byte in 1 2 3 4 5 6 7 8; do echo $byte 0 0 0 0 0 0 0; done |
		xargs bpftool map update pinned $pin key \
			$((index & 255)) $((index >> 8)) 0 0 value
	xr -j mr show >"$work/plain"
	xr -j -s mr show >"$work/all"
	xr -j mr show counted -s >"$work/one"
	holds '"refused" not in plain[0] and all == one and
		[one[0][k] / os.cpu_count()
			for k in """'"$names"'""".split()] ==
		[1, 2, 3, 4, 5, 6, 7, 8]' \
		plain="$work/plain" all="$work/all" one="$work/one"
	xr mr show --stats counted >"$work/text"
	grep -q "out_bytes $((6 * $(nproc))) atomics" "$work/text"
	bpftool map dump pinned $pin -j >"$work/dump"
	holds '(lambda e: all(v["value"]["refused"] == 8 for v in e["values"]))(
		dump['"$((index))"']["formatted"])' dump="$work/dump"

	id=$(bpftool map show pinned $pin -j |
		python3 -c 'import json, sys; print(json.load(sys.stdin)["id"])')
	rm $pin
	fails 1 'dev x0: mr_stat: it has no pinned map' mr show -s
	xr mr show >"$work/text"
	bpftool map pin id "$id" $pin
	xr mr del mr counted

	# Counters of that many regions take too much memory.
	xr link add dev lo mpt 4194304 qp 16 >"$work/made"
	fails 1 'dev lo: its regions are not counted' mr show dev lo -s
	xr mr show dev lo >"$work/text"
	xr link del dev lo
}

counters_of_regions() { with_a_pd counters; }

# A queue pair through its states, by their names.
states() {
	local pd=$1 qpn state

	qpn=$(makes qpn qp add pd "$pd")
	xr qp modify qpn "$qpn" state init access remote-write
	fails 1 "qp $qpn: an attribute" qp modify qpn "$qpn" state sqd
	xr qp modify qpn "$qpn" state rtr sgid 10.77.0.2 dgid 10.77.0.1 \
		mtu 1024 dest-qpn 0x11 rq-psn 0
	for state in rts sqd rts sqd err reset; do
		xr qp modify qpn "$qpn" state $state
		xr -j qp show qpn "$qpn" >"$work/qp"
		holds "qp[0]['state'] == '$state'" qp="$work/qp"
	done
	fails 2 'state "sqe"' qp modify qpn "$qpn" state sqe
	xr qp del qpn "$qpn"
}

states_of_queue_pairs() { with_a_pd states; }

usage_errors() {
	fails 2 'nonsense' nonsense
	fails 2 'nonsense' mr nonsense
	fails 2 'usage: xroce mr add' mr add
	fails 2 'one of file, pid' mr add pd 1 access none
	fails 2 'size "5Q"' mr add pd 1 access none file "$work/file" size 5Q
	fails 2 'size "1KB"' mr add pd 1 access none file "$work/file" size 1KB
	fails 2 'access "all"' mr add pd 1 access all file "$work/file"
	fails 2 'addr' mr add pd 1 access none pid 1 size 1
	fails 2 'pd "x"' pd del pd x
	fails 2 'nonsense' pd add nonsense
	fails 2 '' --nonsense
}

# An object, a value, a reason.
object_errors() {
	local pd=$1

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
	fails 1 'qp 0x800000: tos 35: ECN bits' \
		qp modify qpn 0x800000 state rtr sgid 10.77.0.2 \
		dgid 10.77.0.1 mtu 1024 dest-qpn 1 rq-psn 0 tos 35
	fails 1 'dev nope: no such network device' mr show dev nope
	fails 1 'dev lo: it has no link' mr show dev lo
	fails 1 'dev nope' link add dev nope
	fails 1 'dev x0: it has a link already' link add dev x0
	fails 1 'dev lo: mpt 17: not a power of two' link add dev lo mpt 17
	fails 1 'link del dev x0: it has persistent objects' link del dev x0
}

with_a_pd() {
	local pd

	pd=$(makes pd pd add)
	"$1" "$pd"
	xr pd del pd "$pd"
}

errors_of_objects() { with_a_pd object_errors; }

sizes() {
	local pd=$1 text bytes

	truncate -s 1G "$work/file"
	while read -r text bytes; do
		xr -j mr add pd "$pd" name size access none \
			file "$work/file" size "$text" >"$work/made"
		xr mr del mr size
		holds "made['length'] == $bytes" made="$work/made"
	done <<-END
		1		1
		0x1001		4097
		64K		65536
		3m		3145728
	END
}

sizes_with_units() { with_a_pd sizes; }

names() {
	local pd=$1 long

	long=$(printf 'n%030d' 0)
	truncate -s 8K "$work/file"
	xr mr add pd "$pd" name "$long" access none file "$work/file" \
		>"$work/made"
	xr -j mr show "$long" >"$work/mr"
	holds "len(mr) == 1 and mr[0]['name'] == '$long'" mr="$work/mr"
	fails 1 '31 bytes at most' \
		mr add pd "$pd" name "${long}x" access none file "$work/file"
	xr mr add pd "$pd" name twice access none file "$work/file" >"$work/made"
	xr mr add pd "$pd" name twice access none file "$work/file" >"$work/made"
	fails 1 'twice: several regions' mr del mr twice
	xr mr add pd "$pd" name $'q"\\\n' access none file "$work/file" \
		>"$work/made"
	xr -j mr show >"$work/mr"
	holds 'sorted(m["name"] for m in mr) ==
		["'"$long"'", "q\"\\\n", "twice", "twice"]' mr="$work/mr"
	python3 -c 'import json, sys
for m in json.load(open(sys.argv[1])): print(m["mr"])' "$work/mr" |
		while read -r mr; do xr mr del mr "$mr" </dev/null; done
}

names_of_regions() { with_a_pd names; }

# The pool, and a region's table, for those who may see them.
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
		pool["map"] == "." * 63 + "1"' \
		mr="$work/mr" pool="$work/pool"
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
	fails 2 'mtt.*another verb' pd show --mtt
	fails 2 'mtt.*another verb' mr del mr table --mtt
	fails 2 'nonsense' mtt show nonsense
	xr mr del mr table
	xr -j mtt show >"$work/after"
	cmp -s "$work/before" "$work/after" ||
		not_so "as before: $(cat "$work/after")"
}

translation_tables() { with_a_pd tables; }

# Memory of a process that knows nothing of it.
process() {
	local pd=$1 holder addr

	python3 -c 'import ctypes, mmap, sys
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
		mr[0]['length'] == 65536 and made['rkey'] != 0" \
		mr="$work/mr" made="$work/made"
	xr mr del mr process
	fails 1 "pid $holder .*no such process" mr add pd "$pd" access none \
		pid $holder addr "$addr" size 64K
}

# A region of a process that has touched nothing of it, on demand.
demand() {
	local pd=$1 holder addr

	rm -f "$work/addr"
	python3 -c 'import ctypes, mmap, sys
m = mmap.mmap(-1, 65536, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
print(hex(ctypes.addressof(ctypes.c_char.from_buffer(m))), flush=True)
sys.stdin.read()' <>"$work/stdin" >"$work/addr" &
	holder=$!
	wait_until 20 test -s "$work/addr"
	addr=$(cat "$work/addr")
	xr mr add pd "$pd" name demand access local-write,remote-read \
		pid $holder addr "$addr" size 64K odp >"$work/made"
	xr mr add pd "$pd" name pinned access local-write pid $holder \
		addr "$addr" size 4K >"$work/made"
	xr -j mr show demand >"$work/before"
	xr -j mr advise mr demand iova "$((addr + 12288))" size 8K for write \
		>"$work/advised"
	xr -j mr show demand >"$work/after"
	holds '"on-demand" in before[0]["access"] and
		before[0]["resident"] == before[0]["prefetched"] == 0 and
		advised["pages"] == after[0]["resident"] == 2 and
		advised["mr"] == after[0]["mr"] and
		after[0]["prefetched"] == after[0]["fault_pages"] == 2' \
		before="$work/before" advised="$work/advised" after="$work/after"
	xr mr advise mr demand | grep -qE '^mr 0x[0-9a-f]+ pages 16$' ||
		not_so "all of it"
	fails 1 'mr demand: the range is not inside' mr advise mr demand size 65K
	fails 1 'mr demand: the range is not inside' mr advise mr demand iova 1
	fails 1 'mr: size 0' mr advise mr demand size 0
	fails 2 'for "all": must be read, write or present' \
		mr advise mr demand for all
	fails 2 'mr is missing' mr advise
	fails 1 'mr pinned: it is not on demand' mr advise mr pinned
	fails 1 'mr nobody: no such region' mr advise mr nobody
	fails 2 'on demand: belongs to pid' \
		mr add pd "$pd" access none file "$work/file" odp
	kill $holder
	wait $holder || [ $? = 143 ]
	fails 1 'mr demand: its process has ended' mr advise mr demand
	xr -j mr show demand >"$work/after"
	holds 'after[0]["resident"] == 0 and after[0]["invalidated"] == 16' \
		after="$work/after"
	xr mr del mr demand
	xr mr del mr pinned
}

memory_on_demand() { with_a_pd demand; }

# All that a process maps.
space() {
	local pd=$1 holder addr

	rm -f "$work/addr"
	python3 -c 'import ctypes, mmap, sys
m = mmap.mmap(-1, 65536, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
m[5] = 1
print(hex(ctypes.addressof(ctypes.c_char.from_buffer(m))), flush=True)
sys.stdin.read()' <>"$work/stdin" >"$work/addr" &
	holder=$!
	wait_until 20 test -s "$work/addr"
	addr=$(cat "$work/addr")
	xr -j mr add pd "$pd" name space access local-write,remote-write \
		pid $holder all >"$work/made"
	xr -j mr show space >"$work/before"
	xr -j mr advise mr space iova "$addr" size 8K for present >"$work/advised"
	xr -j mr show space >"$work/after"
	holds '"on-demand" in before[0]["access"] and before[0]["all"] and
		made["iova"] == 0 and made["length"] == 2 ** 64 - 1 and
		before[0]["length"] == 2 ** 64 - 1 and before[0]["pages"] == 0 and
		before[0]["parts"] == before[0]["resident"] == 0 and
		advised["pages"] == after[0]["resident"] == 1 == after[0]["parts"] and
		512 < after[0]["metadata_bytes"] - before[0]["metadata_bytes"] < 768' \
		made="$work/made" before="$work/before" advised="$work/advised" \
		after="$work/after"
	xr mr change mr space pid $holder addr "$addr" size 64K
	xr -j mr show space >"$work/after"
	holds 'after[0]["pages"] == 16 and not after[0]["all"]' \
		after="$work/after"
	xr mr change mr space pid $holder all access remote-read
	xr mr show space | grep -q ' access remote-read,on-demand .* all ' ||
		not_so "changed: $(xr mr show space)"
	fails 2 'all: belongs to pid' mr add pd "$pd" access none all \
		file "$work/file"
	fails 2 'addr: does not go with all' mr add pd "$pd" access none \
		pid $holder all addr "$addr"
	fails 2 'size: does not go with all' mr add pd "$pd" access none \
		pid $holder all size 4K
	fails 2 'iova: does not go with all' mr add pd "$pd" access none \
		pid $holder all iova 0
	xr mr add pd "$pd" name pinned access none pid $holder addr "$addr" \
		size 4K >"$work/made"
	fails 1 "pid $holder all: .*must be on demand" mr change mr pinned \
		pid $holder all
	kill $holder
	wait $holder || [ $? = 143 ]
	wait_until 20 gone_from space
	fails 1 "pid $holder all: no such process" mr add pd "$pd" access none \
		pid $holder all
	xr mr del mr space
	xr mr del mr pinned
}

gone_from() { xr mr show "$1" | grep -q ' parts 0 '; }

address_space() { with_a_pd space; }

memory_of_process() { mkfifo "$work/stdin"; with_a_pd process; }

# share PD: a second region over the first one's memory, then changes to both.
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
		mr1[0]["physical"] is False' \
		two="$work/two" mr1="$work/mr1" mr2="$work/mr2"

	xr -j mr change mr two pd "$pd" access local-write >"$work/two"
	xr -j mr show two >"$work/mr2"
	holds 'mr2[0]["pd"] == '"$pd"' and mr2[0]["access"] == ["local-write"] and
		two["lkey"] == mr2[0]["lkey"] and two["rkey"] == 0 and
		two["lkey"] >> 8 == two["mr"] and two["iova"] == 0x5000 and
		mr2[0]["sharers"] == 2' two="$work/two" mr2="$work/mr2"
	xr -j mr change mr one file "$work/file2" offset 100 iova 0x10 >"$work/new"
	xr -j mr show one >"$work/mr1"
	holds 'new["mr"] == one["mr"] and new["rkey"] != one["rkey"] and
		new["length"] == mr1[0]["length"] == 16284 and
		mr1[0]["iova"] == 0x10 and mr1[0]["sharers"] == 1 and
		mr1[0]["access"] == ["local-write", "remote-write"]' \
		one="$work/one" new="$work/new" mr1="$work/mr1"

	fails 2 'nothing to change' mr change mr one
	fails 2 'mr is missing' mr change pd 1
	fails 2 'only one of' mr change mr one file "$work/file" phys 0x1000
	fails 2 'iova' mr change mr one iova 3
	fails 1 'mr nobody: no such region' mr change mr nobody pd "$pd"
	fails 1 'mr one: pd 999: no such' mr change mr one pd 999
	fails 1 'remote write needs local write' \
		mr change mr one access remote-write
	fails 1 'not inside the file' mr change mr one file "$work/file" size 1M
	fails 1 'mr nobody: no such region' \
		mr add pd "$pd" access none share nobody
	xr -j mr show one >"$work/mr2"
	holds 'mr1 == mr2' mr1="$work/mr1" mr2="$work/mr2"
	xr mr add pd "$pd" name ro access none file "$work/file" >"$work/made"
	fails 1 'share ro: its pages are pinned for reading only' \
		mr add pd "$pd" access local-write share ro
	for mr in one two ro; do xr mr del mr $mr; done
	xr pd del pd "$other"
}

changes_of_regions() { with_a_pd changes; }

# Physical addresses of a file's pages, in hexadecimal, joined by commas.
pages_of() { # FILE
	python3 - "$1" <<-'END'
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
		mr[0]["iova"] == 0x42 and mr[0]["pid"] == mr[0]["addr"] == 0' \
		mr="$work/mr" made="$work/made"
	xr mr show phys | grep -q ' physical persistent$' ||
		not_so "physical: $(xr mr show phys)"
	xr -j mr change mr phys phys "${list%%,*}" size 7 >"$work/made"
	holds 'made["length"] == 7' made="$work/made"
	fails 2 'phys "0x10,"' mr add pd "$pd" access none phys 0x10,
	fails 2 'phys "x"' mr add pd "$pd" access none phys x
	fails 2 'page-size 5000' \
		mr add pd "$pd" access none phys 0x1000 page-size 5000
	fails 2 'page-size: belongs to phys' \
		mr add pd "$pd" access none file "$work/file" page-size 4096
	fails 1 'phys 0x1001: .* not possible' \
		mr add pd "$pd" access none phys 0x1001
	fails 1 'phys 0xa0000: not all of it is memory in use' \
		mr add pd "$pd" access none phys 0xa0000
	fails 1 'offset 4096: not inside' \
		mr add pd "$pd" access none phys 0x1000 offset 4096
	fails 1 'pd 999' mr add pd 999 access none phys "$list"
	xr mr del mr phys
}

physical_regions() { with_a_pd physical; }

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
	xr -j link show >"$work/link"
	holds 'link == []' link="$work/link"
	module_down
	fails 1 'the module is not loaded' mr show
	echo 1 >/proc/sys/vm/stat_refresh
	awk '/^nr_foll_pin_acquired/ { n += $2 } /^nr_foll_pin_released/ { n -= $2 }
		END { exit n != 0 }' /proc/vmstat || not_so "no page is pinned"
	module_up
	xr link add dev x0 mpt 64 qp 16 >"$work/made"
}

# Bind, look, revoke, of one type.
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
		mw[0]["access"] == mpt[0]["access"]' \
		mw="$work/mw" mpt="$work/mpt"
	fails 1 'mr windowed: a window is bound to it' mr del mr windowed
	if [ "$1" = 1 ]; then
		second=$(makes rkey mw bind mw "$mw" qpn "$2" mr windowed \
			size 0 access none)
		fails 1 "mw $mw: .*type 1" mw invalidate mw "$mw"
		fails 1 "mw $mw: key" mw bind mw "$mw" qpn "$2" mr windowed \
			key 3 access none
	else
		fails 1 "mw $mw: it is bound" mw bind mw "$mw" qpn "$2" \
			mr windowed access none
		xr mw invalidate mw "$mw"
		key=$(printf %02x $(((first + 1) & 0xff)))
		second=$(makes rkey mw bind mw "$mw" qpn "$2" mr windowed \
			key "0x$key" access remote-atomic)
		[ "${second: -2}" = "$key" ] || not_so "$second ends in $key"
		[ "$1" = 2b ] || fails 1 "qp $2: a window of type 2a" qp del qpn "$2"
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
	holds 'pd[0]["mws"] == 1' pd="$work/pd"
	xr mw del mw "$(makes mw mw show)"
	xr -j mw show >"$work/mw"
	holds 'mw == []' mw="$work/mw"
	xr qp del qpn "$qpn"
	xr mr del mr windowed
	xr mr del mr plain
	xr pd del pd "$pd"
}

# A device that has been renamed since is found under its new name.
renamed() {
	in_xr ip link set x0 down name y0
	in_xr ip link set y0 up
	xr link show dev y0 | grep -q 'dev y0 .*pins /sys/fs/bpf/xroce/x0$' ||
		not_so "pins of y0: $(xr link show)"
	xr stat show dev y0 | grep -q '^dev y0$'
	xr link del dev y0 force
	[ ! -e /sys/fs/bpf/xroce/x0 ] || not_so "the pins have gone"
	in_xr ip link set y0 down name x0
	in_xr ip link set x0 up
	xr link add dev x0 mpt 64 qp 16 >"$work/made"
}

clean_up() {
	local status=$?

	[ ! -e /sys/fs/bpf/xroce/x0 ] || xr link del dev x0 force || status=1
	module_down || status=1
	net_down || status=1
	rm -rf "$work"
	exit $status
}

# What a failed test has left should not fail the next one.
start_anew() {
	xr link del dev x0 force
	xr link add dev x0 mpt 64 qp 16 >"$work/made"
}

run() { # FUNCTION IDS
	local status

	set +e
	(set -e; "$1")
	status=$?
	set -e
	if [ $status = 0 ]; then
		passed=$((passed + 1))
		echo "ok $((passed + failed)) cli_$1 $2"
	else
		failed=$((failed + 1))
		echo "not ok $((passed + failed)) cli_$1 $2"
		start_anew
	fi
}

echo 'TAP version 13'
echo "1..$(grep -c '^run [a-z]' "$0")"
trap clean_up EXIT
net_up
module_up
xr link add dev x0 mpt 64 qp 16 >"$work/made"

run three_views 'U1 U2 R7 R9'
run json_everywhere U1
run counters_of_regions 'U1 U2 D6'
run states_of_queue_pairs 'U1 D5'
run usage_errors U1
run errors_of_objects 'U1 R2'
run sizes_with_units U1
run names_of_regions U1
run translation_tables 'U1 T2 T4'
run memory_of_process 'U1 R1'
run memory_on_demand 'U1 O1 O5 O10'
run address_space 'U1 O2 O5'
run changes_of_regions 'U1 R5 R6'
run physical_regions 'U1 R4'
run windows 'U1 W1 W5 W6 W7 W8 W9'
run renamed 'U1 D1'
run going_away 'U1 U6 R7'
[ $failed = 0 ]
