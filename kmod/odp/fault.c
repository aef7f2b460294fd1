// SPDX-License-Identifier: GPL-2.0-only
/* Faulting in the pages that accesses have missed. */
#include <linux/fs.h>
#include <linux/hmm.h>
#include <linux/log2.h>
#include <linux/magic.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>

#include "odp.h"
#include "trace.h"

/*
 * Pages faulted in when accesses turn out to be sequential; then four times as many each
 * time.
 */
#define XR_ODP_WINDOW	8u

static bool xr_odp_closing(struct xr_odp *odp)
{
	return READ_ONCE(odp->dying);
}

/*
 * Secret memory has no mapping in the kernel, and hmm_range_fault() does not check for it.
 * Its pages are only in the page cache of secretmem, so that it is enough to look at the
 * file. Nor does it check for shadow stacks, which only the CPU may write: pages that are
 * writable get entries that peers can write by.
 */
static bool xr_odp_vma_secret(const struct vm_area_struct *vma)
{
	return vma->vm_flags & VM_SHADOW_STACK ||
	       (vma->vm_file &&
		file_inode(vma->vm_file)->i_sb->s_magic == SECRETMEM_MAGIC);
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
 * Fault in the pages of mapped files. This can take for ever, because a FUSE server need
 * not answer. hmm_range_fault() would hold mmap_lock all the time and could not be killed.
 * fixup_user_fault() drops mmap_lock, which the caller holds, while it waits, and takes it
 * again.
 *
 * Return: 0; -EINTR: the caller is being killed. Other errors are left to hmm_range_fault()
 * to find.
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
 * Make entries of the pages that hmm_range_fault() has found. Return: how many; -EBUSY: the
 * pages were invalidated meanwhile; -EFAULT: one of them is poisoned (memory failure).
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
		/* Not resident, and flags did not ask to fault it in. */
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
 * Bring in pages of a range; @first counts within the range. Return: entries made; -EFAULT:
 * some of the pages cannot be accessed; -EBUSY: they kept being invalidated; -EINTR: the
 * caller is being killed.
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
	/* Charge file pages to the process for which they are read, not to the worker. */
	memcg = get_mem_cgroup_from_mm(mm);
	old = set_active_memcg(memcg);
	do {
		/*
		 * mmap_lock first: otherwise a process that forks in a loop could
		 * invalidate the range each time between mmu_interval_read_begin() and the
		 * lock.
		 */
		mmap_read_lock(mm);
		ret = xr_odp_fault_files(mm, &hmm);
		hmm.notifier_seq = mmu_interval_read_begin(hmm.notifier);
		if (!ret)
			ret = xr_odp_secret(mm, hmm.start, hmm.end) ?
			      -EFAULT : hmm_range_fault(&hmm);
		mmap_read_unlock(mm);
		/* The mapping is not writable. */
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
 * The page at @first is resident, and pfns[0] has the order of its mapping. If that is a
 * huge page, make the entries of its other pages, too, which are resident as well. Errors
 * do not matter.
 */
static void xr_odp_fault_huge(struct xr_odp_range *range, u64 first, u64 nr,
			      unsigned long *pfns)
{
	unsigned int order = min_t(unsigned int, ilog2(XR_ODP_BATCH),
				   hmm_pfn_to_map_order(pfns[0]));
	/* Page numbers in the range need not be aligned as those in the address space. */
	u64 base = xr_odp_addr(range->odp, range->first) >> PAGE_SHIFT;
	u64 from = round_down(base + first, 1ull << order);
	u64 to = min(from + (1ull << order), base + range->count);

	from = max(from, base);
	if (to - from > nr)
		xr_odp_fault(range, from - base, to - from, 0, pfns);
}

/*
 * Bring in pages of one or several ranges; with @huge also the rest of the huge pages that they are
 * part of. @flags: HMM_PFN_REQ_*; @pfns: room for XR_ODP_BATCH page frame numbers. Return: as
 * xr_odp_fault(), or as xr_odp_range_get().
 */
int xr_odp_bring(struct xr_odp *odp, u64 first, u64 nr, unsigned long flags, bool huge,
		 unsigned long *pfns)
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
 * Find out why pages cannot be accessed, since hmm_range_fault() does not tell. Return:
 * -ENOMEM: out of memory; 0: they may be resident now; -EFAULT: permanent.
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
 * How many pages to bring in: the rest of the message, and more if accesses are sequential;
 * at most XR_ODP_BATCH.
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
	/* The pages ahead may be inaccessible: try without them. */
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
 * Hold a reference to the address space only during this fault: if the process ends
 * meanwhile, the next request fails.
 */
static int xr_odp_serve_alive(struct xr_odp *odp, const struct xr_fault_req *w,
			      unsigned long *pfns)
{
	struct mm_struct *mm = odp->mm;
	int ret;

	if (xr_odp_reaped(odp) || !mmget_not_zero(mm)) {
		WRITE_ONCE(odp->exited, true);
		return -EFAULT;
	}
	ret = pfns ? xr_odp_serve(odp, w, pfns) : -ENOMEM;
	/*
	 * If this is the last reference, a work item tears the address space down, not this
	 * worker.
	 */
	mmput_async(mm);
	return ret;
}

/*
 * A fault holds a reference to the module, because it can take for ever: rmmod fails
 * instead of hanging. If the module is being unloaded already, nothing is faulted in.
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
		trace_xroce_fault((odp->umem.addr & PAGE_MASK) + (copy.first << PAGE_SHIFT),
				  copy.need, copy.write, ret);
		/*
		 * The reference to the address space is dropped before the peer gets its
		 * response.
		 */
		xr_odp_done(odp, w, ret);
	}
	free_page((unsigned long)pfns);
	/* xr_odp_user_exit() waits for the code that still runs after this. */
	if (module)
		module_put(THIS_MODULE);
	xr_odp_put(odp);
}
