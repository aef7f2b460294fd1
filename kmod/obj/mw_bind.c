// SPDX-License-Identifier: GPL-2.0-only
/*
 * Binding and invalidating windows (IBTA 10.6.7.2), for ioctls, and in softirq for work
 * requests and for a peer's SEND with Invalidate.
 */
#include <linux/export.h>
#include <linux/nospec.h>

#include "uapi/xroce.h"
#include "xroce_map.h"

#include "mem/hazard.h"
#include "qp/qp.h"

#include "link.h"
#include "mpt.h"
#include "mr.h"
#include "mw.h"
#include "pd.h"

#define XR_MW_ACCESS	(XROCE_ACCESS_REMOTE & ~XROCE_ACCESS_FLUSH_PERSISTENT)

/* The count of windows of the same type as @mw that are bound to @qp. Type 2 only. */
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
 * Write a window to the map "mpt". @state: XROCE_MPT_VALID: it is bound, and @mw->live is
 * set already; XROCE_MPT_INVALID: it is not bound. @mw->lock is held, or the window is not
 * published yet.
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

	xr_mpt_put(mw->map, &m);
}

/*
 * Unbind a window, if it is bound: refuse further accesses through it, wait for those under
 * way, then release the region and the queue pair. @mw->lock is held.
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

/* Find a window by the index of @key; NULL: none. Under RCU. */
static struct xr_mw *xr_mw_get_rcu(const struct xr_link *link, u32 key)
{
	u32 index = key >> XROCE_KEY_SHIFT;

	if (index >= link->mpt_entries)
		return NULL;
	index = array_index_nospec(index, link->mpt_entries);
	return rcu_dereference_bh(link->mw[index]);
}

/* Check whether @mw may be bound to @mr, which is held. Return: 0 or an errno of MW_BIND. */
static int xr_mw_region_check(const struct xr_mr *mr, const struct xr_mw *mw,
			      const struct xr_bind *b)
{
	u32 access = READ_ONCE(mr->access);

	/* Being deregistered: its rights, which may be 0, must not decide the errno. */
	if (atomic_read(&mr->windows) < 0)
		return -ENOENT;
	if (mr->pd != mw->pd)
		return -EXDEV;
	/* Remote write and atomic need local write of the region (IBTA 10.6.7.2.2). */
	if (!(access & XROCE_ACCESS_MW_BIND) ||
	    (b->access & (XROCE_ACCESS_REMOTE_WRITE |
			  XROCE_ACCESS_REMOTE_ATOMIC) &&
	     !(access & XROCE_ACCESS_LOCAL_WRITE)))
		return -EACCES;
	return xr_mr_has(mr, b->addr, b->length) ? 0 : -ERANGE;
}

/*
 * Find the region to bind to, and count one more window there. The region is held until the
 * window is counted. The window is counted after all checks of the region, so that a bind
 * which fails them does not make MR_DEREG return -EBUSY. Return: the region, or an errno of
 * MW_BIND.
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

/*
 * Check the parts of a bind that do not depend on the region. @mw->lock is held. Return: 0
 * or an errno of MW_BIND.
 */
static int xr_mw_bind_check(const struct xr_mw *mw, const struct xr_qp *qp,
			    const struct xr_bind *b)
{
	u32 state = xr_qp_state(qp);

	if (mw->dying)
		return -ENOENT;
	if (b->present && b->present != mw->key)
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
 * @link: the link
 * @mw: the window
 * @qp: queue pair that the bind is requested on
 * @b: the arguments; the index in @b->key is that of @mw
 *
 * Under RCU. On success, the previous key gives no access any more when this returns. On
 * failure nothing has changed.
 *
 * Return: 0 or an errno of MW_BIND, see uapi/xroce.h.
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
	/* @mw->lock is enough for the key bytes of the window's own index (key.h). */
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
	/*
	 * Before the map, so that the module accepts every key that the XDP program
	 * accepts. Pairs with the acquire in xr_mw_acquire().
	 */
	smp_store_release(&mw->live, mw->key);
	xr_mw_show(mw, XROCE_MPT_VALID);
out:
	spin_unlock_bh(&mw->lock);
	return ret;
}

/**
 * xr_mw_post_bind() - bind a window for a work request
 * @link: the link
 * @qp: queue pair of the work request; the window must belong to the same owner
 * @b: the arguments; the index in @b->key names the window
 *
 * Under RCU.
 *
 * Return: as xr_mw_bind(); -ENOENT also: the owner has no such window.
 */
int xr_mw_post_bind(struct xr_link *link, struct xr_qp *qp,
		    const struct xr_bind *b)
{
	struct xr_mw *mw = xr_mw_get_rcu(link, b->key);

	if (!mw || mw->owner != qp->owner)
		return -ENOENT;
	return xr_mw_bind(link, mw, qp, b);
}
EXPORT_SYMBOL_GPL(xr_mw_post_bind);

/**
 * xr_mw_invalidate() - invalidate the key of a type 2 window (IBTA 10.6.7.2.6)
 * @link: the link
 * @qp: queue pair that the window must belong to
 * @key: all 32 bits of the window's key
 *
 * Under RCU. On success, the key gives no access any more when this returns. On failure
 * nothing has changed. The caller checks the state of @qp.
 *
 * Return: 0; -ENOENT: no window has this key; -EOPNOTSUPP: it is of type 1; -EINVAL: it is
 * not bound; -EXDEV: it belongs to another queue pair.
 */
int xr_mw_invalidate(struct xr_link *link, struct xr_qp *qp, u32 key)
{
	struct xr_mw *mw = xr_mw_get_rcu(link, key);
	int ret = 0;

	if (!mw)
		return -ENOENT;
	spin_lock_bh(&mw->lock);
	if (mw->dying || mw->key != key)
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
EXPORT_SYMBOL_GPL(xr_mw_invalidate);
