# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Two ends, and between them devices for queueing disciplines. Source it under "set -eu", set $whos,
# $cc to the congestion control of xroce if it is not the default, and wires_join=middle_up before
# wires_up().
#
#   c0 10.77.0.1  <-- veth --> m0  m1 <-- veth --> x0 10.77.0.2
#
# m0 and m1 pass on each frame to each other: disciplines of m1 are for frames to x0, those of m0
# for frames to c0.

. "$(dirname "${BASH_SOURCE[0]}")/ends.sh"

# A larger MTU than that of the ends: frames with a tag pass.
middle_up() {
	local dev other=m1

	ip link add c0 type veth peer name m0
	ip link add x0 type veth peer name m1
	for dev in m0 m1; do
		sysctl -q "net.ipv6.conf.$dev.disable_ipv6=1"
		ip link set "$dev" mtu 4400
		tc qdisc add dev "$dev" ingress
		tc filter add dev "$dev" ingress matchall action mirred egress redirect \
			dev "$other"
		ip link set "$dev" xdpdrv object "$top/build/selftests/lib/pass.bpf.o" \
			section xdp.frags
		ip link set "$dev" up
		other=m0
	done
	# TCP in frames of one packet each, as RoCE has them.
	for dev in c0 x0; do
		ethtool -K "$dev" tso off gso off gro off >/dev/null
	done
}

wires_down() { ip link del c0; ip link del x0; }

# The verbs device of x0, xr0. What else comes to c0 passes.
server_up() {
	module_up
	[ -z "${cc:-}" ] || echo "$cc" >/sys/module/xroce/parameters/cc
	modprobe ib_uverbs
	insmod "$verbs_module"
	undo+=(verbs_unload)
	"$xroce" link add dev x0 verbs xr0 >/dev/null
	pass_on c0
}

# measures WHO: whether $whos has it, or nothing
measures() {
	local who

	[ ${#whos[@]} -gt 0 ] || return 0
	for who in "${whos[@]}"; do
		[ "$who" != "$1" ] || return 0
	done
	return 1
}
