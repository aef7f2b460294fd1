#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The verbs device of a link, as a user makes, uses and removes it by rdma(8), ip(8) and
# xroce(8). Each test is a function. Each begins and ends with the device xr0 on x0.
#
# usage: verbs_link.sh [PART]...   only tests whose name has one of the PARTs
set -eu

. "$(dirname "$0")/../lib/verbs.sh"
. "$(dirname "$0")/../lib/command.sh"

subject=verbs
modules='xroce ib_core ib_uverbs'

make_link() { # NETDEV
	xr link add dev "$1" mpt 64 qp 16 >"$work/made"
}

# On a device that is not served.
quick_link() { # NETDEV
	no_packets
	make_link "$1"
	packets
}

make_device() {
	verbs_add xr0 x0 10.77.0.2
}

# After a failed test.
start_anew() {
	local dev

	in_xr rdma -j link show | grep -oE '"ifname":"xr[0-9]"' | grep -o 'xr[0-9]' >"$work/left"
	while read -r dev; do
		rdma link delete "$dev"
	done <"$work/left"
	for dev in b0 v0 d0; do
		! ip link del $dev 2>"$work/err" || :
		! in_xr ip link del $dev 2>"$work/err" || :
	done
	! ip netns del xs 2>"$work/err" || :
	net_restore
	grep -q '^xroce_ib ' /proc/modules || insmod "$verbs_module"
	verbs_exists rxe0 || { modprobe rdma_rxe; rdma link add rxe0 type rxe netdev c0; }
	! xr link del dev x0 force 2>"$work/err" || :
	make_link x0
	make_device
}

# IPv6 addresses are lost when a device is set down.
net_restore() {
	ip link set c0 mtu 4300 up
	in_xr ip link set x0 mtu 4300 up
	ip addr replace fd77::1/64 dev c0 nodad
	in_xr ip addr replace fd77::2/64 dev x0 nodad
	wait_until 10 net_is_up c0
}

counts_of_use() { # of $modules
	local module

	for module in $modules; do
		cat "/sys/module/$module/refcnt"
	done
}

# refused PATTERN WORD...: rdma link add in xr fails and prints an error that matches
refused() {
	local pattern=$1

	shift
	! in_xr rdma link add "$@" >"$work/out" 2>"$work/err" || not_so "refused: link add $*"
	grep -qE -e "$pattern" "$work/err" ||
		not_so "'$pattern' in '$(cat "$work/err")': link add $*"
}

port_is() { # DEV STATE
	ibv_devinfo -d "$1" | grep -q "state:.*PORT_$2 "
}

mtu_is() { # DEV MTU
	ibv_devinfo -d "$1" | grep -qE "active_mtu:\s+$2 "
}

# link_has DEV VERBS PDS MRS QPS: what "xroce link show" says of the link of DEV, besides what
# the kernel has for the general services interface of each verbs device
link_has() {
	local kernel=0

	[ -z "$2" ] || kernel=1
	xr -j link show dev "$1" >"$work/link"
	holds "l[0].get('verbs', '') == '$2' and l[0]['users'] == 0 and
		[l[0][n] - $kernel for n in ('pds', 'mrs', 'qps')] == [$3, $4, $5]" l="$work/link"
}

# For serves(). Each attempt writes anew.
both_ends_begin() { written=$(stats_of write_bytes) || :; }

# A write of 50 * 4096 bytes through rxe0, which the XDP program of x0 executes.
serves() {
	local written after client_gid server_gid

	both_ends_gids
	both_ends_calm "$work" ib_write_bw -s 4096 -n 50 ||
		not_so "perftest: $(both_ends_said "$work")"
	after=$(stats_of write_bytes)
	[ $((after - written)) = 204800 ] || not_so "bytes: $written, then $after"
}

# --- Making it.

# The module is loaded by name of the type, if it is installed.
alias_of_type() {
	modinfo -F alias "$verbs_module" | grep -qx rdma-link-xroce || not_so 'alias'
	modinfo -F depends "$verbs_module" | tr , '\n' | grep -qx xroce || not_so 'depends'
}

# Without a link: an error, and what to do. rdma_link_ops has no extack, so the advice is in
# the kernel's log.
no_link() {
	local mark="xroce selftest: no_link $$"

	in_xr ip link add d0 type dummy
	in_xr ip link set d0 up
	# A mark, and no count of lines: the log is a ring, full late in a whole run.
	echo "<6>$mark" >/dev/kmsg
	refused 'Protocol driver not attached|No such device' xr1 type xroce netdev d0
	{ dmesg | sed "1,/$mark/d"; cat "$work/err"; } >"$work/said"
	grep -q 'xroce link add dev d0' "$work/said" || not_so "advice: $(cat "$work/said")"
	refused 'No such device' xr1 type xroce netdev nosuchdev
	verbs_gone xr1 || not_so 'no device is made'
	in_xr ip link del d0
	quick_link lo
	refused . xr0 type xroce netdev lo
	xr link del dev lo
	link_has x0 xr0 0 0 0
}

# A name that is taken, and a second device on the link.
taken() {
	refused 'File exists' xr1 type xroce netdev x0
	verbs_gone xr1 || not_so 'no second device'
	rdma link delete xr0
	refused 'Too many open files in system|File exists' rxe0 type xroce netdev x0
	link_has x0 '' 0 0 0
	make_device
	link_has x0 xr0 0 0 0
	serves
}

# --- What it shows.

devices() {
	ibv_devices >"$work/devices"
	grep -qE '^ *xr0[[:space:]]+[0-9a-f]{16}$' "$work/devices" || not_so "$(cat "$work/devices")"
	in_xr rdma -j link show xr0/1 >"$work/shown"
	holds 'd[0]["netdev"] == "x0" and d[0]["state"] == "ACTIVE" and
		d[0]["physical_state"] == "LINK_UP"' d="$work/shown"
	rdma -j dev show xr0 >"$work/shown"
	holds 'd[0]["node_type"] == "ca" and d[0]["node_guid"] != "0000:0000:0000:0000"' \
		d="$work/shown"
}

devinfo() {
	local line

	ibv_devinfo -v -d xr0 >"$work/info" || not_so "$(cat "$work/info")"
	for line in 'transport:\s+InfiniBand \(0\)' 'phys_port_cnt:\s+1' 'max_qp:\s+[1-9]' \
		'max_mr_size:\s+0x[0-9a-f]{10,}' 'max_qp_rd_atom:\s+[1-9]' \
		'atomic_cap:\s+ATOMIC_HCA' 'state:\s+PORT_ACTIVE' 'max_mtu:\s+4096' \
		'active_mtu:\s+4096' 'link_layer:\s+Ethernet' \
		'GID\[ +[0-9]+\]:\s+::ffff:10\.77\.0\.2, RoCE v2' \
		'GID\[ +[0-9]+\]:\s+fd77::2, RoCE v2'; do
		grep -qE "$line" "$work/info" || not_so "$line: $(cat "$work/info")"
	done
}

# rdma-ndd(8) describes each device by the name of the machine.
described() {
	local file=/sys/class/infiniband/xr0/node_desc

	[ "$(cat $file)" = xroce ] || not_so "at first: $(cat $file)"
	echo 'disks-7 xr0' >$file || not_so 'it can be written'
	[ "$(cat $file)" = 'disks-7 xr0' ] || not_so "then: $(cat $file)"
	ibv_devinfo -v -d xr0 >"$work/info" || not_so "$(cat "$work/info")"
	echo xroce >$file
}

# The port follows the network device and its carrier, and reports it.
port_state() {
	hold_xr0
	in_xr ip link set x0 down
	wait_until 10 port_is xr0 DOWN || not_so 'down'
	held '^event PORT_ERR port 1$'
	tell query
	held '^query down$'
	in_xr ip link set x0 up
	wait_until 10 port_is xr0 ACTIVE || not_so 'up'
	held '^event PORT_ACTIVE port 1$'
	: >"$work/held"
	ip link set c0 down
	wait_until 10 port_is xr0 DOWN || not_so 'no carrier'
	ip link set c0 up
	wait_until 10 port_is xr0 ACTIVE || not_so 'carrier'
	let_go end
	net_restore
	wait_until 10 verbs_has_gid rxe0 "$(gid4_of 10.77.0.1)"
}

port_mtu() {
	local pair

	for pair in 1500:1024 2200:2048 1300:1024 4300:4096; do
		in_xr ip link set x0 mtu "${pair%:*}"
		wait_until 10 mtu_is xr0 "${pair#*:}" || not_so "mtu $pair: $(ibv_devinfo -d xr0)"
	done
}

gids() {
	in_xr ip addr add 10.77.0.9/24 dev x0
	in_xr ip addr add fd77::9/64 dev x0 nodad
	wait_until 10 verbs_has_gid xr0 "$(gid4_of 10.77.0.9)" || not_so 'IPv4 added'
	wait_until 10 verbs_has_gid xr0 "$(gid6_of 9)" || not_so 'IPv6 added'
	in_xr ip addr del 10.77.0.9/24 dev x0
	in_xr ip addr del fd77::9/64 dev x0
	wait_until 10 verbs_lacks_gid xr0 "$(gid4_of 10.77.0.9)" || not_so 'IPv4 deleted'
	wait_until 10 verbs_lacks_gid xr0 "$(gid6_of 9)" || not_so 'IPv6 deleted'
	verbs_has_gid xr0 "$(gid4_of 10.77.0.2)" || not_so 'the others stay'
}

# --- Beside rxe on one network device. rxe before Linux 6.15 works in the initial namespace
# only, so this pair has both ends there. For packets between them that leave by the pair, the
# table local comes after rules for what is sent by the devices:
#
#   rxe8 on b0 10.79.0.1 ---veth--- b1 10.79.0.2 with rxe9 and xr9

beside_up() {
	local dev

	ip link add b0 type veth peer name b1
	ip link set b0 xdpdrv object "$top/build/selftests/lib/pass.bpf.o" section xdp.frags
	for dev in b0 b1; do
		sysctl -q -w "net.ipv4.conf.$dev.accept_local=1" "net.ipv4.conf.$dev.rp_filter=0"
		ip link set $dev mtu 4300 up
	done
	ip addr add 10.79.0.1/24 dev b0
	ip addr add 10.79.0.2/24 dev b1
	ip rule add pref 100 oif b0 lookup 100
	ip rule add pref 101 oif b1 lookup 101
	ip rule add pref 200 lookup local
	ip rule del pref 0
	ip route add 10.79.0.0/24 dev b0 table 100
	ip route add 10.79.0.0/24 dev b1 table 101
	ip neigh replace 10.79.0.2 lladdr "$(cat /sys/class/net/b1/address)" dev b0
	ip neigh replace 10.79.0.1 lladdr "$(cat /sys/class/net/b0/address)" dev b1
	tc qdisc replace dev b0 root pfifo limit 20000
	"$xroce" link add dev b1 mpt 64 qp 16 >"$work/made"
	rdma link add rxe8 type rxe netdev b0
}

beside_down() {
	! verbs_exists rxe8 || rdma link delete rxe8
	! verbs_exists rxe9 || rdma link delete rxe9
	"$xroce" link del dev b1 force
	ip rule add pref 0 lookup local
	ip rule del pref 200
	ip rule del pref 101
	ip rule del pref 100
	ip link del b0
}

# beside_serve DEV PORT: perftest from rxe8 to a device on b1
beside_serve() {
	local server_dev=$1 server_port=$2 server_ip=10.79.0.2 server_enter=(env)
	local client_dev=rxe8 client_gid server_gid dir=$work/$1

	mkdir -p "$dir"
	wait_until 10 verbs_has_gid "$1" "$(gid4_of 10.79.0.2)" &&
		wait_until 10 verbs_has_gid rxe8 "$(gid4_of 10.79.0.1)" || return 1
	client_gid=$(verbs_gid rxe8 "$(gid4_of 10.79.0.1)")
	server_gid=$(verbs_gid "$1" "$(gid4_of 10.79.0.2)")
	both_ends_calm "$dir" ib_send_bw -s 4096 -n 100 && return
	both_ends_said "$dir"
	return 1
}

received() { # DEV: packets that rxe has received
	cat "/sys/class/infiniband/$1/ports/1/hw_counters/rcvd_pkts"
}

beside_both() {
	local pid status=0 before rx=$work/rx

	"$xroce" -j stat show dev b1 all >"$rx"
	before=$(received rxe9)
	[ "$(cat /sys/class/infiniband/xr9/node_guid)" != \
	  "$(cat /sys/class/infiniband/rxe9/node_guid)" ] || not_so 'node GUIDs differ'
	beside_serve rxe9 18516 &
	pid=$!
	beside_serve xr9 18515 || status=1
	wait $pid || status=1
	[ $status = 0 ] || not_so 'both serve'
	"$xroce" -j stat show dev b1 all >"$work/stat"
	holds 'new[0]["send_bytes"] - old[0]["send_bytes"] == 409600' new="$work/stat" old="$rx"
	[ "$(received rxe9)" -ge $((before + 100)) ] || not_so 'rxe received its packets'
}

# In both orders of making and deleting them.
beside_rxe() {
	trap 'beside_down' EXIT
	beside_up
	rdma link add xr9 type xroce netdev b1
	rdma link add rxe9 type rxe netdev b1
	beside_both
	rdma link delete xr9
	beside_serve rxe9 18516 || not_so 'rxe serves on'
	rdma link add xr9 type xroce netdev b1
	beside_both
	rdma link delete rxe9
	beside_serve xr9 18515 || not_so 'xroce serves on'
	rdma link delete xr9
}

# --- Removing it.

deleted() {
	rdma link delete xr0
	verbs_gone xr0 || not_so 'gone'
	! ibv_devinfo -d xr0 >"$work/out" 2>&1 || not_so 'not found'
	link_has x0 '' 0 0 0
	make_device
	serves
}

# rdma link delete does not ask whether programs use the device.
deleted_in_use() {
	hold_xr0
	link_has x0 xr0 1 1 1
	rdma link delete xr0
	verbs_gone xr0 || not_so 'gone'
	link_has x0 '' 0 0 0
	taken_away end
	make_device
	serves
}

link_deleted() {
	xr link del dev x0
	verbs_gone xr0 || not_so 'gone with the link'
	make_link x0
	make_device
}

link_in_use() {
	hold_xr0
	fails 1 'xr0.* in use.*force' link del dev x0
	link_has x0 xr0 1 1 1
	tell query
	held '^query active$'
	serves
	xr link del dev x0 force
	verbs_gone xr0 || not_so 'gone by force'
	taken_away
	make_link x0
	make_device
	serves
}

# A program that is killed leaves nothing.
killed() {
	hold_xr0
	link_has x0 xr0 1 1 1
	kill -KILL "$holder"
	exec 9>&-
	! wait "$holder" 2>"$work/err" || not_so 'killed'
	link_has x0 xr0 0 0 0
	xr link del dev x0
	make_link x0
	make_device
}

# A pair in xr, with xr1 on v0.
pair_up() {
	in_xr ip link add v0 type veth peer name v1
	in_xr ip link set v1 up
	in_xr ip link set v0 up
	in_xr ip addr add 10.78.0.1/24 dev v0
	quick_link v0
	verbs_add xr1 v0 10.78.0.1
}

netdev_deleted() {
	pair_up
	hold xr1 "$(verbs_gid xr1 "$(gid4_of 10.78.0.1)")"
	in_xr ip link del v0
	wait_until 10 verbs_gone xr1 || not_so 'gone with the netdev'
	taken_away end
	xr -j link show >"$work/link"
	holds '[x for x in l if x.get("dead")] != []' l="$work/link"
	xr link del dev v0
	serves
}

# takes_group COMMAND...: whether v0, where COMMAND enters, lets in frames to 239.7.7.7
takes_group() { "$@" ip maddr show dev v0 | grep -qi 'link *01:00:5e:07:07:07'; }

netdev_moved() {
	local dev

	pair_up
	hold xr1 "$(verbs_gid xr1 "$(gid4_of 10.78.0.1)")"
	tell 'join 239.7.7.7'
	held '^joined 0$'
	takes_group in_xr || not_so 'the filter has the group'
	ip netns add xs
	in_xr ip link set v0 netns xs
	verbs_exists xr1 || not_so 'the device stays'
	wait_until 10 verbs_lacks_gid xr1 "$(gid4_of 10.78.0.1)" || not_so 'addresses go'
	wait_until 10 port_is xr1 DOWN || not_so 'port down'
	dev=(nsenter --net=/run/netns/xs)
	"${dev[@]}" ip link set v0 up
	"${dev[@]}" ip addr add 10.78.0.5/24 dev v0
	wait_until 10 verbs_has_gid xr1 "$(gid4_of 10.78.0.5)" || not_so 'new address'
	wait_until 10 port_is xr1 ACTIVE || not_so 'port active'
	"${dev[@]}" rdma link show xr1/1 | grep -q 'netdev v0' || not_so 'netdev in the namespace'
	tell query
	held '^query active$'
	takes_group "${dev[@]}" || not_so 'the filter has the group again'
	let_go end
	held '^destroyed membership 0$'
	held '^destroyed pd 0$'
	! takes_group "${dev[@]}" || not_so 'the filter lost the group'
	"${dev[@]}" "$xroce" link del dev v0
	verbs_gone xr1 || not_so 'gone with the link'
	ip netns del xs
}

# rmmod rdma_rxe removes all verbs devices with the driver number of rxe.
rxe_unloaded() {
	hold_xr0
	rmmod rdma_rxe
	wait_until 10 verbs_gone xr0 || not_so 'gone with rxe'
	taken_away end
	link_has x0 '' 0 0 0
	make_device
	modprobe rdma_rxe
	rdma link add rxe0 type rxe netdev c0
	wait_until 10 rxe_ready
	serves
}

# in_use: the module is not unloaded
in_use() {
	! rmmod xroce_ib 2>"$work/rmmod" || not_so 'the module is unloaded'
	grep -q 'is in use' "$work/rmmod" || not_so "in use: $(cat "$work/rmmod")"
}

# A program that has the device open keeps the module, but not the device.
unloaded() {
	hold_xr0
	in_use
	tell query
	held '^query active$'
	verbs_down
	taken_away end
	make_device
	hold_xr0
	in_use
	let_go end
	rmmod xroce_ib
	verbs_gone xr0 || not_so 'gone with the module'
	link_has x0 '' 0 0 0
	[ "$(counts_of_use)" = "$(cat "$work/uses")" ] ||
		not_so "references of $modules: $(counts_of_use | xargs), not $(xargs <"$work/uses")"
	insmod "$verbs_module"
	make_device
	serves
}

# Errors in the kernel's log since this began: tests before it in the machine give the module wrong
# parameters. vm.sh looks for complaints of the kernel itself.
began=$(cut -d ' ' -f 1 /proc/uptime)
log_clean() {
	dmesg -l emerg,alert,crit,err |
		awk -v began="$began" '{ t = $0; sub(/^\[ */, "", t) } t + 0 >= began' >"$work/log"
	! grep -E 'xr[0-9]|xroce|infiniband|rdma' "$work/log" || not_so 'no errors in the log'
}

needs_verbs
command_up
trap verbs_clean_up EXIT
rxe_up
modprobe ib_uverbs
counts_of_use >"$work/uses"
verbs_module_up
make_device

run alias_of_type V1
run no_link V1
run taken V1
run devices V3
run devinfo V3
run described V3
run port_state V3
run port_mtu V3
run gids V3
run beside_rxe 'V1 D3'
run deleted V1
run deleted_in_use V1
run link_deleted V1
run link_in_use V1
run killed V1
run netdev_deleted V1
run netdev_moved 'V1 V3'
run rxe_unloaded V1
run unloaded 'V1 U6'
run log_clean V1
command_passed
