# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The network of a shell test in the virtual machine. Source it under "set -eu".
# tap.sh sets $top to the checkout.
#
#   initial namespace                    namespace xr
#   (the client, rxe0)                   (the server, xroce)
#   +----------------------+             +----------------------+
#   | c0  10.77.0.1/24     |    veth     | x0  10.77.0.2/24     |
#   |     fd77::1/64       |-------------|     fd77::2/64       |
#   +----------------------+   MTU 4300  +----------------------+
#
# rxe before Linux 6.15 works in the initial namespace only, so the client is
# there. With XROCE_NET=virtio, c0 and x0 are two virtio-net interfaces on one
# hub of QEMU's.

. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
needs_module

# Functions that undo the setup; they run in reverse order at exit. If one fails, the
# test fails.
undo=()

take_down() {
	local status=$? last

	while [ ${#undo[@]} -gt 0 ]; do
		last=${undo[-1]}
		unset 'undo[-1]'
		"$last" || status=1
	done
	exit $status
}
trap take_down EXIT

# Make a directory in memory, $work, which goes when the script ends.
work_up() {
	work=$(mktemp -d "/dev/shm/$(basename "$0" .sh)-XXXXXX")
	undo+=(work_down)
}

work_down() { rm -rf "$work"; }

# in_xr COMMAND...: run in the server's namespace. Not "ip netns exec", which
# mounts another /sys and so hides /sys/fs/bpf.
in_xr() {
	nsenter --net=/run/netns/xr "$@"
}

# The server's Ethernet address. /sys shows the devices of the client's namespace only.
xr_mac() { in_xr ip -br link show dev x0 | awk '{ print $3 }'; }

# wait_until SECONDS COMMAND...: run it until it succeeds, at most that long, or
# XROCE_SLOW times as long on a slow machine (see run.sh). If the machine stands still meanwhile,
# its clock does not: so it is also run ten times for each second.
wait_until() {
	local end=$((SECONDS + $1 * ${XROCE_SLOW:-1})) tries=$(($1 * 10))

	shift
	until "$@" >/dev/null 2>&1; do
		[ "$SECONDS" -lt "$end" ] || [ $((tries -= 1)) -gt 0 ] || {
			echo "timed out waiting for: $*" >&2
			return 1
		}
		sleep 0.05
	done
}

net_veth() {
	ip link add c0 type veth peer name x0 netns xr
	net_veth_program
}

# veth delivers the frames of XDP_TX only to a peer with a program of its own. With GRO the
# peer polls as well, but nothing wakes it.
net_veth_program() {
	ip link set c0 xdpdrv object "$top/build/selftests/lib/pass.bpf.o" \
		section xdp.frags
}

net_by_mac() {
	ip -o link | sed -nE "s/^[0-9]+: ([^:@]+).* link\/ether $1 .*/\1/p"
}

net_virtio() {
	local client server

	modprobe virtio_net
	wait_until 10 net_has_nics
	client=$(net_by_mac 52:54:00:77:00:01)
	server=$(net_by_mac 52:54:00:77:00:02)
	[ "$client" = c0 ] || ip link set "$client" down name c0
	[ "$server" = x0 ] || ip link set "$server" down name x0
	ip link set x0 netns xr
}

net_has_nics() {
	[ -n "$(net_by_mac 52:54:00:77:00:01)" ] &&
		[ -n "$(net_by_mac 52:54:00:77:00:02)" ]
}

# net_end DEV HOST: configure a device, in the namespace of the caller
net_end() {
	sysctl -q -w "net.ipv6.conf.$1.accept_dad=0"
	ip addr add "10.77.0.$2/24" dev "$1"
	ip addr add "fd77::$2/64" dev "$1" nodad
	ip link set "$1" mtu 4300 up
}

# vlan_end DEV HOST: a VLAN device on it, in the namespace of the caller
vlan_end() {
	ip link add link "$1" name "$1.5" type vlan id 5
	ip addr add "10.78.0.$2/24" dev "$1.5"
	ip link set "$1.5" up
}

net_is_up() {
	ip -o link show "$1" | grep -q 'state UP'
}

net_up() {
	ip netns add xr
	undo+=(net_down)
	in_xr ip link set lo up
	"net_${XROCE_NET:-veth}"
	net_end c0 1
	# The same functions, in another shell, set up the end in xr.
	export -f net_end net_is_up
	in_xr bash -euc 'net_end x0 2'
	wait_until 10 net_is_up c0
	wait_until 10 in_xr bash -euc 'net_is_up x0'
}

net_down() {
	case ${XROCE_NET:-veth} in
	veth)	ip link del c0 ;;
	virtio)	in_xr ip link set x0 down netns 1
		ip link set c0 down
		ip addr flush dev c0 ;;
	esac
	ip netns del xr
}

rxe_ready() {
	[ "$(cat /sys/class/infiniband/rxe0/ports/1/state)" = '4: ACTIVE' ] &&
		grep -q '0000:0000:0000:0000:0000:ffff:0a4d:0001' \
			/sys/class/infiniband/rxe0/ports/1/gids/*
}

rxe_up() {
	# The CRC of rxe is far too slow without it; not every CPU supports it.
	modprobe crc32-pclmul 2>/dev/null || echo '# no crc32-pclmul'
	modprobe rdma_rxe
	# Log why a request could not be sent, for the analysis of failures.
	echo 'func rxe_requester +p; func rxe_find_route4 +p' \
		2>/dev/null >/sys/kernel/debug/dynamic_debug/control || :
	# A full veth ring would be an error to rxe, which ends the queue pair. A frame
	# that a queueing discipline drops is only a lost packet.
	[ "${XROCE_NET:-veth}" != veth ] ||
		tc qdisc replace dev c0 root pfifo limit 20000
	rdma link add rxe0 type rxe netdev c0
	undo+=(rxe_down)
	wait_until 10 rxe_ready
}

rxe_down() {
	rdma link delete rxe0
}

# With XROCE_KEEP_MODULE the module is loaded already and stays: see soak.sh.
module_up() {
	[ -z "${XROCE_KEEP_MODULE:-}" ] || return 0
	insmod "$core_module"
	undo+=(module_down)
}

# The kernel frees a program some time after its last pin is removed.
module_down() {
	wait_until 10 rmmod xroce
}

# programs NAME... -- [TEST...]: run test programs in turn, each with a TAP plan of its own.
# Returns the highest exit status of those that have one of the tests; 2 if none has.
# With XROCE_PROGRAMS_BY, that runs them: see mutate.sh.
programs() {
	local names=() name status highest=

	while [ "$1" != -- ]; do
		names+=("$1")
		shift
	done
	shift
	if [ -n "${XROCE_PROGRAMS_BY:-}" ]; then
		"$XROCE_PROGRAMS_BY" with "${names[@]}"
		return
	fi
	for name in "${names[@]}"; do
		status=0
		"$top/build/selftests/$name" "$@" || status=$?
		[ "$status" != 2 ] || continue
		[ "$status" -le "${highest:-0}" ] || highest=$status
		highest=${highest:-0}
	done
	return "${highest:-2}"
}
