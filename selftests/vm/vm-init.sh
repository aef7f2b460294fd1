#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Process 1 of the machine that vm.sh starts, with the host's files as root:
# run the command, leave its exit status, power off.
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
ip link set lo up

# A terminal, so that programs write line by line, but one that leaves the
# bytes alone.
exec >/dev/hvc0 2>&1
stty -F /dev/hvc0 raw -echo

# Where the kernel looks for memory that nobody points to any more, it is asked
# to: what is young may be on its way into a list, and is spared at first.
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
