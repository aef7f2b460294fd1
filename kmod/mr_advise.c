// SPDX-License-Identifier: GPL-2.0-only
/* Bringing in memory on demand before a peer comes to it. */
#include "link.h"
#include "mr.h"
#include "odp.h"

/**
 * xr_mr_advise() - say what a peer will do with a part of a region
 * @link: where
 * @who: who asks
 * @a: in: what; out: pages
 *
 * Return: 0 or an error of MR_ADVISE.
 */
int xr_mr_advise(struct xr_link *link, struct xr_owner *who,
		 struct xroce_mr_advise *a)
{
	struct xr_pin *pin;
	struct xr_mr *mr;
	u64 off = 0;
	int ret;

	if (a->advice > XROCE_ADVISE_PREFETCH_NO_FAULT || !a->length)
		return -EINVAL;
	mutex_lock(&link->lock);
	mr = xr_mr_find(link, a->mr);
	ret = mr ? xr_owner_check(link, who, mr->owner) : -ENOENT;
	if (!ret) {
		pin = mr->pin;
		off = a->iova - mr->iova;
		if (!pin->odp)
			ret = -EOPNOTSUPP;
		else if (off > pin->length || a->length > pin->length - off)
			ret = -ERANGE;
		else if (a->advice == XROCE_ADVISE_PREFETCH_WRITE &&
			 !(mr->access & XROCE_ACCESS_LOCAL_WRITE))
			ret = -EACCES;
		else
			xr_pin_get(pin);
	}
	mutex_unlock(&link->lock);
	if (ret)
		return ret;

	off += pin->offset;
	ret = xr_odp_prefetch(pin->odp, off >> PAGE_SHIFT,
			      (off + a->length - 1) >> PAGE_SHIFT, a->advice,
			      &a->pages);
	xr_pin_put(pin);
	return ret;
}
