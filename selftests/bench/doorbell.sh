#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Doorbells, arming, and small messages with either provider of xroce, and with rxe at both ends:
# see doorbell.c and pair.c. After "make provider":
#
#   vm.sh --icount -- bench/doorbell.sh [-o FILE] [PART-OF-A-ROW]...
#
# The ends and the figures are those of pair.sh.
set -eu

. "$(dirname "$0")/ends.sh"

out=
[ "${1:-}" != -o ] || { out=$2; shift 2; }
provider=$(echo "$top"/build/user/provider/libxroce-rdmav*.so)
[ -e "$provider" ] || { echo "bench: no provider: run \"make provider\" first" >&2; exit 1; }
rows=("$@")
[ $# != 0 ] || rows=(WRITE:64: WRITE:4096:single READ:64: SEND:64: FETCH_ADD)

work=$(mktemp -d /dev/shm/doorbell-XXXXXX)
work_down() { rm -r "$work"; }
undo+=(work_down)

# measure WHO CLIENT SERVER: write $work/WHO
measure() {
	wait_until 100 gid_of "$2" 0a4d:0001
	wait_until 100 gid_of "$3" 0a4d:0002
	{
		"$top/build/selftests/bench/doorbell" "$2" 10.77.0.1 "$3" 10.77.0.2
		"$top/build/selftests/bench/pair" "$2" 10.77.0.1 "$3" 10.77.0.2 "${rows[@]}"
	} >"$work/$1"
}

# with PROVIDER: both ends of xroce
with() {
	"$xroce" link add dev x0 verbs xr0 provider "$1" >/dev/null
	"$xroce" link add dev c0 verbs xr1 provider "$1" >/dev/null
	measure "$1" xr1 xr0
	"$xroce" link del dev c0 force
	"$xroce" link del dev x0 force
}

calm_machine
wires_up
rxe_up
rdma link add rxe1 type rxe netdev x0
measure soft rxe0 rxe1
rdma link delete rxe1
module_up
modprobe ib_uverbs
insmod "$verbs_module"
undo+=(verbs_unload)
ip link set c0 xdpdrv off
with rxe
export RDMAV_DRIVERS=${provider%-rdmav*}
# A warning would be no news: the provider is not installed here.
with xroce 2>"$work/warnings" || { cat "$work/warnings" >&2; exit 1; }

paste -d ' ' "$work/xroce" "$work/rxe" "$work/soft" | awk -v out="$out" '
BEGIN {
	printf "%-9s %6s %-7s %14s %12s %9s %10s\n", "op", "bytes", "posted", "provider xroce",
	       "provider rxe", "Soft-RoCE", "xroce/rxe"
}
NF != 15 { bad = 1; next }
{
	printf "%-9s %6d %-7s %14d %12d %9d %10.3f\n", $1, $2, $3, $4, $9, $14, $4 / $14
	if (out)
		printf "%s{\"op\":\"%s\",\"size\":%d,\"how\":\"%s\",\"own\":%d,\"stock\":%d,\"rxe\":%d}",
		       n++ ? ",\n " : "[", $1, $2, $3, $4, $9, $14 >out
}
END {
	if (out && n)
		print "]" >out
	exit bad || !NR
}'
