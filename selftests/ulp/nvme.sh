#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# NVMe over Fabrics: the kernel's host and target on verbs devices, xroce with xroce and with rxe.
#
# usage: nvme.sh [PART]...   only tests whose name has one of the PARTs
# XROCE_ULP_MIB: see ulp.sh
set -eu

here=$(realpath "$(dirname "$0")")
. "$here/../lib/nvme_ends.sh"

rows=("$@")
work_up

# A host that asks for a subsystem that is not there.
refused() { ! to_target connect --nqn no-such >"$work/refused" 2>&1; }

# The kernel measures the queues of the host, and has moderated some of them; the target's link holds
# events for long.
modified=/sys/kernel/tracing/events/rdma_core/cq_modify
adaptive_on() {
	echo 1 >$modified/enable
	undo+=(adaptive_off)
	rdma dev set hr adaptive-moderation on
	"$xroce" link set dev t0 moderation 64/2000
}
adaptive_off() { echo 0 >$modified/enable; }

adaptive() {
	disk_verifies && grep -q 'cq_modify: .*comps=[^1]' /sys/kernel/tracing/trace
}

needs_module
needs_verbs
ulp_needs nvme fio mkfs.ext4 mkfs.xfs nvme-rdma.ko nvmet-rdma.ko null_blk.ko
echo 'TAP version 13'
ulp_configfs
module_up
verbs_module_up
# What host and target are asked for on the same two xroce devices.
if some_wanted nvme_xroce_xroce_{verify,ext4} nvme_srq_verify nvme_ipv6_xroce_xroce; then
	before_devices=${#undo[@]}
	ulp_up xroce xroce
	nvme_ends_up
	run nvme_xroce_xroce_verify 'K2 K1' disk_verifies
	run nvme_xroce_xroce_ext4 'K2' disk_files ext4
	undo_to_mark || result 1 nvme_xroce_xroce_down 'K2'
	# The target takes the requests of all its queues from shared ones, one for each CPU.
	nvmet_options=(use_srq=1)
	nvme_ends_up
	run nvme_srq_verify 'K2 K1' srq_verifies nvmet_rdma
	undo_to_mark || result 1 nvme_srq_down 'K2'
	nvmet_options=()
	nvme_over ipv6
	nvme_ends_up
	run nvme_ipv6_xroce_xroce 'K2 D1' disk_verifies
	undo_to_mark || result 1 nvme_ipv6_xroce_xroce_down 'K2'
	nvme_over ipv4
	undo_marked=$before_devices
	undo_to_mark || result 1 nvme_devices_down 'K2'
fi
# On devices of their own: the kernel keeps completion queues, as they are, as long as a device.
if some_wanted nvme_moderated_{verify,device_gone,host_gone}; then
	undo_mark
	ulp_up xroce xroce
	adaptive_on
	target_up
	host_up "${nvme_soon[@]}"
	run nvme_moderated_verify 'K2 V6' adaptive
	run nvme_moderated_device_gone 'K5 V6' upset device_gone
	run nvme_moderated_host_gone 'K5 V6 V1' host_loses hr_gone hr_up
	undo_to_mark || result 1 nvme_moderated_down 'K2'
fi
for pair in 'xroce rxe' 'rxe xroce'; do
	name=nvme_${pair/ /_}
	some_wanted "${name}_verify" "${name}_ext4" || continue
	# shellcheck disable=SC2086
	nvme_up $pair
	run "${name}_verify" 'K2 K1' disk_verifies
	run "${name}_ext4" 'K2' disk_files ext4
	undo_to_mark || result 1 "${name}_down" 'K2'
done
nvme_over ipv6
for pair in 'xroce rxe' 'rxe xroce'; do
	name=nvme_ipv6_${pair/ /_}
	is_long || continue
	some_wanted "$name" || continue
	# shellcheck disable=SC2086
	nvme_up $pair
	run "$name" 'K2 D1' disk_verifies
	undo_to_mark || result 1 "${name}_down" 'K2'
done
nvme_over ipv4
if some_wanted nvme_fault_{refused,unload,link_down,port_gone,module_gone,device_gone} \
	nvme_fault_{host_device_gone,devices_gone,loss,xfs}; then
	nvme_up xroce xroce wire
	run nvme_fault_refused 'K2 K5' refused
	run nvme_fault_unload 'K5 V1' upset module_held
	run nvme_fault_link_down 'K5' upset ulp_link_goes
	run nvme_fault_port_gone 'K5' upset port_gone
	run nvme_fault_module_gone 'K5' upset module_gone
	run nvme_fault_device_gone 'K5' upset device_gone
	run nvme_fault_host_device_gone 'K5 V1' host_loses hr_gone hr_up
	# When both devices go, the host's nvme_rdma of Linux 6.12 reads memory that it has freed, with
	# devices of rxe as well: KASAN reports it.
	grep -q ' kasan_report$' /proc/kallsyms ||
		run nvme_fault_devices_gone 'K5 V1' host_loses all_gone all_up
	ulp_loses 1
	run nvme_fault_loss 'K5' disk_verifies
	run nvme_fault_xfs 'K5 K2' disk_files xfs
	undo_to_mark || result 1 nvme_fault_down 'K5'
fi
results
