// SPDX-License-Identifier: GPL-2.0-only
/*
 * Verbs: completion queues. Programs poll them without a system call, consumers in the kernel with
 * poll_cq.
 */
#include <linux/err.h>
#include <linux/if_vlan.h>
#include <linux/minmax.h>
#include <linux/mutex.h>

#include "uapi/xroce.h"

#include "obj/cq.h"
#include "qp/qp.h"
#include "recv/queue.h"

#include "verbs.h"

/* The ring of @format for @cqe completions. Return: its slots; 0: @cqe is out of range. */
static u32 xr_ib_cq_slots(enum xr_format format, unsigned int cqe)
{
	if (!cqe || cqe > XROCE_CQ_MAX - 1)
		return 0;
	return max_t(u32, xr_ib_slots(format, cqe), XROCE_CQ_MIN);
}

/* What completion queues of XR_FORMAT_OWN can do. */
#define XR_IB_CQ_FLAGS	(IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION | \
			 IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN)

/* What the provider is told about the ring of a completion queue. */
union xr_ib_cq_resp {
	struct rxe_create_cq_resp rxe;
	struct xroce_create_cq_resp own;
};

static_assert(sizeof(struct rxe_create_cq_resp) == sizeof(struct rxe_resize_cq_resp));
static_assert(sizeof(struct xroce_create_cq_resp) == sizeof(struct xroce_resize_cq_resp));

static size_t xr_ib_cq_resp_size(enum xr_format format)
{
	return format == XR_FORMAT_RXE ? sizeof(struct rxe_create_cq_resp) :
					 sizeof(struct xroce_create_cq_resp);
}

/* @udata has room for it. */
static int xr_ib_cq_respond(struct ib_udata *udata, enum xr_format format,
			    const struct xroce_cq_add *a)
{
	union xr_ib_cq_resp resp = {};

	if (format == XR_FORMAT_RXE) {
		resp.rxe.mi.offset = a->offset;
		resp.rxe.mi.size = a->bytes;
	} else {
		resp.own.ring = xr_ib_ring(a->offset, a->bytes, a->entries,
					   sizeof(struct xroce_cqe));
	}
	return xr_ib_respond(udata, &resp, xr_ib_cq_resp_size(format));
}

int xr_ib_create_cq(struct ib_cq *ib, const struct ib_cq_init_attr *attr,
		    struct uverbs_attr_bundle *attrs)
{
	struct ib_udata *udata = attrs ? &attrs->driver_udata : NULL;
	enum xr_format format = xr_ib_format(ib->device, udata);
	struct xroce_cq_add a = { .entries = xr_ib_cq_slots(format, attr->cqe) };
	struct xr_owner *own = xr_ib_owner(ib->device, udata);
	struct xr_link *link = xr_ib_link(ib->device);
	struct xr_cq *cq;

	if (attr->flags & ~(format == XR_FORMAT_OWN ? XR_IB_CQ_FLAGS : 0))
		return -EOPNOTSUPP;
	if (!a.entries || (udata && udata->outlen < xr_ib_cq_resp_size(format)))
		return -EINVAL;
	xr_ib_cq_init(to_xr_ibcq(ib));
	cq = xr_cq_create(link, own, format, to_xr_ibcq(ib), &a);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	if (xr_ib_cq_respond(udata, format, &a)) {
		xr_cq_delete(link, own, a.cq);
		return -EFAULT;
	}
	/* No queue pair uses it yet. */
	cq->stamped = attr->flags & IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION;
	cq->unbounded = attr->flags & IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN;
	to_xr_ibcq(ib)->cq = cq;
	ib->cqe = a.entries - xr_ib_empty(format);
	return 0;
}

int xr_ib_destroy_cq(struct ib_cq *ib, struct ib_udata *udata)
{
	int ret = xr_cq_delete(xr_ib_link(ib->device), xr_ib_owner(ib->device, udata),
			       to_xr_ibcq(ib)->cq->id);

	if (!ret)
		tasklet_kill(&to_xr_ibcq(ib)->tasklet);
	return ret;
}

/*
 * Moderation, for consumers in the kernel and, as they ask for "adaptive-moderation" of rdma(8), for
 * ib_core's own measurements of them (linux/dim.h); and for programs whose provider knows it.
 */
int xr_ib_modify_cq(struct ib_cq *ib, u16 count, u16 period)
{
	return xr_cq_moderate(to_xr_ibcq(ib)->cq, count, period);
}

static u32 xr_ib_cq_waiting(struct xr_cq *cq)
{
	u32 n;

	spin_lock_irq(&cq->lock);
	n = xr_cq_used(cq, cq->format);
	spin_unlock_irq(&cq->lock);
	return n;
}

/*
 * More completions than @cqe are refused even if the new ring has room for them, which is
 * larger than it need be.
 */
int xr_ib_resize_cq(struct ib_cq *ib, int cqe, struct ib_udata *udata)
{
	enum xr_format format = xr_ib_format(ib->device, udata);
	struct xroce_cq_add a = { .entries = cqe < 0 ? 0 : xr_ib_cq_slots(format, cqe) };
	struct xr_ibctx *ctx = xr_ib_udata_ctx(udata);
	int ret;

	if (!ctx)
		return -EOPNOTSUPP;
	if (!a.entries || udata->outlen < xr_ib_cq_resp_size(format) ||
	    xr_ib_cq_waiting(to_xr_ibcq(ib)->cq) > (u32)cqe)
		return -EINVAL;
	/* The previous ring cannot be restored, so find out now whether the response arrives. */
	ret = xr_ib_cq_respond(udata, format, &a);
	if (!ret)
		ret = xr_cq_resize(ctx->link, to_xr_ibcq(ib)->cq, &a);
	if (ret)
		return ret;
	ib->cqe = a.entries - xr_ib_empty(format);
	return xr_ib_cq_respond(udata, format, &a);
}

/* A completion for a consumer in the kernel. The VLAN of a datagram chooses among GIDs. */
static void xr_ib_wc(struct ib_wc *wc, const struct xr_cqe_rxe *entry, struct ib_qp *qp)
{
	const struct ib_uverbs_wc *from = &entry->wc;
	u16 vlan = entry->vlan_tci & VLAN_VID_MASK;

	*wc = (struct ib_wc){
		.wr_id = from->wr_id,
		.status = from->status,
		.opcode = from->opcode,
		.vendor_err = from->vendor_err,
		.byte_len = from->byte_len,
		.qp = qp,
		.ex.invalidate_rkey = from->ex.invalidate_rkey,
		.src_qp = from->src_qp,
		.wc_flags = (from->wc_flags & XROCE_WC_GRH ? IB_WC_GRH : 0) |
			    (from->wc_flags & XROCE_WC_WITH_IMM ? IB_WC_WITH_IMM : 0) |
			    (from->wc_flags & XROCE_WC_WITH_INV ? IB_WC_WITH_INVALIDATE : 0) |
			    (vlan ? IB_WC_WITH_VLAN : 0),
		.vlan_id = vlan,
		.sl = entry->vlan_tci >> VLAN_PRIO_SHIFT,
		.pkey_index = from->pkey_index,
		.port_num = from->port_num,
	};
}

/*
 * The queue pair of a completion; NULL: it has been destroyed. Its number may have recurred since.
 * Under the lock of the queue.
 */
static struct ib_qp *xr_ib_cq_qp(const struct xr_link *link, const struct xr_cq *cq, u32 qpn)
{
	struct xr_qp *qp = xr_qp_get_rcu(link, qpn);

	if (!qp || qp->owner != cq->owner || (qp->send.cq != cq && qp->recv.cq != cq))
		return NULL;
	return &((struct xr_ibqp *)qp->context)->ib;
}

/* Completions of queue pairs that have been destroyed are removed (IBTA 11.2.4.4). */
int xr_ib_poll_cq(struct ib_cq *ib, int n, struct ib_wc *wc)
{
	const struct xr_link *link = xr_ib_link(ib->device);
	struct xr_cq *cq = to_xr_ibcq(ib)->cq;
	struct rxe_queue_buf *header = xr_cq_rxe(cq);
	const void *entries = header->data;
	const struct xr_cqe_rxe *from;
	unsigned long flags;
	struct ib_qp *qp;
	int got = 0;
	u32 at;

	spin_lock_irqsave(&cq->lock, flags);
	while (got < n && xr_cq_used(cq, XR_FORMAT_RXE)) {
		at = header->consumer_index & cq->mask;
		from = entries + at * XR_CQE_RXE;
		qp = xr_ib_cq_qp(link, cq, from->wc.qp_num);
		if (qp)
			xr_ib_wc(&wc[got++], from, qp);
		/* Pairs with xr_cq_used(): the entry has been read. */
		smp_store_release(&header->consumer_index, (at + 1) & cq->mask);
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	return got;
}

/* Receives of a program in ERR, of which the module learns here. */
static void xr_ib_cq_settle_recvs(struct xr_link *link, struct xr_cq *cq)
{
	if (!atomic_read(&cq->ended))
		return;
	mutex_lock(&link->lock);
	xr_recv_settle_cq(link, cq);
	mutex_unlock(&link->lock);
}

int xr_ib_req_notify_cq(struct ib_cq *ib, enum ib_cq_notify_flags flags)
{
	bool solicited = (flags & IB_CQ_SOLICITED_MASK) == IB_CQ_SOLICITED;
	struct xr_cq *cq = to_xr_ibcq(ib)->cq;
	bool waiting = xr_cq_arm(cq, solicited);

	/* Afterwards, so that their completions notify. */
	if (ib->uobject)
		xr_ib_cq_settle_recvs(xr_ib_link(ib->device), cq);
	return waiting && flags & IB_CQ_REPORT_MISSED_EVENTS;
}
