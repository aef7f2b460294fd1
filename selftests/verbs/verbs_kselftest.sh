#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The subjects of the kernel's own tests of rxe (tools/testing/selftests/rdma), for xroce, in
# exclusive mode: verbs_pair.sh has the picture. Each test is a function. Each begins and ends with
# xr1 in xr and xr2 in yr.
#
# usage: verbs_kselftest.sh [PART]...   only tests whose name has one of the PARTs
set -eu

here=$(realpath "$(dirname "$0")")
. "$here/../lib/verbs_pair.sh"
. "$here/../lib/command.sh"
. "$here/../lib/rdma_cm.sh"

subject=kselftest
undo+=(work_down)

explain() { exclusive_explain; }

# at NETNS COMMAND...: run it in a namespace; init is the initial one
at() {
	local netns=/run/netns/$1

	[ "$1" != init ] || netns=/proc/1/ns/net
	shift
	nsenter --net="$netns" "$@"
}

# has NETNS [DEV]...: the namespace has these verbs devices, and no others
has() {
	local netns=$1

	shift
	[ "$(devices at "$netns" | tr ' ' '\n' | sort | xargs)" = "$*" ]
}

# all_have IN-INIT IN-XR IN-YR: the devices of each namespace
all_have() {
	local -a names=("$@")
	local i=0 netns

	for netns in init xr yr; do
		# shellcheck disable=SC2086 # names without blanks
		wait_until 10 has $netns ${names[i]} ||
			not_so "'${names[i]}' in $netns: $(devices at $netns)"
		i=$((i + 1))
	done
}

# device_up NETNS NETDEV DEV: make a device on the link of a netdev, for its namespace
device_up() {
	at "$1" rdma link add "$3" type xroce netdev "$2"
	rdma dev set "$3" netns "$1"
}

# link_up NETNS NETDEV DEV: the same, and the link
link_up() {
	at "$1" "$xroce" link add dev "$2" >"$work/made"
	device_up "$@"
}

# talk ADDRESS: a program in yr talks to one in xr, which has the ADDRESS
talk() {
	serve rping -s -a "$1" -V -C 20 && ask rping -c -a "$1" -V -C 20 && served
}

# verbs_of NETNS NETDEV NAME: the link's device has the name, says xroce(8)
verbs_of() {
	at "$1" "$xroce" -j link show dev "$2" >"$work/link"
	holds "l[0].get('verbs', '') == '$3'" l="$work/link"
}

# After a failed test: both ends anew.
start_anew() {
	local netns dev

	for netns in init xr yr; do
		for dev in $(devices at $netns); do
			at $netns rdma link delete "$dev"
		done
	done
	! ip netns del zs 2>"$work/err" || :
	! in_xr ip link del z0 2>"$work/err" || :
	! "$xroce" link del dev z0 force 2>"$work/err" || :
	in_xr "$xroce" link del dev p0 force
	at yr "$xroce" link del dev q0 force
	ends_have_ipv4
	link_up xr p0 xr1
	link_up yr q0 xr2
}

ends_have_ipv4() {
	in_xr ip addr replace 10.79.0.2/24 dev p0
	at yr ip addr replace 10.79.0.3/24 dev q0
}

# --- rxe_ipv6

# gids NETNS DEV: its GIDs, as ibv_devinfo prints them
gids() { at "$1" ibv_devinfo -v -d "$2" | grep 'GID\['; }

# Without any IPv4 address, from the beginning.
ipv6_only() {
	in_xr rdma link delete xr1
	at yr rdma link delete xr2
	in_xr "$xroce" link del dev p0
	at yr "$xroce" link del dev q0
	in_xr ip addr del 10.79.0.2/24 dev p0
	at yr ip addr del 10.79.0.3/24 dev q0
	link_up xr p0 xr1
	link_up yr q0 xr2
	! gids xr xr1 | grep 'ffff:10\.' || not_so 'no GID of IPv4'
	gids xr xr1 | grep -q 'fd79::2, RoCE v2' || not_so 'a GID of IPv6'
	talk fd79::2
	ends_have_ipv4
	talk 10.79.0.2
}

# --- rxe_rping_between_netns

# After both devices have been removed and made again in their namespaces.
rping_again() {
	talk 10.79.0.2
	in_xr rdma link delete xr1
	at yr rdma link delete xr2
	all_have '' '' ''
	! at yr timeout 20 rping -c -a 10.79.0.2 -C 1 >"$work/out" 2>&1 ||
		not_so 'no connection without devices'
	device_up xr p0 xr1
	device_up yr q0 xr2
	talk 10.79.0.2
	talk fd79::2
}

# --- rxe_netns_names

# A name that another device of the namespace has.
name_taken() {
	at yr rdma dev set xr2 netns xr
	all_have '' 'xr1 xr2' ''
	! in_xr rdma dev set xr2 name xr1 2>"$work/err" || not_so 'refused'
	all_have '' 'xr1 xr2' ''
	verbs_of yr q0 xr2
	in_xr rdma dev set xr2 netns yr
	all_have '' xr1 xr2
	talk 10.79.0.2
}

# A new name in another namespace, while the netdev stays; and back.
moved_and_renamed() {
	at yr rdma dev set xr2 netns xr
	in_xr rdma dev set xr2 name xr3
	all_have '' 'xr1 xr3' ''
	verbs_of yr q0 xr3
	in_xr rdma dev set xr3 netns yr
	at yr rdma dev set xr3 name xr2
	all_have '' xr1 xr2
	verbs_of yr q0 xr2
	talk 10.79.0.2
}

# One name in two namespaces. Kernels that know names of all namespaces only refuse it; then
# nothing has changed.
same_name() {
	if at yr rdma dev set xr2 name xr1 2>"$work/err"; then
		all_have '' xr1 xr1
		verbs_of yr q0 xr1
		talk 10.79.0.2
		at yr rdma dev set xr1 name xr2
	else
		grep -qi 'exists' "$work/err" || not_so "it exists: $(cat "$work/err")"
	fi
	all_have '' xr1 xr2
	verbs_of xr p0 xr1
	verbs_of yr q0 xr2
	talk 10.79.0.2
}

# --- rxe_sent_rcvd_bytes

# port_counts NETNS DEV: units of data sent and received. This /sys has the devices of the
# namespace. ib_core keeps values for 10 ms.
port_counts() {
	sleep 0.02
	ip netns exec "$1" sh -c "cd /sys/class/infiniband/$2/ports/1/counters
		echo \$(cat port_xmit_data port_rcv_data)"
}

# agree SENT RECEIVED: numbers of units, of four bytes, of the same packets. The two are rounded.
agree() { [ "$1" -gt 0 ] && [ $(($1 - $2)) -le 1 ] && [ $(($2 - $1)) -le 1 ]; }

# The last messages of a connection arrive after its programs have ended.
loop_agrees() {
	local now

	read -ra now < <(port_counts xr xr1)
	agree $((now[0] - old[0])) $((now[1] - old[1]))
}

# What a device sends to itself, it receives.
bytes_loop() {
	local old client_enter=("${enter_xr[@]}")

	read -ra old < <(port_counts xr xr1)
	talk 10.79.0.2
	wait_until 5 loop_agrees || not_so "sent is received: ${old[*]}, $(port_counts xr xr1)"
}

pair_agrees() {
	local x y

	read -ra x < <(port_counts xr xr1)
	read -ra y < <(port_counts yr xr2)
	agree $((x[0] - old_x[0])) $((y[1] - old_y[1])) &&
		agree $((y[0] - old_y[0])) $((x[1] - old_x[1]))
}

# What one end sends, the other one receives.
bytes_pair() {
	local old_x old_y

	read -ra old_x < <(port_counts xr xr1)
	read -ra old_y < <(port_counts yr xr2)
	talk 10.79.0.2
	wait_until 5 pair_agrees || not_so "sent is received: ${old_x[*]}, ${old_y[*]}, \
$(port_counts xr xr1), $(port_counts yr xr2)"
}

# --- rxe_test_NETDEV_UNREGISTER

# The netdev goes, and with it the device; the other ones stay.
netdev_gone() {
	in_xr ip link add z0 type dummy
	in_xr ip link set z0 up
	link_up xr z0 xr3
	all_have '' 'xr1 xr3' xr2
	in_xr ip link del z0
	z0_is_dead
	talk 10.79.0.2
}

# --- A namespace that is deleted

# With the netdev and the device: both go, nothing hangs.
netns_gone() {
	ip netns add zs
	at zs ip link add z0 type dummy
	at zs ip link set z0 up
	link_up zs z0 xr3
	has zs xr3 || not_so 'there'
	ip netns del zs
	z0_is_dead
	talk 10.79.0.2
}

# Its link is, the device is gone, and the link can be deleted.
z0_is_dead() {
	wait_until 10 link_is_dead || not_so "the link is dead: $(cat "$work/link")"
	all_have '' xr1 xr2
	"$xroce" link del dev z0
}

link_is_dead() {
	"$xroce" -j link show >"$work/link"
	holds '[x["dev"] for x in l if x.get("dead")] == ["z0"]' l="$work/link"
}

# With the device, but not its netdev: it comes back to the initial namespace, and is of use.
netns_gone_device_back() {
	ip netns add zs
	at yr rdma dev set xr2 netns zs
	all_have '' xr1 ''
	ip netns del zs
	all_have xr2 xr1 ''
	verbs_of yr q0 xr2
	rdma dev set xr2 netns yr
	talk 10.79.0.2
}

# --- A device in use

# hold_at NETNS DEV GID: as hold(), in a namespace
hold_at() {
	local hold_enter=(nsenter --net="/run/netns/$1") gid

	export -f verbs_gid
	gid=$(ip netns exec "$1" bash -c 'verbs_gid "$@"' sh "$2" "$3")
	hold "$2" "$gid"
}

# objects NETNS NETDEV N: the link has so many domains, regions and queue pairs, besides what the
# kernel has for the general services interface
objects() {
	at "$1" "$xroce" -j link show dev "$2" >"$work/link"
	holds "[l[0][n] - 1 for n in ('pds', 'mrs', 'qps')] == [$3] * 3" l="$work/link"
}

# To a device that moves, its programs are as to one that is removed.
moved_in_use() {
	hold_at xr xr1 "$(gid4_of 10.79.0.2)"
	objects xr p0 1
	in_xr rdma dev set xr1 netns yr
	taken_away end
	all_have '' '' 'xr1 xr2'
	objects xr p0 0
	verbs_of xr p0 xr1
	at yr rdma dev set xr1 netns xr
	talk 10.79.0.2
}

# A program in the namespace keeps it; without one, it goes. zs has the device of q0.
netns_gone_in_use() {
	ip netns add zs
	at yr rdma dev set xr2 netns zs
	hold_at zs xr2 "$(gid4_of 10.79.0.3)"
	ip netns del zs
	sleep 0.5
	tell query
	held '^query active$'
	objects yr q0 1
	let_go
	all_have xr2 xr1 ''
	objects yr q0 0
	rdma dev set xr2 netns yr
	talk 10.79.0.2
}

# A program that has left the namespace does not keep it, and loses the device.
netns_gone_after_leaving() {
	ip netns add zs
	at yr rdma dev set xr2 netns zs
	hold_at zs xr2 "$(gid4_of 10.79.0.3)"
	tell leave
	held '^left$'
	ip netns del zs
	all_have xr2 xr1 ''
	taken_away end
	objects yr q0 0
	rdma dev set xr2 netns yr
	talk 10.79.0.2
}

# The same with its netdev: device and link are gone, and the program is told.
netns_gone_with_netdev_in_use() {
	ip netns add zs
	at zs ip link add z0 type dummy
	at zs ip link set z0 up
	at zs ip addr add 10.80.0.1/24 dev z0
	link_up zs z0 xr3
	hold_at zs xr3 "$(gid4_of 10.80.0.1)"
	tell leave
	held '^left$'
	ip netns del zs
	taken_away end
	z0_is_dead
	talk 10.79.0.2
}

# The module goes with devices in namespaces, but not while one of them is in use.
unloaded() {
	hold_at xr xr1 "$(gid4_of 10.79.0.2)"
	! rmmod xroce_ib 2>"$work/rmmod" || not_so 'the module is unloaded'
	tell query
	held '^query active$'
	let_go end
	rmmod xroce_ib
	all_have '' '' ''
	insmod "$verbs_module"
	device_up xr p0 xr1
	device_up yr q0 xr2
	talk 10.79.0.2
}

needs_verbs
echo 'TAP version 13'
command_plan
modprobe rdma_ucm
exclusive_up
net_up
module_up
verbs_module_up
exclusive_pair_up

run ipv6_only 'V8 V10 D1'
run rping_again 'V8 V10'
run name_taken 'V1 V10'
run moved_and_renamed 'V4 V10'
run same_name 'V1 V10'
run bytes_loop 'V4 V10'
run bytes_pair 'V4 V10'
run netdev_gone 'V1 V10'
run netns_gone 'V1 V10'
run netns_gone_device_back 'V1 V10'
run moved_in_use 'V1 V10'
run netns_gone_in_use 'V1 V10'
run netns_gone_after_leaving 'V1 V10'
run netns_gone_with_netdev_in_use 'V1 V10'
run unloaded 'V1 V10 U6'
command_passed
