// SPDX-License-Identifier: GPL-2.0-only
/* Verbs: shared receive queues. Programs post to them without a system call; see also post.c. */
#include <linux/err.h>

#include "uapi/xroce.h"

#include "obj/srq.h"

#include "verbs.h"

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
	if (!init->attr.max_wr || init->attr.max_wr > XROCE_RQ_MAX - 1 ||
	    !init->attr.max_sge || init->attr.max_sge > XROCE_RQ_SGE_MAX ||
	    (udata && udata->outlen < sizeof(resp)))
		return -EINVAL;
	a.pd = to_xr_ibpd(ib->pd)->id;
	a.entries = xr_ib_slots(init->attr.max_wr);
	a.max_sge = init->attr.max_sge;
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

int xr_ib_modify_srq(struct ib_srq *ib, struct ib_srq_attr *attr,
		     enum ib_srq_attr_mask mask, struct ib_udata *udata)
{
	const struct xr_srq *srq = to_xr_ibsrq(ib)->srq;

	if (mask & ~IB_SRQ_LIMIT)
		return -EOPNOTSUPP;
	if (!(mask & IB_SRQ_LIMIT))
		return 0;
	/* One entry of the ring is always empty. */
	if (attr->srq_limit > srq->rq.mask)
		return -EINVAL;
	return xr_srq_modify(xr_ib_link(ib->device), srq->owner, srq->id, attr->srq_limit);
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
