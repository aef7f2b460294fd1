# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# NVMe over Fabrics between the ends of ulp.sh. Source it after that; $work is a directory.

nvme_transport=rdma
nvmet=/sys/kernel/config/nvmet
nqn=xroce-test

# The target: a disk, a subsystem with it, and a port.
target_up() {
	modprobe nvmet-$nvme_transport
	undo+=(target_down)
	disk=$(ulp_disk xroce0 512)
	mkdir $nvmet/subsystems/$nqn
	echo 1 >$nvmet/subsystems/$nqn/attr_allow_any_host
	mkdir $nvmet/subsystems/$nqn/namespaces/1
	echo -n "$disk" >$nvmet/subsystems/$nqn/namespaces/1/device_path
	echo 1 >$nvmet/subsystems/$nqn/namespaces/1/enable
	mkdir $nvmet/ports/1
	echo $nvme_transport >$nvmet/ports/1/addr_trtype
	echo ipv4 >$nvmet/ports/1/addr_adrfam
	echo $target4 >$nvmet/ports/1/addr_traddr
	echo 4420 >$nvmet/ports/1/addr_trsvcid
	port_up
}

port_up() { ln -s $nvmet/subsystems/$nqn $nvmet/ports/1/subsystems/$nqn; }

port_down() { rm $nvmet/ports/1/subsystems/$nqn; }

target_down() {
	[ ! -e $nvmet/ports/1/subsystems/$nqn ] || port_down
	rmdir $nvmet/ports/1
	echo 0 >$nvmet/subsystems/$nqn/namespaces/1/enable
	rmdir $nvmet/subsystems/$nqn/namespaces/1 $nvmet/subsystems/$nqn
	ulp_disk_down xroce0
	modprobe -r nvmet-$nvme_transport
}

uuid=6b1f2a3c-0d4e-4f5a-8b6c-7d8e9f0a1b2c

# host_up WORD...: connect; sets $drive
host_up() {
	modprobe nvme-$nvme_transport
	undo+=(host_down)
	nvme connect --transport $nvme_transport --traddr $target4 --trsvcid 4420 --host-traddr $host4 \
		--nqn $nqn --hostnqn nqn.2014-08.org.nvmexpress:uuid:$uuid --hostid $uuid \
		--nr-io-queues 2 "$@" >"$work/connect" 2>&1 ||
		{ sed 's/^/# /' "$work/connect"; dmesg | tail -n 5 | sed 's/^/# /'; return 1; }
	wait_until 10 host_ready
}

host_ready() {
	local dir

	for dir in /sys/class/nvme/nvme*; do
		drive=$(ls -d "$dir"/nvme*n1 2>/dev/null) && break
	done
	drive=/dev/${drive##*/}
	# The multipath name of nvme0c0n1 is nvme0n1.
	drive=$(sed -E 's/c[0-9]+n/n/' <<<"$drive")
	[ -b "$drive" ]
}

host_down() {
	nvme disconnect --nqn $nqn >/dev/null
	modprobe -r nvme-$nvme_transport
}
