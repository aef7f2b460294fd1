// SPDX-License-Identifier: GPL-2.0-only
/* Deregistering regions. */
#include <linux/bitmap.h>
#include <linux/export.h>
#include <linux/slab.h>

#include "mem/hazard.h"
#include "obj/fast.h"
#include "obj/link.h"
#include "obj/mr.h"
#include "obj/mw.h"
#include "obj/mw_count.h"
#include "obj/pd.h"

#include "mr_reg.h"

/* Stop accesses to a region, and wait for those under way. */
static void xr_mr_quiesce(struct xr_mr *mr)
{
	WRITE_ONCE(mr->dying, true);
	WRITE_ONCE(mr->access, 0);
	xr_hazard_wait(mr);
}

/*
 * Remove a region from the module's table and from the map "mpt", and unbind its windows. The
 * link's lock is held. The region then belongs to the caller, which releases the lock and
 * calls xr_mr_free().
 */
void xr_mr_unlink(struct xr_link *link, struct xr_mr *mr)
{
	u32 index = mr->index;

	lockdep_assert_held(&link->lock);
	if (mr->fast)
		xr_fast_close(link, mr);
	/*
	 * xr_mr_dereg() has closed the count. Otherwise this is xr_teardown(), which has
	 * destroyed the windows of the region's owner, but not those of other owners.
	 */
	if (xr_mw_close(&mr->windows))
		xr_mw_orphan(mr->pd, mr, NULL);
	xr_name_put(&link->names, &mr->name);
	xr_mr_hide(link, mr);
	RCU_INIT_POINTER(link->mr[index], NULL);
	__clear_bit(index, link->mr_used);
	xr_key_put(&link->keys, index);
	list_del(&mr->node);
	mr->pd->mrs--;
	link->nr_mrs--;
	xr_uncharge(&mr->charge);
}

/* Free an unlinked region when the data path no longer uses it. Sleeps. */
void xr_mr_free(struct xr_mr *mr)
{
	xr_mr_quiesce(mr);
	xr_umem_put(mr->umem);
	xr_fast_free(mr->fast);
	kfree_rcu(mr, rcu);
}

/**
 * xr_mr_dereg() - deregister a region
 * @link: the link
 * @caller: the requesting file
 * @index: handle of the region
 *
 * Return: 0; -ENOENT: @caller sees no such region; -EPERM: another file owns it; -EBUSY: a
 * window is bound to it.
 */
int xr_mr_dereg(struct xr_link *link, struct xr_owner *caller, u32 index)
{
	struct xr_mr *mr;
	int ret;

	mutex_lock(&link->lock);
	mr = xr_mr_get(link, caller, index);
	ret = PTR_ERR_OR_ZERO(mr);
	/* A region with bound windows cannot be deregistered (IBTA 10.6.7.2.1). */
	if (!ret && !xr_mw_none(&mr->windows))
		ret = -EBUSY;
	if (!ret)
		xr_mr_unlink(link, mr);
	mutex_unlock(&link->lock);
	if (!ret)
		xr_mr_free(mr);
	return ret;
}
EXPORT_SYMBOL_GPL(xr_mr_dereg);
