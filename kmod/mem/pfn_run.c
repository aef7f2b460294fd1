// SPDX-License-Identifier: GPL-2.0-only
/* Collecting runs of page frames, and unpinning them. */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "huge.h"
#include "mtt.h"
#include "pfn_run.h"

/* Pages unpinned between two calls of cond_resched(). */
#define XR_UNPIN_STEP	1024ul
/* Single pages unpinned at a time; they are in an array on the stack. */
#define XR_UNPIN_LIST	32
/* A run of at least this many pages is unpinned as a range. */
#define XR_UNPIN_RUN	4

/**
 * xr_pfn_runs_add() - append page frames
 * @runs: the list
 * @pfn: the first one
 * @nr: how many
 *
 * Return: 0, -ENOMEM, or -E2BIG: more runs than a translation table can have entries.
 */
int xr_pfn_runs_add(struct xr_pfn_runs *runs, unsigned long pfn, unsigned long nr)
{
	struct xr_pfn_run *last = runs->run + runs->count - 1;
	struct xr_pfn_run *more;
	size_t room;

	if (runs->count && last->pfn + last->nr == pfn) {
		last->nr += nr;
		return 0;
	}
	/* Each run takes at least one entry. */
	if (runs->count == xr_mtt_limit())
		return -E2BIG;
	if (runs->count == runs->room) {
		room = max_t(size_t, 32, 2 * runs->room);
		/* The user chooses the size, so a failure must not be logged. */
		more = kvmalloc_array(room, sizeof(*more),
				      GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
		if (!more)
			return -ENOMEM;
		if (runs->count)
			memcpy(more, runs->run, runs->count * sizeof(*more));
		kvfree(runs->run);
		runs->run = more;
		runs->room = room;
	}
	runs->run[runs->count++] = (struct xr_pfn_run){ .pfn = pfn, .nr = nr };
	return 0;
}

static bool xr_follows(const struct page *page, const struct page *first, long i)
{
	if (IS_ENABLED(CONFIG_SPARSEMEM_VMEMMAP))
		return page == first + i;
	return page_to_pfn(page) == page_to_pfn(first) + i;
}

/* How many of the first of @nr pages are contiguous; at least one. */
static long xr_contiguous(struct page *const *page, long nr)
{
	const struct page *first = page[0];
	long i = 1;

	while (i + 4 <= nr && xr_follows(page[i], first, i) &&
	       xr_follows(page[i + 1], first + i, 1) &&
	       xr_follows(page[i + 2], first + i, 2) &&
	       xr_follows(page[i + 3], first + i, 3))
		i += 4;
	while (i < nr && xr_follows(page[i], first, i))
		i++;
	return i;
}

/**
 * xr_pfn_runs_add_pages() - append pinned pages
 * @runs: the list
 * @page: the pages
 * @nr: how many
 *
 * Return: 0, or an error of xr_pfn_runs_add(); then the pages not appended are unpinned.
 */
int xr_pfn_runs_add_pages(struct xr_pfn_runs *runs, struct page **page, long nr)
{
	long i, n;
	int ret;

	for (i = 0; i < nr; i += n) {
		n = xr_contiguous(page + i, nr - i);
		ret = xr_pfn_runs_add(runs, page_to_pfn(page[i]), n);
		if (ret) {
			unpin_user_pages(page + i, nr - i);
			return ret;
		}
	}
	return 0;
}

/* Move all runs to the empty list @to, and shrink its array to fit if there is memory. */
void xr_pfn_runs_move(struct xr_pfn_runs *to, struct xr_pfn_runs *from)
{
	*to = *from;
	to->run = kvmemdup(from->run, from->count * sizeof(*from->run),
			   GFP_KERNEL_ACCOUNT);
	if (!to->run)
		swap(to->run, from->run);
	xr_pfn_runs_free(from);
}

void xr_pfn_runs_free(struct xr_pfn_runs *runs)
{
	kvfree(runs->run);
	*runs = (struct xr_pfn_runs){};
}

/**
 * xr_pfn_runs_shift() - choose the block size of a translation table
 * @runs: the page frames that it translates to
 * @nr: page frames in all
 *
 * Blocks are naturally aligned. Every run must consist of whole blocks, except for the
 * start of the first run and the end of the last.
 *
 * Return: log2 of the largest such size in bytes; no larger than one block for everything
 * needs.
 */
u8 xr_pfn_runs_shift(const struct xr_pfn_runs *runs, unsigned long nr)
{
	unsigned long borders = 1ul << min_t(int, XR_BLOCK_MAX - PAGE_SHIFT,
					     order_base_2(nr));
	/* The page frame that would be next if all runs so far were one. */
	unsigned long straight = runs->run[0].pfn;
	size_t i;

	for (i = 0; i + 1 < runs->count; i++) {
		straight += runs->run[i].nr;
		borders |= straight | runs->run[i + 1].pfn;
	}
	return PAGE_SHIFT + __ffs(borders);
}

/* Unpin a run: each page, or with @huge one pin for each huge page. Sleeps. */
void xr_pfn_run_unpin(const struct xr_pfn_run *run, bool huge, bool dirty)
{
	unsigned long end = run->pfn + run->nr, pfn, nr;

	for (pfn = run->pfn; pfn < end; pfn += nr) {
		nr = huge ? XR_HUGE_PAGES - pfn % XR_HUGE_PAGES :
			    min(end - pfn, XR_UNPIN_STEP);
		unpin_user_page_range_dirty_lock(pfn_to_page(pfn),
						 huge ? 1 : nr, dirty);
		cond_resched();
	}
}

void xr_pfn_runs_unpin(const struct xr_pfn_runs *runs, bool huge, bool dirty)
{
	size_t i;

	for (i = 0; i < runs->count; i++)
		xr_pfn_run_unpin(&runs->run[i], huge, dirty);
}

/* How many of the first of @nr entries are contiguous, if each is a block of one page. */
static u64 xr_entries_run(const u64 *entry, u64 nr)
{
	u64 i = 1, next = *entry + PAGE_SIZE;

	for (; i + 4 <= nr && entry[i] == next &&
	       entry[i + 1] == next + PAGE_SIZE &&
	       entry[i + 2] == next + 2 * PAGE_SIZE &&
	       entry[i + 3] == next + 3 * PAGE_SIZE; i += 4)
		next += 4 * PAGE_SIZE;
	for (; i < nr && entry[i] == next; i++)
		next += PAGE_SIZE;
	return i;
}

/**
 * xr_entries_unpin() - unpin blocks of one page each
 * @entry: their physical addresses
 * @nr: how many
 * @dirty: they may have been written to
 *
 * Sleeps. Long runs are unpinned as ranges, other pages as a list, which is the cheapest
 * way for either.
 */
void xr_entries_unpin(const u64 *entry, u64 nr, bool dirty)
{
	struct page *page[XR_UNPIN_LIST];
	unsigned int n = 0;
	struct xr_pfn_run run;

	for (; nr; entry += run.nr, nr -= run.nr) {
		run.pfn = PHYS_PFN(*entry);
		run.nr = 1;
		/* Only if one comparison suggests a run. */
		if (nr >= XR_UNPIN_RUN &&
		    entry[XR_UNPIN_RUN - 1] ==
		    *entry + ((XR_UNPIN_RUN - 1) << PAGE_SHIFT))
			run.nr = xr_entries_run(entry, nr);
		if (run.nr >= XR_UNPIN_RUN) {
			xr_pfn_run_unpin(&run, false, dirty);
			continue;
		}
		run.nr = 1;
		page[n++] = pfn_to_page(run.pfn);
		if (n == XR_UNPIN_LIST) {
			unpin_user_pages_dirty_lock(page, n, dirty);
			cond_resched();
			n = 0;
		}
	}
	if (n)
		unpin_user_pages_dirty_lock(page, n, dirty);
}
