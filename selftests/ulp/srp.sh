#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# SCSI RDMA protocol: the kernel's initiator and target on verbs devices, xroce with xroce and
# with rxe, connected by rdma_cm.
#
# usage: srp.sh [PART]...   only tests whose name has one of the PARTs
# XROCE_ULP_MIB: see ulp.sh
set -eu

here=$(realpath "$(dirname "$0")")
. "$here/../lib/scsi.sh"

rows=("$@")
work_up

port=5555
guid=0000000000001111

# gid0 DEVICE: its first GID, without colons
gid0() { tr -d : <"/sys/class/infiniband/$1/ports/1/gids/0"; }

# The names of target and initiator are GIDs.
target_up() {
	scsi_disk_up
	modprobe ib_srpt srpt_service_guid=0x$guid
	undo+=(target_down)
	own=0x$(gid0 tr)
	peer=0x0000000000000000$(gid0 hr | cut -c 17-)
	target=$lio/srpt/$own/$own
	mkdir -p "$target/lun/lun_0"
	ln -s "$lio/core/rd_mcp_0/disk" "$target/lun/lun_0/disk"
	mkdir -p "$target/acls/$peer/lun_0"
	ln -s "$target/lun/lun_0" "$target/acls/$peer/lun_0/lun"
	echo "${srp_srq:-0}" >"$target/attrib/use_srq"
	echo 1 >"$target/enable"
	echo $port >"$lio/srpt/discovery_auth/rdma_cm_port"
}

target_down() {
	echo 0 >"$target/enable"
	rm "$target/acls/$peer/lun_0/lun"
	rmdir "$target/acls/$peer/lun_0" "$target/acls/$peer"
	rm "$target/lun/lun_0/disk"
	rmdir "$target/lun/lun_0" "$target" "${target%/*}"
	rmdir "$lio/srpt"
	modprobe -r ib_srpt
}

initiator_up() {
	modprobe ib_srp
	undo+=(initiator_down)
	echo "id_ext=$guid,ioc_guid=$guid,dest=$target4:$port,src=$host4:0" \
		>/sys/class/infiniband_srp/srp-hr-1/add_target
	wait_until 20 scsi_found
}

initiator_down() {
	echo 1 >"$(echo /sys/class/srp_remote_ports/port*/delete)"
	wait_until 20 scsi_lost
	modprobe -r ib_srp
}

needs_module
needs_verbs
ulp_needs fio mkfs.ext4 ib_srp.ko ib_srpt.ko
echo 'TAP version 13'
ulp_configfs
module_up
verbs_module_up
scsi_pairings srp
# The target takes the requests of all connections from one queue. ib_srpt of Linux 6.12 and later
# warns when such a connection ends: it has no cache of its own to give to srpt_cache_put().
modprobe ib_srpt srpt_service_guid=0x$guid
if grep -q 'srpt_cache_put' /proc/kallsyms && [ -z "${XROCE_SRP_SRQ:-}" ]; then
	echo '# no srp_srq_verify: a warning of ib_srpt (XROCE_SRP_SRQ=1 runs it)'
elif some_wanted srp_srq_verify; then
	undo_mark
	ulp_up xroce xroce
	srp_srq=1
	target_up
	initiator_up
	run srp_srq_verify 'K4 K1' srq_verifies ib_srpt
	undo_to_mark || result 1 srp_srq_down 'K4'
fi
modprobe -r ib_srpt
results
