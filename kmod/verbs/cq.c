// SPDX-License-Identifier: GPL-2.0-only
/* Verbs: completion queues. Programs poll them without a system call. */
#include <linux/err.h>
#include <linux/minmax.h>

#include "uapi/xroce.h"

#include "obj/cq.h"

#include "verbs.h"

/* The ring for @cqe completions. Return: its slots; 0: @cqe is out of range. */
static u32 xr_ib_cq_slots(unsigned int cqe)
{
	if (!cqe || cqe > XROCE_CQ_MAX - 1)
		return 0;
	return max_t(u32, xr_ib_slots(cqe), XROCE_CQ_MIN);
}

int xr_ib_create_cq(struct ib_cq *ib, const struct ib_cq_init_attr *attr,
		    struct uverbs_attr_bundle *attrs)
{
	struct ib_udata *udata = attrs ? &attrs->driver_udata : NULL;
	struct xroce_cq_add a = { .entries = xr_ib_cq_slots(attr->cqe) };
	struct xr_ibctx *ctx = xr_ib_udata_ctx(udata);
	struct rxe_create_cq_resp resp = {};
	struct xr_cq *cq;

	if (!ctx || attr->flags)
		return -EOPNOTSUPP;
	if (!a.entries || udata->outlen < sizeof(resp))
		return -EINVAL;
	cq = xr_cq_create(ctx->link, &ctx->own, XR_FORMAT_RXE, to_xr_ibcq(ib), &a);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	resp.mi.offset = a.offset;
	resp.mi.size = a.bytes;
	if (ib_copy_to_udata(udata, &resp, sizeof(resp))) {
		xr_cq_delete(ctx->link, &ctx->own, a.cq);
		return -EFAULT;
	}
	to_xr_ibcq(ib)->cq = cq;
	ib->cqe = a.entries - 1;
	return 0;
}

int xr_ib_destroy_cq(struct ib_cq *ib, struct ib_udata *udata)
{
	struct xr_ibctx *ctx = xr_ib_udata_ctx(udata);

	return xr_cq_delete(ctx->link, &ctx->own, to_xr_ibcq(ib)->cq->id);
}

static u32 xr_ib_cq_waiting(struct xr_cq *cq)
{
	u32 n;

	spin_lock_bh(&cq->lock);
	n = xr_cq_used(cq, XR_FORMAT_RXE);
	spin_unlock_bh(&cq->lock);
	return n;
}

/*
 * More completions than @cqe are refused even if the new ring has room for them, which is
 * larger than it need be.
 */
int xr_ib_resize_cq(struct ib_cq *ib, int cqe, struct ib_udata *udata)
{
	struct xroce_cq_add a = { .entries = cqe < 0 ? 0 : xr_ib_cq_slots(cqe) };
	struct xr_ibctx *ctx = xr_ib_udata_ctx(udata);
	struct rxe_resize_cq_resp resp = {};
	int ret;

	if (!ctx)
		return -EOPNOTSUPP;
	if (!a.entries || udata->outlen < sizeof(resp) ||
	    xr_ib_cq_waiting(to_xr_ibcq(ib)->cq) > (u32)cqe)
		return -EINVAL;
	/* The previous ring cannot be restored, so find out now whether the response arrives. */
	ret = ib_copy_to_udata(udata, &resp, sizeof(resp));
	if (!ret)
		ret = xr_cq_resize(ctx->link, to_xr_ibcq(ib)->cq, &a);
	if (ret)
		return ret;
	ib->cqe = a.entries - 1;
	resp.mi.offset = a.offset;
	resp.mi.size = a.bytes;
	return ib_copy_to_udata(udata, &resp, sizeof(resp));
}

int xr_ib_req_notify_cq(struct ib_cq *ib, enum ib_cq_notify_flags flags)
{
	bool solicited = (flags & IB_CQ_SOLICITED_MASK) == IB_CQ_SOLICITED;
	bool waiting = xr_cq_arm(to_xr_ibcq(ib)->cq, solicited);

	return waiting && flags & IB_CQ_REPORT_MISSED_EVENTS;
}
