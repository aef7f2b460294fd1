// SPDX-License-Identifier: GPL-2.0-only
/* Entries of on-demand memory: they come, and the kernel takes them away. */
#include <linux/mm.h>

#include "mem/hazard.h"

#include "odp.h"

/* Entries that are taken away under the lock at a time. */
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
 * Take the rights away, and wait for who has seen them. A page that has been
 * written to through our mapping of it may be clean in the page tables: this is
 * where the kernel learns of it, before it can look. One that is dirty already is
 * not written back before all our bytes are there. The page is still mapped, as
 * the caller sees to the entry before it goes from the page tables, so that it
 * needs no reference.
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
 * Some entries at a time, as many as there are of them from @first to @last.
 * Return: whether these were the last ones that the part had.
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
 * Whoever faults in a page of ours meanwhile sees the new sequence number, and
 * begins again when the kernel is done. Nothing here sleeps unless it may.
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
		WRITE_ONCE(range->odp->gone, true);
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
 * xr_odp_range_open() - have a part's entries come and go with a process's pages
 * @range: all but its notifier and its lock is there
 * @mm: the process's, with a user
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

/* Take all entries away. Nobody makes more of them. Sleeps. */
void xr_odp_range_close(struct xr_odp_range *range)
{
	/* While the notifier is there: it keeps the pages where they are. */
	xr_odp_clear_all(range, 0, range->count - 1, true);
	mmu_interval_notifier_remove(&range->notifier);
}
