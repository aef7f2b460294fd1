// SPDX-License-Identifier: GPL-2.0-only
/* Verbs: shared receive queues. Programs post to them without a system call; see also post.c. */
#include <linux/err.h>
#include <linux/uaccess.h>

#include "uapi/xroce.h"

#include "recv/srq.h"

#include "verbs.h"

/* The ring for @n work requests. Return: its slots; 0: @n is out of range. */
static u32 xr_ib_srq_slots(u32 n)
{
	return n && n <= XROCE_RQ_MAX - 1 ? xr_ib_slots(n) : 0;
}

int xr_ib_create_srq(struct ib_srq *ib, struct ib_srq_init_attr *init,
		     struct ib_udata *udata)
{
	struct xr_owner *own = xr_ib_owner(ib->device, udata);
	struct xr_link *link = xr_ib_link(ib->device);
	struct rxe_create_srq_resp resp = {};
	struct xroce_srq_add a = {};
	struct xr_srq *srq;

	if (init->srq_type != IB_SRQT_BASIC)
		return -EOPNOTSUPP;
	a.entries = xr_ib_srq_slots(init->attr.max_wr);
	if (!a.entries || !init->attr.max_sge || init->attr.max_sge > XROCE_RQ_SGE_MAX ||
	    (udata && udata->outlen < sizeof(resp)))
		return -EINVAL;
	a.pd = to_xr_ibpd(ib->pd)->id;
	a.max_sge = init->attr.max_sge;
	xr_ib_unread_init(&to_xr_ibsrq(ib)->unread);
	srq = xr_srq_create(link, own, XR_FORMAT_RXE, to_xr_ibsrq(ib), &a);
	if (IS_ERR(srq))
		return PTR_ERR(srq);
	resp.mi.offset = a.offset;
	resp.mi.size = a.bytes;
	resp.srq_num = a.srq;
	if (udata && ib_copy_to_udata(udata, &resp, sizeof(resp))) {
		xr_srq_delete(link, own, a.srq);
		return -EFAULT;
	}
	to_xr_ibsrq(ib)->srq = srq;
	init->attr.max_wr = a.entries - 1;
	return 0;
}

/*
 * Resize the queue, and arm @limit, if it is not NULL. The library waits with posting, and maps the
 * new ring. Work requests that exceed @attr->max_wr may fit, as the new ring may be larger.
 */
static int xr_ib_resize_srq(struct ib_srq *ib, const struct ib_srq_attr *attr, const u32 *limit,
			    struct ib_udata *udata)
{
	struct xroce_srq_add a = { .entries = xr_ib_srq_slots(attr->max_wr) };
	struct xr_ibctx *ctx = xr_ib_udata_ctx(udata);
	struct rxe_modify_srq_cmd cmd;
	struct mminfo mi = {};
	void __user *to;
	int ret;

	if (!ctx)
		return -EOPNOTSUPP;
	if (!a.entries || (limit && *limit >= a.entries) || udata->inlen < sizeof(cmd))
		return -EINVAL;
	ret = ib_copy_from_udata(&cmd, udata, sizeof(cmd));
	if (ret)
		return ret;
	/* The previous ring cannot be restored, so find out now whether the response arrives. */
	to = u64_to_user_ptr(cmd.mmap_info_addr);
	if (copy_to_user(to, &mi, sizeof(mi)))
		return -EFAULT;
	ret = xr_srq_resize(ctx->link, to_xr_ibsrq(ib)->srq, &a, limit);
	if (ret)
		return ret;
	mi.offset = a.offset;
	mi.size = a.bytes;
	return copy_to_user(to, &mi, sizeof(mi)) ? -EFAULT : 0;
}

int xr_ib_modify_srq(struct ib_srq *ib, struct ib_srq_attr *attr,
		     enum ib_srq_attr_mask mask, struct ib_udata *udata)
{
	const u32 *limit = mask & IB_SRQ_LIMIT ? &attr->srq_limit : NULL;
	const struct xr_srq *srq = to_xr_ibsrq(ib)->srq;

	if (mask & ~(IB_SRQ_LIMIT | IB_SRQ_MAX_WR))
		return -EOPNOTSUPP;
	if (mask & IB_SRQ_MAX_WR)
		return xr_ib_resize_srq(ib, attr, limit, udata);
	if (!limit)
		return 0;
	/* One entry of the ring is always empty. */
	if (*limit > READ_ONCE(srq->rq.mask))
		return -EINVAL;
	return xr_srq_modify(xr_ib_link(ib->device), srq->owner, srq->id, *limit);
}

int xr_ib_query_srq(struct ib_srq *ib, struct ib_srq_attr *attr)
{
	const struct xr_srq *srq = to_xr_ibsrq(ib)->srq;
	struct xroce_srq_query q = { .srq = srq->id };
	int ret;

	ret = xr_srq_query(xr_ib_link(ib->device), srq->owner, &q);
	if (ret)
		return ret;
	attr->max_wr = q.entries - 1;
	attr->max_sge = q.max_sge;
	attr->srq_limit = q.limit;
	return 0;
}

int xr_ib_destroy_srq(struct ib_srq *ib, struct ib_udata *udata)
{
	return xr_srq_delete(xr_ib_link(ib->device), xr_ib_owner(ib->device, udata),
			     to_xr_ibsrq(ib)->srq->id);
}
