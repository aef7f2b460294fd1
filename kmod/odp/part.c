// SPDX-License-Identifier: GPL-2.0-only
/* Entries of memory on demand: they come, and the kernel takes them away. */
#include <linux/mm.h>

#include "mem/hold.h"

#include "odp.h"

/* Entries that are taken away under the lock at a time. */
#define XR_ODP_CLEAR	512u

/* Under @part->lock. */
void xr_odp_part_put_entry(struct xr_odp_part *part, u64 i, u64 entry)
{
	u64 *at = xr_odp_part_at(part, i);

	lockdep_assert_held(&part->lock);
	if (!(*at & XR_ODP_READ)) {
		part->low = part->resident ? min(part->low, i) : i;
		part->high = part->resident ? max(part->high, i) : i;
		part->resident++;
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
static void xr_odp_clear(struct xr_odp_part *part, u64 first, u64 last)
{
	struct folio *folio, *done = NULL;
	u64 i, entry, gone = 0;

	lockdep_assert_held(&part->lock);
	for (i = first; i <= last; i++) {
		entry = *xr_odp_part_at(part, i);
		if (!(entry & XR_ODP_READ))
			continue;
		if (entry & XR_ODP_WRITE)
			entry |= XR_ODP_WRITTEN;
		WRITE_ONCE(*xr_odp_part_at(part, i), entry & ~XR_ODP_RIGHTS);
		gone++;
	}
	if (!gone)
		return;
	part->resident -= gone;
	atomic64_sub(gone, &part->odp->resident);
	atomic64_add(gone, &part->odp->invalidated);
	xr_hold_wait_all();
	for (i = first; i <= last; i++) {
		entry = *xr_odp_part_at(part, i);
		if (!(entry & XR_ODP_WRITTEN))
			continue;
		folio = pfn_folio(PHYS_PFN(entry));
		if (folio != done && !folio_test_dirty(folio))
			folio_mark_dirty(folio);
		done = folio;
		WRITE_ONCE(*xr_odp_part_at(part, i), 0);
	}
}

/*
 * Some entries at a time, as many as there are of them from @first to @last.
 * Return: whether these were the last ones that the part had.
 */
static bool xr_odp_clear_all(struct xr_odp_part *part, u64 first, u64 last,
			     bool may_sleep)
{
	bool emptied = false;
	u64 end;

	spin_lock(&part->lock);
	if (!part->resident || last < part->low || first > part->high)
		goto out;
	first = max(first, part->low);
	last = min(last, part->high);
	for (; part->resident && first <= last; first = end + 1) {
		end = min(last, first + XR_ODP_CLEAR - 1);
		xr_odp_clear(part, first, end);
		emptied = !part->resident;
		if (end == last)
			break;
		spin_unlock(&part->lock);
		if (may_sleep)
			cond_resched();
		spin_lock(&part->lock);
	}
out:
	spin_unlock(&part->lock);
	return emptied;
}

/*
 * Whoever faults in a page of ours meanwhile sees the new sequence number, and
 * begins again when the kernel is done. Nothing here sleeps unless it may.
 */
static bool xr_odp_invalidate(struct mmu_interval_notifier *notifier,
			      const struct mmu_notifier_range *range,
			      unsigned long seq)
{
	struct xr_odp_part *part =
		container_of(notifier, struct xr_odp_part, notifier);
	u64 start = xr_odp_addr(part->odp, part->first);
	u64 first, last;

	spin_lock(&part->lock);
	mmu_interval_set_seq(notifier, seq);
	if (range->event == MMU_NOTIFY_RELEASE)
		WRITE_ONCE(part->odp->gone, true);
	spin_unlock(&part->lock);

	first = range->start > start ? (range->start - start) >> PAGE_SHIFT : 0;
	last = (range->end - 1 - start) >> PAGE_SHIFT;
	last = min(last, part->count - 1);
	if (xr_odp_clear_all(part, first, last,
			     mmu_notifier_range_blockable(range)) &&
	    !part->mtt)
		xr_odp_chunk_emptied(part);
	return true;
}

static const struct mmu_interval_notifier_ops xr_odp_ops = {
	.invalidate = xr_odp_invalidate,
};

/**
 * xr_odp_part_open() - have a part's entries come and go with a process's pages
 * @part: all but its notifier and its lock is there
 * @mm: the process's, with a user
 *
 * Sleeps. Return: 0, or an error of mmu_interval_notifier_insert().
 */
int xr_odp_part_open(struct xr_odp_part *part, struct mm_struct *mm)
{
	spin_lock_init(&part->lock);
	return mmu_interval_notifier_insert(&part->notifier, mm,
					    xr_odp_addr(part->odp, part->first),
					    part->count << PAGE_SHIFT,
					    &xr_odp_ops);
}

/* Take all entries away. Nobody makes more of them. Sleeps. */
void xr_odp_part_close(struct xr_odp_part *part)
{
	/* While the notifier is there: it keeps the pages where they are. */
	xr_odp_clear_all(part, 0, part->count - 1, true);
	mmu_interval_notifier_remove(&part->notifier);
}
