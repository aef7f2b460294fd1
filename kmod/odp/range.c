// SPDX-License-Identifier: GPL-2.0-only
/* Entries of on-demand memory: the kernel invalidates them through an interval notifier. */
#include <linux/mm.h>

#include "mem/hazard.h"

#include "odp.h"

/* Entries cleared at a time with the lock held. */
#define XR_ODP_CLEAR	512u

/* Under @range->lock. */
void xr_odp_range_put_entry(struct xr_odp_range *range, u64 i, u64 entry)
{
	u64 *at = xr_odp_range_at(range, i);

	lockdep_assert_held(&range->lock);
	if (!(*at & XR_ODP_READ)) {
		range->low = range->resident ? min(range->low, i) : i;
		range->high = range->resident ? max(range->high, i) : i;
		range->resident++;
	}
	WRITE_ONCE(*at, entry);
}

/*
 * Take the rights of the entries away, and wait until no access uses them. A page that was
 * written through such an entry may be clean in the page tables, so it is marked dirty
 * here, before the kernel looks. If it is dirty already, writeback begins only after this,
 * with all of our bytes in the page. The pages need no reference: the kernel unmaps them
 * only after the notifier has returned.
 */
static void xr_odp_clear(struct xr_odp_range *range, u64 first, u64 last)
{
	struct folio *folio, *done = NULL;
	u64 i, entry, gone = 0;

	lockdep_assert_held(&range->lock);
	for (i = first; i <= last; i++) {
		entry = *xr_odp_range_at(range, i);
		if (!(entry & XR_ODP_READ))
			continue;
		if (entry & XR_ODP_WRITE)
			entry |= XR_ODP_WRITTEN;
		WRITE_ONCE(*xr_odp_range_at(range, i), entry & ~XR_ODP_RIGHTS);
		gone++;
	}
	if (!gone)
		return;
	range->resident -= gone;
	atomic64_sub(gone, &range->odp->resident);
	atomic64_add(gone, &range->odp->invalidated);
	xr_hazard_wait_all();
	for (i = first; i <= last; i++) {
		entry = *xr_odp_range_at(range, i);
		if (!(entry & XR_ODP_WRITTEN))
			continue;
		folio = pfn_folio(PHYS_PFN(entry));
		if (folio != done && !folio_test_dirty(folio))
			folio_mark_dirty(folio);
		done = folio;
		WRITE_ONCE(*xr_odp_range_at(range, i), 0);
	}
}

/*
 * Clear the entries from @first to @last, XR_ODP_CLEAR at a time. Return: whether the range
 * has lost its last entry.
 */
static bool xr_odp_clear_all(struct xr_odp_range *range, u64 first, u64 last,
			     bool may_sleep)
{
	bool emptied = false;
	u64 end;

	spin_lock(&range->lock);
	if (!range->resident || last < range->low || first > range->high)
		goto out;
	first = max(first, range->low);
	last = min(last, range->high);
	for (; range->resident && first <= last; first = end + 1) {
		end = min(last, first + XR_ODP_CLEAR - 1);
		xr_odp_clear(range, first, end);
		emptied = !range->resident;
		if (end == last)
			break;
		spin_unlock(&range->lock);
		if (may_sleep)
			cond_resched();
		spin_lock(&range->lock);
	}
out:
	spin_unlock(&range->lock);
	return emptied;
}

/*
 * A fault under way in xr_odp_fault() sees the new sequence number, and retries when the
 * kernel has finished. Sleeps only if the notifier range is blockable.
 */
static bool xr_odp_invalidate(struct mmu_interval_notifier *notifier,
			      const struct mmu_notifier_range *inv,
			      unsigned long seq)
{
	struct xr_odp_range *range =
		container_of(notifier, struct xr_odp_range, notifier);
	u64 start = xr_odp_addr(range->odp, range->first);
	u64 first, last;

	spin_lock(&range->lock);
	mmu_interval_set_seq(notifier, seq);
	if (inv->event == MMU_NOTIFY_RELEASE)
		WRITE_ONCE(range->odp->exited, true);
	spin_unlock(&range->lock);

	first = inv->start > start ? (inv->start - start) >> PAGE_SHIFT : 0;
	last = (inv->end - 1 - start) >> PAGE_SHIFT;
	last = min(last, range->count - 1);
	if (xr_odp_clear_all(range, first, last,
			     mmu_notifier_range_blockable(inv)) &&
	    !range->mtt)
		xr_odp_child_emptied(range);
	return true;
}

static const struct mmu_interval_notifier_ops xr_odp_ops = {
	.invalidate = xr_odp_invalidate,
};

/**
 * xr_odp_range_open() - register a range's notifier with an address space
 * @range: initialised except for its notifier and its lock
 * @mm: the process's address space; the caller has a reference (mmget())
 *
 * Sleeps. Return: 0, or an error of mmu_interval_notifier_insert().
 */
int xr_odp_range_open(struct xr_odp_range *range, struct mm_struct *mm)
{
	spin_lock_init(&range->lock);
	return mmu_interval_notifier_insert(&range->notifier, mm,
					    xr_odp_addr(range->odp, range->first),
					    range->count << PAGE_SHIFT,
					    &xr_odp_ops);
}

/* Take all entries away. No task makes new ones any more. Sleeps. */
void xr_odp_range_close(struct xr_odp_range *range)
{
	/* Before the notifier is removed: without it the kernel could free the pages. */
	xr_odp_clear_all(range, 0, range->count - 1, true);
	mmu_interval_notifier_remove(&range->notifier);
}
