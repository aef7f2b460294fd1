#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# How flows share a bottleneck of 100 Mbit/s: RDMA connections of xroce or rxe, and TCP. "make
# bench-networks", or, a machine for each WHO,
#
#   vm.sh --icount --timeout 580 -- bench/flows.sh [-o FILE] [-w WHO]... [PART-OF-A-ROW]...
#
# WHO is xroce, rxe, cubic or dctcp. The round trip without a queue is 1 ms. The bottleneck is in the
# direction of the payload: tbf of m1 for WRITE and TCP, of m0 for READ, see middle.sh. Rows:
#
#   QUEUE/N/OP    N connections, each with 16 messages of 64 KiB outstanding, path MTU 4096; TCP sends
#                 packets of about the same size, and has a row for WRITE only
#   beside/QUEUE  one connection that WRITEs, and one of TCP (cubic), whose goodput is the second
#   joins/QUEUE   seven connections, and in the middle third of the time another one; 128 messages of
#                 8 KiB each, as goodput is seen by whole messages only
#
# QUEUE is what the bottleneck holds: 60K, 200K, or deep, a second. -ecn: RED marks in place of it. For
# 100 Mbit/s, packets of 4170 bytes, and a bandwidth-delay product of 12.5 KB: it begins to mark at 30
# KB, and marks all from 90 KB on. With its average over the last two packets that is the instantaneous
# queue, as DCTCP wants. What cannot be marked is dropped.
#
# flows.c says what the figures are. Behind these: "again", packets sent again, and "timeouts", local
# ACK timeouts, or those of TCP; of rxe "again" is how often a connection went back, and includes
# timeouts.
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
# shellcheck disable=SC2034 # for wanted()
rows=("$@")

queues=(60K 200K 200K-ecn deep deep-ecn)
work_up

# bottleneck QUEUE DEV: new disciplines, without frames of the row before
bottleneck() {
	local dev limit

	case $1 in
	60K*)	limit=60000 ;;
	200K*)	limit=200000 ;;
	deep*)	limit=12500000 ;;
	esac
	for dev in m0 m1; do
		! tc qdisc del dev $dev root 2>/dev/null || :
		[ "$1" = unlimited ] || tc qdisc add dev $dev root handle 1: netem limit 20000 delay 500us
	done
	[ "$1" != unlimited ] || return 0
	tc qdisc add dev "$2" parent 1:1 handle 2: tbf rate 100mbit burst 10k limit $limit
	# One with a handle, as others are not shown.
	if [[ $1 = *-ecn ]]; then
		tc qdisc add dev "$2" parent 2:1 handle 3: red limit $limit min 30000 max 90000 \
			avpkt 4170 burst 8 probability 1 bandwidth 100mbit ecn
	else
		tc qdisc add dev "$2" parent 2:1 handle 3: bfifo limit $limit
	fi
}

# counters WHO: print how much was sent again, and timeouts
counters() {
	local dir="/sys/class/infiniband/*/ports/1/hw_counters"

	# shellcheck disable=SC2086 # a pattern
	case $1 in
	xroce)	echo "$(cat $dir/req_retransmit | awk '{ n += $1 } END { print n }')" \
			"$(cat $dir/req_timeout | awk '{ n += $1 } END { print n }')" ;;
	rxe)	echo "$(cat $dir/completer_retry_err | awk '{ n += $1 } END { print n }') -" ;;
	*)	nstat -asz | awk '
			$1 == "TcpRetransSegs" { again = $2 }
			$1 == "TcpExtTCPTimeouts" { timeouts = $2 }
			END { print again, timeouts }' ;;
	esac
}

# flows WHO ARGUMENT...: print its line, and what counters() has counted meanwhile
flows() {
	local who=$1 again timeouts now_again now_timeouts

	shift
	read -r again timeouts < <(counters "$who")
	timeout -k 1 20 "$top/build/selftests/bench/flows" "$@" >"$work/line" 2>"$work/error" || {
		echo "error=$(tail -n 1 "$work/error" | tr ' =' _)"
		return 0
	}
	# Their values are kept for 10 ms.
	sleep 0.02
	read -r now_again now_timeouts < <(counters "$who")
	[ "$timeouts" = - ] || timeouts=$((now_timeouts - timeouts))
	echo "$(cat "$work/line") again=$((now_again - again)) timeouts=$timeouts"
}

# group WHO COUNT OP SIZE DEPTH
group() {
	case $1 in
	xroce)	echo "$2,$3,$4,$5,xr1,10.77.0.1,xr0,10.77.0.2" ;;
	rxe)	echo "$2,$3,$4,$5,rxe0,10.77.0.1,rxe1,10.77.0.2" ;;
	*)	echo "$2,$3,$4,$5,tcp,10.77.0.1,-,10.77.0.2" ;;
	esac
}

# row WHO NAME COMMAND...: run it if the row is wanted, print it, and keep it
row() {
	local who=$1 name=$2

	shift 2
	wanted "$name" || return 0
	echo "$who $name $("$@")" | tee -a "$work/rows" | sed 's/^/# /'
}

# alike WHO QUEUE N OP
alike() {
	local dev=m1 ms=2000

	[ "$4" != READ ] || dev=m0
	[[ $2 != deep* ]] || ms=3000
	bottleneck "$2" $dev
	flows "$1" -t $ms -b $dev "$(group "$1" "$3" "$4" 65536 16)"
}

# beside WHO QUEUE
beside() {
	bottleneck "$2" m1
	flows "$1" -t 2000 -b m1 "$(group "$1" 1 WRITE 65536 16)" "$(group tcp 1 WRITE 65536 1)"
}

# joins WHO QUEUE. 98 Mbit/s of payload are all that the link carries.
joins() {
	bottleneck "$2" m1
	flows "$1" -t 3000 -b m1 -j 98 "$(group "$1" 8 WRITE 8192 128)"
}

# each WHO: all rows
each() {
	local who=$1 queue n op

	for queue in "${queues[@]}"; do
		for n in 2 8; do
			for op in WRITE READ; do
				row "$who" "$queue/$n/$op" alike "$who" "$queue" $n $op
				[[ $who = xroce || $who = rxe ]] || break
			done
		done
	done
	[[ $who = cubic || $who = dctcp ]] || row "$who" beside/200K beside "$who" 200K
	for queue in 200K 200K-ecn; do
		row "$who" joins/$queue joins "$who" $queue
	done
}

links_down() {
	"$xroce" link del dev c0 force
	"$xroce" link del dev x0 force
}

calm_machine
modprobe -a sch_netem sch_tbf sch_red tcp_dctcp
wires_join=middle_up
wires_up
: >"$work/rows"
# cubic takes marks, too.
sysctl -q net.ipv4.tcp_ecn=1
for who in cubic dctcp; do
	sysctl -q net.ipv4.tcp_congestion_control=$who
	! measures $who || each $who
done
sysctl -q net.ipv4.tcp_congestion_control=cubic
! measures rxe || {
	rxe_up
	rdma link add rxe1 type rxe netdev x0
	wait_until 100 gid_of rxe0 0a4d:0001
	wait_until 100 gid_of rxe1 0a4d:0002
	each rxe
	rdma link delete rxe1
}
! measures xroce || {
	module_up
	modprobe ib_uverbs
	insmod "$verbs_module"
	undo+=(verbs_unload)
	"$xroce" link add dev x0 verbs xr0 >/dev/null
	pass_on c0
	verbs_end xr1 c0
	undo+=(links_down)
	wait_until 100 gid_of xr1 0a4d:0001
	wait_until 100 gid_of xr0 0a4d:0002
	each xroce
}

# The rows of all. Their figures are words NAME=VALUE.
awk -v out="$out" '
BEGIN { n = split("mbit jain drop sent queue marked ended again timeouts each", shown) }
function print_json(  i, end, name, value) {
	printf "%s{\"who\":\"%s\",\"row\":\"%s\"", (NR > 1 ? ",\n " : "["), $1, $2 >out
	for (i = 3; i <= NF; i++) {
		end = index($i, "=")
		value = substr($i, end + 1)
		name = substr($i, 1, end - 1)
		if (name == "each")
			value = "[" value "]"
		else if (value !~ /^[0-9.]+$/)
			value = name == "error" ? "\"" value "\"" : "null"
		printf ",\"%s\":%s", name, value >out
	}
	printf "}" >out
}
function print_row(key, width,  i, line) {
	line = sprintf("%-22s", key)
	for (i = 1; i < n; i++)
		line = line sprintf(" %8s", shown[i] in value_of ? value_of[shown[i]] : "-")
	print line "  " value_of["each"]
}
{
	delete value_of
	for (i = 3; i <= NF; i++) {
		split($i, pair, "=")
		value_of[pair[1]] = pair[2]
	}
	if (out)
		print_json()
	if (NR == 1) {
		printf "%-22s", "row"
		for (i = 1; i < n; i++)
			printf " %8s", shown[i]
		print "  each"
	}
	print_row($1 " " $2)
}
END {
	if (out && NR)
		print "]" >out
}' "$work/rows"
