#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Cost of a translation table: "make bench", or
#
#   vm.sh --icount -- bench/pool.sh [-o FILE]
#
# First in instructions: freeing one table and allocating another while so many tables of
# up to so many entries are live, in the kernel, by four allocators:
#
#   xroce      kmod/mem/pool.c, with its lock
#   list       a list of free pieces in address order, first fit
#   list_best  the same, best fit
#   genalloc   the kernel's, first fit
#
# and the number of extents of 4 MiB that each has grown to; pool/bench.c explains the
# method. Then in bytes: how much of the pool regions of several sizes take, from "xroce
# mtt show".
set -eu

. "$(dirname "$0")/../lib/net.sh"

xroce=$top/build/user/xroce
export XROCE_BPF_OBJECT=${XROCE_BPF_OBJECT:-$top/build/bpf/xroce.bpf.o}
out=
work=$(mktemp -d /dev/shm/pool-XXXXXX)

[ "${1:-}" != -o ] || { out=$2; shift 2; }
[ $# = 0 ] || { echo "usage: pool.sh [-o FILE]" >&2; exit 2; }

work_down() { rm -r "$work"; }
undo+=(work_down)

costs() {
	insmod "$top/build/selftests/bench/pool/pool_bench.ko"
	grep . /sys/module/pool_bench/parameters/result
	rmmod pool_bench
}

used() { "$xroce" -j mtt show | sed -E 's/.*"used":([0-9]+).*/\1/'; }

# bytes SIZE PAGE: print "bytes SIZE PAGE BYTES" for one region
bytes() {
	local before

	rm -f "$work/mnt/file"
	truncate -s "$1" "$work/mnt/file"
	before=$(used)
	in_xr "$xroce" mr add pd 1 name bytes access remote-read \
		file "$work/mnt/file" >/dev/null
	echo "bytes $1 $2 $((($(used) - before) * 8))"
	in_xr "$xroce" mr del mr bytes
}

sizes() {
	mkdir "$work/mnt"
	mount -t tmpfs -o huge=never none "$work/mnt"
	bytes 4K 4K
	bytes 64K 4K
	bytes 64M 4K
	umount "$work/mnt"
	mount -t tmpfs -o huge=always none "$work/mnt"
	bytes 64M 2M
	umount "$work/mnt"
}

table() {
	awk '
	$1 != "bytes" {
		if (!seen++)
			printf "%-10s %8s %8s %12s %8s\n", "allocator",
			       "live", "longest", "instructions", "extents"
		printf "%-10s %8d %8d %12d %8d\n", $1, $2, $3, $4, $5
	}
	$1 == "bytes" {
		if (!bytes++)
			printf "\n%-10s %8s %12s\n", "region", "pages",
			       "table bytes"
		printf "%-10s %8s %12d\n", $2, $3, $4
	}' "$1"
}

json() {
	awk '
	{
		printf "%s", NR == 1 ? "[" : ",\n "
		if ($1 == "bytes")
			printf "{\"region\":\"%s\",\"page\":\"%s\",\"table_bytes\":%d}",
			       $2, $3, $4
		else
			printf "{\"allocator\":\"%s\",\"live\":%d,\"longest\":%d,\"instructions\":%d,\"extents\":%d}",
			       $1, $2, $3, $4, $5
	}
	END { print "]" }' "$1"
}

costs >"$work/rows"
net_up
module_up
in_xr "$xroce" link add dev x0 >/dev/null
in_xr "$xroce" pd add >/dev/null
sizes >>"$work/rows"
in_xr "$xroce" link del dev x0 force
table "$work/rows"
[ -z "$out" ] || json "$work/rows" >"$out"
