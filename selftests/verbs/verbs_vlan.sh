#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Verbs devices and VLANs: queue pairs with a GID of a VLAN device send with its tag, and take
# packets with no other.
#
#   c0.5 10.78.0.1 --- c0, rxe0  <---- veth ---->  x0, xr0 --- x0.5 10.78.0.2
#
# usage: verbs_vlan.sh [PART]...   only tests whose name has one of the PARTs
set -eu

here=$(realpath "$(dirname "$0")")
. "$here/../lib/verbs.sh"
. "$here/../lib/rdma_cm.sh"

rows=("$@")
work_up

# ends CLIENT SERVER NET: rxe0 or a device of xr each; NET: the addresses are NET.1 and NET.2
ends() {
	client_dev=$1 server_dev=$2
	use_end client "$1" "$3"
	use_end server "$2" "$3"
	server_ip=$server4
}

use_end() { # END DEVICE NET
	local enter=(env) host=1

	[ "$2" = rxe0 ] || { enter=(nsenter --net=/run/netns/xr); host=2; }
	eval "$1_enter=(\"\${enter[@]}\") $1""4=$3.$host"
	eval "$1_gid=$(verbs_gid "$2" "$(gid4_of "$3.$host")")"
}

# Packets that a VLAN device has received.
received() { cat "/sys/class/net/$1/statistics/rx_packets"; }

explain() {
	both_ends_said "$work"
	in_xr "$xroce" stat show dev x0 | sed 's/^/# /'
}

# moves WORD...: a program of perftest succeeds
moves() { both_ends_calm "$work" "$@" || { explain; return 1; }; }

# All services, in both directions.
moves_all() {
	moves ib_write_bw -s 65536 -n 20 -m 1024 && moves ib_read_bw -s 65536 -n 20 -m 1024 &&
		moves ib_send_bw -s 4096 -n 20 -m 1024 &&
		moves ib_atomic_bw -n 20 && moves ib_write_bw -c UC -s 4096 -n 20 -m 1024 &&
		moves ib_send_lat -c UD -s 512 -n 20
}

# The stack drops what is for another queue pair, but counts it by VLAN device.
tagged() {
	local before

	before=$(received c0.5)
	moves_all && [ $(($(received c0.5) - before)) -ge 100 ]
}

untagged() {
	local before

	before=$(received c0.5)
	moves_all && [ $(($(received c0.5) - before)) -lt 10 ]
}

# retags PROTOCOL MATCH ACTION...: the VLAN tag of what c0 sends by UDP is changed: "pop", "push id N".
# PROTOCOL and MATCH say whether it has one.
retags() {
	tc qdisc add dev c0 clsact || return
	# The programs talk by TCP first.
	tc filter add dev c0 egress protocol "$1" flower ${2:+$2} ip_proto udp action vlan "${@:3}"
}

retags_no_more() { tc qdisc del dev c0 clsact; }

drops() {
	in_xr "$xroce" -j stat show dev x0 all | jq -r '.[0] | "\(.drop_addr) \(.write_bytes)"'
}

# more_drops COUNT: more than that have been dropped
more_drops() {
	local now

	read -r -a now < <(drops)
	[ "${now[0]}" -gt "$1" ]
}

# refused WORD...: with these changes of tags nothing is executed, and the link counts it. rxe never
# gives up, so the client is ended.
refused() {
	local before after status=0 job

	read -r -a before < <(drops)
	retags "$@" || { retags_no_more; return 1; }
	both_ends "$work" ib_write_bw -s 64 -n 5 2>"$work/err" &
	job=$!
	wait_until 60 more_drops "${before[0]}" || status=1
	pkill -x ib_write_bw || status=1
	! wait $job || status=1
	retags_no_more
	read -r -a after < <(drops)
	[ "${after[1]}" = "${before[1]}" ] || status=1
	[ $status = 0 ] || { explain; echo "# ${before[*]}; ${after[*]}"; }
	return $status
}

connects() {
	serve rping -s -a "$server4" -V -C 20 && ask rping -c -a "$server4" -V -C 20 && served &&
		serve udaddy -b "$server4" -c 3 -C 5 && ask udaddy -s "$server4" -c 3 -C 5 &&
		served
}

# ib_core has no GIDs for a device on a VLAN device. Its link has a use of its own.
on_vlan_device() {
	local status=0

	in_xr "$xroce" link add dev x0.5 >/dev/null
	! in_xr rdma link add xrv type xroce netdev x0.5 2>"$work/err" &&
		grep -qi 'not supported' "$work/err" && verbs_gone xrv || status=1
	in_xr "$xroce" link del dev x0.5
	! in_xr "$xroce" link add dev x0.5 verbs xrv >"$work/out" 2>"$work/err" &&
		grep -q 'verbs xrv: on dev x0.5: a VLAN device: .* on the device below' "$work/err" &&
		! in_xr "$xroce" link show dev x0.5 >/dev/null 2>&1 || status=1
	[ $status = 0 ] || sed 's/^/# /' "$work/err"
	return $status
}

# moves_over_ip: RC, and datagrams, whose queue pairs take packets to any address of the machine
moves_over_ip() {
	moves ib_write_bw -s 4096 -n 20 -m 1024 && moves ib_send_lat -c UD -s 512 -n 20
}

# The VLAN device is in a VRF of its own, which the device below is not in.
in_vrf() {
	local status=0

	in_xr bash -euc '
		ip link add red type vrf table 77
		ip link set red up
		ip link set x0.5 master red
		ip addr add fd78::2/64 dev x0.5 nodad
		sysctl -q -w net.ipv4.tcp_l3mdev_accept=1'
	ip addr add fd78::1/64 dev c0.5 nodad
	wait_until 10 verbs_has_gid xr0 "$(gid6_of 2 fd78)" &&
		wait_until 10 verbs_has_gid rxe0 "$(gid6_of 1 fd78)" && moves_over_ip &&
		gids_are "$(gid6_of 1 fd78)" "$(gid6_of 2 fd78)" && moves_over_ip || status=1
	ends rxe0 xr0 10.78.0
	ip addr del fd78::1/64 dev c0.5
	in_xr ip link del red
	return $status
}

# gids_are CLIENT SERVER: the GIDs that both ends use
gids_are() {
	client_gid=$(verbs_gid "$client_dev" "$1")
	server_gid=$(verbs_gid "$server_dev" "$2")
}

# The VLAN device is in another namespace than the device below; all namespaces see xr0.
in_container() {
	local status=0

	ip netns add yr
	in_xr ip link set x0.5 netns yr
	nsenter --net=/run/netns/yr bash -euc '
		ip addr add 10.78.0.2/24 dev x0.5
		ip link set x0.5 up'
	ip neigh flush dev c0.5
	server_enter=(nsenter --net=/run/netns/yr)
	wait_until 10 verbs_has_gid xr0 "$(gid4_of 10.78.0.2)" &&
		gids_are "$(gid4_of 10.78.0.1)" "$(gid4_of 10.78.0.2)" && moves_over_ip || status=1
	ip netns del yr
	return $status
}

needs_verbs
net_up
modprobe 8021q
modprobe rdma_ucm
export -f vlan_end
vlan_end c0 1
in_xr bash -euc 'vlan_end x0 2'
rxe_up
verbs_up
wait_until 10 verbs_has_gid xr0 "$(gid4_of 10.78.0.2)"
wait_until 10 verbs_has_gid rxe0 "$(gid4_of 10.78.0.1)"
echo 'TAP version 13'
ends rxe0 xr0 10.78.0
run verbs_vlan_responds 'V3 V11' tagged
run verbs_vlan_accepts 'V8 V11' connects
run verbs_vlan_untagged_refused 'V11 D5' refused 802.1q 'vlan_ethtype ip' pop
run verbs_vlan_other_refused 'V11 D5' refused 802.1q 'vlan_ethtype ip' modify id 6
ends xr0 rxe0 10.78.0
run verbs_vlan_requests 'V7 V11' tagged
run verbs_vlan_asks 'V8 V11' connects
ends rxe0 xr0 10.77.0
run verbs_vlan_none 'V3 V11' untagged
run verbs_vlan_tagged_refused 'V11 D5' refused ip '' push id 5
run verbs_vlan_device 'V1 U6' on_vlan_device
ends rxe0 xr0 10.78.0
run verbs_vlan_vrf 'V11 D5' in_vrf
run verbs_vlan_container 'V11 D5' in_container
results
