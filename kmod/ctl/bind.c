// SPDX-License-Identifier: GPL-2.0-only
/*
 * MW_BIND and MW_INVAL: bind and invalidate windows at once, after the work requests that
 * are posted.
 */
#include "uapi/xroce.h"
#include "xroce_map.h"

#include "obj/link.h"
#include "obj/mr.h"
#include "obj/mw.h"
#include "qp/qp.h"
#include "send/post.h"

#include "bind.h"

/*
 * The errno of a bind for @caller: errors that tell something about a region become -ENOENT
 * if @caller does not see the region. The link's lock is held.
 */
static int xr_mw_bind_error(const struct xr_link *link, const struct xr_owner *caller,
			    u32 lkey, int error)
{
	struct xr_mr *mr = xr_mr_find(link, lkey >> XROCE_KEY_SHIFT);

	if (error != -EXDEV && error != -EACCES && error != -ERANGE)
		return error;
	return mr && mr->key == lkey && xr_owner_sees(caller, mr->owner) ? error : -ENOENT;
}

/**
 * xr_mw_do_bind() - bind a window at once
 * @link: the link
 * @caller: the requesting file
 * @a: in: arguments; out: key of the window
 *
 * Return: 0 or an errno of MW_BIND, see uapi/xroce.h.
 */
int xr_mw_do_bind(struct xr_link *link, struct xr_owner *caller,
		  struct xroce_mw_bind *a)
{
	struct xr_bind b = {
		.lkey = a->lkey,
		.addr = a->addr,
		.length = a->length,
		.access = a->access,
	};
	struct xr_mw *mw;
	struct xr_qp *qp;
	int ret;

	mutex_lock(&link->lock);
	mw = xr_mw_get(link, caller, a->mw);
	qp = IS_ERR(mw) ? ERR_CAST(mw) : xr_qp_get(link, caller, a->qpn);
	ret = PTR_ERR_OR_ZERO(qp);
	if (ret)
		goto out;
	b.draw = mw->type == XROCE_MW_TYPE_1;
	b.key = b.draw ? a->mw << XROCE_KEY_SHIFT : a->rkey;
	ret = -EINVAL;
	if (b.key >> XROCE_KEY_SHIFT != a->mw || (b.draw && a->rkey))
		goto out;
	/* First apply the work requests that were posted before this command. */
	xr_post_apply(qp);
	rcu_read_lock_bh();
	ret = xr_mw_bind(link, mw, qp, &b);
	rcu_read_unlock_bh();
	if (!ret)
		a->rkey = READ_ONCE(mw->key);
	else if (a->length)
		ret = xr_mw_bind_error(link, caller, a->lkey, ret);
out:
	mutex_unlock(&link->lock);
	return ret;
}

/**
 * xr_mw_do_inval() - invalidate the key of a window at once
 * @link: the link
 * @caller: the requesting file
 * @a: arguments
 *
 * Return: 0 or an errno of MW_INVAL, see uapi/xroce.h.
 */
int xr_mw_do_inval(struct xr_link *link, struct xr_owner *caller,
		   const struct xroce_mw_inval *a)
{
	struct xr_mw *mw;
	struct xr_qp *qp;
	u32 state;
	int ret;

	mutex_lock(&link->lock);
	mw = xr_mw_get(link, caller, a->rkey >> XROCE_KEY_SHIFT);
	qp = IS_ERR(mw) ? ERR_CAST(mw) : xr_qp_get(link, caller, a->qpn);
	ret = PTR_ERR_OR_ZERO(qp);
	if (ret)
		goto out;
	xr_post_apply(qp);
	state = xr_qp_state(qp);
	ret = -ENOTCONN;
	if (state != XROCE_QPS_RTS && state != XROCE_QPS_SQD)
		goto out;
	rcu_read_lock_bh();
	ret = xr_mw_invalidate(link, qp, a->rkey);
	rcu_read_unlock_bh();
out:
	mutex_unlock(&link->lock);
	return ret;
}
