/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs of contiguous page frames, in the order of the memory that they back. */
#ifndef _XR_PFN_RUN_H
#define _XR_PFN_RUN_H

#include <linux/types.h>

struct page;

/* log2 of the largest block: a 1 GiB huge page. */
#define XR_BLOCK_MAX	30

struct xr_pfn_run {
	unsigned long pfn;
	unsigned long nr;
};

/**
 * struct xr_pfn_runs - a list of runs
 * @run: the runs
 * @count: how many
 * @room: how many @run has memory for
 */
struct xr_pfn_runs {
	struct xr_pfn_run *run;
	size_t count;
	size_t room;
};

int xr_pfn_runs_add(struct xr_pfn_runs *runs, unsigned long pfn, unsigned long nr);
int xr_pfn_runs_add_pages(struct xr_pfn_runs *runs, struct page **page, long nr);
void xr_pfn_runs_move(struct xr_pfn_runs *to, struct xr_pfn_runs *from);
void xr_pfn_runs_free(struct xr_pfn_runs *runs);
u8 xr_pfn_runs_shift(const struct xr_pfn_runs *runs, unsigned long nr);

void xr_pfn_run_unpin(const struct xr_pfn_run *run, bool huge, bool dirty);
void xr_pfn_runs_unpin(const struct xr_pfn_runs *runs, bool huge, bool dirty);
void xr_entries_unpin(const u64 *entry, u64 nr, bool dirty);

#endif
