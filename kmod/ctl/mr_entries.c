// SPDX-License-Identifier: GPL-2.0-only
/* MTT_READ: read the translation table of a region. */
#include <linux/nospec.h>

#include "obj/link.h"
#include "obj/mr.h"
#include "own/owner.h"

#include "mr_reg.h"

/**
 * xr_mr_entries() - read a region's translation table
 * @link: the link
 * @caller: the requesting file, whose right to physical addresses is not checked here
 * @index: handle of the region
 * @first: number of the first entry to read
 * @count: in: maximum number of entries; out: number of entries read
 * @entry: out: physical addresses; 0: not present
 *
 * Return: 0; -ENOENT: @caller sees no such region; -ERANGE: @first is after the last entry.
 */
int xr_mr_entries(struct xr_link *link, struct xr_owner *caller, u32 index,
		  u64 first, u32 *count, u64 *entry)
{
	const struct xr_umem *umem;
	struct xr_mr *mr;
	int ret = 0;
	u32 i;

	mutex_lock(&link->lock);
	mr = xr_mr_find(link, index);
	if (!mr || !xr_owner_sees(caller, mr->owner)) {
		ret = -ENOENT;
		goto out;
	}
	umem = mr->umem;
	if (first >= umem->mtt.count) {
		ret = -ERANGE;
		goto out;
	}
	first = array_index_nospec(first, umem->mtt.count);
	*count = min_t(u64, *count, umem->mtt.count - first);
	for (i = 0; i < *count; i++)
		entry[i] = xr_umem_entry(umem, first + i);
out:
	mutex_unlock(&link->lock);
	return ret;
}
