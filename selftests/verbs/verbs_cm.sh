#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The connection manager: programs of librdmacm on verbs devices. Nothing of xroce serves them:
# ib_cm and rdma_cm of the kernel use the general services interface of the device.
#
# usage: verbs_cm.sh [PART]...   only tests whose name has one of the PARTs
# XROCE_CM_CONNECTIONS: connections one after another, in rounds of 100
set -eu

here=$(realpath "$(dirname "$0")")
. "$here/../lib/verbs_pair.sh"
. "$here/../lib/rdma_cm.sh"

rows=("$@")
many=${XROCE_CM_CONNECTIONS:-$(amount 200 500)}
limit=$((60 + many / 10))	# seconds for a program
work_up

exceptions_traced() { echo "$exception_trace" >/proc/sys/debug/exception-trace; }

# --- The ends: their device, where their programs run, and their addresses.

use_server() {
	case $1 in
	rxe) server_enter=(env) server4=10.77.0.1 server6=fd77::1 server_dev=rxe0 ;;
	x0) server_enter=("${enter_xr[@]}") server4=10.77.0.2 server6=fd77::2 server_dev=xr0 ;;
	p0) server_enter=("${enter_xr[@]}") server4=10.79.0.2 server6=fd79::2 server_dev=xr1 ;;
	esac
}

use_client() {
	case $1 in
	rxe) client_enter=(env) client4=10.77.0.1 ;;
	x0) client_enter=("${enter_xr[@]}") client4=10.77.0.2 ;;
	q0) client_enter=("${enter_yr[@]}") client4=10.79.0.3 ;;
	esac
}

# --- Two programs that talk.

explain() {
	for end in server client; do
		tail -n 20 "$work/$end" | cut -c 1-160 | sed "s/^/# $end: /"
	done
	rdma resource show cm_id | sed 's/^/# /'
	dmesg | tail -n 10 | sed 's/^/# /'
}

pings() { # ADDRESS
	serve rping -s -a "$1" -V -S 1000 -C 50 &&
		ask rping -c -a "$1" -V -S 1000 -C 50 &&
		served
}

# 100 connections at a time, with 10 messages on each
connects() { # ADDRESS FORMAT
	serve ucmatose -b "$1" -f "$2" -c 100 -C 10 &&
		ask ucmatose -s "$1" -f "$2" -c 100 -C 10 &&
		served
}

# Each datagram must arrive.
datagrams() { # ADDRESS FORMAT
	serve udaddy -b "$1" -f "$2" -c 10 -C 10 &&
		ask udaddy -s "$1" -f "$2" -c 10 -C 10 &&
		served
}

# A program of perftest with queue pairs that rdma_cm connects. The server listens for a connection
# to exchange parameters, and then anew for that of the test: who comes in between is rejected, and
# crashes, or says that it did not expect an event. Another client would not do, the server takes it
# for the first one. After a test it may not know how fast its clock is, as in both_ends_calm().
measure() {
	local try

	for try in {1..10}; do
		serve "$1" -R -n 50 || break
		if "${client_enter[@]}" timeout $limit "$1" -R -n 50 "$server4" >"$work/client" 2>&1
		then
			grep -qE '^ *[0-9]+ +50 ' "$work/client" && served && return
			break
		fi
		kill "$server" 2>/dev/null || :
		wait "$server" || :
		grep -qE "REJECTED; error: 8|CM event bl blka 8|Can't produce a report" \
			"$work/client" "$work/server" || break
	done
	explain
	return 1
}

# Connecting does not depend on the program's kind, so the usual run has half of them.
measures() {
	local program

	for program in ib_{write,read,send,atomic}_{bw,lat}; do
		case $program in
		ib_write_lat | ib_read_bw | ib_send_lat | ib_atomic_bw) is_long || continue ;;
		esac
		measure $program || return 1
	done
}

# Private data, and a message each way
examples() {
	serve rdma_server && ask rdma_client -s "$server4" && served &&
		serve rdma_xserver -c r && ask rdma_xclient -s "$server4" -c r && served
}

# Nobody listens: the answer is a reject, not silence.
rejected() {
	server=
	! "${client_enter[@]}" timeout 20 rping -c -a "$server4" >"$work/client" 2>&1 || return 1
	grep -q 'RDMA_CM_EVENT_REJECTED, error 8' "$work/client" ||
		{ sed 's/^/# /' "$work/client"; return 1; }
}

# Datagrams to a group: the receiver ends when it has all of them. rdma_cm does not join groups of
# IPv6 on RoCE; verbs_mcast_test does.
multicast() { # GROUP SERVER-ADDRESS CLIENT-ADDRESS
	"${server_enter[@]}" timeout $limit stdbuf -oL mckey -m "$1" -b "$2" -C 20 \
		>"$work/server" 2>&1 &
	server=$!
	wait_until 20 grep -q 'joined dgid' "$work/server"
	ask mckey -m "$1" -b "$3" -s -C 20 && served && grep -q 'transfers complete' "$work/server"
}

# What there is on all links, and of rdma_cm.
present() {
	local dev

	for dev in x0 p0; do
		in_xr "$xroce" -j -d link show dev $dev
	done | tr ',' '\n' | grep -E '"(pds|mrs|qps|used)"'
	rdma resource show | sed 's/ *$//'
}

# Connections one after another leave nothing behind. cmtime makes all queue pairs of a call before
# it connects them, and ends with 0 even if it could not. When it ends, it may close what its thread
# still reads.
cmtime_ends='rdma_get_cm_event in process_server_events: Bad file descriptor'
nothing_leaks() {
	local left errors=0

	present >"$work/before"
	for ((left = many; left > 0; left -= 100)); do
		serve cmtime -b "$server4" -c 100 || return 1
		ask cmtime -s "$server4" -c 100 || return 1
		kill "$server"
		wait "$server" || :
		cat "$work/client" "$work/server" | grep -iE 'fail|error|unable|reject' |
			grep -v "$cmtime_ends" | sed 's/^/# /' | grep . && errors=1
		[ $errors = 0 ] || break
	done
	wait_until 20 present_as_before || return 1
	grep -E '^(connect|disconnect)' "$work/client" | sed 's/^/# /'
	return $errors
}

present_as_before() {
	present >"$work/after"
	cmp -s "$work/before" "$work/after" || { diff "$work/before" "$work/after" | sed 's/^/# /'; false; }
}

# The device goes while one of its programs has a connection: the program is told, and so is its
# peer.
device_removed() {
	serve rping -s -a "$server4" -C 1000000 -P || return 1
	"${client_enter[@]}" timeout $limit rping -c -a "$server4" -C 1000000 \
		>"$work/client" 2>&1 &
	client=$!
	wait_until 20 connected || { explain; return 1; }
	in_xr rdma link delete xr1
	wait "$client" || :
	kill "$server" 2>/dev/null || :
	wait "$server" || :
	in_xr rdma link add xr1 type "$verbs_type" netdev p0
	wait_until 10 verbs_has_gid xr1 "$(gid4_of 10.79.0.2)"
	grep -q 'device removal' "$work/server" && grep -q 'DISCONNECT EVENT' "$work/client" ||
		{ explain; return 1; }
}

# The network device goes while requests of the connection manager are under way: the verbs devices
# go as well, and nobody hangs.
netdev_gone() {
	serve rping -s -a "$server4" -C 1000000 -P || return 1
	"${client_enter[@]}" timeout $limit rping -c -a "$server4" -C 1000000 \
		>"$work/client" 2>&1 &
	client=$!
	wait_until 20 connected || { explain; return 1; }
	in_xr ip link del p0
	wait_until 30 verbs_gone xr1 && wait_until 30 verbs_gone xr2 || { explain; return 1; }
	wait "$client" || :
	kill "$server" 2>/dev/null || :
	wait "$server" || :
}

connected() {
	rdma resource show cm_id link "$server_dev" | grep -q 'state CONNECT'
}

# pairing SERVER CLIENT IDS
pairing() {
	local name=cm_$2_to_$1 ids=$3

	use_server "$1"
	use_client "$2"
	run "${name}_ping4" "$ids" pings "$server4"
	run "${name}_ping6" "$ids" pings "$server6"
	run "${name}_connects4" "$ids" connects "$server4" ip
	run "${name}_connects6" "$ids" connects "$server6" ip6
	run "${name}_datagrams4" "$ids" datagrams "$server4" ip
	run "${name}_datagrams6" "$ids" datagrams "$server6" ip6
	run "${name}_perftest" "$ids" measures
	run "${name}_examples" "$ids" examples
	run "${name}_rejected" "$ids" rejected
	# mckey destroys its address handle while rxe still sends: rxe loses datagrams.
	[ "$2" = rxe ] ||
		run "${name}_multicast" "$ids V9" multicast 239.1.1.1 "$server4" "$client4"
	run "${name}_nothing_leaks" "$ids" nothing_leaks
}

needs_module
needs_verbs
echo 'TAP version 13'
net_up
rxe_up
verbs_up
pair_up direct
modprobe rdma_ucm
# Clients of perftest may crash, see measure().
exception_trace=$(cat /proc/sys/debug/exception-trace)
undo+=(exceptions_traced)
echo 0 >/proc/sys/debug/exception-trace
# Where the groups of mckey are.
ip route add 239.0.0.0/8 dev c0
in_xr ip route add 239.0.0.0/8 dev x0

pairing x0 rxe 'V8 D3'
pairing rxe x0 'V8 D3'
pairing p0 q0 V8
run cm_device_removed 'V1 V8' device_removed
run cm_netdev_gone 'V1 V8' netdev_gone
results
