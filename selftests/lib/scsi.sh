# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# A disk of the kernel's SCSI target, for tests of iSER and SRP between the ends of ulp.sh.

. "$(dirname "${BASH_SOURCE[0]}")/ulp.sh"

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

# scsi_pairings PROTOCOL: the tests of a disk, with the pairings of ends; the caller has target_up
# and initiator_up
scsi_pairings() {
	local pair name

	for pair in 'xroce xroce' 'xroce rxe' 'rxe xroce'; do
		name=${1}_${pair/ /_}
		some_wanted "${name}_"{verify,ext4} || continue
		undo_mark
		# shellcheck disable=SC2086
		ulp_up $pair
		target_up
		initiator_up
		run "${name}_verify" 'K4 K1' disk_verifies
		run "${name}_ext4" 'K4' disk_files ext4
		undo_to_mark || result 1 "${name}_down" 'K4'
	done
}
