// SPDX-License-Identifier: GPL-2.0-only
/* Deregistering. */
#include <linux/bitmap.h>
#include <linux/slab.h>

#include "mem/hazard.h"
#include "obj/link.h"
#include "obj/mr.h"
#include "obj/mw.h"
#include "obj/mw_count.h"
#include "obj/pd.h"

#include "mr_reg.h"

/* Let nobody onto the region any more, and wait for those who are. */
static void xr_mr_quiesce(struct xr_mr *mr)
{
	WRITE_ONCE(mr->access, 0);
	xr_hazard_wait(mr);
}

/*
 * Take the region out of both tables. The link's lock is held. The caller has
 * it to itself then, and calls xr_mr_free() without the lock.
 */
void xr_mr_unlink(struct xr_link *link, struct xr_mr *mr)
{
	u32 index = mr->key >> XROCE_KEY_SHIFT;

	lockdep_assert_held(&link->lock);
	/* Others' windows, if any: its owner's are gone. */
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

/* Wait for the data path and let the pages go. */
void xr_mr_free(struct xr_mr *mr)
{
	xr_mr_quiesce(mr);
	xr_umem_put(mr->umem);
	kfree_rcu(mr, rcu);
}

/**
 * xr_mr_dereg() - deregister a region
 * @link: where
 * @caller: who asks
 * @index: its handle
 *
 * Return: 0, -ENOENT, -EPERM or -EBUSY.
 */
int xr_mr_dereg(struct xr_link *link, struct xr_owner *caller, u32 index)
{
	struct xr_mr *mr;
	int ret;

	mutex_lock(&link->lock);
	mr = xr_mr_get(link, caller, index);
	ret = PTR_ERR_OR_ZERO(mr);
	/* Windows must not lose their region (IBTA 10.6.7.2.1). */
	if (!ret && !xr_mw_none(&mr->windows))
		ret = -EBUSY;
	if (!ret)
		xr_mr_unlink(link, mr);
	mutex_unlock(&link->lock);
	if (!ret)
		xr_mr_free(mr);
	return ret;
}
