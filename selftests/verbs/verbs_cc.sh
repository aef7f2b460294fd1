#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Algorithms of congestion control, built-in and in BPF: choosing, changing and removing them while
# connections between xr1 and xr2 send, and what a harmful one can do.
#
# usage: verbs_cc.sh [ROW]...
set -eu

. "$(dirname "$0")/../lib/verbs_pair.sh"
. "$(dirname "$0")/../lib/command.sh"

subject=verbs_cc
nobody=65534
objects=$top/build/selftests/verbs
aimd=$top/build/examples/cc_aimd.bpf.o

# qps: print a line "QPN CC PACKETS WINDOW RATE" for each connection of p0 that sends
qps() {
	xr -s qp show dev p0 | awk '
		{ split("", v); for (i = 1; i < NF; i += 2) v[$i] = $(i + 1) }
		v["cc_window"] { print v["qpn"], v["cc"], v["req_packets"] + 0, v["cc_window"], v["cc_rate"] + 0 }'
}

# field NUMBER [QPN]: that word of the line of a connection, or of the first
field() { qps | awk -v n="$1" -v q="${2:-}" 'q == "" || $1 == q { print $n; exit }'; }

started() { [ "$(qps | wc -l)" -ge "$1" ]; }

# The connections of p0 have ended.
quiet() { [ -z "$(qps)" ]; }

# send COUNT [COMMAND...]: begin to send on so many connections; COMMAND runs the program
send() {
	senders=$1
	shift
	"$@" "$work/flows" -t 60000 "$senders,WRITE,4096,16,xr1,10.79.0.2,xr2,10.79.0.3" \
		>"$work/sent" 2>&1 &
	sender=$!
	wait_until 10 started "$senders" || not_so "$(cat "$work/sent")"
}

# sent: none has ended yet; end them
sent() {
	started "$senders" || not_so "of $senders connections these are there: $(qps)"
	kill "$sender"
	wait "$sender" 2>/dev/null || :
	wait_until 10 quiet
}

# flowing [QPN]: packets are sent
flowing() {
	local was

	was=$(field 3 "${1:-}")
	wait_until 5 moved "$was" "${1:-}"
}
moved() { [ "$(field 3 "$2")" -gt "$1" ]; }

# is WHAT WANTED VALUE
is() { [ "$2" = "$3" ] || not_so "$1 is $3, not $2"; }

add() { xr cc add "$1" >/dev/null; }

# says PATTERN COMMAND...: it fails and says so
says() {
	local pattern=$1

	shift
	if "$@" >"$work/out" 2>"$work/err" || ! grep -q "$pattern" "$work/err"; then
		not_so "$*: $(cat "$work/out" "$work/err")"
	fi
}

# Without privileges, as another user.
as_nobody=(nsenter --net=/run/netns/xr prlimit --memlock=unlimited
	setpriv --reuid=$nobody --regid=$nobody --clear-groups --bounding-set=-all)

# A row has failed: the next one begins as if it had not.
start_anew() {
	local name

	wait_until 20 quiet
	for name in $(xr cc show | sed -n 's/^name \([^ ]*\) kind bpf .*/\1/p'); do
		xr cc del "$name"
	done
	xr link set dev p0 cc none
}

# --- The rows.

listed() {
	add "$aimd"
	shows '[(a["name"], a["kind"]) for a in cc] == [("none", "built-in"),
			("delay", "built-in"), ("dcqcn", "built-in"), ("aimd", "bpf")]' cc show
	shows 'cc[3]["flags"] == ["ecn"] and cc[3]["bpf_link"] and cc[3]["bpf_map"] and
			[a["standard"] for a in cc] == [1, 0, 0, 0]' cc show
	[ -e /sys/fs/bpf/xroce_cc/aimd ]
	fails 1 'cc aimd: an algorithm of this name is there already' cc add "$aimd"
	fails 1 'cc none: it is built in' cc del none
	fails 1 'cc nosuch: no such algorithm' cc del nosuch
	says 'is in use' rmmod xroce
	xr cc del aimd
	[ ! -e /sys/fs/bpf/xroce_cc/aimd ]
	fails 1 'cc aimd: no such algorithm' cc show aimd
	fails 1 'link set dev p0: cc aimd: no such algorithm' link set dev p0 cc aimd
}

# refuses OBJECT PATTERN
refuses() { fails 1 "$2" cc add "$1"; }

refused() {
	refuses "$objects/cc_srtt.bpf.o" 'only priv, rate and cwnd of struct xroce_cc can be written'
	refuses "$objects/cc_srtt.bpf.o" 'program test_ack: the kernel refused it'
	refuses "$objects/cc_sample.bpf.o" 'only struct xroce_cc can be written'
	refuses "$objects/cc_flags.bpf.o" 'refused it: flags has a bit'
	refuses "$objects/cc_name.bpf.o" 'refused it: name must be'
	refuses "$objects/cc_half.bpf.o" 'refused it: init and ack must be there'
	refuses "$top/build/bpf/xroce.bpf.o" 'not an algorithm: it has no section'
	refuses "$0" 'not a BPF object'
	refuses /nosuch 'No such file'
	shows 'len(cc) == 3' cc show
}

unprivileged() {
	"${as_nobody[@]}" "$xroce" cc show >/dev/null
	# The checkout may be in a folder that others cannot read.
	cp "$aimd" "$work/user/aimd.o"
	says 'not permitted: CAP_SYS_ADMIN' "${as_nobody[@]}" "$xroce" cc add "$work/user/aimd.o"
	says 'cc delay: not permitted' "${as_nobody[@]}" "$xroce" link set dev p0 cc delay
	add "$aimd"
	says 'not permitted' "${as_nobody[@]}" "$xroce" cc del aimd
	xr cc del aimd
}

by_link() {
	add "$aimd" && xr link set dev p0 cc aimd
	shows 'link[0]["cc"] == "aimd"' link show dev p0
	send 1
	is 'the algorithm' aimd "$(field 2)"
	# That of the other end is on q0.
	shows '[a["connections"] for a in cc] == [1, 0, 0, 1] and cc[3]["links"] == 1' cc show
	xr link set dev p0 cc delay
	is 'that of a connection that was there' aimd "$(field 2)"
	sent
	send 1
	is 'the algorithm of the next' delay "$(field 2)"
	sent
	xr link set dev p0 cc none
	xr cc del aimd
}

by_connection() {
	local name qpn

	add "$aimd"
	send 1
	qpn=$(field 1)
	for name in delay aimd none; do
		xr qp set dev p0 qpn "$qpn" cc $name
		is 'the algorithm' $name "$(field 2)"
		flowing
	done
	fails 1 "qp 0x......: cc nosuch: no such algorithm" qp set dev p0 qpn "$qpn" cc nosuch
	fails 1 'qp 0x000002: cc none: no such queue pair' qp set dev p0 qpn 2 cc none
	is 'the algorithm' none "$(field 2)"
	sent
	xr cc del aimd
}

# Packets may be marked by switches while the algorithm listens to that.
ecn() {
	local qpn name bits

	send 1
	qpn=$(field 1)
	for name in dcqcn none; do
		xr qp set dev p0 qpn "$qpn" cc $name
		bits=$(xr -j qp show dev p0 "$qpn" | sed -n 's/.*"tos":\([0-9]*\).*/\1/p')
		is 'the type of service' 0 "$bits"
		marked $name
	done
	sent
}

# marked NAME: packets have the bits that NAME wants
marked() {
	local want=0 from to

	[ "$1" != dcqcn ] || want=1
	from=$(field 3)
	tc filter replace dev m1 ingress pref 1 handle 7 protocol ip flower ip_tos 2/3 \
		action mirred egress redirect dev m2
	wait_until 5 moved "$((from + 50))" ''
	to=$(tc -s filter show dev m1 ingress pref 1 |
		sed -n 's/.*Sent [0-9]* bytes \([0-9]*\) pkt.*/\1/p' | head -n 1)
	tc filter del dev m1 ingress pref 1
	[ $((to > 0)) = $want ] || not_so "$1: $to packets are ECN-capable"
}

# A switch marks each packet, whatever fits: connections that listen go on, slowly.
all_marked() {
	local name dev mark

	for dev in m1 m2; do
		tc filter add dev $dev ingress pref 1 protocol ip flower ip_tos 2/3 \
			action pedit ex munge ip dsfield set 3 retain 3 pipe action csum ip4h pipe \
			action mirred egress redirect dev $([ $dev = m1 ] && echo m2 || echo m1)
	done
	mark=$(counter ecn_ce)
	for name in delay dcqcn; do
		xr link set dev p0 cc $name
		send 2
		flowing
		flowing
		is 'the algorithm' $name "$(field 2)"
		wait_until 10 hears || not_so "nothing is marked: $(qps)"
		sent
	done
	[ "$(counter ecn_ce)" -gt "$mark" ] || not_so 'no mark was counted'
	tc filter del dev m1 ingress pref 1
	tc filter del dev m2 ingress pref 1
	xr link set dev p0 cc none
}

# counter NAME: of the link of the other end
counter() { "${enter_yr[@]}" "$xroce" -j stat show dev q0 | sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p"; }

# All connections of p0 have heard of congestion.
hears() { [ "$(xr -s qp show dev p0 | grep -c ' req_cnps [1-9]')" = 2 ]; }

removed() {
	add "$aimd"
	xr link set dev p0 cc aimd
	send 4
	is 'the algorithm' aimd "$(field 2)"
	xr cc del aimd
	is 'the algorithm afterwards' none "$(qps | cut -d' ' -f2 | sort -u | xargs)"
	flowing
	shows 'link[0]["cc"] == "none"' link show dev p0
	sent
}

replaced() {
	local link map

	add "$aimd"
	xr link set dev p0 cc aimd
	link=$(xr -j cc show aimd | sed -n 's/.*"bpf_link":\([0-9]*\).*/\1/p')
	map=$(xr -j cc show aimd | sed -n 's/.*"bpf_map":\([0-9]*\).*/\1/p')
	send 2
	xr cc add "$aimd" replace >/dev/null
	flowing
	is 'the algorithm' aimd "$(field 2)"
	shows "cc[0]['connections'] == 2 and cc[0]['links'] == 1 and cc[0]['bpf_link'] == $link and
		cc[0]['bpf_map'] != $map" cc show aimd
	fails 1 'cc grow: no such algorithm to replace' cc add "$objects/cc_grow.bpf.o" replace
	sent
	xr cc del aimd
}

# Connections begin and end, and are changed, while the algorithm comes and goes.
churned() {
	local i short

	send 1
	(
		for i in 1 2 3; do
			"$work/flows" -t 100 "4,WRITE,4096,4,xr1,10.79.0.2,xr2,10.79.0.3" || exit
		done
	) >"$work/short" 2>&1 &
	short=$!
	for i in 1 2 3; do
		add "$aimd"
		xr link set dev p0 cc aimd
		# It may have ended meanwhile.
		xr qp set dev p0 qpn "$(field 1)" cc aimd 2>/dev/null || :
		xr cc del aimd
	done
	sent
	wait "$short" || not_so "$(cat "$work/short")"
	if grep -v ' ended=0 ' "$work/short"; then return 1; fi
	shows 'len(cc) == 3' cc show
}

# A user changes connections of its own processes; those of others are not there.
foreign() {
	local qpn

	send 1
	qpn=$(field 1)
	says "qp 0x[0-9a-f]*: cc delay: no such queue pair" \
		"${as_nobody[@]}" "$xroce" qp set dev p0 qpn "$qpn" cc delay
	says 'qp 0x000003: cc delay: no such queue pair' \
		"${as_nobody[@]}" "$xroce" qp set dev p0 qpn 3 cc delay
	is 'the algorithm' none "$(field 2)"
	sent
	send 1 "${as_nobody[@]}"
	qpn=$(field 1)
	"${as_nobody[@]}" "$xroce" qp set dev p0 qpn "$qpn" cc delay
	is 'the algorithm of its own' delay "$(field 2)"
	xr qp set dev p0 qpn "$qpn" cc dcqcn
	is 'the algorithm, by root' dcqcn "$(field 2)"
	sent
}

# packets_in_while QPN: packets that it sends in half a second
packets_in_while() {
	local was

	was=$(field 3 "$1")
	sleep 0.5
	echo $(($(field 3 "$1") - was))
}

# bounded QPN WINDOW RATE: it has these
bounded() { [ "$(qps | awk -v q="$1" '$1 == q { print $4, $5 }')" = "$2 $3" ]; }

# harmless NAME WINDOW RATE: one connection has it, the other one "none"
harmless() {
	local bad good before

	add "$objects/cc_$1.bpf.o"
	send 2
	read -r bad good < <(qps | awk '{ print $1 }' | xargs)
	before=$(packets_in_while "$good")
	xr qp set dev p0 qpn "$bad" cc "$1"
	flowing "$bad"
	wait_until 10 bounded "$bad" "$2" "$3" ||
		not_so "window and rate of the harmful one: $(qps)"
	[ $((2 * $(packets_in_while "$good"))) -gt "$before" ] ||
		not_so "the other one sent $before packets before, and now: $(qps)"
	xr cc del "$1"
	flowing "$bad"
	sent
}

settings() {
	no_packets
	printf 'mpt 64\nqp 64\ncc delay\n' >"$work/conf"
	xr link add dev x0 conf "$work/conf" >/dev/null
	shows 'link[0]["cc"] == "delay"' link show dev x0
	xr link del dev x0
	xr link add dev x0 conf "$work/conf" cc dcqcn mpt 64 qp 64 >/dev/null
	shows 'link[0]["cc"] == "dcqcn"' link show dev x0
	xr link del dev x0
	fails 1 'link add dev x0: cc nosuch: no such algorithm' link add dev x0 cc nosuch
	fails 2 'cc "a b": must be 1 to 15 letters' link add dev x0 cc 'a b'
	fails 1 'x0: it has no link' link set dev x0 cc delay
}

needs_verbs
undo+=(work_down)
command_plan
net_up
module_up
verbs_module_up
pair_up wire
# For any user.
chmod 711 "$work"
install -m 755 -t "$work" "$top/build/selftests/bench/flows"
for_any_user
chmod 666 /dev/xroce /dev/infiniband/*
mountpoint -q /sys/fs/bpf || mount -t bpf bpf /sys/fs/bpf
run listed V7
run refused V7
run unprivileged V7
run settings V7
run by_link V7
run by_connection V7
run ecn V7
run all_marked V7
run removed V7
run replaced V7
run churned V7
run foreign V7
run harmless_window V7 harmless window 1 0
run harmless_rate V7 harmless rate 64 40960
run harmless_grow V7 harmless grow 8192 0
command_passed
