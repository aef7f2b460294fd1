#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Doorbells, arming, and small messages with either provider of xroce, with a thread that polls
# instead of the doorbell, and with rxe at both ends: see doorbell.c and pair.c. After "make provider":
#
#   vm.sh --icount -- bench/doorbell.sh [-o FILE] [PART-OF-A-ROW]...
#
# The ends and the figures are those of pair.sh. The thread shares the one CPU with both ends. It is
# awake for the rows of doorbell.c. For those of pair.c it sleeps after a microsecond without work, and
# is woken by the next message: the worst that can be done with it.
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
		XROCE_POLL_USEC=100000 \
			"$top/build/selftests/bench/doorbell" "$2" 10.77.0.1 "$3" 10.77.0.2
		XROCE_POLL_USEC=1 \
			"$top/build/selftests/bench/pair" "$2" 10.77.0.1 "$3" 10.77.0.2 "${rows[@]}"
	} >"$work/$1"
}

# with PROVIDER [NAME]: both ends of xroce
with() {
	"$xroce" link add dev x0 verbs xr0 provider "$1" >/dev/null
	"$xroce" link add dev c0 verbs xr1 provider "$1" >/dev/null
	measure "${2:-$1}" xr1 xr0
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

# Both ends of the program have one.
parameters=/sys/module/xroce_ib/parameters
echo 2 >$parameters/poll_threads
echo 2 >$parameters/poll_threads_user
XROCE_POLL=1 XROCE_DEBUG=1 with xroce thread 2>"$work/warnings" ||
	{ cat "$work/warnings" >&2; exit 1; }
! grep 'no thread' "$work/warnings" >&2 || exit 1

paste -d ' ' "$work/xroce" "$work/rxe" "$work/soft" "$work/thread" | awk -v out="$out" '
BEGIN {
	printf "%-9s %6s %-7s %11s %14s %12s %9s %10s\n", "op", "bytes", "posted", "with thread",
	       "provider xroce", "provider rxe", "Soft-RoCE", "xroce/rxe"
}
NF != 20 { bad = 1; next }
{
	printf "%-9s %6d %-7s %11d %14d %12d %9d %10s\n", $1, $2, $3, $19, $4, $9, $14,
	       $14 ? sprintf("%.3f", $4 / $14) : "-"
	if (out)
		printf "%s{\"op\":\"%s\",\"size\":%d,\"how\":\"%s\",\"own\":%d,\"stock\":%d,\"rxe\":%d,\"thread\":%d}",
		       n++ ? ",\n " : "[", $1, $2, $3, $4, $9, $14, $19 >out
}
END {
	if (out && n)
		print "]" >out
	exit bad || !NR
}'
