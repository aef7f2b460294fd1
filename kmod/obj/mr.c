// SPDX-License-Identifier: GPL-2.0-only
/* Memory regions: their look-up, and what peers are told of them. */
#include <linux/nospec.h>

#include "xroce_map.h"

#include "own/owner.h"

#include "link.h"
#include "mpt.h"
#include "mr.h"
#include "pd.h"

static struct xroce_mpt *xr_mr_entry(const struct xr_link *link, const struct xr_mr *mr)
{
	return xr_mpt_entry(link->mpt_map, mr->key >> XROCE_KEY_SHIFT);
}

/* Let peers reach a region; the module's own table has it already. */
void xr_mr_show(const struct xr_link *link, const struct xr_mr *mr)
{
	const struct xroce_mpt m = {
		.key = mr->key,
		.access = mr->access,
		.pd = mr->pd->id,
		.iova = mr->iova,
		.length = mr->umem->length,
	};

	xr_mpt_put_mr(xr_mr_entry(link, mr), &m);
}

/* Let peers reach it no more. */
void xr_mr_hide(const struct xr_link *link, const struct xr_mr *mr)
{
	xr_mpt_clear(xr_mr_entry(link, mr));
}

/* Does the region have all of these bytes? */
bool xr_mr_has(const struct xr_mr *mr, u64 va, u64 len)
{
	u64 off = va - mr->iova;

	/* It wraps when @va lies before the region, and is too large then. */
	return off <= mr->umem->length && len <= mr->umem->length - off;
}

/* Under the link's lock. */
struct xr_mr *xr_mr_find(const struct xr_link *link, u32 index)
{
	if (index >= link->mpt_entries)
		return NULL;
	index = array_index_nospec(index, link->mpt_entries);
	return rcu_dereference_protected(link->mr[index],
					 lockdep_is_held(&link->lock));
}

/* Like xr_mr_find(), for who wants to change it, or to share its memory. */
struct xr_mr *xr_mr_get(const struct xr_link *link, const struct xr_owner *caller,
			u32 index)
{
	struct xr_mr *mr = xr_mr_find(link, index);
	int ret = mr ? xr_owner_check(caller, mr->owner) : -ENOENT;

	return ret ? ERR_PTR(ret) : mr;
}
