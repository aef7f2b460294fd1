/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Translation tables: each region has one physically contiguous run of entries, so that a
 * translation is one look-up. Only a table longer than an extent of the pool (524,288
 * entries) has several runs; all but the last are whole extents.
 *
 * An entry is the physical address of a block of memory. All blocks of a table have the
 * same size, a power of two and at least a page. The two low bits of an entry must be zero,
 * because they tell the pool which entries are free, see pool.h.
 */
#ifndef _XR_MTT_H
#define _XR_MTT_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "pool.h"

struct xr_owner;
struct xr_share;
struct xroce_mtt_query;

/**
 * struct xr_mtt_run - a run of entries
 * @entry: the entries; physical addresses
 * @at: number of the first one in the pool
 */
struct xr_mtt_run {
	u64 *entry;
	u32 at;
};

/**
 * struct xr_mtt - a translation table
 * @run: the first entries, up to XR_EXTENT_ENTRIES
 * @more: the runs that follow; NULL: none
 * @count: entries
 * @share: user that they count for; NULL: none
 */
struct xr_mtt {
	struct xr_mtt_run run;
	struct xr_mtt_run *more;
	u64 count;
	struct xr_share *share;
};

/* Entry @i, which must be below @mtt->count. */
static inline u64 *xr_mtt_at(const struct xr_mtt *mtt, u64 i)
{
	if (likely(i < XR_EXTENT_ENTRIES))
		return mtt->run.entry + i;
	return mtt->more[(i >> XR_EXTENT_SHIFT) - 1].entry +
	       (i & (XR_EXTENT_ENTRIES - 1));
}

int xr_mtt_init(void);
void xr_mtt_exit(void);
int xr_mtt_alloc(struct xr_mtt *mtt, const struct xr_owner *owner, u64 count);
void xr_mtt_free(struct xr_mtt *mtt);
u64 xr_mtt_limit(void);
void xr_mtt_query(struct xroce_mtt_query *q);

#endif
