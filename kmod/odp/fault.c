// SPDX-License-Identifier: GPL-2.0-only
/* Faulting in what accesses have missed, and what they will. */
#include <linux/fs.h>
#include <linux/hmm.h>
#include <linux/log2.h>
#include <linux/magic.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>

#include "uapi/xroce.h"

#include "odp.h"
#include "wait.h"

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
static bool xr_odp_vma_secret(const struct vm_area_struct *vma)
{
	return vma->vm_file &&
	       file_inode(vma->vm_file)->i_sb->s_magic == SECRETMEM_MAGIC;
}

static bool xr_odp_secret(struct mm_struct *mm, unsigned long start,
			  unsigned long end)
{
	struct vm_area_struct *vma;

	for (vma = find_vma(mm, start); vma && vma->vm_start < end;
	     vma = find_vma(mm, vma->vm_end))
		if (xr_odp_vma_secret(vma))
			return true;
	return false;
}

/*
 * Fault in what is mapped of files. That may take for ever, as a FUSE server need not
 * answer: hmm_range_fault() would wait with mmap_lock held, and could not be killed. Here
 * the lock, which the caller has, is let go of meanwhile, and taken again.
 *
 * Return: 0; -EINTR: the caller is being killed. hmm_range_fault() finds what could not be
 * had.
 */
static int xr_odp_fault_files(struct mm_struct *mm, const struct hmm_range *hmm)
{
	unsigned int flags = FAULT_FLAG_REMOTE;
	unsigned long addr = hmm->start;
	struct vm_area_struct *vma;
	bool unlocked;
	int ret = 0;

	if (!(hmm->default_flags & HMM_PFN_REQ_FAULT))
		return 0;
	if (hmm->default_flags & HMM_PFN_REQ_WRITE)
		flags |= FAULT_FLAG_WRITE;
	while (!ret && addr < hmm->end) {
		vma = find_vma(mm, addr);
		if (!vma)
			break;
		addr = max(addr, vma->vm_start);
		if (!vma->vm_file || xr_odp_vma_secret(vma)) {
			addr = vma->vm_end;
			continue;
		}
		if (addr < hmm->end)
			ret = fixup_user_fault(mm, addr, flags, &unlocked);
		addr += PAGE_SIZE;
	}
	return ret == -EINTR ? ret : 0;
}

/*
 * Make entries of what has been found. Return: how many; -EBUSY: it is outdated; -EFAULT:
 * the hardware has lost a page of it.
 */
static int xr_odp_install(struct xr_odp_range *range,
			  const struct hmm_range *hmm, u64 first, u64 nr)
{
	struct xr_odp *odp = range->odp;
	int ret = -EBUSY, made = 0;
	unsigned long pfn;
	struct page *page;
	u64 i, entry, had;

	spin_lock(&range->lock);
	had = range->resident;
	if (mmu_interval_read_retry(&range->notifier, hmm->notifier_seq))
		goto out;
	for (i = 0; i < nr; i++) {
		pfn = hmm->hmm_pfns[i];
		/* Where it was not to be faulted in. */
		if (!(pfn & HMM_PFN_VALID) || pfn & HMM_PFN_ERROR)
			continue;
		page = hmm_pfn_to_page(pfn);
		/* Still mapped: the kernel is about to unmap it, or could not. */
		if (PageHWPoison(page)) {
			ret = -EFAULT;
			break;
		}
		entry = PFN_PHYS(page_to_pfn(page)) | XR_ODP_READ;
		if (pfn & HMM_PFN_WRITE)
			entry |= XR_ODP_WRITE;
		xr_odp_range_put_entry(range, first + i, entry);
		made++;
	}
	atomic64_add(range->resident - had, &odp->resident);
	atomic64_add(made, &odp->made);
	if (ret == -EBUSY)
		ret = made;
out:
	spin_unlock(&range->lock);
	if (ret > 0)
		xr_odp_came(odp, range->first + first, nr);
	return ret;
}

/*
 * Bring in pages of a part, by their numbers there. Return: entries made; -EFAULT:
 * not all of it can be had; -EBUSY: it keeps changing; -EINTR: the caller is being
 * killed.
 */
static int xr_odp_fault(struct xr_odp_range *range, u64 first, u64 nr,
			unsigned long flags, unsigned long *pfns)
{
	unsigned long limit = jiffies +
			      msecs_to_jiffies(HMM_RANGE_DEFAULT_TIMEOUT);
	struct xr_odp *odp = range->odp;
	struct mm_struct *mm = odp->mm;
	struct mem_cgroup *memcg, *old;
	struct hmm_range hmm = {
		.notifier = &range->notifier,
		.start = xr_odp_addr(odp, range->first + first),
		.hmm_pfns = pfns,
		.default_flags = flags,
	};
	int ret;

	hmm.end = hmm.start + (nr << PAGE_SHIFT);
	/* Pages of a file are charged to who reads it: the process, not a worker. */
	memcg = get_mem_cgroup_from_mm(mm);
	old = set_active_memcg(memcg);
	do {
		/*
		 * The lock first: a process that forks again and again would
		 * invalidate everything between these two each time.
		 */
		mmap_read_lock(mm);
		ret = xr_odp_fault_files(mm, &hmm);
		hmm.notifier_seq = mmu_interval_read_begin(hmm.notifier);
		if (!ret)
			ret = xr_odp_secret(mm, hmm.start, hmm.end) ?
			      -EFAULT : hmm_range_fault(&hmm);
		mmap_read_unlock(mm);
		/* Not to be written to. */
		if (ret == -EPERM)
			ret = -EFAULT;
		if (!ret)
			ret = xr_odp_install(range, &hmm, first, nr);
		cond_resched();
	} while (ret == -EBUSY && time_before(jiffies, limit) &&
		 !xr_odp_closing(odp));
	set_active_memcg(old);
	mem_cgroup_put(memcg);
	return ret;
}

/*
 * One page of a huge one has been faulted in, the first that @pfns has: the others are
 * there as well. Whether all of that has worked matters to nobody.
 */
static void xr_odp_fault_huge(struct xr_odp_range *range, u64 first, u64 nr,
			      unsigned long *pfns)
{
	unsigned int order = min_t(unsigned int, ilog2(XR_ODP_BATCH),
				   hmm_pfn_to_map_order(pfns[0]));
	/* Numbers in the part need not be those in the address space. */
	u64 base = xr_odp_addr(range->odp, range->first) >> PAGE_SHIFT;
	u64 from = round_down(base + first, 1ull << order);
	u64 to = min(from + (1ull << order), base + range->count);

	from = max(from, base);
	if (to - from > nr)
		xr_odp_fault(range, from - base, to - from, 0, pfns);
}

/* Bring in pages of several parts. Return: as xr_odp_fault(), or -ENOMEM. */
static int xr_odp_bring(struct xr_odp *odp, u64 first, u64 nr,
			unsigned long flags, bool huge, unsigned long *pfns)
{
	struct xr_odp_range *range;
	int ret, made = 0;
	u64 at, n;

	for (; nr; nr -= n, first += n) {
		range = xr_odp_range_get(odp, first);
		if (IS_ERR(range))
			return PTR_ERR(range);
		at = first - range->first;
		n = min(nr, range->count - at);
		ret = xr_odp_fault(range, at, n, flags, pfns);
		if (ret >= 0 && huge)
			xr_odp_fault_huge(range, at, n, pfns);
		xr_odp_range_put(range);
		if (ret < 0)
			return ret;
		made += ret;
	}
	return made;
}

/*
 * Why are pages not to be had? hmm_range_fault() does not tell. Return: -ENOMEM: for
 * want of memory; 0: they may be there now; -EFAULT: for good.
 */
static int xr_odp_why(struct xr_odp *odp, const struct xr_fault_req *w)
{
	struct mm_struct *mm = odp->mm;
	unsigned long addr;
	bool unlocked;
	u64 i;
	int ret = 0;

	for (i = w->first; i < w->first + w->need && !ret; i++) {
		addr = xr_odp_addr(odp, i);
		mmap_read_lock(mm);
		ret = xr_odp_secret(mm, addr, addr + PAGE_SIZE) ? -EFAULT :
		      fixup_user_fault(mm, addr,
				       w->write ? FAULT_FLAG_WRITE : 0,
				       &unlocked);
		mmap_read_unlock(mm);
		cond_resched();
	}
	return !ret || ret == -ENOMEM ? ret : -EFAULT;
}

/*
 * All of the message, if it is not too long; more if accesses come one behind
 * the other.
 */
static u64 xr_odp_plan(struct xr_odp *odp, const struct xr_fault_req *w)
{
	if (w->first == odp->next)
		odp->window = clamp(4 * odp->window, XR_ODP_WINDOW,
				    XR_ODP_BATCH);
	else
		odp->window = 0;
	return min3(max(w->need + w->ahead, odp->window), (u64)XR_ODP_BATCH,
		    odp->pages - w->first);
}

static int xr_odp_serve(struct xr_odp *odp, const struct xr_fault_req *w,
			unsigned long *pfns)
{
	u64 need = min_t(u64, w->need, XR_ODP_BATCH);
	u64 nr = max(xr_odp_plan(odp, w), need);
	unsigned long flags = HMM_PFN_REQ_FAULT |
			      (w->write ? HMM_PFN_REQ_WRITE : 0);
	int ret;

	ret = xr_odp_bring(odp, w->first, nr, flags, true, pfns);
	/* What lies ahead need not be there. */
	if (ret < 0 && nr > need) {
		nr = need;
		ret = xr_odp_bring(odp, w->first, nr, flags, true, pfns);
	}
	if (ret == -EFAULT) {
		ret = xr_odp_why(odp, w);
		if (!ret)
			ret = xr_odp_bring(odp, w->first, need, flags, true,
					   pfns);
	}
	odp->next = ret < 0 ? 0 : w->first + nr;
	return min(ret, 0);
}

/*
 * With a reference to the address space, which is held no longer than this fault takes:
 * a process that ends meanwhile is not served any more by the next one.
 */
static int xr_odp_serve_alive(struct xr_odp *odp, const struct xr_fault_req *w,
			      unsigned long *pfns)
{
	struct mm_struct *mm = odp->mm;
	int ret;

	if (xr_odp_reaped(odp) || !mmget_not_zero(mm)) {
		WRITE_ONCE(odp->gone, true);
		return -EFAULT;
	}
	ret = pfns ? xr_odp_serve(odp, w, pfns) : -ENOMEM;
	/* It may be the last: all of the address space goes then, not here. */
	mmput_async(mm);
	return ret;
}

/*
 * A fault holds the module, as it may take for ever: who would unload it is refused
 * rather than left waiting. Where the module goes already, nothing is faulted in.
 */
void xr_odp_work(struct work_struct *work)
{
	struct xr_odp *odp = container_of(to_delayed_work(work), struct xr_odp,
					  work);
	bool module = try_module_get(THIS_MODULE);
	struct xr_fault_req *w, copy;
	unsigned long *pfns;
	int ret;

	pfns = (unsigned long *)__get_free_page(GFP_KERNEL);
	while ((w = xr_odp_take(odp, &copy))) {
		ret = module ? xr_odp_serve_alive(odp, &copy, pfns) : -EFAULT;
		/* Who is answered now finds that we have no reference. */
		xr_odp_done(odp, w, ret);
		xr_odp_wake(odp);
	}
	free_page((unsigned long)pfns);
	/* What is still run of it is waited for, see xr_odp_user_exit(). */
	if (module)
		module_put(THIS_MODULE);
	xr_odp_put(odp);
}

/*
 * Find memory that can be brought in with @flags, at @first or behind it. Return:
 * pages from there to its end; 0: there is none.
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

/* Batches, and where one cannot be had, smaller ones. */
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
