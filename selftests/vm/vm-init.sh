#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Process 1 of the machine that vm.sh starts, with the host's files as root: run the
# command, store its exit status, power off.
set -eu
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export HOME=/root TERM=dumb

power_off() {
	sync
	busybox poweroff -f
}
trap power_off EXIT

echo xroce-vm >/proc/sys/kernel/hostname
echo 1 >/proc/sys/kernel/panic_on_oops
# The emulated CPUs are slow, and wait for those of a busy host: what looks stuck after half a
# minute may not be. These are seconds; a soft lockup is reported after twice the first.
patient() { [ ! -w "$1" ] || echo "$2" >"$1"; }
patient /proc/sys/kernel/watchdog_thresh 60
patient /proc/sys/kernel/hung_task_timeout_secs 600
patient /sys/module/rcupdate/parameters/rcu_cpu_stall_timeout 120
ip link set lo up

# A terminal makes programs write line by line; raw mode leaves the bytes unchanged.
exec >/dev/hvc0 2>&1
stty -F /dev/hvc0 raw -echo

# Let kmemleak scan for leaks. Objects younger than a few seconds may be about to be linked
# somewhere, so it ignores them at first.
leaks=/sys/kernel/debug/kmemleak

leaks_begin() {
	[ ! -w "$leaks" ] || { echo scan; echo clear; } >"$leaks" 2>/dev/null || :
}

leaks_end() {
	local line

	[ -w "$leaks" ] || return 0
	for _ in 1 2; do
		sleep 6
		echo scan >"$leaks" || return 0
	done
	while read -r line; do
		echo "$line" >/dev/kmsg
	done <"$leaks"
}

leaks_begin
status=0
bash "$XROCE_RUN/command" </dev/null || status=$?
leaks_end
echo "$status" >"$XROCE_RUN/status"
