#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Memory of verbs objects of xroce and of rxe, and of a device without any: bytes, of kernel and
# program. "make bench", or
#
#   vm.sh -- bench/memory.sh [-o FILE]
set -eu

. "$(dirname "$0")/ends.sh"

out=
[ "${1:-}" != -o ] || out=$2
work=$(mktemp -d /dev/shm/memory-XXXXXX)
work_down() { rm -r "$work"; }
undo+=(work_down)

memory() { "$top/build/selftests/bench/memory" "$@"; }

# measure WHO DEVICE COMMAND...: make a device of x0 by COMMAND; write $work/WHO
measure() {
	local who=$1 device=$2 before

	shift 2
	before=$(memory free)
	"$@" >/dev/null
	wait_until 100 gid_of "$device" 0a4d:0002
	echo "device 0 $((before - $(memory free)))" >"$work/$who"
	memory "$device" 10.77.0.2 10.77.0.1 >>"$work/$who"
}

wires_up
rxe_up
measure rxe rxe1 rdma link add rxe1 type rxe netdev x0
rdma link delete rxe1
module_up
modprobe ib_uverbs
insmod "$verbs_module"
undo+=(verbs_unload)
measure xroce xr0 "$xroce" link add dev x0 verbs xr0
"$xroce" link del dev x0 force

paste -d ' ' "$work/xroce" "$work/rxe" | awk -v out="$out" '
BEGIN { printf "%-7s %6s %10s %10s %9s\n", "object", "size", "xroce", "rxe", "xroce/rxe" }
NF != 6 { bad = 1; next }
{
	printf "%-7s %6d %10d %10d %9.2f\n", $1, $2, $3, $6, $3 / $6
	if (out)
		printf "%s{\"object\":\"%s\",\"size\":%d,\"xroce\":%d,\"rxe\":%d}",
		       n++ ? ",\n " : "[", $1, $2, $3, $6 >out
}
END {
	if (out && n)
		print "]" >out
	exit bad || !NR
}'
