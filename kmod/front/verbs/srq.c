// SPDX-License-Identifier: GPL-2.0-only
/* Verbs: shared receive queues. Programs post to them without a system call; see also post.c. */
#include <linux/err.h>
#include <linux/uaccess.h>

#include "uapi/xroce.h"

#include "recv/srq.h"

#include "verbs.h"

/* The ring of @format for @n work requests. Return: its slots; 0: @n is out of range. */
static u32 xr_ib_srq_slots(enum xr_format format, u32 n)
{
	return n && n <= XROCE_RQ_MAX - 1 ? xr_ib_slots(format, n) : 0;
}

/* What the provider is told about a new queue. */
union xr_ib_srq_resp {
	struct rxe_create_srq_resp rxe;
	struct xroce_create_srq_resp own;
};

static size_t xr_ib_srq_resp_size(enum xr_format format)
{
	return format == XR_FORMAT_RXE ? sizeof(struct rxe_create_srq_resp) :
					 sizeof(struct xroce_create_srq_resp);
}

/* @udata has room for it. */
static int xr_ib_srq_respond(struct ib_udata *udata, const struct xr_rq *rq,
			     const struct xroce_srq_add *a)
{
	union xr_ib_srq_resp resp = {};

	if (rq->format == XR_FORMAT_RXE) {
		resp.rxe.mi.offset = a->offset;
		resp.rxe.mi.size = a->bytes;
		resp.rxe.srq_num = a->srq;
	} else {
		resp.own.ring = xr_ib_ring(a->offset, a->bytes, a->entries, rq->stride);
		resp.own.srq = a->srq;
	}
	return xr_ib_respond(udata, &resp, xr_ib_srq_resp_size(rq->format));
}

int xr_ib_create_srq(struct ib_srq *ib, struct ib_srq_init_attr *init,
		     struct ib_udata *udata)
{
	struct xr_owner *own = xr_ib_owner(ib->device, udata);
	enum xr_format format = xr_ib_format(ib->device, udata);
	struct xr_link *link = xr_ib_link(ib->device);
	struct xroce_srq_add a = {};
	struct xr_srq *srq;

	if (init->srq_type != IB_SRQT_BASIC)
		return -EOPNOTSUPP;
	a.entries = xr_ib_srq_slots(format, init->attr.max_wr);
	if (!a.entries || !init->attr.max_sge || init->attr.max_sge > XROCE_RQ_SGE_MAX ||
	    (udata && udata->outlen < xr_ib_srq_resp_size(format)))
		return -EINVAL;
	a.pd = to_xr_ibpd(ib->pd)->id;
	a.max_sge = init->attr.max_sge;
	xr_ib_unread_init(&to_xr_ibsrq(ib)->unread);
	srq = xr_srq_create(link, own, format, to_xr_ibsrq(ib), &a);
	if (IS_ERR(srq))
		return PTR_ERR(srq);
	if (xr_ib_srq_respond(udata, &srq->rq, &a)) {
		xr_srq_delete(link, own, a.srq);
		return -EFAULT;
	}
	to_xr_ibsrq(ib)->srq = srq;
	init->attr.max_wr = a.entries - xr_ib_empty(format);
	return 0;
}

/* Tell the provider about a new ring, where it has asked for that. Return: 0 or -EFAULT. */
static int xr_ib_srq_tell(void __user *to, const struct xr_rq *rq, const struct xroce_srq_add *a)
{
	struct xroce_abi_ring ring = xr_ib_ring(a->offset, a->bytes, a->entries, rq->stride);
	struct mminfo mi = { .offset = a->offset, .size = a->bytes };
	bool own = rq->format == XR_FORMAT_OWN;

	return copy_to_user(to, own ? (void *)&ring : &mi, own ? sizeof(ring) : sizeof(mi)) ?
	       -EFAULT : 0;
}

/*
 * Resize the queue, and arm @limit, if it is not NULL. The library waits with posting, and maps the
 * new ring. Work requests that exceed @attr->max_wr may fit, as the new ring may be larger.
 */
static int xr_ib_resize_srq(struct ib_srq *ib, const struct ib_srq_attr *attr, const u32 *limit,
			    struct ib_udata *udata)
{
	struct xr_srq *srq = to_xr_ibsrq(ib)->srq;
	struct xroce_srq_add a = { .entries = xr_ib_srq_slots(srq->rq.format, attr->max_wr) };
	struct xr_ibctx *ctx = xr_ib_udata_ctx(udata);
	struct rxe_modify_srq_cmd cmd;
	void __user *to;
	int ret;

	static_assert(sizeof(struct xroce_modify_srq_cmd) == sizeof(cmd));
	if (!ctx)
		return -EOPNOTSUPP;
	if (!a.entries || (limit && *limit > a.entries - xr_ib_empty(srq->rq.format)) ||
	    udata->inlen < sizeof(cmd))
		return -EINVAL;
	ret = ib_copy_from_udata(&cmd, udata, sizeof(cmd));
	if (ret)
		return ret;
	/* The previous ring cannot be restored, so find out now whether the response arrives. */
	to = u64_to_user_ptr(cmd.mmap_info_addr);
	ret = xr_ib_srq_tell(to, &srq->rq, &a);
	if (!ret)
		ret = xr_srq_resize(ctx->link, srq, &a, limit);
	return ret ?: xr_ib_srq_tell(to, &srq->rq, &a);
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
	if (*limit > READ_ONCE(srq->rq.mask) + 1 - xr_ib_empty(srq->rq.format))
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
	attr->max_wr = q.entries - xr_ib_empty(srq->rq.format);
	attr->max_sge = q.max_sge;
	attr->srq_limit = q.limit;
	return 0;
}

int xr_ib_destroy_srq(struct ib_srq *ib, struct ib_udata *udata)
{
	return xr_srq_delete(xr_ib_link(ib->device), xr_ib_owner(ib->device, udata),
			     to_xr_ibsrq(ib)->srq->id);
}
