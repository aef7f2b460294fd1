// SPDX-License-Identifier: GPL-2.0-only
/* Faulting in what accesses have missed, and what they will. */
#include <linux/fs.h>
#include <linux/hmm.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>

#include "uapi/xroce.h"

#include "keep.h"
#include "odp.h"

/* Pages faulted in at a time: a page full of page frame numbers. */
#define XR_ODP_BATCH	(PAGE_SIZE / sizeof(unsigned long))
/* Of the first access that goes on where another one ended; then four times that. */
#define XR_ODP_WINDOW	8u

static bool xr_odp_closing(struct xr_odp *odp)
{
	return READ_ONCE(odp->closing);
}

/*
 * Memory that the kernel itself has no mapping of: hmm_range_fault() does not
 * ask. What is in the page cache of that file system is nowhere else.
 */
static bool xr_odp_secret(struct mm_struct *mm, unsigned long start,
			  unsigned long end)
{
	struct vm_area_struct *vma;

	for (vma = find_vma(mm, start); vma && vma->vm_start < end;
	     vma = find_vma(mm, vma->vm_end))
		if (vma->vm_file && file_inode(vma->vm_file)->i_sb->s_magic ==
				    SECRETMEM_MAGIC)
			return true;
	return false;
}

/* Make entries of what has been found. Return: how many; -EBUSY: it is outdated. */
static int xr_odp_install(struct xr_odp *odp, const struct hmm_range *range,
			  u64 first, u64 nr)
{
	unsigned long pfn;
	int ret = -EBUSY, made = 0;
	u64 i, entry;

	spin_lock(&odp->lock);
	if (mmu_interval_read_retry(&odp->notifier, range->notifier_seq))
		goto out;
	for (i = 0; i < nr; i++) {
		pfn = range->hmm_pfns[i];
		/* Where it was not to be faulted in. */
		if (!(pfn & HMM_PFN_VALID) || pfn & HMM_PFN_ERROR)
			continue;
		entry = PFN_PHYS(page_to_pfn(hmm_pfn_to_page(pfn))) |
			XR_ODP_READ;
		if (pfn & HMM_PFN_WRITE)
			entry |= XR_ODP_WRITE;
		xr_odp_put_entry(odp, first + i, entry);
		made++;
	}
	atomic64_add(made, &odp->pages);
	ret = made;
out:
	spin_unlock(&odp->lock);
	return ret;
}

/*
 * Return: entries made; -EFAULT: not all of it can be had; -EBUSY: it keeps
 * changing.
 */
static int xr_odp_fault(struct xr_odp *odp, u64 first, u64 nr,
			unsigned long flags, unsigned long *pfns)
{
	unsigned long limit = jiffies +
			      msecs_to_jiffies(HMM_RANGE_DEFAULT_TIMEOUT);
	struct mm_struct *mm = odp->pin.mm;
	struct hmm_range range = {
		.notifier = &odp->notifier,
		.start = (odp->pin.addr & PAGE_MASK) + (first << PAGE_SHIFT),
		.hmm_pfns = pfns,
		.default_flags = flags,
	};
	int ret;

	range.end = range.start + (nr << PAGE_SHIFT);
	do {
		/*
		 * The lock first: a process that forks again and again would
		 * invalidate everything between these two each time.
		 */
		mmap_read_lock(mm);
		range.notifier_seq = mmu_interval_read_begin(range.notifier);
		ret = xr_odp_secret(mm, range.start, range.end) ? -EFAULT :
		      hmm_range_fault(&range);
		mmap_read_unlock(mm);
		/* Not to be written to. */
		if (ret == -EPERM)
			ret = -EFAULT;
		if (!ret)
			ret = xr_odp_install(odp, &range, first, nr);
		cond_resched();
	} while (ret == -EBUSY && time_before(jiffies, limit) &&
		 !xr_odp_closing(odp));
	return ret;
}

/*
 * All of the message, if it is not too long; more if accesses come one behind
 * the other.
 */
static u64 xr_odp_plan(struct xr_odp *odp, const struct xr_odp_want *w)
{
	if (w->first == odp->next)
		odp->window = clamp(4 * odp->window, XR_ODP_WINDOW,
				    XR_ODP_BATCH);
	else
		odp->window = 0;
	return min3(max(w->need + w->ahead, odp->window), (u64)XR_ODP_BATCH,
		    odp->pin.mtt.count - w->first);
}

static int xr_odp_serve(struct xr_odp *odp, const struct xr_odp_want *w,
			unsigned long *pfns)
{
	u64 need = min_t(u64, w->need, XR_ODP_BATCH);
	u64 nr = max(xr_odp_plan(odp, w), need);
	unsigned long flags = HMM_PFN_REQ_FAULT |
			      (w->write ? HMM_PFN_REQ_WRITE : 0);
	int ret;

	ret = xr_odp_fault(odp, w->first, nr, flags, pfns);
	/* What lies ahead need not be there. */
	if (ret < 0 && nr > need) {
		nr = need;
		ret = xr_odp_fault(odp, w->first, nr, flags, pfns);
	}
	odp->next = ret < 0 ? 0 : w->first + nr;
	return min(ret, 0);
}

static struct xr_odp_want *xr_odp_take(struct xr_odp *odp,
				       struct xr_odp_want *copy)
{
	struct xr_odp_want *w;

	spin_lock_bh(&odp->want_lock);
	for (w = odp->want; w < odp->want + XR_ODP_WANTS; w++) {
		if (w->state != XR_ODP_QUEUED || odp->closing)
			continue;
		w->state = XR_ODP_BUSY;
		*copy = *w;
		spin_unlock_bh(&odp->want_lock);
		return w;
	}
	spin_unlock_bh(&odp->want_lock);
	return NULL;
}

/* What could not be done now may be asked for again; what cannot be, not. */
static void xr_odp_done(struct xr_odp *odp, struct xr_odp_want *w, int ret)
{
	spin_lock_bh(&odp->want_lock);
	w->state = ret == -EFAULT ? XR_ODP_FAILED : XR_ODP_FREE;
	w->since = jiffies;
	spin_unlock_bh(&odp->want_lock);
	if (!ret)
		atomic64_inc(&odp->faults);
	else
		atomic64_inc(&odp->failed);
}

void xr_odp_work(struct work_struct *work)
{
	struct xr_odp *odp = container_of(work, struct xr_odp, work);
	struct mm_struct *mm = odp->pin.mm;
	struct xr_odp_want *w, copy;
	unsigned long *pfns;
	bool alive;
	int ret;

	pfns = (unsigned long *)__get_free_page(GFP_KERNEL);
	alive = mmget_not_zero(mm);
	if (!alive)
		WRITE_ONCE(odp->gone, true);
	while ((w = xr_odp_take(odp, &copy))) {
		ret = !alive ? -EFAULT : !pfns ? -ENOMEM :
		      xr_odp_serve(odp, &copy, pfns);
		xr_odp_done(odp, w, ret);
		xr_keep_wake(odp);
	}
	/* It may be the last: all of the address space goes then, not here. */
	if (alive)
		mmput_async(mm);
	free_page((unsigned long)pfns);
}

/* Batches, and where one cannot be had, smaller ones. */
static int xr_odp_prefetch_all(struct xr_odp *odp, u64 first, u64 last,
			       unsigned long flags, unsigned long *pfns,
			       u64 *pages)
{
	u64 most = XR_ODP_BATCH, nr;
	int ret;

	while (first <= last) {
		if (fatal_signal_pending(current))
			return -EINTR;
		nr = min(most, last - first + 1);
		ret = xr_odp_fault(odp, first, nr, flags, pfns);
		if (ret < 0 && nr > 1) {
			most = nr / 8 ? : 1;
			continue;
		}
		*pages += max(ret, 0);
		first += nr;
		most = min(2 * most, (u64)XR_ODP_BATCH);
	}
	return 0;
}

/**
 * xr_odp_prefetch() - bring in pages that an access will need
 * @odp: memory; the caller is a user
 * @first: first page
 * @last: last page
 * @advice: enum xroce_advice
 * @pages: out: how many are there for that now
 *
 * What cannot be had is left out. Sleeps.
 *
 * Return: 0, -ENOMEM, -EINTR, or -ESRCH: the process has ended.
 */
int xr_odp_prefetch(struct xr_odp *odp, u64 first, u64 last, u32 advice,
		    u64 *pages)
{
	unsigned long flags =
		advice == XROCE_ADVISE_PREFETCH_NO_FAULT ? 0 :
		advice == XROCE_ADVISE_PREFETCH ? HMM_PFN_REQ_FAULT :
		HMM_PFN_REQ_FAULT | HMM_PFN_REQ_WRITE;
	struct mm_struct *mm = odp->pin.mm;
	unsigned long *pfns;
	int ret;

	*pages = 0;
	pfns = (unsigned long *)__get_free_page(GFP_KERNEL);
	if (!pfns)
		return -ENOMEM;
	ret = -ESRCH;
	if (mmget_not_zero(mm)) {
		ret = xr_odp_prefetch_all(odp, first, last, flags, pfns,
					  pages);
		mmput(mm);
	}
	atomic64_add(*pages, &odp->prefetched);
	free_page((unsigned long)pfns);
	return ret;
}
