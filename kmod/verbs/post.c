// SPDX-License-Identifier: GPL-2.0-only
/*
 * Verbs: work requests of consumers in the kernel. Consumers may post with interrupts off. Then
 * the device cannot send, and a tasklet does.
 */
#include <linux/bug.h>
#include <linux/irqflags.h>
#include <linux/preempt.h>
#include <linux/string.h>

#include "uapi/xroce.h"
#include "xroce_wire.h"

#include "data/requester.h"
#include "obj/qp.h"
#include "obj/recv_queue.h"
#include "obj/srq.h"

#include "verbs.h"

static_assert(sizeof(struct ib_sge) == sizeof(struct xroce_sge_local));
static_assert(offsetof(struct ib_sge, addr) == offsetof(struct xroce_sge_local, addr));
static_assert(offsetof(struct ib_sge, length) == offsetof(struct xroce_sge_local, length));
static_assert(offsetof(struct ib_sge, lkey) == offsetof(struct xroce_sge_local, lkey));

static const struct xroce_sge_local *xr_ib_sges(const struct ib_sge *sge)
{
	return (const struct xroce_sge_local *)sge;
}

/* Copy the message itself, which is at addresses of the kernel. Return: enum xroce_wc_status. */
static u32 xr_ib_post_inline(const struct xr_send *s, const struct ib_send_wr *wr,
			     struct xr_swqe *w)
{
	const struct ib_sge *sge;
	u32 length = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++) {
		sge = &wr->sg_list[i];
		if (sge->length > s->max_data - length)
			return XROCE_WC_LOC_QP_OP_ERR;
		memcpy(w->data + length, (const void *)(uintptr_t)sge->addr, sge->length);
		length += sge->length;
	}
	w->length = length;
	return XROCE_WC_SUCCESS;
}

static u32 xr_ib_post_message(const struct xr_send *s, const struct ib_send_wr *wr,
			      struct xr_swqe *w)
{
	if (w->flags & XROCE_SEND_INLINE)
		return xr_ib_post_inline(s, wr, w);
	return xr_send_sges(s, w, xr_ib_sges(wr->sg_list), wr->num_sge);
}

/* WRITE and READ. */
static u32 xr_ib_post_rdma(const struct xr_send *s, const struct ib_send_wr *wr,
			   struct xr_swqe *w)
{
	w->va = rdma_wr(wr)->remote_addr;
	w->rkey = rdma_wr(wr)->rkey;
	return xr_ib_post_message(s, wr, w);
}

static u32 xr_ib_post_atomic(const struct xr_send *s, const struct ib_send_wr *wr,
			     struct xr_swqe *w)
{
	const struct ib_atomic_wr *a = atomic_wr(wr);
	bool add = w->opcode == XROCE_WR_FETCH_ADD;
	u32 status = xr_ib_post_message(s, wr, w);

	w->va = a->remote_addr;
	w->rkey = a->rkey;
	w->swap_add = add ? a->compare_add : a->swap;
	w->compare = add ? 0 : a->compare_add;
	return xr_swqe_atomic(w, status);
}

static u32 xr_ib_post_datagram(const struct xr_ibqp *qp, const struct ib_send_wr *wr,
			       struct xr_swqe *w)
{
	const struct ib_ud_wr *ud = ud_wr(wr);
	u32 status = xr_ib_post_message(&qp->qp->send, wr, w);

	if (!ud->ah || ud->ah->pd != qp->ib.pd)
		return XROCE_WC_LOC_QP_OP_ERR;
	if (w->length > qp->qp->mtu)
		return XROCE_WC_LOC_LEN_ERR;
	w->ud = to_xr_ibah(ud->ah)->to;
	xr_ib_send_to(qp, &w->ud, ud->remote_qpn, ud->remote_qkey);
	return status;
}

/* Copy what belongs to the opcode. Return: enum xroce_wc_status. */
static u32 xr_ib_post_copy(const struct xr_ibqp *qp, const struct ib_send_wr *wr,
			   struct xr_swqe *w)
{
	const struct xr_send *s = &qp->qp->send;

	if (!xr_swqe_allowed(qp->qp->type, w->opcode))
		return XROCE_WC_LOC_QP_OP_ERR;
	if (qp->qp->type == XROCE_QPT_UD)
		return xr_ib_post_datagram(qp, wr, w);
	if (w->flags & XROCE_SEND_INLINE && xr_swqe_responds(w))
		return XROCE_WC_LOC_QP_OP_ERR;
	switch (w->opcode) {
	case XROCE_WR_SEND:
	case XROCE_WR_SEND_WITH_IMM:
	case XROCE_WR_SEND_WITH_INV:
		return xr_ib_post_message(s, wr, w);
	case XROCE_WR_RDMA_WRITE:
	case XROCE_WR_RDMA_WRITE_WITH_IMM:
	case XROCE_WR_RDMA_READ:
		return xr_ib_post_rdma(s, wr, w);
	case XROCE_WR_CMP_SWAP:
	case XROCE_WR_FETCH_ADD:
		return xr_ib_post_atomic(s, wr, w);
	case XROCE_WR_LOCAL_INV:
		return XROCE_WC_SUCCESS;
	}
	return XROCE_WC_LOC_QP_OP_ERR;
}

/*
 * The locks of queues are taken in softirq with interrupts on, so nothing can be posted in a
 * hardware interrupt.
 */
static bool xr_ib_post_context(void)
{
	return !WARN_ON_ONCE(in_hardirq());
}

/* Add a work request to the send queue, which is locked. Return: 0, -ENOMEM or -EINVAL. */
static int xr_ib_post_one(const struct xr_ibqp *qp, const struct ib_send_wr *wr)
{
	struct xr_send *s = &qp->qp->send;
	struct xr_swqe *w = xr_send_slot(s);

	if (!w)
		return -ENOMEM;
	w->wr_id = wr->wr_id;
	w->opcode = wr->opcode;
	w->flags = wr->send_flags & (XROCE_SEND_FENCE | XROCE_SEND_SIGNALED |
				     XROCE_SEND_SOLICITED | XROCE_SEND_INLINE);
	w->imm_or_key = wr->ex.invalidate_rkey;
	w->length = 0;
	w->num_sge = 0;
	if (xr_ib_post_copy(qp, wr, w))
		return -EINVAL;
	s->tail++;
	return 0;
}

/**
 * xr_ib_post_kernel() - post send work requests
 * @qp: queue pair of a consumer in the kernel
 * @wr: the first one of a list
 * @bad: out: the first one that is not posted, after an error
 *
 * In any context but that of a hardware interrupt. In ERR they are flushed.
 *
 * Return: 0; -EINVAL: the state, or a work request that the queue pair cannot execute; -ENOMEM:
 * the queue is full.
 */
int xr_ib_post_kernel(struct xr_ibqp *qp, const struct ib_send_wr *wr,
		      const struct ib_send_wr **bad)
{
	struct xr_send *s = &qp->qp->send;
	bool late = irqs_disabled();
	int ret = 0;

	if (!xr_ib_post_context()) {
		*bad = wr;
		return -EINVAL;
	}
	if (late)
		spin_lock(&s->lock);
	else
		spin_lock_bh(&s->lock);
	if (xr_qp_state(qp->qp) < XROCE_QPS_RTS)
		ret = -EINVAL;
	while (!ret && wr) {
		ret = xr_ib_post_one(qp, wr);
		if (!ret)
			wr = wr->next;
	}
	if (late) {
		xr_requester_posted_late(qp->qp);
		spin_unlock(&s->lock);
	} else {
		xr_requester_posted(qp->qp);
		spin_unlock_bh(&s->lock);
	}
	if (ret)
		*bad = wr;
	return ret;
}

/* Post receive work requests to a locked queue. Return: 0, -ENOMEM or -EINVAL, with @bad. */
static int xr_ib_post_to(struct xr_rq *rq, const struct ib_recv_wr *wr,
			 const struct ib_recv_wr **bad)
{
	int ret;

	for (; wr; wr = wr->next) {
		ret = xr_rq_post(rq, wr->wr_id, xr_ib_sges(wr->sg_list), wr->num_sge);
		if (ret) {
			*bad = wr;
			return ret;
		}
	}
	return 0;
}

int xr_ib_post_recv(struct ib_qp *ib, const struct ib_recv_wr *wr,
		    const struct ib_recv_wr **bad)
{
	struct xr_qp *qp = to_xr_ibqp(ib)->qp;
	struct xr_recv *v = &qp->recv;
	unsigned long flags;
	int ret;

	*bad = wr;
	/* Programs post to their ring; in RESET nothing can be posted (IBTA 10.8.3.1). */
	if (ib->uobject || !v->rq.ring.mem || xr_qp_state(qp) == XROCE_QPS_RESET ||
	    !xr_ib_post_context())
		return -EINVAL;
	spin_lock_irqsave(&v->lock, flags);
	ret = xr_ib_post_to(&v->rq, wr, bad);
	xr_recv_posted(qp);
	spin_unlock_irqrestore(&v->lock, flags);
	return ret;
}

int xr_ib_post_srq_recv(struct ib_srq *ib, const struct ib_recv_wr *wr,
			const struct ib_recv_wr **bad)
{
	struct xr_srq *srq = to_xr_ibsrq(ib)->srq;
	unsigned long flags;
	int ret;

	*bad = wr;
	if (ib->uobject || !xr_ib_post_context())
		return -EINVAL;
	spin_lock_irqsave(&srq->lock, flags);
	ret = xr_ib_post_to(&srq->rq, wr, bad);
	spin_unlock_irqrestore(&srq->lock, flags);
	return ret;
}
