#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The units of examples/storage/ and those of NFS and iSCSI, under a running systemd. They are
# configured by the commands of doc/storage.md: xr0 of the target is of xroce, rxe_h0 of the host is
# of rxe. A boot is another systemd on the same kernel; the one before it was told to power off and
# has left nothing behind.
set -eu

here=$(realpath "$(dirname "$0")")
. "$here/../lib/ulp.sh"
. "$here/../lib/systemd_machine.sh"
. "$here/../lib/storage_machine.sh"

work=$systemd_work
nvmet=/sys/kernel/config/nvmet
image=/srv/disk.img

# ctl WORD...: systemctl, which says something only if it fails
ctl() {
	timeout 400 nsenter -t "$process" -a systemctl -q "$@" >"$work/said" 2>&1 && return
	sed 's/^/# /' "$work/said"
	sd journalctl --no-pager -o cat -n 60 | cut -c 1-160 | sed 's/^/# /'
	return 1
}

# One machine is both ends: clients begin after what they use, and end before it.
both_ends_here() {
	ends_before 'nvme-target@t0' nvme-host@h0.service
	ends_before rtslib-fb-targetctl open-iscsi.service
	ends_before nfs-server mnt-share.mount
	ends_before xroce-link@t0 'nfs-server.service open-iscsi.service'
}

# ends_before SERVICE UNITS
ends_before() {
	local dir=/etc/systemd/system/$1.service.d

	mkdir -p "$dir"
	printf '[Unit]\nBefore=%s\n' "$2" >"$dir/both.conf"
}

boots() { systemd_boot multi-user.target; }

# The commands of the page, until those that remove everything.
page() {
	sed '/^## What happens when/,$d' "$top/doc/storage.md" >"$work/storage.md"
	sd "$top/selftests/doc/transcript.py" "$work/storage.md" && wrote first
}

# wrote TEXT: the host writes it to a file on the NVMe disk; sees TEXT: and reads it from there
wrote() { echo "$1" | sd tee "/mnt/disk/$1" >/dev/null && sees "$1"; }

sees() { sd sync && echo 3 >/proc/sys/vm/drop_caches && [ "$(sd cat "/mnt/disk/$1")" = "$1" ]; }

# has_disk MIB
has_disk() {
	sd test -b /dev/nvme0n1 && [ "$(sd blockdev --getsize64 /dev/nvme0n1)" = $(($1 << 20)) ]
}

# The target restarts while the host has the disk: the host waits and goes on.
restarts() {
	local i

	for i in $(seq "$(amount 1 2)"); do
		ctl restart nvme-target@t0 && wait_until 60 is_live &&
			sees first && wrote "restart$i" || {
			dmesg | tail -n 20 | cut -c 1-160 | sed 's/^/# /'
			return 1
		}
	done
}

is_live() { [ "$(cat /sys/class/nvme/nvme*/state)" = live ]; }

# The host's unit takes its mount along.
restarts_host() {
	local i

	for i in $(seq "$(amount 1 2)"); do
		ctl stop nvme-host@h0 && ! sd mountpoint -q /mnt/disk &&
			ctl start nvme-host@h0 && ctl restart nvme-host@h0 &&
			wait_until 60 has_disk 64 && ctl start mnt-disk.mount && sees first || return 1
	done
}

nothing_served() {
	[ -d $nvmet/ports ] && [ -z "$(find $nvmet/*/ -mindepth 1 -maxdepth 1)" ]
}

stops() {
	ctl stop nvme-host@h0 && [ ! -e /sys/class/nvme/nvme0 ] && ! sd mountpoint -q /mnt/disk &&
		ctl stop nvme-target@t0 && nothing_served
}

# An image that has grown keeps its size and what is in it.
grows() {
	truncate -s 96M $image && ctl start nvme-target@t0 nvme-host@h0 &&
		wait_until 60 has_disk 96 && [ "$(stat -c %s $image)" = $((96 << 20)) ] &&
		ctl start mnt-disk.mount && sees first
}

# A target that cannot start leaves nothing, and the next start works.
fails() {
	ctl stop nvme-host@h0 nvme-target@t0 || return 1
	sed -i 's,^ADDRESS=.*,ADDRESS=10.81.0.99,' /etc/xroce/nvme-target-t0.conf
	! sd systemctl start nvme-target@t0 >"$work/said" 2>&1 && nothing_served || return 1
	sed -i 's,^ADDRESS=.*,ADDRESS=0.0.0.0,' /etc/xroce/nvme-target-t0.conf
	ctl start nvme-target@t0 nvme-host@h0
}

# A target whose names are taken cannot start, says so, and leaves the other one alone.
second() { # SETTING PATTERN
	sed "$1" /etc/xroce/nvme-target-t0.conf >/etc/xroce/nvme-target-h0.conf
	! sd systemctl start nvme-target@h0 >"$work/said" 2>&1 || return 1
	sd journalctl --no-pager -o cat -u nvme-target@h0 | grep "$2" >"$work/said" &&
		[ "$(ls $nvmet/subsystems)" = disk ] && [ "$(ls $nvmet/ports)" = 4420 ] && is_live &&
		sees first && sd systemctl reset-failed nvme-target@h0
}

seconds() {
	wait_until 60 has_disk 96 && ctl start mnt-disk.mount || return 1
	second '' 'subsystems/disk is there already: choose another NAME, or remove it$' &&
		second 's/^NAME=.*/NAME=other/' 'ports/4420 is there already: choose another PORT' &&
		rm /etc/xroce/nvme-target-h0.conf
}

powers_off() {
	systemd_poweroff
	wait_until 200 systemd_is_gone && nothing_served && ! verbs_exists xr0 &&
		! verbs_exists rxe_h0 && [ ! -e /sys/class/nvme/nvme0 ] &&
		[ -z "$(ls /sys/class/iscsi_session)" ] || {
		find $nvmet /sys/class/{infiniband,nvme,iscsi_session}/ -mindepth 1 | sed 's/^/# /'
		return 1
	}
}

systemd_is_gone() { ! pgrep -x systemd; }

# All is there that the page has set up, and what was written.
comes_back_nvme() { wait_until 300 sd mountpoint -q /mnt/disk && sees first && sees restart1; }

comes_back_nfs() {
	wait_until 120 sd mountpoint -q /mnt/share && [ "$(sd cat /mnt/share/file)" = hello ] &&
		sd grep -q ' /mnt/share nfs4 .*proto=rdma' /proc/mounts
}

comes_back_iser() {
	wait_until 120 sd test -b /dev/sda && sd mount /dev/sda /mnt/iser &&
		[ "$(sd cat /mnt/iser/file)" = hello ] && sd umount /mnt/iser
}

# said COMMAND...: show the journal if it fails
said() {
	"$@" && return
	sd journalctl --no-pager -o cat -b -n 80 | cut -c 1-160 | sed 's/^/# /'
	return 1
}

needs_systemd
needs_verbs
storage_needs
echo 'TAP version 13'
module_up
storage_up
both_ends_here
run storage_boots 'U6' boots
run storage_page 'U6 K2 K3 K4' page
run storage_restart 'U6 K5' restarts
run storage_restart_host 'U6 K5' restarts_host
run storage_stop 'U6' stops
run storage_grown 'U6 K5' grows
run storage_fails 'U6' fails
run storage_seconds 'U6' seconds
run storage_power_off 'U6' powers_off
run storage_boot_again 'U6' boots
run storage_again_nvme 'U6 K5' said comes_back_nvme
run storage_again_nfs 'U6 K5' said comes_back_nfs
run storage_again_iser 'U6 K5' said comes_back_iser
run storage_power_off_again 'U6' powers_off
results
