// SPDX-License-Identifier: GPL-2.0-only
/* MR_ADVISE: bring in on-demand memory before a peer accesses it. */
#include <linux/export.h>

#include "obj/link.h"
#include "obj/mr.h"
#include "odp/odp.h"

#include "mr_reg.h"

/**
 * xr_mr_advise() - bring in a part of an on-demand region
 * @link: the link
 * @caller: the requesting file
 * @a: in: range and expected access; out: number of pages that are present
 *
 * Sleeps until the pages have been brought in.
 *
 * Return: 0 or an errno of MR_ADVISE, see uapi/xroce.h.
 */
int xr_mr_advise(struct xr_link *link, struct xr_owner *caller,
		 struct xroce_mr_advise *a)
{
	struct xr_umem *umem;
	struct xr_mr *mr;
	u64 off = 0;
	int ret;

	if (a->advice > XROCE_ADVISE_PREFETCH_NO_FAULT || !a->length)
		return -EINVAL;
	mutex_lock(&link->lock);
	mr = xr_mr_get(link, caller, a->mr);
	ret = PTR_ERR_OR_ZERO(mr);
	if (!ret) {
		umem = mr->umem;
		off = a->iova - mr->iova;
		if (!umem->on_demand || umem->null)
			ret = -EOPNOTSUPP;
		else if (off > umem->length || a->length > umem->length - off)
			ret = -ERANGE;
		else if (a->advice == XROCE_ADVISE_PREFETCH_WRITE &&
			 !(mr->access & XROCE_ACCESS_LOCAL_WRITE))
			ret = -EACCES;
		else
			xr_umem_get(umem);
	}
	mutex_unlock(&link->lock);
	if (ret)
		return ret;

	off += umem->offset;
	ret = xr_odp_prefetch(xr_odp_behind(umem), off >> PAGE_SHIFT,
			      (off + a->length - 1) >> PAGE_SHIFT, a->advice,
			      &a->pages);
	xr_umem_put(umem);
	return ret;
}
EXPORT_SYMBOL_GPL(xr_mr_advise);
