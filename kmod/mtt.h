/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Translation tables: one physically contiguous run of entries a region, so
 * that a translation is one look-up.
 *
 * An entry is the physical address of a block of memory. All blocks of a table
 * have the same size, a power of two of at least a page.
 */
#ifndef _XR_MTT_H
#define _XR_MTT_H

#include <linux/types.h>

/**
 * struct xr_mtt - a translation table
 * @entry: the entries; physical addresses
 * @count: how many
 */
struct xr_mtt {
	u64 *entry;
	u64 count;
};

int xr_mtt_alloc(struct xr_mtt *mtt, u64 count);
void xr_mtt_free(struct xr_mtt *mtt);

#endif
