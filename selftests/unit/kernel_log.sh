#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Which lines of a kernel's log fail a run in the virtual machine, and which do not. Needs no
# module: the logs are made here.
set -eu

here=$(realpath "$(dirname "$0")")
. "$here/../lib/tap.sh"
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# complaints NUMBER...: the complaints about the log on stdin are these lines of it
complaints() {
	local found

	cat >"$log"
	found=$("$here/../vm/vm-complaints.sh" "$log" | cut -d : -f 1 | tr '\n' ' ') || :
	[ "$found" = "${*:+$* }" ] || { echo "# lines: $found, expected: $*"; return 1; }
}

# flush_warning BY WHAT: a warning of check_flush_dependency(), five lines
flush_warning() {
	cat <<-END
	[    7.000001] ------------[ cut here ]------------
	[    7.000002] workqueue: WQ_MEM_RECLAIM $1 is flushing !WQ_MEM_RECLAIM $2
	[    7.000003] WARNING: CPU: 1 PID: 77 at kernel/workqueue.c:3767 check_flush_dependency.part.0+0x1/0x2
	[    7.000004] Call Trace:
	[    7.000005] ---[ end trace 0000000000000000 ]---
	END
}

unbind='iscsi_ctrl_6:1:__iscsi_unbind_session [scsi_transport_iscsi]'
pm=pm:pm_runtime_work

quiet() {
	complaints <<-END
	[    0.100000] Scanning 1 areas for low memory corruption
	[    5.000000] xroce: module verification failed: signature and/or required key missing
	[    6.000000] infiniband xr0: set active
	END
}

reports() {
	complaints 2 3 4 5 6 7 8 <<-END
	[    1.000000] xroce: loaded
	[    2.000000] WARNING: CPU: 0 PID: 1 at kmod/qp/qp.c:1 xr_qp_get+0x1/0x2 [xroce]
	[    2.000001] Call Trace:
	[    3.000000] BUG: KASAN: slab-use-after-free in xr_qp_get+0x1/0x2 [xroce]
	[    4.000000] WARNING: possible circular locking dependency detected
	[    5.000000] rcu: INFO: rcu_preempt self-detected stall on CPU
	[    6.000000] kmemleak: 3 new suspected memory leaks (see /sys/kernel/debug/kmemleak)
	[    7.000000] workqueue: work func xr_reap [xroce] enqueued on deprecated workqueue
	END
}

known() { flush_warning "$unbind" $pm | complaints; }

# Our own work, another work of iSCSI, and another one that is flushed.
not_known() {
	flush_warning 'xroce:xr_teardown [xroce]' $pm | complaints 3 4 &&
		flush_warning 'iscsi_ctrl_6:1:xr_teardown [xroce]' $pm | complaints 3 4 &&
		flush_warning "$unbind" 'events:xr_teardown [xroce]' | complaints 3 4
}

# A known warning does not hide another one: not behind it, nor between its lines.
known_and_another() {
	{ flush_warning "$unbind" $pm; flush_warning 'xroce:xr_teardown [xroce]' $pm; } |
		complaints 8 9 &&
		flush_warning "$unbind" $pm |
		sed '2a [    7.000002] WARNING: CPU: 0 PID: 1 at kmod/qp/qp.c:1 xr_qp_get+0x1/0x2' |
		complaints 3
}

# stack_trace PROGRAM: what the kernel prints if a new thread gets no stack, twice
stack_trace() {
	for _ in 1 2; do
		echo "[    8.0] $1: vmalloc error: size 32768, vm_struct allocation failed, mode:0xdc0"
		echo "[    8.0] CPU: 1 UID: 0 PID: 141 Comm: $1 Tainted: G           O"
		echo '[    8.0] Call Trace:'
	done
}

# Only in the test that lets it fail, and only once for each.
known_stack() {
	stack_trace provider_fault_ | complaints && stack_trace xroce | complaints 3 6 &&
		{ stack_trace provider_fault_; echo '[    8.0] Call Trace:'; } | complaints 7
}

# pool_warning TRACE LOCK: what lockdep says of packets that are freed with interrupts disabled
pool_warning() {
	cat <<-END
	[    9.0] WARNING: CPU: 0 PID: 12 at net/core/page_pool.c:845 page_pool_put_unrefed_netmem+0x1/0x2
	[    9.0] Workqueue: rxe_wq do_work [rdma_rxe]
	[    9.0] Call Trace:
	[    9.0]  $1
	[    9.0] ------------[ cut here ]------------
	[    9.0] WARNING: inconsistent lock state
	[    9.0] ffff8881189cab18 $2
	[    9.0] Call Trace:
	END
}

# Those of rxe, but not ours, nor those of an interrupt meanwhile, and not those between.
known_pool() {
	local rxe='rxe_receiver+0x1/0x2 [rdma_rxe]' ours='(&qp->lock), at: xr_reap'
	local lock='(&qp->state_lock){+.?.}-{2:2}, at: rxe_receiver'

	pool_warning "$rxe" "$lock" | complaints &&
		pool_warning 'xr_reap+0x1/0x2 [xroce]' "$ours" | complaints 1 3 6 8 &&
		pool_warning $'<IRQ>\n[    9.0]  '"$rxe" "$lock" | complaints 1 3 &&
		pool_warning "$rxe" "$ours" | complaints 6 8 &&
		pool_warning "$rxe" "$lock" | sed '1a [    9.0] BUG: KASAN: slab' | complaints 2
}

# Only if the test tells of it, and afterwards.
known_early() {
	local told='[   10.9] shadow_test: rxe has given way' warned

	warned='[   10.0] WARNING: CPU: 1 PID: 31 at drivers/rxe_comp.c:827 rxe_completer+0x1/0x2'
	warned+=$'\n[   10.0] Call Trace:'
	printf '%s\n' "$warned" "$told" | complaints &&
		printf '%s\n' "$warned" | complaints 1 2 &&
		printf '%s\n' "$told" "$warned" | complaints 2 3
}

# What is far behind a known line belongs to another report.
known_far() {
	{ stack_trace provider_fault_ | head -n 2; yes '[    8.0] x' | head -n 119
		echo '[    8.0] BUG: KASAN: slab'; } | complaints 122
}

run kernel_log_quiet U5 quiet
run kernel_log_reports U5 reports
run kernel_log_known U5 known
run kernel_log_not_known U5 not_known
run kernel_log_known_and_another U5 known_and_another
run kernel_log_known_stack U5 known_stack
run kernel_log_known_pool U5 known_pool
run kernel_log_known_early U5 known_early
run kernel_log_known_far U5 known_far
results
