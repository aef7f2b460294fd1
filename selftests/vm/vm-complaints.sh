#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Print what a kernel complains of in its log, with line numbers: warnings, bugs, reports of
# lockdep, KASAN and the like, stalls. The exit status is 1 if there is nothing.
#
# usage: vm-complaints.sh LOG
set -euo pipefail

p='\bWARNING\b|\bBUG\b|\bOops\b|Call Trace|Kernel panic'
p+='|general protection|unable to handle|[Bb]ad page|corruption'
p+='|refcount_t|\bUBSAN\b|\bKASAN\b|\bKFENCE\b|ODEBUG: .* object:'
p+='|INFO: (possible|trying|suspicious|inconsistent|task|rcu)'
p+='|possible (circular|recursive|irq lock)|suspicious RCU'
p+='|self-detected stall|detected stalls|detected expedited stalls'
p+='|soft lockup|hard LOCKUP|workqueue lockup|blocked for more than'
p+='|scheduling while atomic|sleeping function called'
p+='|\[xroce\w*\] enqueued on deprecated workqueue'
p+='|kmemleak: .*suspected|page_owner tracks'

# Clear the lines of warnings that are known defects of Linux and do not concern RDMA.
#
# Logging out of iSCSI deletes SCSI devices in a work item that memory reclaim may wait for. If
# their runtime power management has work pending at this moment, it is flushed on a workqueue
# without WQ_MEM_RECLAIM, and the kernel warns of it, once in a boot. The transport does not
# matter. Only the WARNING and the Call Trace that follow this line are cleared.
#
# provider_fault_test lets each allocation of a thread fail once, and the kernel prints a trace if
# it is that of the thread's stack.
clear_known() {
	awk '
	/workqueue: WQ_MEM_RECLAIM iscsi_ctrl_[0-9:]+:__iscsi_unbind_session \[scsi_transport_iscsi\] is flushing !WQ_MEM_RECLAIM pm:pm_runtime_work$/ {
		known = 2 # lines to come
	}
	/provider_fault_: vmalloc error: size [0-9]+, (vm_struct|page) allocation failed/ {
		known = 1
	}
	known == 2 && /WARNING: .* check_flush_dependency/ { known = 1; $0 = "" }
	known == 1 && /Call Trace:$/ { known = 0; $0 = "" }
	{ print }'
}

# x86 prints this at boot when it starts to look for corruption.
tr -d '\r' <"$1" | clear_known | grep -nE "$p" | grep -v 'Scanning .* for low memory corruption'
