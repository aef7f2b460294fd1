#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The xroce command: on-demand regions.
set -eu

. "$(dirname "$0")/../lib/net.sh"
. "$(dirname "$0")/../lib/command.sh"

# An on-demand region over memory that the process has not touched.
demand() {
	local pd=$1 holder addr

	rm -f "$work/addr"
	python3 -SI -c 'import ctypes, mmap, sys
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
		after[0]["prefetched"] == after[0]["fault_pages"] == 2' before advised after
	demand_metrics
	xr mr advise mr demand | grep -qE '^mr 0x[0-9a-f]+ pages 16$' ||
		not_so "all of it"
	fails 1 'mr demand: the range is not inside' mr advise mr demand size 65K
	fails 1 'mr demand: the range is not inside' mr advise mr demand iova 1
	fails 1 'mr: size 0' mr advise mr demand size 0
	fails 2 'for "all": must be read, write or present' \
		mr advise mr demand for all
	fails 2 'mr is missing' mr advise
	fails 1 'mr pinned: it is not an on-demand region' mr advise mr pinned
	fails 1 'mr nobody: no such region' mr advise mr nobody
	fails 2 'on demand: cannot be combined with file' \
		mr add pd "$pd" access none file "$work/file" odp
	kill $holder
	wait $holder || [ $? = 143 ]
	fails 1 'mr demand: its process has ended' mr advise mr demand
	xr -j mr show demand >"$work/after"
	holds 'after[0]["resident"] == 0 and after[0]["invalidated"] == 16' after
	xr mr del mr demand
	xr mr del mr pinned
}

memory_on_demand() { mkfifo "$work/stdin"; with_a_pd demand; }

# The text for Prometheus has the counters of the on-demand region of the file $work/after,
# and none of the pinned region.
demand_metrics() {
	xr -o prometheus stat show | grep -E '^xroce_mr_.*name="(demand|pinned)"' |
		sed -E 's/^xroce_mr_(.*)\{.*name="(.*)"\} (.*)$/["\2.\1", \3]/' |
		jq -nR '[inputs | fromjson | { (.[0]): .[1] }] | add' >"$work/metrics"
	holds 'all(metrics["demand." + k] == after[0][k]
			for k in ("resident", "children", "metadata_bytes")) and
		all(metrics[f"demand.{k}_total"] == after[0][k] for k in ("faults",
			"faults_failed", "fault_pages", "invalidated", "prefetched")) and
		"pinned.length_bytes" in metrics and "pinned.resident" not in metrics' metrics after
}

# A region over everything that a process maps.
space() {
	local pd=$1 holder addr

	rm -f "$work/addr"
	python3 -SI -c 'import ctypes, mmap, sys
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
		before[0]["children"] == before[0]["resident"] == 0 and
		advised["pages"] == after[0]["resident"] == 1 == after[0]["children"] and
		512 < after[0]["metadata_bytes"] - before[0]["metadata_bytes"] < 768' \
		made before advised \
		after
	xr mr change mr space pid $holder addr "$addr" size 64K
	xr -j mr show space >"$work/after"
	holds 'after[0]["pages"] == 16 and not after[0]["all"]' after
	xr mr change mr space pid $holder all access remote-read
	xr mr show space | grep -q ' access remote-read,on-demand .* all ' ||
		not_so "changed: $(xr mr show space)"
	fails 2 'all: can only be used with pid' mr add pd "$pd" access none all \
		file "$work/file"
	fails 2 'addr: cannot be combined with all' mr add pd "$pd" access none \
		pid $holder all addr "$addr"
	fails 2 'size: cannot be combined with all' mr add pd "$pd" access none \
		pid $holder all size 4K
	fails 2 'iova: cannot be combined with all' mr add pd "$pd" access none \
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

gone_from() { xr mr show "$1" | grep -q ' children 0 '; }

no_packets
command_up

run memory_on_demand 'U1 O1 O5 O10'
run address_space 'U1 O2 O5' with_a_pd space
command_passed
