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

status=0
bash "$XROCE_RUN/command" </dev/null || status=$?
echo "$status" >"$XROCE_RUN/status"
