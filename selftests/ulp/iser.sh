#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# iSCSI extensions for RDMA: the kernel's initiator and target on verbs devices, xroce with xroce
# and with rxe.
#
# usage: iser.sh [PART]...   only tests whose name has one of the PARTs
# XROCE_ULP_MIB: see ulp.sh
set -eu

here=$(realpath "$(dirname "$0")")
. "$here/../lib/scsi.sh"

rows=("$@")
work=$(mktemp -d /dev/shm/iser-XXXXXX)
undo+=(work_down)

work_down() {
	umount /etc/iscsi
	rm -rf "$work"
}

iqn=iqn.2026-11.net.example:disk
portal=$target4:3260
target=$lio/iscsi/$iqn/tpgt_1

target_up() {
	scsi_disk_up
	modprobe ib_isert
	undo+=(target_down)
	mkdir -p "$target/lun/lun_0"
	ln -s "$lio/core/rd_mcp_0/disk" "$target/lun/lun_0/disk"
	echo 0 >"$target/attrib/authentication"
	echo 1 >"$target/attrib/generate_node_acls"
	echo 1 >"$target/attrib/cache_dynamic_acls"
	echo 0 >"$target/attrib/demo_mode_write_protect"
	portal_up
}

portal_up() {
	mkdir "$target/np/$portal"
	echo 1 >"$target/np/$portal/iser"
	echo 1 >"$target/enable"
}

# Sessions end.
portal_down() {
	echo 0 >"$target/enable"
	rmdir "$target/np/$portal"
}

target_down() {
	[ ! -e "$target/np/$portal" ] || portal_down
	rm "$target/lun/lun_0/disk"
	rmdir "$target/lun/lun_0" "$target" "${target%/*}"
	rmdir "$lio/iscsi"
	modprobe -r ib_isert
}

admin() { iscsiadm -m node -T $iqn -p "$portal" "$@"; }

# The configuration of iscsid is not to stay.
initiator_up() {
	modprobe ib_iser
	pgrep -x iscsid >/dev/null || {
		mkdir -p "$work/iscsi"
		cp /etc/iscsi/iscsid.conf "$work/iscsi/"
		echo InitiatorName=iqn.2026-11.net.example:host >"$work/iscsi/initiatorname.iscsi"
		mount --bind "$work/iscsi" /etc/iscsi
		# It signals its whole process group when it ends.
		setsid iscsid -f >"$work/iscsid" 2>&1 &
		iscsid=$!
	}
	undo+=(initiator_down)
	admin -o new >/dev/null
	admin -o update -n iface.transport_name -v iser
	admin -o update -n node.session.timeo.replacement_timeout -v 60
	wait_until 20 admin --login
	wait_until 20 scsi_found
}

initiator_down() {
	admin --logout >/dev/null
	admin -o delete
	wait_until 20 scsi_lost
}

iscsid_down() {
	kill $iscsid
	wait $iscsid 2>/dev/null || :
	modprobe -r ib_iser
}

# session STATE: the initiator's has it
session() { [ "$(cat /sys/class/iscsi_session/session*/state)" = "$1" ]; }

# upset COMMAND...: COMMAND disturbs a job, and the session is there again.
upset() { ulp_upset "$drive" "$@" && wait_until 60 session LOGGED_IN; }

# The target ends, and begins again. Its last words get lost: while ib_iser handles a disconnect,
# commands that come between its change of state and its suspending the queue fail (DID_ABORT),
# with rxe at both ends as well.
portal_gone() {
	ip link set t0 down
	portal_down
	wait_until 30 session FAILED
	ulp_link_up
	sleep 2
	portal_up
}

needs_module
needs_verbs
ulp_needs iscsid iscsiadm fio mkfs.ext4 ib_iser.ko ib_isert.ko
echo 'TAP version 13'
ulp_configfs
module_up
verbs_module_up
undo+=(iscsid_down)
scsi_pairings iser
if some_wanted iser_fault_{link_down,portal_gone,loss}; then
	undo_mark
	ulp_up xroce xroce wire
	target_up
	initiator_up
	run iser_fault_link_down 'K5' upset ulp_link_goes
	run iser_fault_portal_gone 'K5' upset portal_gone
	ulp_loses 1
	run iser_fault_loss 'K5' disk_verifies
	# The initiator leaves once it has the response to its logout. If its acknowledgement is
	# lost, the SEND of the response is flushed, and ib_isert frees it twice.
	ulp_loses 0
	undo_to_mark || result 1 iser_fault_down 'K5'
fi
results
