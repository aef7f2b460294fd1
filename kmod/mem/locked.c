// SPDX-License-Identifier: GPL-2.0-only
/* Counting pages against RLIMIT_MEMLOCK. */
#include <linux/capability.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>

#include "uapi/xroce.h"

#include "own/limit.h"
#include "own/owner.h"

#include "locked.h"

/* @caller: the requesting file. Sleeps. Return: 0; -ENOMEM: more than its RLIMIT_MEMLOCK. */
static int xr_locked_count(const struct xr_owner *caller, struct mm_struct *mm, unsigned long nr)
{
	unsigned long limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;

	if (atomic64_add_return(nr, &mm->pinned_vm) <= limit ||
	    capable(CAP_IPC_LOCK))
		return 0;
	atomic64_sub(nr, &mm->pinned_vm);
	xr_refuse(caller, XROCE_COUNT_MEMLOCK, XR_REFUSED_MEMLOCK);
	return -ENOMEM;
}

/**
 * xr_locked_charge() - count pages against the caller's RLIMIT_MEMLOCK
 * @l: out: what is counted, for xr_locked_uncharge()
 * @caller: the requesting file
 * @mm: the memory that the pages belong to
 * @nr: number of pages
 *
 * They count for @mm, and also for the process that has opened @caller if that is another one.
 * Objects live as long as the file, and so may the pages, while a process that has inherited the
 * file, or that is registered by its number, ends: whatever processes register by a file is no more
 * than its opener may pin. Not with CAP_IPC_LOCK, which lifts the limit.
 *
 * Return: 0, or -ENOMEM: the limit.
 */
int xr_locked_charge(struct xr_locked *l, const struct xr_owner *caller, struct mm_struct *mm,
		     unsigned long nr)
{
	bool both = caller->mm && caller->mm != mm && !capable(CAP_IPC_LOCK);

	*l = (struct xr_locked){};
	if (xr_locked_count(caller, mm, nr))
		return -ENOMEM;
	if (both && xr_locked_count(caller, caller->mm, nr)) {
		atomic64_sub(nr, &mm->pinned_vm);
		return -ENOMEM;
	}
	l->nr = nr;
	l->mm = mm;
	mmgrab(mm);
	if (both) {
		l->opener = caller->mm;
		mmgrab(l->opener);
	}
	return 0;
}

static void xr_locked_drop(struct mm_struct *mm, unsigned long nr)
{
	if (!mm)
		return;
	atomic64_sub(nr, &mm->pinned_vm);
	mmdrop(mm);
}

/* Undo xr_locked_charge(). @l may be empty; the processes may have ended. */
void xr_locked_uncharge(struct xr_locked *l)
{
	xr_locked_drop(l->mm, l->nr);
	xr_locked_drop(l->opener, l->nr);
	*l = (struct xr_locked){};
}
