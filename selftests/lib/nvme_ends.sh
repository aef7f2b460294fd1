# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# NVMe over Fabrics between the ends of ulp.sh. $work is a directory.

. "$(dirname "${BASH_SOURCE[0]}")/ulp.sh"

nvme_transport=rdma
nvmet=/sys/kernel/config/nvmet
nqn=xroce-test

# nvme_over ipv4|ipv6: choose the addresses of host and target
nvme_over() {
	nvme_family=$1
	case $1 in
	ipv4) nvme_host=$host4 nvme_target=$target4 ;;
	ipv6) nvme_host=$host6 nvme_target=$target6 ;;
	esac
}
nvme_over ipv4

# The target: a disk, a subsystem with it, and a port. $nvmet_options are of its module.
nvmet_options=()
target_up() {
	modprobe nvmet-$nvme_transport "${nvmet_options[@]}"
	undo+=(target_down)
	disk=$(ulp_disk xroce0 512)
	mkdir $nvmet/subsystems/$nqn
	echo 1 >$nvmet/subsystems/$nqn/attr_allow_any_host
	namespace_up 1 "$disk"
	port_make 1 4420
	port_up
}

# namespace_up NUMBER PATH: a block device, or a file
namespace_up() {
	local dir=$nvmet/subsystems/$nqn/namespaces/$1

	mkdir "$dir"
	echo -n "$2" >"$dir/device_path"
	[ -b "$2" ] || echo 1 >"$dir/buffered_io"
	echo 1 >"$dir/enable"
}

# namespace_down NUMBER
namespace_down() {
	echo 0 >"$nvmet/subsystems/$nqn/namespaces/$1/enable"
	rmdir "$nvmet/subsystems/$nqn/namespaces/$1"
}

# port_make NUMBER SERVICE: a port, without the subsystem
port_make() {
	local dir=$nvmet/ports/$1

	mkdir "$dir"
	echo $nvme_transport >"$dir/addr_trtype"
	echo $nvme_family >"$dir/addr_adrfam"
	echo $nvme_target >"$dir/addr_traddr"
	echo "$2" >"$dir/addr_trsvcid"
}

# port_up [NUMBER], port_down [NUMBER]: the port has the subsystem, or no longer
port_up() { ln -s $nvmet/subsystems/$nqn "$nvmet/ports/${1:-1}/subsystems/$nqn"; }

port_down() { rm "$nvmet/ports/${1:-1}/subsystems/$nqn"; }

target_down() {
	[ ! -e $nvmet/ports/1/subsystems/$nqn ] || port_down
	rmdir $nvmet/ports/1
	namespace_down 1
	rmdir $nvmet/subsystems/$nqn
	ulp_disk_down xroce0
	modprobe -r nvmet-$nvme_transport
}

uuid=6b1f2a3c-0d4e-4f5a-8b6c-7d8e9f0a1b2c
hostnqn=nqn.2014-08.org.nvmexpress:uuid:$uuid

# to_target VERB WORD...: a verb of nvme(1) that needs the target's address
to_target() {
	local verb=$1
	shift

	nvme "$verb" --transport $nvme_transport --traddr $nvme_target --trsvcid 4420 \
		--host-traddr $nvme_host --hostnqn $hostnqn --hostid $uuid "$@"
}

# host_up WORD...: connect; sets $drive
host_up() {
	modprobe nvme-$nvme_transport
	undo+=(host_down)
	host_connects "$@"
}

host_connects() {
	to_target connect --nqn $nqn --nr-io-queues 2 "$@" >"$work/connect" 2>&1 ||
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
	# The node of a disk of this name that is gone stays for a moment.
	[ -b "$drive" ] && blockdev --getsize64 "$drive"
}

host_down() {
	nvme disconnect --nqn $nqn >/dev/null
	modprobe -r nvme-$nvme_transport
}

# nvme_up HOST TARGET [WIRE]: all of this, with a host that soon connects again
nvme_up() {
	undo_mark
	ulp_up "$@"
	target_up
	host_up "${nvme_soon[@]}"
}

# nvme_ends_up: the same on devices that are there
nvme_ends_up() {
	undo_mark
	target_up
	host_up "${nvme_soon[@]}"
}

nvme_soon=(--reconnect-delay 1 --ctrl-loss-tmo 60 --keep-alive-tmo 5)

# state STATE: the controller has it
state() { [ "$(cat /sys/class/nvme/nvme*/state)" = "$1" ]; }

# ctrl: the name of the controller
ctrl() { basename /sys/class/nvme/nvme*; }

# upset COMMAND...: COMMAND disturbs a job, and the controller is live again.
upset() { ulp_upset "$drive" "$@" && wait_until 60 state live; }

# Disturbances of a job.

port_gone() {
	port_down
	wait_until 20 state connecting
	sleep 2
	port_up
}

# The same, and the target's module is unloaded while the host tries to connect.
module_gone() {
	port_down
	rmmod nvmet_rdma
	wait_until 20 state connecting
	sleep 2
	modprobe nvmet-rdma
	port_up
}

# The target's device goes, with all connections, and comes again.
device_gone() {
	rdma link delete tr
	wait_until 20 state connecting
	tr_up
}

no_ctrl() { [ -z "$(ls /sys/class/nvme)" ]; }

# hr_gone, hr_up, tr_up: a device goes and comes again
hr_gone() { rdma link delete hr; }

hr_up() { ulp_verbs hr h0 xroce 1; }

tr_up() {
	ulp_verbs tr t0 xroce 2
	port_down
	port_up
}

# host_loses TAKE GIVE: the command TAKE takes the host's device away during a job: its kernel
# deletes the controller, and the job fails. After the command GIVE the host connects again, and what
# was acknowledged before is there.
host_loses() {
	local job status=0 seed=$((SECONDS * 100 + RANDOM % 100))

	ulp_job "$drive" $seed || return 1
	timeout 120 fio --name lost --filename "$drive" --ioengine libaio --direct 1 --rw randwrite \
		--bs 4k --iodepth 16 --offset 64m --size 16m --time_based --runtime 100 \
		>"$work/lost" 2>&1 &
	job=$!
	wait_until 40 ulp_job_writes || status=1
	"$1" || status=1
	! wait $job && wait_until 30 no_ctrl || status=1
	"$2" && host_connects "${nvme_soon[@]}" && ulp_job "$drive" $seed --verify_only || status=1
	[ $status = 0 ] || ulp_explain
	return $status
}

# The module is not unloaded while the host has connections.
module_held() {
	! rmmod xroce_ib 2>"$work/held" && grep -q 'is in use' "$work/held"
}

# Both devices go while they are in use, and then the module.
all_gone() {
	rdma link delete hr && rdma link delete tr && wait_until 10 rmmod xroce_ib
}

all_up() { insmod "$verbs_module" && hr_up && tr_up; }

# The host ends its connections and makes them anew, several times.
resets() {
	local i

	for i in 1 2 3 4; do
		nvme reset "/dev/$(ctrl)" && wait_until 20 state live &&
			nvme ns-rescan "/dev/$(ctrl)" || return 1
	done
}
