#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A link, and a verbs device, on a bond of two veth devices, x0, whose peers are ports of the
# bridge c0; on a macvlan device of another namespace; and none on an ipvlan device.
set -eu

. "$(dirname "$0")/../lib/verbs.sh"
needs_verbs

export XROCE_NET=bond
work_up

# --- The network, for net_up().

net_bond() {
	local port

	ip link add c0 type bridge
	undo+=(net_bond_down)
	in_xr ip link add x0 type bond mode active-backup miimon 50
	for port in a b; do
		ip link add ${port}1 type veth peer name ${port}0 netns xr
		ip link set ${port}1 mtu 4300 master c0
		net_bond_program ${port}1
		tc qdisc replace dev ${port}1 root pfifo limit 20000
		ip link set ${port}1 up
		in_xr ip link set ${port}0 mtu 4300 master x0
	done
}

# See net_veth_program().
net_bond_program() {
	ip link set "$1" xdpdrv object "$top/build/selftests/lib/pass.bpf.o" section xdp.frags
}

net_bond_down() {
	ip link del a1
	ip link del b1
	ip link del c0
}

# --- Traffic.

# requests ENTER...: the verbs device writes to rxe; its program runs in the namespace that the
# command enters
requests() {
	timeout 60 ib_write_bw -d rxe0 -x "$(rxe_gid4)" -s 4096 -n 50 -F >"$work/server" 2>&1 &
	server=$!
	wait_until 20 perf_listens &&
		"$@" timeout 60 ib_write_bw -d xr0 -x 1 -m 1024 -s 4096 -n 50 -F 10.77.0.1 \
			>"$work/client" 2>&1 && wait $server || {
		kill $server
		sed 's/^/# /' "$work/server" "$work/client"
		return 1
	}
}

perf_listens() { ss -Hltn 'sport = 18515' | grep -q .; }

# --- Tests.

native() {
	in_xr "$xroce" link add dev x0 >"$work/out" && grep -q 'mode native' "$work/out"
}

served() { perf ib_write_bw 1024 4096 50 1 "$(rxe_gid4)"; }

active() { in_xr ip -d link show x0 | sed -nE 's/.* active_slave (\S+) .*/\1/p'; }
active_is() { [ "$(active)" = "$1" ]; }

# A program writes all the time; nothing of it fails when the active port fails.
failover() {
	local other before=$(active)

	[ "$before" = a0 ] && other=b0 || other=a0
	timeout 120 ib_write_bw -d rxe0 -x "$(rxe_gid4)" -m 1024 -s 4096 -n 20000 -u 14 \
		10.77.0.2 >"$work/client" 2>&1 &
	client=$!
	wait_until 20 in_work && in_xr ip link set "$before" down &&
		wait_until 20 active_is $other || return
	kill -0 $client || not_so 'the client had ended before the failover' || return
	wait $client || { sed 's/^/# /' "$work/client"; return 1; }
	served && in_xr ip link set "$before" up
}

# The other ends of the ports have no XDP program: nothing is lost either.
no_program() {
	local port status=0

	for port in a1 b1; do
		ip link set $port xdpdrv off
	done
	served || status=1
	for port in a1 b1; do
		net_bond_program $port
	done
	return $status
}

in_work() { [ "$(stats_of write_bytes)" -gt $((before_bytes + 1000000)) ]; }

# The verbs device sends through the bond, also after a failover.
verbs() {
	local port

	verbs_add xr0 x0 10.77.0.2 && requests in_xr || return
	port=$(active)
	in_xr ip link set "$port" down
	requests in_xr && in_xr ip link set "$port" up && rdma link delete xr0
}

# A mode without XDP: the program is attached in mode generic; native is refused.
mode() {
	! in_xr "$xroce" link add dev x1 mode native >"$work/out" 2>&1 &&
		grep -q 'link add dev x1: the XDP program cannot be attached in mode native' \
			"$work/out" || not_so "$(cat "$work/out")" || return
	in_xr "$xroce" link add dev x1 >"$work/out" && grep -q 'mode generic' "$work/out" &&
		in_xr "$xroce" link del dev x1
}

# serves NAMESPACE DEV [OPTION]...: a client of the link's server
serves() {
	local enter=$1

	shift
	nsenter --net="/run/netns/$enter" "$xroce" serve --count 1 --netdev "$@" \
		>"$work/out" 2>&1 &
	server=$!
	wait_until 20 grep -q '^listening' "$work/out" &&
		timeout 60 ib_write_bw -d rxe0 -x "$(rxe_gid4)" -m 1024 -s 4096 -n 50 10.77.0.2 \
			>"$work/client" 2>&1 && wait $server &&
		grep -q 'bytes 204800 .* naks 0 result done' "$work/out" && return
	kill $server 2>/dev/null
	not_so "$(cat "$work/out" "$work/client")"
}

# The link is on the port of a bridge that has another MAC address, and the IP address: the verbs
# device reaches itself, and a client the server.
bridge() {
	local client_dev=xr0 client_enter=("${server_enter[@]}") client_gid server_gid status=0

	in_xr bash -euc '
		ip addr flush dev x0
		ip link add br0 address 02:00:00:00:00:77 type bridge
		ip link set br0 mtu 4300 up
		ip link set x0 master br0
		ip addr add 10.77.0.2/24 dev br0'
	in_xr "$xroce" link add dev x0 >"$work/out"
	in_xr rdma link add xr0 type xroce netdev x0
	wait_until 10 verbs_has_gid xr0 "$(gid4_of 10.77.0.2)" || status=1
	server_gid=$(verbs_gid xr0 "$(gid4_of 10.77.0.2)") || status=1
	client_gid=$server_gid
	both_ends_calm "$work" ib_write_bw -s 4096 -n 50 -F || status=1
	[ $status = 0 ] || both_ends_said "$work"
	rdma link delete xr0
	serves xr x0 --gid-ip 10.77.0.2 || status=1
	! in_xr "$xroce" serve --netdev x0 --gid-ip 10.77.0.9 >"$work/out" 2>&1 &&
		grep -q '^xroce: gid-ip 10.77.0.9: dev x0 has only .*10.77.0.2' "$work/out" ||
		not_so "$(cat "$work/out")" || status=1
	in_xr "$xroce" link del dev x0
	in_xr ip link del br0
	return $status
}

in_yr() { nsenter --net=/run/netns/yr "$@"; }

# upper KIND: a device of that kind on x0, m0 in namespace yr, with the server's address
upper() {
	in_xr ip addr flush dev x0 &&
		in_xr ip link add m0 link x0 type "$1" &&
		in_xr ip link set m0 netns yr &&
		in_yr ip addr add 10.77.0.2/24 dev m0 &&
		in_yr ip link set m0 mtu 4300 up
	ip neigh flush dev c0
}

macvlan() {
	upper macvlan && in_yr "$xroce" link add dev m0 >"$work/out" &&
		grep -q 'mode generic' "$work/out" || return
	in_yr rdma link add xr0 type xroce netdev m0 &&
		wait_until 10 verbs_has_gid xr0 "$(gid4_of 10.77.0.2)" &&
		requests in_yr && rdma link delete xr0 || return
	serves yr m0 || return
	in_yr "$xroce" link del dev m0 && in_yr ip link del m0
}

ipvlan() {
	local err='an ipvlan device has no MAC address of its own'

	upper ipvlan || return
	! in_yr "$xroce" link add dev m0 >"$work/out" 2>&1 &&
		grep -q "link add dev m0: $err; use a macvlan device, or the device below" \
			"$work/out" || not_so "$(cat "$work/out")" || return
	! in_yr rdma link add xr0 type xroce netdev m0 2>/dev/null && in_yr ip link del m0
}

net_up
rxe_up
module_up
verbs_module_up
before_bytes=0

run bond_native 'D1' native
serve_up >/dev/null
run bond_served 'D1' served
before_bytes=$(stats_of write_bytes)
run bond_failover 'D1' failover
run bond_no_program 'D1' no_program
serve_down
unset 'undo[-1]'
run bond_verbs 'V1 Q1' verbs
in_xr "$xroce" link del dev x0
in_xr ip link add x1 type bond mode balance-tlb
run bond_mode 'D1 U1' mode
run bond_bridge 'V1 V8' bridge
ip netns add yr
run bond_macvlan 'D1 V1' macvlan
run bond_ipvlan 'D1 U1' ipvlan
ip netns del yr
results
