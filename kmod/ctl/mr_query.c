// SPDX-License-Identifier: GPL-2.0-only
/* MR_QUERY: query regions. */
#include <linux/bitmap.h>
#include <linux/export.h>

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
