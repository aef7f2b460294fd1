// SPDX-License-Identifier: GPL-2.0-only
/*
 * Verbs: work requests of consumers in the kernel. They may post in any context, also in hardware
 * interrupts: so work requests are entered under locks that are taken with interrupts off, and
 * where nothing can be sent a tasklet does it.
 */
#include <linux/rcupdate.h>
#include <linux/string.h>

#include "uapi/xroce.h"
#include "xroce_map.h"
#include "xroce_wire.h"

#include "ctl/mr_reg.h"
#include "qp/qp.h"
#include "recv/queue.h"
#include "recv/srq.h"
#include "send/requester.h"

#include "verbs.h"

/* Rights that a registration can give. Nobody binds windows to such a region. */
#define XR_IB_ACCESS_REG \
	(XROCE_ACCESS_LOCAL_WRITE | XROCE_ACCESS_REMOTE_WRITE | XROCE_ACCESS_REMOTE_READ | \
	 XROCE_ACCESS_REMOTE_ATOMIC)

static_assert((int)IB_WR_REG_MR == XROCE_WR_REG_MR);
static_assert((int)IB_WC_REG_MR == XROCE_WC_REG_MR);
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
	return xr_swqe_finish_atomic(w, status);
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
	w->ud = to_xr_ibah(ud->ah)->ah->to;
	xr_ib_send_to(qp->qp, &w->ud, ud->remote_qpn, ud->remote_qkey);
	return status;
}

/* The memory has been named by map_mr_sg. Return: enum xroce_wc_status. */
static u32 xr_ib_post_reg(const struct xr_ibqp *qp, const struct ib_send_wr *wr,
			  struct xr_swqe *w)
{
	const struct ib_reg_wr *reg = reg_wr(wr);

	w->imm_or_key = reg->key;
	/* The consumer may have changed it since: see xprtrdma. */
	w->va = reg->mr->iova;
	w->access = reg->access & ~IB_ACCESS_OPTIONAL;
	if (reg->mr->pd != qp->ib.pd || (reg->key ^ reg->mr->lkey) >> XROCE_KEY_SHIFT ||
	    w->access & ~XR_IB_ACCESS_REG || !xr_access_ok(w->access))
		return XROCE_WC_LOC_QP_OP_ERR;
	return XROCE_WC_SUCCESS;
}

/* Copy what belongs to the opcode. Return: enum xroce_wc_status. */
static u32 xr_ib_post_copy(const struct xr_ibqp *qp, const struct ib_send_wr *wr,
			   struct xr_swqe *w)
{
	const struct xr_send *s = &qp->qp->send;

	if (!xr_send_op(w, qp->qp->type))
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
	case XROCE_WR_REG_MR:
		return xr_ib_post_reg(qp, wr, w);
	}
	return XROCE_WC_LOC_QP_OP_ERR;
}

/* Add a work request to the send queue, under @post_lock. Return: 0, -ENOMEM or -EINVAL. */
static int xr_ib_post_one(const struct xr_ibqp *qp, const struct ib_send_wr *wr)
{
	struct xr_send *s = &qp->qp->send;
	struct xr_swqe *w = xr_send_post_slot(s);

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
	/* Pairs with xr_requester_take(). */
	smp_store_release(&s->posted, s->posted + 1);
	return 0;
}

/**
 * xr_ib_post_kernel() - post send work requests
 * @qp: queue pair of a consumer in the kernel
 * @wr: the first one of a list
 * @bad: out: the first one that is not posted, after an error
 *
 * In any context. In ERR they are flushed.
 *
 * Return: 0; -EINVAL: the state, or a work request that the queue pair cannot execute; -ENOMEM:
 * the queue is full.
 */
int xr_ib_post_kernel(struct xr_ibqp *qp, const struct ib_send_wr *wr,
		      const struct ib_send_wr **bad)
{
	struct xr_qp *q = qp->qp;
	struct xr_send *s = &q->send;
	unsigned long flags;
	int ret = 0;

	/* Once posted, a work request may complete, and its consumer destroy the queue pair. */
	rcu_read_lock();
	raw_spin_lock_irqsave(&s->post_lock, flags);
	if (xr_qp_state(q) < XROCE_QPS_RTS)
		ret = -EINVAL;
	while (!ret && wr) {
		ret = xr_ib_post_one(qp, wr);
		if (!ret)
			wr = wr->next;
	}
	raw_spin_unlock_irqrestore(&s->post_lock, flags);
	xr_requester_kick(q);
	rcu_read_unlock();
	if (ret)
		*bad = wr;
	return ret;
}

/*
 * Post receive work requests. In RESET nothing can be posted (IBTA 10.8.3.1). @qp: the queue
 * pair; NULL: the queue is shared. Return: 0, -ENOMEM or -EINVAL, with @bad.
 */
static int xr_ib_post_to(struct xr_rq *rq, const struct xr_qp *qp, const struct ib_recv_wr *wr,
			 const struct ib_recv_wr **bad)
{
	unsigned long flags;
	int ret = 0;

	raw_spin_lock_irqsave(&rq->post_lock, flags);
	if (qp && xr_qp_state(qp) == XROCE_QPS_RESET)
		ret = -EINVAL;
	for (; !ret && wr; wr = wr->next) {
		ret = xr_rq_post(rq, wr->wr_id, xr_ib_sges(wr->sg_list), wr->num_sge);
		if (ret)
			break;
	}
	raw_spin_unlock_irqrestore(&rq->post_lock, flags);
	if (ret)
		*bad = wr;
	return ret;
}

int xr_ib_post_recv(struct ib_qp *ib, const struct ib_recv_wr *wr,
		    const struct ib_recv_wr **bad)
{
	struct xr_qp *qp = to_xr_ibqp(ib)->qp;
	struct xr_rq *rq = &qp->recv.rq;
	int ret;

	*bad = wr;
	/* Programs post to their ring. */
	if (ib->uobject || !rq->ring.mem)
		return -EINVAL;
	/* As for sends. */
	rcu_read_lock();
	ret = xr_ib_post_to(rq, qp, wr, bad);
	xr_recv_posted(qp);
	rcu_read_unlock();
	return ret;
}

int xr_ib_post_srq_recv(struct ib_srq *ib, const struct ib_recv_wr *wr,
			const struct ib_recv_wr **bad)
{
	*bad = wr;
	if (ib->uobject)
		return -EINVAL;
	return xr_ib_post_to(&to_xr_ibsrq(ib)->srq->rq, NULL, wr, bad);
}
