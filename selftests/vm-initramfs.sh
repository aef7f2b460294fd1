#!/bin/busybox sh
# SPDX-License-Identifier: GPL-2.0-only
#
# /init of the initramfs of vm.sh: make the host's files the root, go on with
# vm-init.sh there. Its variables come from the kernel's command line.
set -eu
b=/bin/busybox

while read -r module; do
	$b insmod "/modules/$module"
done </modules/order

if [ -n "${XROCE_PROBE:-}" ]; then
	$b mkdir -p /dev
	$b mount -t devtmpfs devtmpfs /dev
	echo alive >/dev/hvc0
	$b poweroff -f
fi

$b mkdir -p /lower /rw /root
$b mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000,cache=loose,ro \
	root /lower
$b mount -t tmpfs tmpfs /rw
$b mkdir /rw/upper /rw/work
$b mount -t overlay -o lowerdir=/lower,upperdir=/rw/upper,workdir=/rw/work \
	overlay /root
exec $b switch_root /root /bin/bash "$XROCE_TOP/selftests/vm-init.sh"
