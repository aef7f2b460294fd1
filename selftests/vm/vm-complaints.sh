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
#
# rxe frees the packets that a queue pair has left with interrupts disabled. If they lie in a page
# pool, lockdep complains of that, twice as WARNING and once as an inconsistent lock. Only these
# lines, and the Call Trace behind each, are cleared, and only if what follows names its function.
#
# rxe may end a READ early, with success, if packets are lost, and warns of that, once in a boot. It
# is cleared only if shadow_test tells of that READ afterwards.
clear_known() {
	awk '
	function clear(i,    last) {
		line[i] = ""
		for (last = i + 120; i <= last && line[i] !~ /Call Trace:$/; i++)
			;
		if (i <= last)
			line[i] = ""
	}
	# An interrupt, which may be ours, begins a trace with <IRQ>.
	function is_of_rxe(i,    last) {
		for (last = i + 40; i <= last && line[i] !~ /<IRQ>|cut here/; i++)
			if (line[i] ~ /\] +rxe_receiver\+|state_lock.* at: rxe_receiver/)
				return 1
	}
	{ line[NR] = $0 }
	/workqueue: WQ_MEM_RECLAIM iscsi_ctrl_[0-9:]+:__iscsi_unbind_session \[scsi_transport_iscsi\] is flushing !WQ_MEM_RECLAIM pm:pm_runtime_work$/ {
		unbinds = NR
	}
	/WARNING: .* check_flush_dependency/ && unbinds && NR - unbinds <= 2 { known[NR] = 1 }
	/provider_fault_: vmalloc error: size [0-9]+, .*failed/ {
		known[NR] = 1
	}
	/WARNING: .* (page_pool_put_unrefed_netmem|__local_bh_enable_ip)\+/ { rxe[NR] = 1 }
	/WARNING: inconsistent lock state$/ { rxe[NR] = 1 }
	/WARNING: .* rxe_completer\+/ { early = NR }
	/shadow_test: rxe has given way$/ && early { known[early] = 1 }
	END {
		for (i in rxe)
			if (is_of_rxe(i + 0))
				known[i] = 1
		for (i in known)
			clear(i + 0)
		for (i = 1; i <= NR; i++)
			print line[i]
	}'
}

# x86 prints this at boot when it starts to look for corruption.
tr -d '\r' <"$1" | clear_known | grep -nE "$p" | grep -v 'Scanning .* for low memory corruption'
