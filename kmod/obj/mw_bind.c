// SPDX-License-Identifier: GPL-2.0-only
/*
 * Binding and invalidating windows (IBTA 10.6.7.2), in softirq as well: for work
 * requests, and for a peer's SEND with invalidate.
 */
#include <linux/nospec.h>

#include "uapi/xroce.h"
#include "xroce_map.h"

#include "mem/hazard.h"

#include "link.h"
#include "mpt.h"
#include "mr.h"
#include "mw.h"
#include "pd.h"
#include "qp.h"

#define XR_MW_ACCESS	(XROCE_ACCESS_REMOTE & ~XROCE_ACCESS_FLUSH_PERSISTENT)

/* The windows that are tied to a queue pair, by type. */
static atomic_t *xr_mw_tied(const struct xr_mw *mw, struct xr_qp *qp)
{
	return mw->type == XROCE_MW_TYPE_2A ? &qp->windows_2a : &qp->windows_2b;
}

static enum xroce_mpt_type xr_mw_mpt_type(const struct xr_mw *mw)
{
	static_assert(XROCE_MPT_MW_2B - XROCE_MPT_MW_1 ==
		      XROCE_MW_TYPE_2B - XROCE_MW_TYPE_1);

	return XROCE_MPT_MW_1 + (mw->type - XROCE_MW_TYPE_1);
}

/*
 * Write it to the map "mpt": XROCE_MPT_VALID: it is bound, and can be used already;
 * XROCE_MPT_INVALID: it is not. @mw->lock is held, or nobody else has it yet.
 */
void xr_mw_show(const struct xr_mw *mw, enum xroce_mpt_state state)
{
	const struct xroce_mpt m = {
		.key = mw->key,
		.state = state,
		.type = xr_mw_mpt_type(mw),
		.access = mw->access,
		.pd = mw->pd->id,
		.qpn = mw->qpn,
		.iova = mw->addr,
		.length = mw->length,
		.mr = mw->mr ? mw->mr->key >> XROCE_KEY_SHIFT : 0,
	};

	xr_mpt_put_mw(mw->map, &m);
}

/*
 * Let nobody through the window, wait for those who are, and let go of the
 * region. @mw->lock is held.
 */
void xr_mw_stop(struct xr_mw *mw)
{
	lockdep_assert_held(&mw->lock);
	if (!mw->mr)
		return;
	WRITE_ONCE(mw->live, 0);
	xr_mpt_stop(mw->map);
	xr_hazard_wait(mw);
	atomic_dec(&mw->mr->windows);
	mw->mr = NULL;
	if (mw->qp)
		atomic_dec(xr_mw_tied(mw, mw->qp));
	mw->qp = NULL;
	mw->qpn = 0;
	mw->access = 0;
	mw->addr = 0;
	mw->length = 0;
}

/* Under RCU. */
static struct xr_mw *xr_mw_get_rcu(const struct xr_link *link, u32 key)
{
	u32 index = key >> XROCE_KEY_SHIFT;

	if (index >= link->mpt_entries)
		return NULL;
	index = array_index_nospec(index, link->mpt_entries);
	return rcu_dereference_bh(link->mw[index]);
}

/* May @mw be bound to @mr, which is held? Return: 0 or an error of MW_BIND. */
static int xr_mw_region_check(const struct xr_mr *mr, const struct xr_mw *mw,
			      const struct xr_bind *b)
{
	u32 access = READ_ONCE(mr->access);

	/* It is going, and may have no rights left. */
	if (atomic_read(&mr->windows) < 0)
		return -ENOENT;
	if (mr->pd != mw->pd)
		return -EXDEV;
	/* A peer cannot be let write what we may not (IBTA 10.6.7.2.2). */
	if (!(access & XROCE_ACCESS_MW_BIND) ||
	    (b->access & (XROCE_ACCESS_REMOTE_WRITE |
			  XROCE_ACCESS_REMOTE_ATOMIC) &&
	     !(access & XROCE_ACCESS_LOCAL_WRITE)))
		return -EACCES;
	return xr_mr_has(mr, b->addr, b->length) ? 0 : -ERANGE;
}

/*
 * The region to bind to, with a window more. It is held until the window is counted, and
 * counted only when all is right, so that MR_DEREG is never told of a window that there
 * will not be. Return: it, or an error.
 */
static struct xr_mr *xr_mw_region(const struct xr_link *link,
				  const struct xr_mw *mw,
				  const struct xr_bind *b)
{
	struct xr_mr *mr = xr_mr_acquire(link, b->lkey);
	int ret;

	if (!mr)
		return ERR_PTR(-ENOENT);
	ret = xr_mw_region_check(mr, mw, b);
	if (!ret && !atomic_inc_unless_negative(&mr->windows))
		ret = -ENOENT;
	xr_mr_release();
	return ret ? ERR_PTR(ret) : mr;
}

/* What does not depend on the region. @mw->lock is held. */
static int xr_mw_bind_check(const struct xr_mw *mw, const struct xr_qp *qp,
			    const struct xr_bind *b)
{
	u32 state = xr_qp_state(qp);

	if (mw->gone)
		return -ENOENT;
	if (b->one != (mw->type == XROCE_MW_TYPE_1))
		return -EINVAL;
	if (qp->type != XROCE_QPT_RC && qp->type != XROCE_QPT_UC)
		return -EOPNOTSUPP;
	if (state != XROCE_QPS_RTS && state != XROCE_QPS_SQD)
		return -ENOTCONN;
	if (mw->pd != qp->pd)
		return -EXDEV;
	if (b->access & ~XR_MW_ACCESS)
		return -EINVAL;
	if (mw->type != XROCE_MW_TYPE_1) {
		if (mw->mr)
			return -EBUSY;
		return b->length && !b->draw ? 0 : -EINVAL;
	}
	return b->draw || b->key != mw->key ? 0 : -EINVAL;
}

/**
 * xr_mw_bind() - bind a window, or with length 0 unbind one of type 1
 * @link: where
 * @mw: the window
 * @qp: queue pair, by which it is bound
 * @b: what to; the index of the key is @mw's
 *
 * Under RCU. On return, what was bound before gives no access, or else nothing
 * has changed.
 *
 * Return: 0 or an error of MW_BIND.
 */
int xr_mw_bind(struct xr_link *link, struct xr_mw *mw, struct xr_qp *qp,
	       const struct xr_bind *b)
{
	u32 index = b->key >> XROCE_KEY_SHIFT;
	struct xr_mr *mr = NULL;
	int ret;

	spin_lock_bh(&mw->lock);
	ret = xr_mw_bind_check(mw, qp, b);
	if (ret)
		goto out;
	if (b->length) {
		mr = xr_mw_region(link, mw, b);
		ret = PTR_ERR_OR_ZERO(mr);
		if (ret)
			goto out;
		if (mw->type != XROCE_MW_TYPE_1 &&
		    !atomic_inc_unless_negative(xr_mw_tied(mw, qp))) {
			atomic_dec(&mr->windows);
			ret = -ENOENT;
			goto out;
		}
	}
	xr_mw_stop(mw);
	/* The index is ours, and so are the bytes that it has had. */
	if (b->draw) {
		mw->key = index << XROCE_KEY_SHIFT |
			  xr_key_byte(&link->keys, index);
	} else {
		mw->key = b->key;
		xr_key_chosen(&link->keys, index, mw->key);
	}
	if (!mr) {
		xr_mw_show(mw, XROCE_MPT_INVALID);
		goto out;
	}
	mw->mr = mr;
	mw->addr = b->addr;
	mw->length = b->length;
	mw->access = b->access;
	if (mw->type != XROCE_MW_TYPE_1) {
		mw->qp = qp;
		mw->qpn = qp->qpn;
	}
	/* The module first: a verdict must find what it allows. */
	smp_store_release(&mw->live, mw->key);
	xr_mw_show(mw, XROCE_MPT_VALID);
out:
	spin_unlock_bh(&mw->lock);
	return ret;
}

/**
 * xr_mw_post_bind() - the same, for a work request
 * @link: where
 * @qp: queue pair; the window must be its owner's
 * @b: what to; the index of the key is the window's
 *
 * Under RCU. Return: as for xr_mw_bind().
 */
int xr_mw_post_bind(struct xr_link *link, struct xr_qp *qp,
		    const struct xr_bind *b)
{
	struct xr_mw *mw = xr_mw_get_rcu(link, b->key);

	if (!mw || mw->owner != qp->owner)
		return -ENOENT;
	return xr_mw_bind(link, mw, qp, b);
}

/**
 * xr_mw_invalidate() - make a key void (IBTA 10.6.7.2.6)
 * @link: where
 * @qp: queue pair that the window is tied to
 * @key: the window's, all of it
 *
 * Under RCU. On return it gives no access, or else nothing has changed.
 *
 * Return: 0 or an error of MW_INVAL, but for the queue pair's state.
 */
int xr_mw_invalidate(struct xr_link *link, struct xr_qp *qp, u32 key)
{
	struct xr_mw *mw = xr_mw_get_rcu(link, key);
	int ret = 0;

	if (!mw)
		return -ENOENT;
	spin_lock_bh(&mw->lock);
	if (mw->gone || mw->key != key)
		ret = -ENOENT;
	else if (mw->type == XROCE_MW_TYPE_1)
		ret = -EOPNOTSUPP;
	else if (!mw->mr)
		ret = -EINVAL;
	else if (mw->qp != qp)
		ret = -EXDEV;
	if (!ret) {
		xr_mw_stop(mw);
		xr_mw_show(mw, XROCE_MPT_INVALID);
	}
	spin_unlock_bh(&mw->lock);
	return ret;
}
