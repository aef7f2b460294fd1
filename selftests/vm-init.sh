#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Process 1 of the machine that vm.sh starts, with the host's files as root:
# finish the mounts, run the command, leave its exit status, power off.
set -eu
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export HOME=/root TERM=dumb

# The tmpfs mounts must not hide the checkout or the kernel's modules.
show_again() {
	[ ! -d "$1" ] || return 0
	mkdir -p "$1"
	mount --bind "/mnt$1" "$1"
}

mounts() {
	local release

	mount --bind / /mnt
	mount -t proc proc /proc
	mount -t sysfs sysfs /sys
	mount -t devtmpfs devtmpfs /dev
	mkdir -p /dev/pts /dev/shm /dev/hugepages
	mount -t devpts devpts /dev/pts
	mount -t hugetlbfs hugetlbfs /dev/hugepages
	mount -t tmpfs tmpfs /dev/shm
	mount -t tmpfs tmpfs /run
	mount -t tmpfs tmpfs /tmp
	mount -t bpf bpf /sys/fs/bpf
	mount -t tracefs tracefs /sys/kernel/tracing
	mount -t debugfs debugfs /sys/kernel/debug
	mount -t cgroup2 cgroup2 /sys/fs/cgroup
	ln -sfn /proc/self/fd /dev/fd
	ln -sfn fd/0 /dev/stdin
	ln -sfn fd/1 /dev/stdout
	ln -sfn fd/2 /dev/stderr
	mkdir -p /run/netns /run/lock

	show_again "$XROCE_TOP"
	show_again "$XROCE_KERNEL"
	release=$(uname -r)
	mkdir -p "/lib/modules/$release"
	mount --bind "$XROCE_KERNEL/lib/modules/$release" "/lib/modules/$release"
	mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000,cache=mmap \
		build "$XROCE_TOP/build"
	umount -l /mnt
}

power_off() {
	sync
	busybox poweroff -f
}
trap power_off EXIT

mounts
hostname xroce-vm
ip link set lo up
echo 1 >/proc/sys/kernel/panic_on_oops

# A terminal, so that programs write line by line, but one that leaves the
# bytes alone.
exec >/dev/hvc0 2>&1
stty -F /dev/hvc0 raw -echo

status=0
bash "$XROCE_RUN/command" </dev/null || status=$?
echo "$status" >"$XROCE_RUN/status"
