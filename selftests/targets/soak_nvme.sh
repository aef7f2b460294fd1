#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# NVMe over Fabrics for a long time: in each round, jobs write a disk and compare it while the
# connections are disturbed in all ways: links and ports that go away, controllers that are reset,
# devices and modules that are removed, and hosts that leave and return. The module stays loaded.
# Between rounds the kernel's memory is sampled; it must not grow.
#
# Environment: XROCE_SOAK: see rounds.sh.
set -eu

here=$(realpath "$(dirname "$0")")
. "$here/../lib/nvme_ends.sh"
. "$here/../lib/rounds.sh"

work_up

host_returns() {
	local i

	for i in 1 2 3 4 5; do
		nvme disconnect --nqn $nqn >/dev/null && host_connects "${nvme_soon[@]}" || return 1
	done
}

needs_module
needs_verbs
ulp_needs nvme fio nvme-rdma.ko nvmet-rdma.ko null_blk.ko
echo 'TAP version 13'
ulp_configfs
module_up
verbs_module_up
undo_mark
nvme_up xroce xroce wire
while another_round; do
	for what in ulp_link_goes port_gone resets device_gone module_gone; do
		run "soak_nvme_${rounds}_$what" 'K5' upset "$what"
	done
	run "soak_nvme_${rounds}_host_returns" 'K5' host_returns
	round_ends
done
memory_flat soak_nvme_memory 'K5 T3'
undo_to_mark || result 1 soak_nvme_down 'K5'
results
