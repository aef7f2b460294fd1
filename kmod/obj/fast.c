// SPDX-License-Identifier: GPL-2.0-only
/* Regions that work requests register and invalidate: see fast.h. */
#include <linux/minmax.h>
#include <linux/nospec.h>
#include <linux/slab.h>

#include "uapi/xroce.h"
#include "xroce_map.h"

#include "mem/hazard.h"
#include "mem/kernel.h"
#include "qp/qp.h"

#include "fast.h"
#include "link.h"
#include "mpt.h"
#include "mr.h"
#include "mw.h"
#include "pd.h"

/*
 * Make what an unpublished region needs. On success the caller's reference to @staged becomes
 * that of the structure. Return: NULL: no memory.
 */
struct xr_fast *xr_fast_new(struct xr_umem *staged)
{
	struct xr_fast *fast = kzalloc(sizeof(*fast), GFP_KERNEL);

	if (!fast)
		return NULL;
	spin_lock_init(&fast->lock);
	spin_lock_init(&fast->stage_lock);
	fast->staged = staged;
	return fast;
}

/* Undo it. NULL does nothing. Sleeps. */
void xr_fast_free(struct xr_fast *fast)
{
	if (!fast)
		return;
	xr_umem_put(fast->staged);
	kfree_rcu(fast, rcu);
}

/* Write a region to the map "mpt": without a key it is invalid. */
void xr_fast_show(const struct xr_link *link, const struct xr_mr *mr)
{
	struct xroce_mpt m = {
		.key = mr->key,
		.state = mr->key ? XROCE_MPT_VALID : XROCE_MPT_INVALID,
		.type = XROCE_MPT_MR_FAST,
		.access = mr->access,
		.pd = mr->pd->id,
		.iova = mr->iova,
		.length = mr->key ? mr->umem->length : 0,
	};

	xr_mpt_put(xr_mpt_entry(link->maps.mpt, mr->index), &m);
}

/* Invalidate a region, if it is registered, and wait for accesses under way. It is locked. */
static void xr_fast_stop(const struct xr_link *link, struct xr_mr *mr)
{
	lockdep_assert_held(&mr->fast->lock);
	if (!mr->key)
		return;
	mr->fast->last = mr->key;
	WRITE_ONCE(mr->key, 0);
	xr_mpt_stop(xr_mpt_entry(link->maps.mpt, mr->index));
	xr_hazard_wait(mr);
	mr->access = 0;
	mr->iova = 0;
	xr_fast_show(link, mr);
}

/* The region is being deregistered. The link's lock is held. */
void xr_fast_close(const struct xr_link *link, struct xr_mr *mr)
{
	spin_lock_bh(&mr->fast->lock);
	mr->fast->dying = true;
	xr_fast_stop(link, mr);
	spin_unlock_bh(&mr->fast->lock);
}

/* Find the region by the index of @key; NULL: none of this kind. Under RCU. */
static struct xr_mr *xr_fast_rcu(const struct xr_link *link, u32 key)
{
	u32 index = key >> XROCE_KEY_SHIFT;
	struct xr_mr *mr;

	if (index >= link->mpt_entries)
		return NULL;
	index = array_index_nospec(index, link->mpt_entries);
	mr = rcu_dereference_bh(link->mr[index]);
	return mr && mr->fast ? mr : NULL;
}

/* True if @key is the key of such a region, or has been. Under RCU. */
bool xr_fast_is(const struct xr_link *link, u32 key)
{
	return xr_fast_rcu(link, key);
}

/*
 * Have the region use what has been named since the last registration, or else the same memory
 * again. It has no key, so no CPU uses its memory. Its lock is held. Return: false: no memory has
 * ever been named.
 */
static bool xr_fast_use_staged(struct xr_mr *mr)
{
	struct xr_fast *fast = mr->fast;
	unsigned long flags;

	lockdep_assert_held(&fast->lock);
	spin_lock_irqsave(&fast->stage_lock, flags);
	if (fast->staged->length) {
		swap(mr->umem, fast->staged);
		xr_kernel_bytes(fast->staged, PAGE_SHIFT, 0, 0);
	}
	spin_unlock_irqrestore(&fast->stage_lock, flags);
	return mr->umem->length;
}

/**
 * xr_fast_register() - register the staged memory of a region
 * @qp: queue pair of the work request
 * @key: L_Key and R_Key from now on; its index is that of the region
 * @iova: address by which peers name its first byte
 * @access: XROCE_ACCESS_*, which a region can have
 *
 * Under RCU.
 *
 * Return: 0; -ENOENT: the protection domain of @qp has no such region; -EBUSY: it is registered;
 * -EINVAL: no memory has been named.
 */
int xr_fast_register(struct xr_qp *qp, u32 key, u64 iova, u32 access)
{
	struct xr_mr *mr = xr_fast_rcu(qp->link, key);
	struct xr_fast *fast;
	int ret = 0;

	if (!mr || mr->pd != qp->pd)
		return -ENOENT;
	fast = mr->fast;
	spin_lock_bh(&fast->lock);
	if (fast->dying)
		ret = -ENOENT;
	else if (mr->key)
		ret = -EBUSY;
	else if (!xr_fast_use_staged(mr))
		ret = -EINVAL;
	if (ret)
		goto out;
	mr->iova = iova;
	mr->access = access;
	/* @fast->lock is enough for the key bytes of the region's own index (key.h). */
	xr_key_chosen(&qp->link->keys, mr->index, key);
	/*
	 * Before the map, so that the module accepts every key that the XDP program accepts.
	 * Pairs with the acquire in xr_mr_acquire().
	 */
	smp_store_release(&mr->key, key);
	xr_fast_show(qp->link, mr);
out:
	spin_unlock_bh(&fast->lock);
	return ret;
}

/*
 * Invalidate the key of such a region. Its owner may come too late, because the peer has done it
 * already: that is no error. Under RCU. Return: 0; -ENOENT.
 */
static int xr_fast_invalidate(struct xr_qp *qp, struct xr_mr *mr, u32 key, bool remote)
{
	int ret = -ENOENT;

	if (mr->pd != qp->pd)
		return ret;
	spin_lock_bh(&mr->fast->lock);
	if (key && mr->key == key && (!remote || mr->access & XROCE_ACCESS_REMOTE)) {
		xr_fast_stop(qp->link, mr);
		ret = 0;
	} else if (!mr->key && mr->fast->last == key && !remote) {
		ret = 0;
	}
	spin_unlock_bh(&mr->fast->lock);
	return ret;
}

/**
 * xr_invalidate() - invalidate the key of a region, or of a window of type 2
 * @qp: queue pair of the work request, or whose peer has sent the key
 * @key: all 32 bits of the key
 * @remote: the peer asks for it: a region must have remote rights
 *
 * Under RCU. On success, the key gives no access any more when this returns. On failure
 * nothing has changed.
 *
 * Return: 0; -ENOENT: no such region of the protection domain of @qp has the key; or as
 * xr_mw_invalidate().
 */
int xr_invalidate(struct xr_qp *qp, u32 key, bool remote)
{
	struct xr_mr *mr = xr_fast_rcu(qp->link, key);

	return mr ? xr_fast_invalidate(qp, mr, key, remote) :
		    xr_mw_invalidate(qp->link, qp, key);
}
