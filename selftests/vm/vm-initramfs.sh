#!/bin/busybox sh
# SPDX-License-Identifier: GPL-2.0-only
#
# /init of the initramfs of vm.sh: make the host's files the root, mount the rest, continue
# with vm-init.sh there. Uses busybox only, because starting a program of the host takes 0.1
# s before anything is cached. Variables come from the kernel command line.
set -eu
b=/bin/busybox

# The tmpfs mounts must not hide the checkout or the kernel's modules.
show_again() {
	[ ! -d "/root$1" ] || return 0
	$b mkdir -p "/root$1"
	$b mount -o bind "/overlay$1" "/root$1"
}

new_root() {
	$b mkdir -p /lower /rw /overlay /root
	$b mount -t 9p -o ro,cache=loose,$p9 root /lower
	$b mount -t tmpfs tmpfs /rw
	$b mkdir /rw/upper /rw/work
	$b mount -t overlay \
		-o lowerdir=/lower,upperdir=/rw/upper,workdir=/rw/work \
		overlay /overlay
	$b mount -o bind /overlay /root
}

kernel_mounts() {
	cd /root
	$b mount -t proc proc proc
	$b mount -t sysfs sysfs sys
	$b mount -t devtmpfs devtmpfs dev
	$b mkdir -p dev/pts dev/shm dev/hugepages
	$b mount -t devpts devpts dev/pts
	$b mount -t hugetlbfs hugetlbfs dev/hugepages
	$b mount -t tmpfs tmpfs dev/shm
	$b mount -t tmpfs tmpfs run
	$b mount -t tmpfs tmpfs tmp
	$b mount -t bpf bpf sys/fs/bpf
	$b mount -t tracefs tracefs sys/kernel/tracing
	$b mount -t debugfs debugfs sys/kernel/debug
	$b mount -t cgroup2 cgroup2 sys/fs/cgroup
	$b ln -s /proc/self/fd dev/fd
	$b ln -s fd/0 dev/stdin
	$b ln -s fd/1 dev/stdout
	$b ln -s fd/2 dev/stderr
	$b mkdir -p run/netns run/lock
	cd /
}

checkout_mounts() {
	local modules dir

	modules=/lib/modules/$($b uname -r)
	$b mkdir -p "/root$modules"
	if [ "$XROCE_ROOT" = / ]; then
		show_again "$XROCE_TOP"
		show_again "$XROCE_KERNEL"
		$b mount -o bind "/root$XROCE_KERNEL$modules" "/root$modules"
	else
		$b mkdir -p "/root$XROCE_TOP"
		$b mount -t 9p -o ro,cache=loose,$p9 top "/root$XROCE_TOP"
		$b mount -t 9p -o ro,cache=loose,$p9 modules "/root$modules"
	fi
	$b mount -t 9p -o cache=mmap,$p9 build "/root$XROCE_TOP/build"
	# Nothing is written where the programs are: no questions to the host at each start.
	[ "$XROCE_ROOT" = / ] || return 0
	for dir in bpf examples kmod selftests user; do
		[ ! -d "/lower$XROCE_TOP/build/$dir" ] ||
			$b mount -o bind "/lower$XROCE_TOP/build/$dir" "/root$XROCE_TOP/build/$dir"
	done
}

p9=trans=virtio,version=9p2000.L,msize=512000
while read -r module; do
	$b insmod "/modules/$module"
done </modules/order

if [ -n "${XROCE_PROBE:-}" ]; then
	$b mkdir -p /dev
	$b mount -t devtmpfs devtmpfs /dev
	echo alive >/dev/hvc0
	$b poweroff -f
fi

new_root
kernel_mounts
checkout_mounts
exec $b switch_root /root /bin/bash "$XROCE_TOP/selftests/vm/vm-init.sh"
