#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# xroce_peer_mac(): the Ethernet address for requests to a peer, by routes and neighbours.
set -eu

. "$(dirname "$0")/../lib/net.sh"

rows=("$@")
xroce=$top/build/user/xroce
test=$top/build/selftests/peer_mac_test
work=$(mktemp -d)

link_down() { in_xr "$xroce" link del dev x0; }
work_down() { rm -rf "$work"; }
mac_of() { cat "/sys/class/net/$1/address"; }

# found ADDRESS [COMMAND...]: what the library finds, in the server's namespace
found() {
	local address=$1
	shift
	in_xr "$@" timeout 30 "$test" x0 "$address"
}

# is EXPECTED ADDRESS [COMMAND...]
is() {
	local expected=$1 got
	shift

	got=$(found "$@") && [ "$got" = "$expected" ] && return
	echo "# $1: '$got' instead of '$expected'"
	return 1
}

# The kernel does not know the neighbour: it asks.
unknown() {
	in_xr ip neigh flush dev x0
	! in_xr ip neigh show dev x0 | grep -q lladdr || return
	is "$(mac_of c0)" 10.77.0.1 && is "$(mac_of c0)" fd77::1
}

known() {
	in_xr ip neigh replace 10.77.0.7 lladdr 02:00:00:00:00:07 dev x0
	in_xr ip neigh replace fd77::7 lladdr 02:00:00:00:00:08 dev x0
	is 02:00:00:00:00:07 10.77.0.7 && is 02:00:00:00:00:08 fd77::7
}

own() {
	local mac

	mac=$(xr_mac)
	is "$mac" 10.77.0.2 && is "$mac" fd77::2
}

next_hop() {
	in_xr ip route add 10.99.0.0/16 via 10.77.0.1
	in_xr ip route add fd99::/64 via fd77::1
	in_xr ip route add 10.98.0.0/16 via inet6 fd77::1 dev x0
	is "$(mac_of c0)" 10.99.1.2 && is "$(mac_of c0)" fd99::5 && is "$(mac_of c0)" 10.98.0.1
}

# Nobody has the address. An IPv4 address without a route is looked for on the device.
nobody() {
	is EHOSTUNREACH 10.77.0.200 && is EHOSTUNREACH fd77::200 && is EHOSTUNREACH 198.51.100.1
}

# There is no route, or it is no address of a machine.
no_route() {
	is ENETUNREACH 2001:db8::1 && is ENETUNREACH 224.0.0.1 && is ENETUNREACH ff02::1 &&
		is ENETUNREACH 10.77.0.255
}

# A user without privilege, with permission to open the device. It runs a copy of the program:
# the checkout may be in a directory that only root can enter.
unprivileged() {
	local test=$work/peer_mac_test

	chmod 711 "$work"
	install -m 755 "$top/build/selftests/peer_mac_test" "$test"
	chmod 666 /dev/xroce
	in_xr ip neigh flush dev x0
	is "$(mac_of c0)" 10.77.0.1 setpriv --reuid 1000 --regid 1000 --clear-groups
}

undo+=(work_down)
net_up
module_up
in_xr "$xroce" link add dev x0 >/dev/null
undo+=(link_down)
echo 'TAP version 13'
run peer_mac_unknown 'U3 V7' unknown
run peer_mac_known 'U3 V7' known
run peer_mac_own 'U3 V7' own
run peer_mac_next_hop 'U3 V7' next_hop
run peer_mac_nobody 'U3 V7' nobody
run peer_mac_no_route 'U3 V7' no_route
run peer_mac_unprivileged 'U3 V7' unprivileged
results
