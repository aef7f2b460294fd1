#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Two network namespaces, as of two containers, each with a verbs device of its own: "rdma system
# set netns exclusive". verbs_pair.sh has the picture.
set -eu

here=$(realpath "$(dirname "$0")")
. "$here/../lib/verbs_pair.sh"
. "$here/../lib/rdma_cm.sh"

rows=("$@")
work_up

explain() { exclusive_explain; }

# Programs and rdma(8) see the device of their own namespace only.
seen() {
	[ "$(devices env)" = '' ] && [ "$(devices "${enter_xr[@]}")" = xr1 ] &&
		[ "$(devices "${enter_yr[@]}")" = xr2 ] &&
		"${enter_xr[@]}" ibv_devinfo -d xr1 | grep -q PORT_ACTIVE &&
		! "${enter_xr[@]}" ibv_devinfo -d xr2 >/dev/null 2>&1 &&
		! ibv_devinfo -d xr1 >/dev/null 2>&1
}

# Objects of a program in one are nothing in the other.
objects_apart() {
	local status=0

	serve rping -s -a 10.79.0.2
	resource_of "${enter_xr[@]}" || status=1
	! resource_of "${enter_yr[@]}" || status=1
	[ "$("${enter_yr[@]}" "$xroce" -j pd show | grep -o '"pd"' | wc -l)" = 1 ] || status=1
	kill $server
	wait $server 2>/dev/null || :
	return $status
}

resource_of() { "$@" rdma resource show cm_id | grep -q 'comm rping'; }

connects() {
	serve rping -s -a 10.79.0.2 -V -C 20 && ask rping -c -a 10.79.0.2 -V -C 20 && served
}

# objects_of NETNS PID: how many regions and queue pairs of a process the command lists there
objects_of() {
	local kind

	for kind in mr qp; do
		nsenter --net="/run/netns/$1" "$xroce" -j $kind show
	done | grep -oE "\"pid\": ?$2\b" | wc -l
}

# xroce(8) lists regions and queue pairs of its own namespace only.
lists_apart() {
	local client status=0

	serve rping -s -a 10.79.0.2 -C 1000000
	ask rping -c -a 10.79.0.2 -C 1000000 &
	client=$!
	wait_until 20 lists_two || status=1
	kill $client $server
	wait $client $server 2>/dev/null || :
	wait_until 20 no_program || status=1
	return $status
}

no_program() { ! pgrep -x rping; }

# The program in xr is a child of timeout(1), which is $server.
lists_two() {
	local ours theirs

	ours=$(pgrep -P "$server")
	theirs=$(pgrep -x rping | grep -vx "$ours")
	[ "$(objects_of xr $ours)" -gt 1 ] && [ "$(objects_of yr $theirs)" -gt 1 ] &&
		[ "$(objects_of xr $theirs)" = 0 ] && [ "$(objects_of yr $ours)" = 0 ]
}

# gids_of NETNS DEVICE: its GIDs. This /sys has the devices of the namespace.
gids_of() { ip netns exec "$1" sh -c "cat /sys/class/infiniband/$2/ports/1/gids/* 2>/dev/null"; }

# gids_are NETNS DEVICE OWN OTHER: the device has the GID of one address only
gids_are() {
	gids_of "$1" "$2" >"$work/gids"
	grep -qxF "$(gid4_of "$3")" "$work/gids" && ! grep -qxF "$(gid4_of "$4")" "$work/gids"
}

gids_apart() {
	gids_are xr xr1 10.79.0.2 10.79.0.3 && gids_are yr xr2 10.79.0.3 10.79.0.2
}

# counted NETNS NETDEV DEVICE: what rdma(8) shows, and some counters of xroce(8)
counted() {
	nsenter --net="/run/netns/$1" rdma statistic show link "$3/1" | xargs -n 2
	stats_in "$1" "$2" rx rx_bytes tx tx_bytes req_tx req_tx_bytes send send_bytes
}

# What xr1 sends to itself, xr2 does not count.
counters_apart() {
	local x y client_enter=("${enter_xr[@]}")

	sleep 0.1	# until the last connection's messages have come
	x=$(counted xr p0 xr1) y=$(counted yr q0 xr2)
	connects || return 1
	[ "$(counted yr q0 xr2)" = "$y" ] && [ "$(counted xr p0 xr1)" != "$x" ] ||
		{ counted yr q0 xr2 | diff - <(echo "$y") | sed 's/^/# /'; return 1; }
}

# A device can be deleted in its namespace, and made again.
deleted() {
	"${enter_yr[@]}" rdma link delete xr2 && [ "$(devices "${enter_yr[@]}")" = '' ] &&
		[ "$(devices "${enter_xr[@]}")" = xr1 ] &&
		"${enter_yr[@]}" rdma link add xr2 type "$verbs_type" netdev q0 &&
		rdma dev set xr2 netns yr && [ "$(devices "${enter_yr[@]}")" = xr2 ]
}

needs_module
needs_verbs
echo 'TAP version 13'
modprobe rdma_ucm
exclusive_up
net_up
module_up
verbs_module_up
exclusive_pair_up

run netns_seen 'V10' seen
run netns_connects 'V10 V8' connects
run netns_objects_apart 'V10' objects_apart
run netns_lists_apart 'V10 V4' lists_apart
run netns_gids_apart 'V10 V3' gids_apart
run netns_counters_apart 'V10 V4' counters_apart
status=0
programs verbs_netns_test -- "$@" || status=$?
# 2: it has none of the rows that are wanted.
[ $status = 0 ] || [ $status = 2 ] || failed=$((failed + 1))
run netns_deleted 'V10 V1' deleted
# pair_down() looks for the devices in the initial namespace.
"${enter_xr[@]}" rdma link delete xr1
"${enter_yr[@]}" rdma link delete xr2
results || { [ $? = 2 ] && [ $status = 0 ]; }
