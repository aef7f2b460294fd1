# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Two verbs devices of xroce, xr1 and xr2, besides xr0 of verbs.sh.
#
#   namespace xr              initial namespace            namespace yr
#   +----------------+                                     +----------------+
#   | xr1  on p0     |                                     | xr2  on q0     |
#   |  10.79.0.2/24  |---------------- veth ---------------|  10.79.0.3/24  |
#   |  fd79::2/64    |    or veth, m1 <---> m2, veth       |  fd79::3/64    |
#   +----------------+                                     +----------------+
#
# m1 and m2 pass on each frame to each other: the queueing discipline of m2 is that of frames
# from xr1, and that of m1 of frames from xr2.

. "$(dirname "${BASH_SOURCE[0]}")/verbs.sh"

enter_xr=(nsenter --net=/run/netns/xr)
enter_yr=(nsenter --net=/run/netns/yr)

# pair_end NETDEV HOST: configure an end, in the caller's namespace
pair_end() {
	ip link set lo up
	sysctl -q -w "net.ipv6.conf.$1.accept_dad=0"
	ip addr add "10.79.0.$2/24" dev "$1"
	ip addr add "fd79::$2/64" dev "$1" nodad
	ip link set "$1" mtu 4300 up
}

pair_direct() { in_xr ip link add p0 type veth peer name q0 netns yr; }

# pair_middle NETDEV OTHER: pass on what arrives
pair_middle() {
	tc qdisc add dev "$1" ingress
	tc filter add dev "$1" ingress matchall action mirred egress redirect dev "$2"
	# See net.sh: the frames of ndo_xdp_xmit() need a program here.
	ip link set "$1" xdpdrv object "$top/build/selftests/lib/pass.bpf.o" section xdp.frags
	ip link set "$1" up
}

# Both middle ends, m1 and m2, of a wire.
pair_middles() {
	local dev

	for dev in m1 m2; do
		sysctl -q -w net.ipv6.conf.$dev.disable_ipv6=1
		ip link set $dev mtu 4300
		tc qdisc replace dev $dev root pfifo limit 20000
	done
	pair_middle m1 m2
	pair_middle m2 m1
}

pair_wire() {
	ip link add m1 type veth peer name p0 netns xr
	ip link add m2 type veth peer name q0 netns yr
	pair_middles
}

# pair_up direct|wire: make both devices
pair_up() {
	ip netns add yr
	undo+=(pair_down)
	"pair_$1"
	export -f pair_end net_is_up
	in_xr bash -euc 'pair_end p0 2'
	"${enter_yr[@]}" bash -euc 'pair_end q0 3'
	wait_until 10 in_xr bash -euc 'net_is_up p0'
	in_xr "$xroce" link add dev p0 >/dev/null
	"${enter_yr[@]}" "$xroce" link add dev q0 >/dev/null
	in_xr rdma link add xr1 type "$verbs_type" netdev p0
	"${enter_yr[@]}" rdma link add xr2 type "$verbs_type" netdev q0
	wait_until 10 verbs_has_gid xr1 "$(gid4_of 10.79.0.2)"
	wait_until 10 verbs_has_gid xr2 "$(gid4_of 10.79.0.3)"
}

pair_down() {
	local dev

	for dev in xr1 xr2; do
		! verbs_exists $dev || rdma link delete $dev
	done
	[ ! -e /sys/fs/bpf/xroce/p0 ] || in_xr "$xroce" link del dev p0 force
	[ ! -e /sys/fs/bpf/xroce/q0 ] || "${enter_yr[@]}" "$xroce" link del dev q0 force
	ip netns del yr
}

# --- With "rdma system set netns exclusive" a device belongs to one namespace: xr1 to xr, and xr2
# to yr.

# The mode can be changed while there is no namespace but the initial one. A namespace that has
# been deleted is there for a moment longer.
exclusive_up() {
	undo+=(exclusive_down)
	wait_until 30 rdma system set netns exclusive
}

exclusive_down() { wait_until 10 rdma system set netns shared; }

# Programs of rdma_cm.sh: the server is in xr, the client in yr.
exclusive_pair_up() {
	pair_up direct
	rdma dev set xr1 netns xr
	rdma dev set xr2 netns yr
	server_dev=xr1 server_enter=("${enter_xr[@]}") client_enter=("${enter_yr[@]}")
}

exclusive_explain() { sed 's/^/# /' "$work/server" "$work/client"; }

# devices COMMAND...: the devices that rdma(8) sees, where COMMAND enters
devices() { "$@" rdma dev | sed -nE 's/^[0-9]+: ([^:]+):.*/\1/p' | xargs; }
