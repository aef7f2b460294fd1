// SPDX-License-Identifier: GPL-2.0-only
/* Memory on demand: made, missed, invalidated, and let go. */
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "uapi/xroce.h"

#include "hold.h"
#include "keep.h"
#include "main.h"
#include "mr.h"
#include "odp.h"

/* Entries that are taken away under the lock at a time. */
#define XR_ODP_CHUNK	512u
/* Long enough for the requester to come again: the longest RNR timer is 0.65 s. */
#define XR_ODP_PATIENCE	(2 * HZ)

static struct workqueue_struct *xr_odp_wq;

int xr_odp_init(void)
{
	xr_odp_wq = alloc_workqueue("xroce_odp", WQ_HIGHPRI | WQ_UNBOUND, 0);
	return xr_odp_wq ? 0 : -ENOMEM;
}

void xr_odp_exit(void)
{
	destroy_workqueue(xr_odp_wq);
}

/* Under @odp->lock. */
void xr_odp_put_entry(struct xr_odp *odp, u64 i, u64 entry)
{
	u64 *at = xr_mtt_at(&odp->pin.mtt, i);

	lockdep_assert_held(&odp->lock);
	if (!(*at & XR_ODP_READ)) {
		odp->low = odp->resident ? min(odp->low, i) : i;
		odp->high = odp->resident ? max(odp->high, i) : i;
		odp->resident++;
	}
	WRITE_ONCE(*at, entry);
}

/*
 * Take the rights away, and wait for who has seen them. A page that has been
 * written to through our mapping of it may be clean in the page tables: this is
 * where the kernel learns of it, before it can look. One that is dirty already is
 * not written back before all our bytes are there. The page is still mapped, as
 * the caller sees to the entry before it goes from the page tables, so that it
 * needs no reference.
 */
static void xr_odp_clear(struct xr_odp *odp, u64 first, u64 last)
{
	const struct xr_mtt *mtt = &odp->pin.mtt;
	struct folio *folio, *done = NULL;
	u64 i, entry, gone = 0;

	lockdep_assert_held(&odp->lock);
	for (i = first; i <= last; i++) {
		entry = *xr_mtt_at(mtt, i);
		if (!(entry & XR_ODP_READ))
			continue;
		if (entry & XR_ODP_WRITE)
			entry |= XR_ODP_WRITTEN;
		WRITE_ONCE(*xr_mtt_at(mtt, i), entry & ~XR_ODP_RIGHTS);
		gone++;
	}
	if (!gone)
		return;
	odp->resident -= gone;
	atomic64_add(gone, &odp->invalidated);
	xr_hold_wait_all();
	for (i = first; i <= last; i++) {
		entry = *xr_mtt_at(mtt, i);
		if (!(entry & XR_ODP_WRITTEN))
			continue;
		folio = pfn_folio(PHYS_PFN(entry));
		if (folio != done && !folio_test_dirty(folio))
			folio_mark_dirty(folio);
		done = folio;
		WRITE_ONCE(*xr_mtt_at(mtt, i), 0);
	}
}

/* Some entries at a time, as many as there are of them from @first to @last. */
static void xr_odp_clear_all(struct xr_odp *odp, u64 first, u64 last,
			     bool may_sleep)
{
	u64 end;

	spin_lock(&odp->lock);
	if (!odp->resident || last < odp->low || first > odp->high)
		goto out;
	first = max(first, odp->low);
	last = min(last, odp->high);
	for (; odp->resident && first <= last; first = end + 1) {
		end = min(last, first + XR_ODP_CHUNK - 1);
		xr_odp_clear(odp, first, end);
		if (end == last)
			break;
		spin_unlock(&odp->lock);
		if (may_sleep)
			cond_resched();
		spin_lock(&odp->lock);
	}
out:
	spin_unlock(&odp->lock);
}

/*
 * Whoever faults in a page of ours meanwhile sees the new sequence number, and
 * begins again when the kernel is done. Nothing here sleeps unless it may.
 */
static bool xr_odp_invalidate(struct mmu_interval_notifier *notifier,
			      const struct mmu_notifier_range *range,
			      unsigned long seq)
{
	struct xr_odp *odp = container_of(notifier, struct xr_odp, notifier);
	u64 start = odp->pin.addr & PAGE_MASK;
	u64 first, last;

	spin_lock(&odp->lock);
	mmu_interval_set_seq(notifier, seq);
	if (range->event == MMU_NOTIFY_RELEASE)
		WRITE_ONCE(odp->gone, true);
	spin_unlock(&odp->lock);

	first = range->start > start ? (range->start - start) >> PAGE_SHIFT : 0;
	last = (range->end - 1 - start) >> PAGE_SHIFT;
	last = min(last, odp->pin.mtt.count - 1);
	xr_odp_clear_all(odp, first, last,
			 mmu_notifier_range_blockable(range));
	return true;
}

static const struct mmu_interval_notifier_ops xr_odp_ops = {
	.invalidate = xr_odp_invalidate,
};

/* What the access wants is there already, or has failed. */
static int xr_odp_known(struct xr_odp *odp, u64 first, u64 last, bool write,
			struct xr_odp_want **free)
{
	struct xr_odp_want *w;

	for (w = odp->want; w < odp->want + XR_ODP_WANTS; w++) {
		if (w->state == XR_ODP_FAILED &&
		    time_after(jiffies, w->since + XR_ODP_PATIENCE))
			w->state = XR_ODP_FREE;
		if (w->state == XR_ODP_FREE) {
			*free = w;
		} else if (w->state == XR_ODP_FAILED) {
			if (last < w->first || first >= w->first + w->need ||
			    (w->write && !write))
				continue;
			w->state = XR_ODP_FREE;
			return -EFAULT;
		} else if (first >= w->first &&
			   last < w->first + w->need + w->ahead &&
			   (w->write || !write)) {
			return -EAGAIN;
		}
	}
	return 0;
}

/**
 * xr_odp_miss() - send for pages that an access has missed
 * @odp: memory
 * @first: the first of them
 * @last: the last one that the access needs
 * @ahead: bytes that its message goes on for
 * @write: to be written
 *
 * In softirq. What is wanted already is not asked for again.
 *
 * Return: -EAGAIN; or -EFAULT: it cannot be had.
 */
int xr_odp_miss(struct xr_odp *odp, u64 first, u64 last, u32 ahead, bool write)
{
	struct xr_odp_want *want = NULL;
	int ret;

	if (READ_ONCE(odp->gone))
		return -EFAULT;
	spin_lock_bh(&odp->want_lock);
	ret = xr_odp_known(odp, first, last, write, &want);
	if (!ret && want && !odp->closing) {
		*want = (struct xr_odp_want){
			.state = XR_ODP_QUEUED,
			.write = write,
			.first = first,
			.need = last - first + 1,
			.ahead = DIV_ROUND_UP((u64)ahead, PAGE_SIZE),
		};
		queue_work(xr_odp_wq, &odp->work);
	}
	spin_unlock_bh(&odp->want_lock);
	return ret ? : -EAGAIN;
}

/**
 * xr_odp_wanted() - is something on its way, after which xr_keep_wake() is called?
 * @odp: memory
 */
bool xr_odp_wanted(struct xr_odp *odp)
{
	struct xr_odp_want *w;
	bool wanted = false;

	spin_lock_bh(&odp->want_lock);
	for (w = odp->want; w < odp->want + XR_ODP_WANTS; w++)
		wanted |= w->state == XR_ODP_QUEUED || w->state == XR_ODP_BUSY;
	wanted &= !odp->closing;
	spin_unlock_bh(&odp->want_lock);
	return wanted;
}

static int xr_odp_setup(struct xr_odp *odp, struct mm_struct *mm)
{
	struct xr_pin *pin = &odp->pin;
	u64 i, n;
	int ret;

	n = (offset_in_page(pin->addr) + pin->length + PAGE_SIZE - 1) >>
	    PAGE_SHIFT;
	odp->charged = DIV_ROUND_UP(n * sizeof(u64), PAGE_SIZE);
	ret = xr_pin_account(mm, odp->charged);
	if (ret)
		return ret;
	ret = xr_mtt_alloc(&pin->mtt, n);
	if (ret)
		goto err_account;
	for (i = 0; i < n; i += XR_EXTENT_ENTRIES) {
		memset(xr_mtt_at(&pin->mtt, i), 0,
		       min_t(u64, n - i, XR_EXTENT_ENTRIES) * sizeof(u64));
		cond_resched();
	}
	ret = mmu_interval_notifier_insert(&odp->notifier, mm,
					   pin->addr & PAGE_MASK,
					   n << PAGE_SHIFT, &xr_odp_ops);
	if (ret)
		goto err_mtt;
	return 0;

err_mtt:
	xr_mtt_free(&pin->mtt);
err_account:
	atomic64_sub(odp->charged, &mm->pinned_vm);
	return ret;
}

/**
 * xr_odp() - make memory on demand of a range of addresses
 * @pid: process whose memory it is
 * @addr: first byte
 * @length: bytes
 *
 * Nothing need be mapped there. The table is what counts against
 * RLIMIT_MEMLOCK.
 *
 * Return: the memory, with one user, or an error as of xr_pin().
 */
struct xr_pin *xr_odp(struct pid *pid, u64 addr, u64 length)
{
	struct mm_struct *mm;
	struct xr_odp *odp;
	int ret;

	if (!length || addr + length < addr)
		return ERR_PTR(-EINVAL);
	if (addr + length > TASK_SIZE_MAX)
		return ERR_PTR(-EFAULT);
	odp = kzalloc(sizeof(*odp), GFP_KERNEL_ACCOUNT);
	if (!odp)
		return ERR_PTR(-ENOMEM);
	mm = xr_pid_mm(pid);
	if (IS_ERR(mm)) {
		kfree(odp);
		return ERR_CAST(mm);
	}
	odp->pin = (struct xr_pin){
		.odp = odp,
		.addr = addr,
		.length = length,
		.writable = true,	/* the process's mapping decides */
		.page_shift = PAGE_SHIFT,
		.offset = offset_in_page(addr),
	};
	refcount_set(&odp->pin.users, 1);
	spin_lock_init(&odp->lock);
	spin_lock_init(&odp->want_lock);
	INIT_WORK(&odp->work, xr_odp_work);
	ret = xr_odp_setup(odp, mm);
	if (!ret) {
		mmgrab(mm);
		odp->pin.mm = mm;
		odp->pin.pid = get_pid(pid);
	}
	mmput(mm);
	if (!ret)
		return &odp->pin;
	kfree(odp);
	return ERR_PTR(ret);
}

/* Its counters. */
void xr_odp_query(const struct xr_odp *odp, struct xroce_mr_query *q)
{
	q->odp_resident = READ_ONCE(odp->resident);
	q->odp_faults = atomic64_read(&odp->faults);
	q->odp_failed = atomic64_read(&odp->failed);
	q->odp_pages = atomic64_read(&odp->pages);
	q->odp_invalidated = atomic64_read(&odp->invalidated);
	q->odp_prefetched = atomic64_read(&odp->prefetched);
}

/* No region has it any more. Sleeps, but for no grace period. */
void xr_odp_free(struct xr_odp *odp)
{
	struct xr_pin *pin = &odp->pin;

	spin_lock_bh(&odp->want_lock);
	odp->closing = true;
	spin_unlock_bh(&odp->want_lock);
	cancel_work_sync(&odp->work);
	xr_keep_wake(odp);
	/* While the notifier is there: it keeps the pages where they are. */
	xr_odp_clear_all(odp, 0, pin->mtt.count - 1, true);
	mmu_interval_notifier_remove(&odp->notifier);
	xr_mtt_free(&pin->mtt);
	atomic64_sub(odp->charged, &pin->mm->pinned_vm);
	mmdrop(pin->mm);
	put_pid(pin->pid);
	kfree(odp);
}
