# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Two ends for benchmarks. Source it under "set -eu".
#
#   c0 10.77.0.1  <------ veth ------>  x0 10.77.0.2
#
# Both are in the initial namespace, because rxe before Linux 6.15 works nowhere else; routing
# rules send packets for the other end through veth.

. "$(dirname "${BASH_SOURCE[0]}")/../lib/net.sh"

xroce=$top/build/user/xroce
export XROCE_BPF_OBJECT=${XROCE_BPF_OBJECT:-$top/build/bpf/xroce.bpf.o}

# Settings without which figures do not repeat.
calm_machine() {
	! grep -qwE 'erms|fsrm' /proc/cpuinfo || {
		echo "bench: the CPU has erms or fsrm" >&2
		exit 1
	}
	sysctl -q vm.percpu_pagelist_high_fraction=8
	# rxe to rxe: no packet may be lost on veth.
	sysctl -q net.core.netdev_max_backlog=10000
}

# route DEV TO FROM TABLE: packets for TO leave by DEV
route() {
	sysctl -q "net.ipv4.conf.$1.accept_local=1" "net.ipv4.conf.$1.rp_filter=0"
	ip route add "$2" dev "$1" src "$3" table "$4"
	ip rule add pref 10 iif "$1" lookup local
	ip rule add pref 20 to "$2" lookup "$4"
}

mac_of() { cat "/sys/class/net/$1/address"; }

# With $wires_join: a command that makes the devices.
wires_up() {
	${wires_join:-ip link add c0 type veth peer name x0}
	undo+=(wires_down)
	net_end c0 1
	net_end x0 2
	wait_until 10 net_is_up c0
	sysctl -q net.ipv4.conf.all.rp_filter=0
	route c0 10.77.0.2 10.77.0.1 102
	route x0 10.77.0.1 10.77.0.2 101
	ip rule add pref 30 lookup local
	ip rule del pref 0
	ip neigh replace 10.77.0.2 dev c0 nud permanent lladdr "$(mac_of x0)"
	ip neigh replace 10.77.0.1 dev x0 nud permanent lladdr "$(mac_of c0)"
}

wires_down() { ip link del c0; }

# gid_of DEVICE ADDRESS-IN-HEX: print the index of its RoCEv2 GID
gid_of() {
	local dir=/sys/class/infiniband/$1/ports/1 i

	for i in $(seq 0 15); do
		if [ "$(cat "$dir/gids/$i" 2>/dev/null)" = \
		     "0000:0000:0000:0000:0000:ffff:$2" ] &&
		   [ "$(cat "$dir/gid_attrs/types/$i")" = 'RoCE v2' ]; then
			echo "$i"
			return
		fi
	done
	return 1
}

# pass_on DEV: attach the program that passes everything
pass_on() {
	ip link set "$1" xdpdrv object "$top/build/selftests/lib/pass.bpf.o" \
		section xdp.frags
}

# verbs_end DEVICE NETDEV: make a link of a network device, and a verbs device of the link
verbs_end() {
	ip link set "$2" xdpdrv off
	"$xroce" link add dev "$2" verbs "$1" >/dev/null
}

# A queue of the kernel removes the devices; until then they use the module.
verbs_unload() { wait_until 10 rmmod xroce_ib; }

