// SPDX-License-Identifier: GPL-2.0-only
/* The pool of translation tables: the slab, whose memory is contiguous. */
#include <linux/slab.h>

#include "mtt.h"

/**
 * xr_mtt_alloc() - allocate a translation table
 * @mtt: filled in
 * @count: entries, at least 1
 *
 * Return: 0, -ENOMEM, or -E2BIG: no contiguous run is that long.
 */
int xr_mtt_alloc(struct xr_mtt *mtt, u64 count)
{
	if (count > KMALLOC_MAX_SIZE / sizeof(*mtt->entry))
		return -E2BIG;
	mtt->entry = kmalloc_array(count, sizeof(*mtt->entry),
				   GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!mtt->entry)
		return -ENOMEM;
	mtt->count = count;
	return 0;
}

void xr_mtt_free(struct xr_mtt *mtt)
{
	kfree(mtt->entry);
	mtt->entry = NULL;
	mtt->count = 0;
}
