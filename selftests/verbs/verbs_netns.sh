#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Two network namespaces, as of two containers, each with a verbs device of its own: "rdma system
# set netns exclusive". verbs_pair.sh has the picture.
set -eu

here=$(realpath "$(dirname "$0")")
. "$here/../lib/net.sh"
. "$here/../lib/serve.sh"
. "$here/../lib/verbs.sh"
. "$here/../lib/verbs_pair.sh"
. "$here/../lib/rdma_cm.sh"

rows=("$@")
work=$(mktemp -d /dev/shm/netns-XXXXXX)
undo+=(work_down)

work_down() { rm -rf "$work"; }

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

# A device can be deleted in its namespace, and made again.
deleted() {
	"${enter_yr[@]}" rdma link delete xr2 && [ "$(devices "${enter_yr[@]}")" = '' ] &&
		[ "$(devices "${enter_xr[@]}")" = xr1 ] &&
		"${enter_yr[@]}" rdma link add xr2 type xroce netdev q0 &&
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
run netns_deleted 'V10 V1' deleted
# pair_down() looks for the devices in the initial namespace.
"${enter_xr[@]}" rdma link delete xr1
"${enter_yr[@]}" rdma link delete xr2
results
