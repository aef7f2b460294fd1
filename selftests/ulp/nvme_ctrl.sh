#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# NVMe over Fabrics: what a host does with controllers besides reading and writing. The cases are
# those of the nvme group of blktests that depend on the transport.
#
# usage: nvme_ctrl.sh [PART]...   only tests whose name has one of the PARTs
set -eu

here=$(realpath "$(dirname "$0")")
. "$here/../lib/nvme_ends.sh"

rows=("$@")
work_up

# The log has $nqn, and all of the others that the port has.
discovery() {
	to_target discover >"$work/log" && grep -q '^trtype:  rdma$' "$work/log" &&
		grep -q "^subnqn:  $nqn\$" "$work/log"
}

# The number of changes of the log.
generation() { sed -nE 's/.*Generation counter ([0-9]+).*/\1/p' "$work/log"; }

# A subsystem comes and goes.
discovers() {
	local other=$nvmet/subsystems/xroce-other before status=0

	mkdir $other
	ln -s $other $nvmet/ports/1/subsystems/
	echo 1 >$other/attr_allow_any_host
	discovery && grep -q '^subnqn:  xroce-other$' "$work/log" || status=1
	before=$(generation)
	rm $nvmet/ports/1/subsystems/xroce-other
	rmdir $other
	discovery && ! grep -q xroce-other "$work/log" &&
		[ "$(generation)" -gt "$before" ] || status=1
	[ $status = 0 ] || sed 's/^/# /' "$work/log"
	return $status
}

# says PATTERN VERB WORD...: a line that a verb of nvme(1) prints
says() {
	local pattern=$1
	shift

	nvme "$@" >"$work/said" 2>&1 && grep -qE -e "$pattern" "$work/said" ||
		{ echo "# nvme $*:"; head -n 5 "$work/said" | sed 's/^/# /'; return 1; }
}

# Commands for the controller, whose answers are data.
identifies() {
	local dev blocks status=0

	dev=/dev/$(ctrl)
	blocks=$(blockdev --getsz "$drive")
	says "^subnqn +: $nqn\$" id-ctrl "$dev" || status=1
	says "^nsze +: 0x$(printf %x "$blocks")\$" id-ns "$drive" || status=1
	says '^uuid +: ' ns-descs "$drive" || status=1
	says '^critical_warning' smart-log "$dev" || status=1
	says "traddr=$target4" list-subsys || status=1
	says "^$drive " list || status=1
	return $status
}

# blocks VERB COUNT WORD...: a command for COUNT blocks from 100 on, without the block layer
blocks() {
	local verb=$1 count=$2
	shift 2

	nvme "$verb" "$drive" --start-block 100 --block-count $((count - 1)) "$@" >"$work/said" 2>&1 ||
		{ echo "# nvme $verb, $count blocks:"; sed 's/^/# /' "$work/said"; return 1; }
}

# data VERB COUNT FILE: with as many blocks of data
data() { blocks "$1" "$2" --data-size $(($2 * 512)) --data "$3"; }

commands() {
	local count

	for count in 1 8 256; do
		head -c $((count * 512)) /dev/urandom >"$work/data"
		data write $count "$work/data" && data read $count "$work/got" &&
			cmp "$work/data" "$work/got" || return 1
	done
	blocks write-zeroes 256 && data read 256 "$work/got" &&
		cmp -n $((256 * 512)) /dev/zero "$work/got" || return 1
	says success flush "$drive" --namespace-id 1 &&
		says success dsm "$drive" --namespace-id 1 --ad 1 --slbs 0 --blocks 8
}

# A read beyond the end fails, and the connection stays.
beyond() {
	! nvme read "$drive" --start-block "$(blockdev --getsz "$drive")" --block-count 0 \
		--data-size 512 --data "$work/got" >"$work/said" 2>&1 &&
		grep -q '^NVMe status' "$work/said" && state live && data read 1 "$work/got"
}

# A second namespace, of a file, comes and goes.
second_namespace() {
	local second=${drive%1}2 i

	truncate -s 16M "$work/second"
	for i in 1 2 3; do
		namespace_up 2 "$work/second"
		wait_until 20 test -b "$second" || return 1
		head -c 1M /dev/urandom >"$work/data"
		dd if="$work/data" of="$second" bs=64k oflag=direct status=none &&
			cmp -n 1048576 "$work/data" "$second" &&
			cmp -n 1048576 "$work/data" "$work/second" || return 1
		namespace_down 2
		wait_until 20 test ! -b "$second" || return 1
	done
	rm "$work/second"
}

# has_queues N: the controller has N of them, and one for commands
has_queues() { [ "$(cat "/sys/class/nvme/$(ctrl)/queue_count")" = $(($1 + 1)) ]; }

# The target allows fewer queues, and more again; each time it ends the connections.
other_queues() {
	local attr=$nvmet/subsystems/$nqn/attr_qid_max all

	all=$(cat $attr)
	echo 1 >$attr
	wait_until 30 has_queues 1 && wait_until 30 state live || return 1
	echo "$all" >$attr
	wait_until 30 has_queues 2 && wait_until 30 state live
}

# The controller is deleted while a job writes. The job fails, soon, and the disk works when it is
# there again.
deleted() {
	local job status=0 began

	ulp_job "$drive" 1 >/dev/null &
	job=$!
	wait_until 20 ulp_job_writes || status=1
	began=$SECONDS
	echo 1 >"/sys/class/nvme/$(ctrl)/delete_controller"
	! wait $job && [ $((SECONDS - began)) -lt $((30 * ${XROCE_SLOW:-1})) ] || status=1
	[ ! -b "$drive" ] && host_connects "${nvme_soon[@]}" && ulp_job "$drive" 2 || status=1
	return $status
}

# How many objects the devices have.
objects() { rdma resource show; }

unconnected() { ! rdma resource show qp | grep -q ' type RC '; }

as_before() { objects | cmp - "$work/objects"; }

# Connections in quick succession leave nothing.
often() {
	local i

	nvme disconnect --nqn $nqn >/dev/null
	wait_until 20 unconnected
	objects >"$work/objects"
	for i in {1..8}; do
		host_connects && nvme disconnect --nqn $nqn >/dev/null || return 1
	done
	wait_until 20 as_before ||
		{ objects | diff "$work/objects" - | sed 's/^/# /'; return 1; }
	host_connects "${nvme_soon[@]}"
}

# Queues of their own for writes and for reads that poll: completion queues without interrupts.
polls() {
	local status=0

	nvme disconnect --nqn $nqn >/dev/null
	host_connects --nr-write-queues 1 --nr-poll-queues 1 && has_queues 4 &&
		fio --name polls --filename "$drive" --ioengine pvsync2 --hipri --direct 1 \
			--rw randwrite --bs 4k --size 4m --verify crc32c --do_verify 1 \
			--verify_fatal 1 --output-format terse >"$work/fio" 2>&1 ||
		{ tail -n 3 "$work/fio" | cut -c 1-200 | sed 's/^/# /'; status=1; }
	nvme disconnect --nqn $nqn >/dev/null
	host_connects "${nvme_soon[@]}" || status=1
	return $status
}

# Two controllers, at two ports: what one can no longer do the other does.
paths() {
	local status=0

	port_make 2 4421
	port_up 2
	host_connects "${nvme_soon[@]}" --trsvcid 4421 && ulp_upset "$drive" port_down || status=1
	port_up
	nvme disconnect --nqn $nqn >/dev/null
	port_down 2
	rmdir $nvmet/ports/2
	host_connects "${nvme_soon[@]}" || status=1
	return $status
}

# Only the host with the secret is let in (DH-HMAC-CHAP).
secret() {
	local host=$nvmet/hosts/$hostnqn sub=$nvmet/subsystems/$nqn key other status=0

	key=$(nvme gen-dhchap-key --nqn $nqn)
	other=$(nvme gen-dhchap-key --nqn $nqn)
	nvme disconnect --nqn $nqn >/dev/null
	mkdir "$host"
	echo "$key" >"$host/dhchap_key"
	echo 0 >$sub/attr_allow_any_host
	ln -s "$host" $sub/allowed_hosts/
	! host_connects >/dev/null || status=1
	! host_connects --dhchap-secret "$other" >/dev/null || status=1
	host_connects --dhchap-secret "$key" && data read 8 "$work/got" || status=1
	nvme disconnect --nqn $nqn >/dev/null
	rm "$sub/allowed_hosts/$hostnqn"
	echo 1 >$sub/attr_allow_any_host
	rmdir "$host"
	host_connects "${nvme_soon[@]}" || status=1
	return $status
}

needs_module
needs_verbs
ulp_needs nvme fio nvme-rdma.ko nvmet-rdma.ko null_blk.ko
echo 'TAP version 13'
ulp_configfs
module_up
verbs_module_up
nvme_up xroce xroce
run nvme_ctrl_discovers 'K2' discovers
run nvme_ctrl_identifies 'K2' identifies
run nvme_ctrl_commands 'K2' commands
run nvme_ctrl_beyond 'K2' beyond
run nvme_ctrl_namespace 'K2 K5' upset second_namespace
run nvme_ctrl_resets 'K5' upset resets
run nvme_ctrl_queues 'K5' upset other_queues
run nvme_ctrl_deleted 'K5' deleted
run nvme_ctrl_often 'K2' often
run nvme_ctrl_polls 'K2' polls
if [ -e /sys/module/nvme_core/parameters/multipath ]; then
	run nvme_ctrl_paths 'K2 K5' paths
fi
if modinfo nvme-auth >/dev/null 2>&1; then
	run nvme_ctrl_secret 'K2' secret
fi
results
