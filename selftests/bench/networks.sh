#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Goodput on a link of 100 Mbit/s that delays, loses, doubles and reorders: xroce to xroce, rxe to
# rxe, one to the other, and TCP. "make bench-networks", or
#
#   vm.sh --icount -- bench/networks.sh [-o FILE] [-w WHO]... [PART-OF-A-ROW]...
#
# netem of m1, see middle.sh, is that of frames to x0, and netem of m0 that of frames to c0. A row is
# NETWORK/OP, with 16 messages of 64 KiB outstanding, path MTU 4096. WHO is xroce, rxe, xroce_rxe,
# rxe_xroce or tcp. Figures are Mbit/s of payload, and behind it, with -w, the median, the 99th
# percentile and the longest latency in microseconds.
set -eu

. "$(dirname "$0")/middle.sh"

out=
whos=()
while [[ ${1:-} = -* ]]; do
	case $1 in
	-o)	out=$2 ;;
	-w)	whos+=("$2") ;;
	esac
	shift 2
done
words=("$@")

# network       both ways
networks=(
	'clean/1ms       delay 500us'
	'loss0.1/1ms     delay 500us loss 0.1%'
	'loss1/1ms       delay 500us loss 1%'
	'loss5/1ms       delay 500us loss 5%'
	'clean/50ms      delay 25ms'
	'loss0.1/50ms    delay 25ms loss 0.1%'
	'loss1/50ms      delay 25ms loss 1%'
	'reorder1/1ms    delay 500us reorder 1%'
	'reorder5/1ms    delay 500us reorder 5%'
	'reorder25/1ms   delay 500us reorder 25%'
	'duplicate3/1ms  delay 500us duplicate 3%'
	'jitter0.5/2ms   delay 1ms 250us'
)
ops=(WRITE READ SEND)

work=$(mktemp -d /dev/shm/networks-XXXXXX)
work_down() { rm -r "$work"; }
undo+=(work_down)

# impair WORDS-OF-NETEM: new disciplines, without frames of the row before
impair() {
	local dev

	for dev in m0 m1; do
		! tc qdisc del dev $dev root 2>/dev/null || :
		# shellcheck disable=SC2086
		tc qdisc add dev $dev root handle 1: netem limit 20000 $1
		# Behind netem: a frame that overtakes others waits for the link, too.
		tc qdisc add dev $dev parent 1:1 tbf rate 100mbit burst 10k limit 80m
	done
}

wanted() {
	local word

	[ ${#words[@]} -gt 0 ] || return 0
	for word in "${words[@]}"; do
		[[ $1 != *$word* ]] || return 0
	done
	return 1
}

# each WHO COMMAND...: run it with OP behind, for each row; write $work/WHO
each() {
	local who=$1 line name netem op ms

	shift
	: >"$work/$who"
	for line in "${networks[@]}"; do
		read -r name netem <<<"$line"
		ms=1000
		[[ $name != *50ms ]] || ms=3000
		for op in "${ops[@]}"; do
			! wanted "$name/$op" || {
				impair "$netem"
				echo "$name/$op $("$@" "$op" $ms 2>"$work/error" ||
					echo "$(tail -n 1 "$work/error" | tr ' ' _) - - -")" |
					tee -a "$work/$who" | sed "s/^/# $who /"
			}
			[ "$who" != tcp ] || break
		done
	done
}

# measure WHO CLIENT SERVER
measure() {
	wait_until 100 gid_of "$2" 0a4d:0001
	wait_until 100 gid_of "$3" 0a4d:0002
	each "$1" sized "$2" 10.77.0.1 "$3" 10.77.0.2
}
sized() { "$top/build/selftests/bench/network" "${@:1:5}" 65536 16 "$6"; }
tcp() { "$top/build/selftests/bench/network" tcp 10.77.0.1 10.77.0.2 65536 "$2"; }

links_down() {
	"$xroce" link del dev c0 force
	! "$xroce" link show dev x0 >/dev/null 2>&1 || "$xroce" link del dev x0 force
}

calm_machine
modprobe sch_netem
wires_join=middle_up
wires_up
sysctl -q net.ipv4.tcp_congestion_control=cubic
! measures tcp || each tcp tcp
! { measures rxe || measures rxe_xroce || measures xroce_rxe; } || rxe_up
! measures rxe || {
	rdma link add rxe1 type rxe netdev x0
	measure rxe rxe0 rxe1
	rdma link delete rxe1
}
module_up
modprobe ib_uverbs
insmod "$verbs_module"
undo+=(verbs_unload)
"$xroce" link add dev x0 verbs xr0 >/dev/null
pass_on c0
! measures rxe_xroce || measure rxe_xroce rxe0 xr0
verbs_end xr1 c0
undo+=(links_down)
! measures xroce || measure xroce xr1 xr0
! measures xroce_rxe || {
	"$xroce" link del dev x0 force
	pass_on x0
	rdma link add rxe1 type rxe netdev x0
	measure xroce_rxe xr1 rxe1
	rdma link delete rxe1
}

# The rows of all: Mbit/s of each. TCP has one row for each network.
awk -v out="$out" '
BEGIN { n = split("xroce rxe xroce_rxe rxe_xroce tcp", who) }
{
	w = FILENAME
	sub(".*/", "", w)
	if (w == "tcp")
		sub("/[A-Z]*$", "", $1)
	else if (!($1 in seen)) {
		seen[$1] = 1
		order[++rows] = $1
	}
	mbit[$1, w] = $2
}
function figure(row, w,  key) {
	if (w == "tcp")
		sub("/[A-Z]*$", "", row)
	key = row SUBSEP w
	return key in mbit ? mbit[key] : "-"
}
END {
	printf "%-22s", "Mbit/s"
	for (i = 1; i <= n; i++)
		printf " %12s", who[i]
	print ""
	for (r = 1; r <= rows; r++) {
		printf "%-22s", order[r]
		for (i = 1; i <= n; i++)
			printf " %12s", figure(order[r], who[i])
		print ""
		if (!out)
			continue
		printf "%s{\"row\":\"%s\"", (r > 1 ? ",\n " : "["), order[r] >out
		for (i = 1; i <= n; i++) {
			f = figure(order[r], who[i])
			if (f !~ /^[0-9.]+$/)
				f = "null"
			printf ",\"%s\":%s", who[i], f >out
		}
		printf "}" >out
	}
	if (out)
		print "]" >out
}' $(ls "$work"/{xroce,rxe,xroce_rxe,rxe_xroce,tcp} 2>/dev/null)
