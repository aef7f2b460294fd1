# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# netem between c0 and x0. Source it after net.sh. Frames of xroce bypass the queueing
# disciplines of x0, so they are impaired when they arrive on c0:
#
#   c0 ---> netem ---> x0 ---> c0, ingress ---> i0 ---> netem ---> c0

impair_up() {
	modprobe ifb numifbs=0
	modprobe sch_netem
	ip link add i0 type ifb
	undo+=(impair_down)
	ip link set i0 mtu 4300 up
	tc qdisc replace dev c0 root netem
	tc qdisc add dev i0 root netem
	tc qdisc add dev c0 ingress
	tc filter add dev c0 ingress matchall action mirred egress redirect dev i0
}

impair_down() {
	tc qdisc del dev c0 ingress
	tc qdisc del dev c0 root
	ip link del i0
}
