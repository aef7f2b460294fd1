// SPDX-License-Identifier: GPL-2.0-only
/* Bringing in on-demand memory before it is accessed. */
#include <linux/hmm.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>

#include "uapi/xroce.h"

#include "odp.h"

/*
 * Find the first mapping at or after page @first that can be brought in with @flags, and
 * move @first there. Return: pages from @first to the mapping's end; 0: there is none.
 */
static u64 xr_odp_mapped(struct xr_odp *odp, u64 *first, unsigned long flags)
{
	unsigned long addr = xr_odp_addr(odp, *first);
	vm_flags_t need = flags & HMM_PFN_REQ_WRITE ? VM_READ | VM_WRITE : VM_READ;
	struct mm_struct *mm = odp->mm;
	struct vm_area_struct *vma;
	u64 nr = 0;

	mmap_read_lock(mm);
	vma = find_vma(mm, addr);
	while (vma && ((vma->vm_flags & need) != need ||
		       vma->vm_flags & (VM_IO | VM_PFNMAP)))
		vma = find_vma(mm, vma->vm_end);
	if (vma) {
		addr = max(addr, vma->vm_start);
		nr = (vma->vm_end - addr) >> PAGE_SHIFT;
		*first = (addr - xr_odp_addr(odp, 0)) >> PAGE_SHIFT;
	}
	mmap_read_unlock(mm);
	return nr;
}

/* In batches. If a batch fails, in smaller ones, to skip as little as possible. */
static int xr_odp_prefetch_all(struct xr_odp *odp, u64 first, u64 last,
			       unsigned long flags, unsigned long *pfns,
			       u64 *pages)
{
	u64 most = XR_ODP_BATCH, nr;
	int ret;

	for (;;) {
		if (fatal_signal_pending(current))
			return -EINTR;
		nr = xr_odp_mapped(odp, &first, flags);
		if (!nr || first > last)
			return 0;
		nr = min3(most, nr, last - first + 1);
		ret = xr_odp_bring(odp, first, nr, flags, false, pfns);
		if (ret == -ENOMEM)
			return ret;
		if (ret < 0 && nr > 1) {
			most = nr / 8 ? : 1;
			continue;
		}
		*pages += max(ret, 0);
		first += nr;
		most = min(2 * most, (u64)XR_ODP_BATCH);
	}
}

/**
 * xr_odp_prefetch() - bring in pages that an access will need
 * @odp: on-demand memory; the caller is a user of its umem
 * @first: first page
 * @last: last page
 * @advice: enum xroce_advice
 * @pages: out: how many have entries for such an access now
 *
 * Pages that cannot be accessed are skipped. Sleeps.
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
	struct mm_struct *mm = odp->mm;
	unsigned long *pfns;
	int ret;

	*pages = 0;
	pfns = (unsigned long *)__get_free_page(GFP_KERNEL);
	if (!pfns)
		return -ENOMEM;
	ret = -ESRCH;
	if (!xr_odp_reaped(odp) && mmget_not_zero(mm)) {
		ret = xr_odp_prefetch_all(odp, first, last, flags, pfns,
					  pages);
		mmput(mm);
	}
	atomic64_add(*pages, &odp->prefetched);
	free_page((unsigned long)pfns);
	return ret;
}
