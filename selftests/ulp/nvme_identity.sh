#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A user without privileges who wants to be the host of the kernel's NVMe target, on the machine of
# the target and on that of the host. The disk is for root only.
#
# usage: nvme_identity.sh [PART]...   only tests whose name has one of the PARTs
set -eu

here=$(realpath "$(dirname "$0")")
. "$here/../lib/nvme_ends.sh"

rows=("$@")
work_up

# targets [COMMAND...]: the target's queue pairs, each with the PSN that it expects, as COMMAND may
# know it: root may. Those of commands for the disk first: an attack on the other one that worked
# would have the host connect anew.
targets() {
	"$@" rdma -j resource show qp link tr/1 | jq -r 'reverse[] |
		select(.type == "RC" and .state == "RTS") | "\(.lqpn) \(."rq-psn")"'
}

sector() { dd if=/dev/xroce0 bs=512 count=1 iflag=direct status=none | md5sum; }

# attack WANT NETDEV COUNTER xroce|verbs DEVICE OWN: try all of the target's queue pairs. Each
# attempt says WANT and is counted by the link of NETDEV, the disk stays as it is, and the host
# goes on.
attack() {
	local want=$1 netdev=$2 counter=$3 kind=$4 device=$5 own=$6 qpn psn before disk status=0

	disk=$(sector)
	targets >"$work/targets"
	[ -s "$work/targets" ] || status=1
	while read -r qpn psn; do
		before=$(ulp_count "$netdev" "$counter")
		"$top/build/selftests/nvme_identity_test" "$kind" "$device" "$own" $target4 \
			"$qpn" "$psn" "$(cat /sys/class/net/t0/address)" >"$work/said" 2>&1 || status=1
		grep -qx "$want" "$work/said" && [ "$(ulp_count "$netdev" "$counter")" -gt "$before" ] ||
			{ echo "# queue pair $qpn: $(cat "$work/said")"; status=1; }
	done <"$work/targets"
	[ "$(sector)" = "$disk" ] || { echo '# the first sector has changed'; status=1; }
	dd if="$drive" of="$work/read" bs=4k count=1 iflag=direct status=none && state live ||
		status=1
	return $status
}

# What everybody can read stays as it was set, while what root reads moves with each request.
psns() {
	local as_nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)

	targets >"$work/root" && targets "${as_nobody[@]}" >"$work/nobody" || return 1
	dd if="$drive" of="$work/read" bs=4k count=8 iflag=direct status=none
	targets >"$work/root.later" && targets "${as_nobody[@]}" >"$work/nobody.later" || return 1
	[ -s "$work/nobody" ] && ! cmp -s "$work/root" "$work/root.later" &&
		cmp -s "$work/nobody" "$work/nobody.later" &&
		! grep -qxFf "$work/root.later" "$work/nobody.later" ||
		{ sed 's/^/# /' "$work"/{root,nobody}{,.later}; return 1; }
}

needs_module
needs_verbs
ulp_needs nvme nvme-rdma.ko nvmet-rdma.ko null_blk.ko
echo 'TAP version 13'
ulp_configfs
module_up
verbs_module_up
# As for the group xroce.
chmod 666 /dev/xroce
if some_wanted nvme_identity_{psns,own,loop,loop_verbs}; then
	nvme_up rxe xroce
	run nvme_identity_psns 'I2 K2' psns
	run nvme_identity_own 'I1 K2' attack 'refused EADDRNOTAVAIL' t0 own_refused \
		xroce t0 $host4
	run nvme_identity_loop 'I2 K2' attack sent t0 drop_peer xroce t0 $target4
	run nvme_identity_loop_verbs 'I2 K2' attack sent t0 drop_peer verbs tr $target4
	undo_to_mark || result 1 nvme_identity_down 'K2'
fi
if some_wanted nvme_identity_peer{,_verbs}; then
	nvme_up xroce rxe
	run nvme_identity_peer 'I3 K2' attack 'refused EADDRINUSE' h0 peer_refused \
		xroce h0 $host4
	run nvme_identity_peer_verbs 'I3 K2' attack 'refused EADDRINUSE' h0 peer_refused \
		verbs hr $host4
	undo_to_mark || result 1 nvme_identity_down 'K2'
fi
results
