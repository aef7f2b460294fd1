#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Goodput on a link of 100 Mbit/s that delays, loses, doubles and reorders: xroce to xroce, rxe to
# rxe, one to the other, and TCP. "make bench-networks", or
#
#   vm.sh --icount -- bench/networks.sh [-o FILE] [-w WHO]... [-c ALGORITHM]
#		[-s BYTES] [-d DEPTH] [PART-OF-A-ROW]...
#
# netem of m1, see middle.sh, is that of frames to x0, and netem of m0 that of frames to c0. A row is
# NETWORK/OP, with DEPTH (16) messages of BYTES (65536) outstanding, path MTU 4096. WHO is xroce, rxe,
# xroce_rxe, rxe_xroce or tcp; of TCP BYTES are those of a call.
# ALGORITHM is the congestion control of xroce. Figures are Mbit/s of payload, and
# behind it, with -w, the median, the 99th percentile and the longest latency in microseconds.
#
# The rows of xroce that begin with "two" have two paths to x0, of which the lowest bit of the UDP
# source port chooses one: two/paths4 with that many ports; two/fast and two/slow have one path of
# the two. Back it is as far as on the fast one.
set -eu

. "$(dirname "$0")/middle.sh"

out=
bytes=65536 depth=16
whos=()
while [[ ${1:-} = -* ]]; do
	case $1 in
	-o)	out=$2 ;;
	-w)	whos+=("$2") ;;
	-c)	cc=$2 ;;
	-s)	bytes=$2 ;;
	-d)	depth=$2 ;;
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

# network       paths, and delay and rate to x0 by an even port, and by an odd one
two=(
	'two/fast        1 500us 60mbit 500us 60mbit'
	'two/slow        1 2ms 40mbit 2ms 40mbit'
	'two/paths4      4 500us 60mbit 2ms 40mbit'
)

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

# divide DELAY RATE DELAY RATE: to x0 by an even port, and by an odd one
divide() {
	local band

	impair 'delay 500us'
	tc qdisc del dev m1 root
	tc qdisc add dev m1 root handle 1: prio bands 2 priomap 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
	tc filter add dev m1 parent 1: protocol ip u32 match ip protocol 17 0xff \
		match ip sport 1 1 flowid 1:2
	for band in 1 2; do
		tc qdisc add dev m1 parent 1:$band handle 1$band: netem limit 20000 delay "$1"
		tc qdisc add dev m1 parent 1$band:1 tbf rate "$2" burst 10k limit 80m
		shift 2
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

# row WHO NAME COMMAND...: run it, and add a row to $work/WHO
row() {
	local who=$1 name=$2

	shift 2
	echo "$name $("$@" 2>"$work/error" ||
		echo "$(tail -n 1 "$work/error" | tr ' ' _) - - -")" |
		tee -a "$work/$who" | sed "s/^/# $who /"
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
				row "$who" "$name/$op" "$@" "$op" $ms
			}
			[ "$who" != tcp ] || break
		done
	done
}

# client_paths N: the link of c0, again, with so many paths
client_paths() {
	"$xroce" link del dev c0 force
	"$xroce" link add dev c0 verbs xr1 paths "$1" >/dev/null
	wait_until 100 gid_of xr1 0a4d:0001
}

# each_two: the rows with two paths, of xroce
each_two() {
	local line name paths way op

	for line in "${two[@]}"; do
		read -r name paths way <<<"$line"
		for op in WRITE SEND; do
			wanted "$name/$op" || continue
			client_paths "$paths"
			# shellcheck disable=SC2086
			divide $way
			row xroce "$name/$op" sized xr1 10.77.0.1 xr0 10.77.0.2 "$op" 2000
		done
	done
	client_paths 1
}

# measure WHO CLIENT SERVER
measure() {
	wait_until 100 gid_of "$2" 0a4d:0001
	wait_until 100 gid_of "$3" 0a4d:0002
	each "$1" sized "$2" 10.77.0.1 "$3" 10.77.0.2
}
sized() { "$top/build/selftests/bench/network" "${@:1:5}" "$bytes" "$depth" "$6"; }
tcp() { "$top/build/selftests/bench/network" tcp 10.77.0.1 10.77.0.2 "$bytes" "$2"; }

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
server_up
! measures rxe_xroce || measure rxe_xroce rxe0 xr0
verbs_end xr1 c0
undo+=(links_down)
! measures xroce || {
	measure xroce xr1 xr0
	each_two
}
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
