#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# VLAN devices on top of the link's device, or of its bridge, with drivers that remove tags from
# frames and with those that do not: rxe as the client, on c0.5, and xroce on x0. Responses come
# back in the VLAN, or "link add" fails and says why.
#
#   c0.5 10.78.0.1 --- c0  <---- veth ---->  x0 --- x0.5 10.78.0.2
set -eu

. "$(dirname "$0")/../lib/serve.sh"

work=$(mktemp -d /dev/shm/vlan-XXXXXX)

xr() { in_xr "$xroce" "$@"; }

gid_of_vlan() { rxe_gid 0000:0000:0000:0000:0000:ffff:0a4e:0001; }

# client PROGRAM [OPTION]...: perftest over the VLAN
client() {
	timeout $perf_limit "$@" -d rxe0 -x "$(gid_of_vlan)" -m 1024 -u $perf_timeout \
		10.78.0.2 >"$work/out" 2>&1 || {
		sed 's/^/# /' "$work/out"
		xr stat show dev x0 | sed 's/^/# /'
		return 1
	}
}

# Make a link and a server; send requests that are answered in place, and by the module.
served() {
	local status=0

	nsenter --net=/run/netns/xr "$xroce" serve --netdev x0 --max-qps 4 \
		--gid-ip 10.78.0.2 >/dev/null 2>"$work/err" &
	serve_pid=$!
	{ wait_until $serve_limit serve_listens || { cat "$work/err"; false; }; } &&
		client ib_write_bw -s 64 -n 50 && client ib_read_bw -s 64 -n 50 &&
		client ib_read_bw -s 65536 -n 20 || status=1
	kill -TERM "$serve_pid"
	wait "$serve_pid" || status=1
	return $status
}

# Tags are in the frame. By default, veth has them beside it.
offload_off() {
	local status=0

	ethtool -K c0 txvlan off && served || status=1
	ethtool -K c0 txvlan on && return $status
}

# In generic mode a program cannot read the tags.
generic_refused() {
	local status=0

	xr link add dev x0 mode generic >"$work/out" 2>"$work/err" || status=$?
	[ $status = 1 ] &&
		grep -q 'VLAN devices.*driver veth.*mode native' "$work/err" || {
		sed 's/^/# /' "$work/out" "$work/err"
		return 1
	}
	! xr link show dev x0 2>/dev/null | grep -q '^link'
}

# program VERB NAME: run "link VERB", and check the name of the loaded program
program() {
	xr link "$1" dev x0 >"$work/out" && xr -d link show dev x0 >"$work/out" &&
		grep -q "prog_name $2 " "$work/out" || {
		sed 's/^/# /' "$work/out"
		return 1
	}
}

# The program that reads tags is loaded only if there are VLAN devices.
only_where_needed() {
	local status=0

	no_packets
	program add xroce_vlan && in_xr ip link del x0.5 && program reload xroce &&
		in_xr bash -euc 'vlan_end x0 2' && program reload xroce_vlan &&
		xr feature probe dev x0 | grep -q 'feature name vlan state yes' || status=1
	xr link del dev x0 || status=1
	packets
	return $status
}

# The VLAN device is on top of a bridge, of which the link's device is a port.
on_bridge() {
	in_xr ip link del x0.5
	in_xr ip link add br0 type bridge
	in_xr ip link set br0 mtu 4300 up
	in_xr ip link set x0 master br0
	in_xr bash -euc 'vlan_end br0 2'
	served || return
	no_packets
	program add xroce_vlan && xr link del dev x0
}

echo 'TAP version 13'
net_up
modprobe 8021q
export -f vlan_end
vlan_end c0 1
in_xr bash -euc 'vlan_end x0 2'
module_up
rxe_up
wait_until 10 gid_of_vlan

run vlan_offload_on 'D1 U4' served
run vlan_offload_off 'D1 U4' offload_off
run vlan_generic_refused 'D1 U6' generic_refused
run vlan_only_where_needed 'D1 U6' only_where_needed
run vlan_on_bridge 'D1 U6' on_bridge
rm -rf "$work"
results
