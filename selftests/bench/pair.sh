#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Messages between two verbs devices: xroce to xroce, rxe to rxe, and one to the other. Work is
# counted, not waiting: see pair.c. "make bench", or
#
#   vm.sh --icount -- bench/pair.sh [-o FILE] [-k FILE] [PART-OF-A-ROW]...
#
#   c0 10.77.0.1, client rxe0 or xr1  <------ veth ------>  x0 10.77.0.2, server rxe1 or xr0
#
# Only xroce to xroce with -k, whose FILE gets the names of the kernel's functions, for where.sh.
# Figures are instructions of the whole machine for a message. An end of rxe whose other end is
# xroce has an XDP program that passes everything, see ends.sh.
set -eu

. "$(dirname "$0")/ends.sh"

out=
names=
[ "${1:-}" != -o ] || { out=$2; shift 2; }
[ "${1:-}" != -k ] || { names=$2; shift 2; }

work=$(mktemp -d /dev/shm/pair-XXXXXX)
work_down() { rm -r "$work"; }
undo+=(work_down)

# measure WHO CLIENT SERVER [ROW]...: write $work/WHO
measure() {
	wait_until 100 gid_of "$2" 0a4d:0001
	wait_until 100 gid_of "$3" 0a4d:0002
	"$top/build/selftests/bench/pair" "$2" 10.77.0.1 "$3" 10.77.0.2 "${@:4}" >"$work/$1"
}

links_down() {
	"$xroce" link del dev c0 force
	! verbs_up_on x0 || "$xroce" link del dev x0 force
}
verbs_up_on() { "$xroce" link show dev "$1" >/dev/null 2>&1; }

rxe_to_rxe() {
	rdma link add rxe1 type rxe netdev x0
	measure rxe rxe0 rxe1 "$@"
	rdma link delete rxe1
}

rxe_to_xroce() {
	pass_on c0
	measure rxe_xroce rxe0 xr0 "$@"
}

xroce_to_rxe() {
	"$xroce" link del dev x0 force
	pass_on x0
	rdma link add rxe1 type rxe netdev x0
	measure xroce_rxe xr1 rxe1 "$@"
	rdma link delete rxe1
}

calm_machine
wires_up
rxe_up
[ -n "$names" ] || rxe_to_rxe "$@"
module_up
modprobe ib_uverbs
insmod "$verbs_module"
undo+=(verbs_unload)
"$xroce" link add dev x0 verbs xr0 >/dev/null
[ -n "$names" ] || rxe_to_xroce "$@"
verbs_end xr1 c0
undo+=(links_down)
measure xroce xr1 xr0 "$@"
if [ -n "$names" ]; then
	cat /proc/kallsyms >"$names"
	cat "$work/xroce"
	exit
fi
xroce_to_rxe "$@"

# The columns of each pairing: op, size, how, its figure, and the number of messages.
paste -d ' ' "$work/xroce" "$work/rxe" "$work/xroce_rxe" "$work/rxe_xroce" | awk -v out="$out" '
BEGIN {
	printf "%-9s %8s %-6s %9s %9s %9s %12s %12s\n", "op", "bytes", "posted", "xroce",
	       "rxe", "xroce/rxe", "xroce to rxe", "rxe to xroce"
}
NF != 20 { bad = 1; next }
{
	printf "%-9s %8d %-6s %9d %9d %9.3f %12d %12d\n", $1, $2, $3, $4, $9, $4 / $9, $14, $19
	if (out)
		printf "%s{\"op\":\"%s\",\"size\":%d,\"how\":\"%s\",\"xroce\":%d,\"rxe\":%d,\"xroce_rxe\":%d,\"rxe_xroce\":%d}",
		       n++ ? ",\n " : "[", $1, $2, $3, $4, $9, $14, $19 >out
}
END {
	if (out && n)
		print "]" >out
	exit bad || !NR
}'
