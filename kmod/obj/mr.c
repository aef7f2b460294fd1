// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory regions: look-up, and their entries in the map "mpt". ctl/mr_*.c has the commands,
 * frame/access.h the access of peers and its bounds.
 */
#include <linux/nospec.h>

#include "xroce_map.h"

#include "own/owner.h"

#include "link.h"
#include "mpt.h"
#include "mr.h"
#include "pd.h"

static struct xroce_mpt *xr_mr_entry(const struct xr_link *link, const struct xr_mr *mr)
{
	return xr_mpt_entry(link->maps.mpt, mr->index);
}

/* Let peers access a region, which the module's own table must have already. */
void xr_mr_show(const struct xr_link *link, const struct xr_mr *mr)
{
	/* Everybody can read the map, and peers have no rights to memory of the kernel. */
	bool kernel = xr_owner_flags(mr->owner) & XROCE_F_KERNEL;
	const struct xroce_mpt m = {
		.key = mr->key,
		.access = mr->access,
		.pd = mr->pd->id,
		.iova = kernel ? 0 : mr->iova,
		.length = kernel ? 0 : mr->umem->length,
	};

	xr_mpt_put_mr(xr_mr_entry(link, mr), &m);
}

/* The same for a region whose rights alone have changed. */
void xr_mr_show_access(const struct xr_link *link, const struct xr_mr *mr)
{
	WRITE_ONCE(xr_mr_entry(link, mr)->access, mr->access);
}

/* Free a region's entry in the map "mpt": peers can no longer access the region. */
void xr_mr_hide(const struct xr_link *link, const struct xr_mr *mr)
{
	xr_mpt_clear(xr_mr_entry(link, mr));
}

/* True if the range from @va, of @len bytes, is inside the region. */
bool xr_mr_has(const struct xr_mr *mr, u64 va, u64 len)
{
	u64 off = va - mr->iova;

	/* If @va is before the region, @off has wrapped and is too large. */
	return off <= mr->umem->length && len <= mr->umem->length - off;
}

/* Find a region by its key index; NULL: none. The link's lock is held. */
struct xr_mr *xr_mr_find(const struct xr_link *link, u32 index)
{
	if (index >= link->mpt_entries)
		return NULL;
	index = array_index_nospec(index, link->mpt_entries);
	return rcu_dereference_protected(link->mr[index],
					 lockdep_is_held(&link->lock));
}

/*
 * Find a region that @caller may change, and whose memory it may share. The link's lock is
 * held. Return: the region, or -ENOENT, -EPERM as xr_owner_check().
 */
struct xr_mr *xr_mr_get(const struct xr_link *link, const struct xr_owner *caller,
			u32 index)
{
	struct xr_mr *mr = xr_mr_find(link, index);
	int ret = mr ? xr_owner_check(caller, mr->owner) : -ENOENT;

	return ret ? ERR_PTR(ret) : mr;
}
