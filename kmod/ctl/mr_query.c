// SPDX-License-Identifier: GPL-2.0-only
/* MR_QUERY and MTT_READ: query regions and their translation tables. */
#include <linux/bitmap.h>
#include <linux/export.h>
#include <linux/nospec.h>

#include "uapi/xroce.h"

#include "obj/fast.h"
#include "obj/link.h"
#include "obj/mr.h"
#include "obj/pd.h"
#include "own/owner.h"

#include "mr_reg.h"

static void xr_mr_describe(const struct xr_mr *mr, struct xroce_mr_query *q)
{
	q->flags = mr->flags | xr_owner_flags(mr->owner);
	q->pd = mr->pd->id;
	q->access = mr->access;
	q->lkey = mr->key;
	q->rkey = mr->access & XROCE_ACCESS_REMOTE ? mr->key : 0;
	/* As in xr_mr_show(). */
	q->iova = q->flags & XROCE_F_KERNEL ? 0 : mr->iova;
	xr_umem_query(mr->umem, q);
	strscpy_pad(q->name, mr->name.text, sizeof(q->name));
}

/**
 * xr_mr_query() - query a region
 * @link: the link
 * @caller: the requesting file
 * @q: in: handle; XROCE_F_NEXT: or the first with a higher one that @caller may see; out: all
 *	fields
 *
 * Return: 0; -ENOENT: @caller sees no such region.
 */
int xr_mr_query(struct xr_link *link, struct xr_owner *caller, struct xroce_mr_query *q)
{
	bool next = q->flags & XROCE_F_NEXT;
	unsigned long index = q->mr;
	struct xr_mr *mr;

	mutex_lock(&link->lock);
	mr = xr_mr_find(link, index);
	while (next && (!mr || !xr_owner_sees(caller, mr->owner))) {
		index = find_next_bit(link->mr_used, link->mpt_entries,
				      index + 1);
		if (index >= link->mpt_entries)
			break;
		mr = xr_mr_find(link, index);
	}
	if (index >= link->mpt_entries || !mr || !xr_owner_sees(caller, mr->owner)) {
		mutex_unlock(&link->lock);
		return -ENOENT;
	}
	q->mr = index;
	if (mr->fast) {
		/* It may be registered or invalidated at any time. */
		spin_lock_bh(&mr->fast->lock);
		xr_mr_describe(mr, q);
		spin_unlock_bh(&mr->fast->lock);
	} else {
		xr_mr_describe(mr, q);
	}
	mutex_unlock(&link->lock);
	return 0;
}
EXPORT_SYMBOL_GPL(xr_mr_query);

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
