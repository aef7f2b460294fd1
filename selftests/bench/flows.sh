#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# How flows share a bottleneck of 100 Mbit/s: RDMA connections of xroce or rxe, and TCP. "make
# bench-networks", or, a machine for each WHO,
#
#   vm.sh --icount --timeout 1800 -- bench/flows.sh [-o FILE] [-w WHO]... [-c ALGORITHM]
#		[PART-OF-A-ROW]...
#
# WHO is xroce, rxe, cubic or dctcp; ALGORITHM is what connections of xroce have. The round trip without a queue is 1 ms. The bottleneck is in the
# direction of the payload: tbf of m1 for WRITE and TCP, of m0 for READ, see middle.sh. Rows:
#
#   QUEUE/N/OP    N connections, each with 16 messages of 64 KiB outstanding, path MTU 4096; TCP sends
#                 packets of about the same size, and has a row for WRITE only
#   beside/QUEUE  one connection that WRITEs, and one of TCP (cubic), whose goodput is the second
#   joins/QUEUE   seven connections, and in the middle third of the time another one; 128 messages of
#                 8 KiB each, as goodput is seen by whole messages only
#   devices/QUEUE/OP  eight connections, each of another device; all send to x0, for READ x0 is the
#                 client
#   mice/LINK     16 connections with one WRITE of 64 bytes each, as fast as they complete; one with 4
#                 READs of 1 MiB; and all of them. TCP: messages of 64 bytes that are answered, and a
#                 stream from the other side. LINK is a QUEUE, or unlimited: no delay either
#
# QUEUE is what the bottleneck holds: 60K, 200K, or deep, a second. -ecn: RED marks in place of it. For
# 100 Mbit/s, packets of 4170 bytes, and a bandwidth-delay product of 12.5 KB: it begins to mark at 30
# KB, and marks all from 90 KB on. With its average over the last two packets that is the instantaneous
# queue, as DCTCP wants. What cannot be marked is dropped.
#
# flows.c says what the figures are. Behind these: "again", packets of requests, or of TCP, sent again;
# of rxe how often a connection went back. "timeouts": local ACK timeouts, or those of TCP. Of mice
# there are p50 and p99 alone, and beside the reader; and goodput of the reader alone, and beside them.
set -eu

. "$(dirname "$0")/middle.sh"

out=
whos=()
while [[ ${1:-} = -* ]]; do
	case $1 in
	-o)	out=$2 ;;
	-w)	whos+=("$2") ;;
	-c)	cc=$2 ;;
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
	"$top/build/selftests/bench/flows" "$@" >"$work/line" 2>"$work/error" || {
		echo "error=$?_$(tail -n 1 "$work/error" | tr ' =' _)"
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
	flows "$1" -t 5000 -b m1 "$(group "$1" 1 WRITE 65536 16)" "$(group tcp 1 WRITE 65536 1)"
}

# joins WHO QUEUE. 98 Mbit/s of payload are all that the link carries.
joins() {
	bottleneck "$2" m1
	flows "$1" -t 3000 -b m1 -j 98 "$(group "$1" 8 WRITE 8192 128)"
}

# word NAME LINE: print its value
word() { sed -n "s/^\(.* \)\?$1=\([^ ]*\).*/\2/p" <<<"$2"; }

# mice WHO LINK
mice() {
	local small large line alone reader beside at=() name

	small=$(group "$1" 16 WRITE 64 1)
	large=$(group "$1" 1 READ 1048576 4)
	[ "$2" = unlimited ] || at=(-b m0)
	bottleneck "$2" m0
	alone=$(flows "$1" -t 1000 "${at[@]}" "$small")
	bottleneck "$2" m0
	reader=$(flows "$1" -t 1000 "${at[@]}" "$large")
	bottleneck "$2" m0
	# A program of its own: one that is busy with a READ does not look for short messages.
	"$top/build/selftests/bench/flows" -t 1400 "$large" >"$work/large" 2>&1 &
	sleep 0.2
	beside=$(flows "$1" -t 1000 "${at[@]}" "$small")
	wait $! || beside=error=$(tail -n 1 "$work/large" | tr ' =' _)
	for line in "$alone" "$reader" "$beside"; do
		[[ $line != error=* ]] || { echo "$line"; return; }
	done
	printf '%s ' p50="$(word p50 "$alone")" p99="$(word p99 "$alone")" \
		p50_beside="$(word p50 "$beside")" p99_beside="$(word p99 "$beside")" \
		reader="$(word mbit "$reader")" reader_beside="$(word mbit "$(cat "$work/large")")"
	printf '%s ' ended="$(($(word ended "$beside") + $(word ended "$(cat "$work/large")")))"
	for name in again timeouts; do
		printf '%s ' $name="$(word $name "$beside")"
	done
}

# device_up I: a network device whose frames go to m1, and which gets those for it from m1
device_up() {
	local dev=d$1 port=p$1 address=10.77.0.$((10 + $1)) table=$((110 + $1))

	ip link add "$dev" type veth peer name "$port"
	sysctl -q "net.ipv6.conf.$port.disable_ipv6=1"
	ip link set "$port" mtu 4400
	tc qdisc add dev "$port" root netem limit 20000 delay 500us
	tc qdisc add dev "$port" ingress
	tc filter add dev "$port" ingress matchall action mirred egress redirect dev m1
	tc filter add dev m1 ingress pref 1 protocol all flower dst_mac "$(mac_of "$dev")" \
		action mirred egress redirect dev "$port"
	pass_on "$port"
	ip link set "$port" up
	net_end "$dev" $((10 + $1))
	sysctl -q "net.ipv4.conf.$dev.accept_local=1" "net.ipv4.conf.$dev.rp_filter=0"
	ip route add 10.77.0.2 dev "$dev" src "$address" table $table
	ip rule add pref 10 iif "$dev" lookup local
	ip rule add pref 15 from "$address" to 10.77.0.2 lookup $table
	ip route add "$address" dev x0 src 10.77.0.2 table 101
	ip rule add pref 20 to "$address" lookup 101
	ip neigh replace 10.77.0.2 dev "$dev" nud permanent lladdr "$(mac_of x0)"
	ip neigh replace "$address" dev x0 nud permanent lladdr "$(mac_of "$dev")"
}

# devices_up WHO: eight devices of it, vd1 to vd8
devices_up() {
	local i

	for i in {1..8}; do
		device_up "$i"
		case $1 in
		xroce)	"$xroce" link add dev "d$i" verbs "vd$i" >/dev/null ;;
		rxe)	tc qdisc replace dev "d$i" root pfifo limit 20000
			rdma link add "vd$i" type rxe netdev "d$i" ;;
		esac
		wait_until 100 gid_of "vd$i" "$(printf '0a4d:%04x' $((10 + i)))"
	done
}

# devices_down WHO
devices_down() {
	local i

	for i in {1..8}; do
		case $1 in
		xroce)	"$xroce" link del dev "d$i" force ;;
		rxe)	rdma link delete "vd$i" ;;
		esac
		ip link del "d$i"
	done
}

# many WHO QUEUE OP
many() {
	local i groups=() peer=xr0

	[ "$1" = xroce ] || peer=rxe1
	for i in {1..8}; do
		case $3 in
		WRITE)	groups+=("1,WRITE,65536,16,vd$i,10.77.0.$((10 + i)),$peer,10.77.0.2") ;;
		READ)	groups+=("1,READ,65536,16,$peer,10.77.0.2,vd$i,10.77.0.$((10 + i))") ;;
		esac
	done
	bottleneck "$2" m1
	flows "$1" -t 2000 -b m1 "${groups[@]}"
}

# devices WHO: those rows
devices() {
	local op

	wanted devices/200K/WRITE || wanted devices/200K/READ || return 0
	devices_up "$1"
	for op in WRITE READ; do
		row "$1" devices/200K/$op many "$1" 200K $op
	done
	devices_down "$1"
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
	for queue in unlimited 200K; do
		row "$who" mice/$queue mice "$who" $queue
	done
	[[ $who = cubic || $who = dctcp ]] || devices "$who"
}

links_down() {
	"$xroce" link del dev c0 force
	"$xroce" link del dev x0 force
}

calm_machine
modprobe -a sch_netem sch_tbf sch_red cls_flower tcp_dctcp
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
	server_up
	verbs_end xr1 c0
	undo+=(links_down)
	wait_until 100 gid_of xr1 0a4d:0001
	wait_until 100 gid_of xr0 0a4d:0002
	each xroce
}

# Figures are words NAME=VALUE.
awk -v out="$out" '
BEGIN {
	columns["mice"] = "p50 p99 p50_beside p99_beside reader reader_beside ended again timeouts"
	columns["joins"] = "mbit jain drop sent queue marked ended join leave again timeouts each"
	columns[""] = "mbit jain drop sent queue marked ended again timeouts each"
}
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
# Print @n figures, or the names of their columns.
function print_row(first, n, shown, values, names,  i, text) {
	printf "%-23s", first
	for (i = 1; i <= n; i++) {
		text = names ? shown[i] : shown[i] in values ? values[shown[i]] : "-"
		if (shown[i] == "each")
			printf "  %s", text
		else
			printf " %" (length(shown[i]) > 8 ? length(shown[i]) : 8) "s", text
	}
	print ""
}
{
	kind = $2
	sub("/.*", "", kind)
	if (!(kind in columns))
		kind = ""
	delete values
	for (i = 3; i <= NF; i++) {
		split($i, pair, "=")
		values[pair[1]] = pair[2]
	}
	n = split(columns[kind], shown)
	if (NR == 1 || columns[kind] != before)
		print_row("row", n, shown, values, 1)
	before = columns[kind]
	print_row($1 " " $2, n, shown, values, 0)
	if (out)
		print_json()
}
END {
	if (out && NR)
		print "]" >out
}' "$work/rows"
