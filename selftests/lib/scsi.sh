# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# A disk of the kernel's SCSI target, for tests of iSER and SRP. Source it after ulp.sh.

lio=/sys/kernel/config/target

# A disk in memory.
scsi_disk_up() {
	modprobe target_core_mod
	undo+=(scsi_disk_down)
	mkdir -p "$lio/core/rd_mcp_0/disk"
	echo "rd_pages=$((512 * 256))" >"$lio/core/rd_mcp_0/disk/control"
	echo 1 >"$lio/core/rd_mcp_0/disk/enable"
	modprobe sd_mod
}

scsi_disk_down() {
	rmdir "$lio/core/rd_mcp_0/disk" "$lio/core/rd_mcp_0"
}

# scsi_found: the host has the disk; sets $drive
scsi_found() {
	local dir

	for dir in /sys/block/sd*; do
		grep -qs LIO-ORG "$dir/device/vendor" || continue
		drive=/dev/${dir##*/}
		[ -b "$drive" ] && return
	done
	return 1
}

scsi_lost() { ! scsi_found; }
