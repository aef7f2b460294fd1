// SPDX-License-Identifier: GPL-2.0-only
/*
 * Verbs: send queues. The program writes work requests into a ring of its own for each queue
 * pair, then rings a doorbell, a system call. This is about rings of the provider of rxe; those of
 * the provider of xroce are the link's (send/post.c).
 *
 * The program can write to the ring at any time, so each work request is copied to the link's
 * send queue (send/queue.h) and checked there. Their number is read once: a program that
 * goes on posting cannot keep a CPU busy.
 */
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <rdma/ib_mad.h>

#include "uapi/xroce.h"
#include "xroce_map.h"
#include "xroce_wire.h"

#include "obj/cq.h"
#include "obj/link.h"
#include "qp/qp.h"
#include "recv/queue.h"
#include "send/post.h"
#include "send/queue.h"
#include "send/requester.h"

#include "verbs.h"

/* Work requests copied at a time, with bottom halves off. */
#define XR_IB_SEND_BATCH	16u

static_assert((int)IB_WR_RDMA_WRITE == (int)XROCE_WR_RDMA_WRITE);
static_assert((int)IB_WR_RDMA_WRITE_WITH_IMM == (int)XROCE_WR_RDMA_WRITE_WITH_IMM);
static_assert((int)IB_WR_SEND == (int)XROCE_WR_SEND);
static_assert((int)IB_WR_SEND_WITH_IMM == (int)XROCE_WR_SEND_WITH_IMM);
static_assert((int)IB_WR_RDMA_READ == (int)XROCE_WR_RDMA_READ);
static_assert((int)IB_WR_ATOMIC_CMP_AND_SWP == (int)XROCE_WR_CMP_SWAP);
static_assert((int)IB_WR_ATOMIC_FETCH_AND_ADD == (int)XROCE_WR_FETCH_ADD);
static_assert((int)IB_WR_LOCAL_INV == (int)XROCE_WR_LOCAL_INV);
static_assert((int)IB_WR_BIND_MW == (int)XROCE_WR_BIND_MW);
static_assert((int)IB_WR_SEND_WITH_INV == (int)XROCE_WR_SEND_WITH_INV);
static_assert((int)IB_WR_FLUSH == (int)XROCE_WR_FLUSH);
static_assert((int)IB_WR_ATOMIC_WRITE == (int)XROCE_WR_ATOMIC_WRITE);
static_assert((int)IB_SEND_FENCE == (int)XROCE_SEND_FENCE);
static_assert((int)IB_SEND_SIGNALED == (int)XROCE_SEND_SIGNALED);
static_assert((int)IB_SEND_SOLICITED == (int)XROCE_SEND_SOLICITED);
static_assert((int)IB_SEND_INLINE == (int)XROCE_SEND_INLINE);
static_assert(sizeof(struct rxe_sge) == sizeof(struct xroce_sge_local));
static_assert(offsetof(struct rxe_sge, addr) == offsetof(struct xroce_sge_local, addr));
static_assert(offsetof(struct rxe_sge, length) == offsetof(struct xroce_sge_local, length));
static_assert(offsetof(struct rxe_sge, lkey) == offsetof(struct xroce_sge_local, lkey));

/* Bytes of an entry that has @sge elements or @inline_data bytes: a power of two. */
static u32 xr_ib_send_stride(u32 sge, u32 inline_data)
{
	u32 data = max_t(u32, inline_data, sge * sizeof(struct rxe_sge));

	return roundup_pow_of_two(sizeof(struct rxe_send_wqe) + data);
}

/**
 * xr_ib_send_create() - make the ring of a queue pair
 * @qp: the queue pair, zeroed
 * @udata: of the program; NULL: a consumer in the kernel, which needs no ring
 * @cap: in: what the queue must be able to do, in range; out: what it can do
 *
 * Return: 0, and xr_ib_send_destroy() undoes it; -ENOMEM.
 */
int xr_ib_send_create(struct xr_ibqp *qp, struct ib_udata *udata, struct ib_qp_cap *cap)
{
	struct xr_ibctx *ctx = xr_ib_udata_ctx(udata);
	u32 room, slots = xr_ib_slots(XR_FORMAT_RXE, cap->max_send_wr);
	int ret;

	BUILD_BUG_ON(sizeof(struct rxe_send_wqe) < 64);
	/* Each entry has room for the eight bytes of an ATOMIC WRITE. */
	BUILD_BUG_ON(roundup_pow_of_two(sizeof(struct rxe_send_wqe)) -
		     sizeof(struct rxe_send_wqe) < sizeof(u64));
	qp->send_mask = slots - 1;
	cap->max_send_wr = slots - 1;
	if (!ctx)
		return 0;
	qp->send_stride = xr_ib_send_stride(cap->max_send_sge, cap->max_inline_data);
	/* There are programs that use what rxe grants without asking for it. */
	room = qp->send_stride - sizeof(struct rxe_send_wqe);
	cap->max_send_sge = min_t(u32, room / sizeof(struct rxe_sge), XROCE_SEND_SGE_MAX);
	cap->max_inline_data = min_t(u32, room, XROCE_SEND_INLINE_MAX);
	ret = xr_ring_alloc(&qp->send, XR_FORMAT_RXE, slots, qp->send_stride);
	if (ret)
		return ret;
	mutex_lock(&ctx->link->lock);
	xr_ring_publish(&qp->send, &ctx->own);
	mutex_unlock(&ctx->link->lock);
	return 0;
}

/*
 * Have the link's queue pair make its send queue with a ring of XR_FORMAT_OWN. @cap: in: what it
 * must be able to do, in range; out: what it can do.
 */
void xr_ib_send_ask(struct xroce_qp_add *a, struct ib_qp_cap *cap)
{
	u32 data = max_t(u32, cap->max_inline_data,
			 max(cap->max_send_sge, 1u) * sizeof(struct xroce_sge_local));
	u32 room;

	/* As much as its entries have room for. */
	room = ALIGN(offsetof(struct xroce_send_wqe, sge) + data, 64) -
	       offsetof(struct xroce_send_wqe, sge);
	a->send_entries = max(xr_ib_slots(XR_FORMAT_OWN, cap->max_send_wr), XROCE_SEND_MIN);
	a->send_max_sge = min_t(u32, room / sizeof(struct xroce_sge_local), XROCE_SEND_SGE_MAX);
	a->send_max_inline = min_t(u32, room, XROCE_SEND_INLINE_MAX);
	cap->max_send_wr = a->send_entries;
	cap->max_send_sge = a->send_max_sge;
	cap->max_inline_data = a->send_max_inline;
}

/*
 * Make the send queue of the link's queue pair, unless it has made it itself. Return: 0 or -ENOMEM.
 */
int xr_ib_send_open(struct xr_ibqp *qp, const struct ib_qp_cap *cap)
{
	struct rxe_queue_buf *header = qp->send.mem;

	if (qp->qp->send.ring.mem)
		return 0;
	qp->qp->send.by_kernel = !header;
	return xr_send_open(qp->qp, &(struct xr_send_init){
		.format = XR_FORMAT_RXE,
		.cq = to_xr_ibcq(qp->ib.send_cq)->cq,
		.slots = qp->send_mask + 1,
		.max_sge = cap->max_send_sge,
		.max_data = cap->max_inline_data,
		.consumer = header ? &header->consumer_index : NULL,
		.signal_all = qp->sq_sig_type == IB_SIGNAL_ALL_WR,
	});
}

void xr_ib_send_destroy(struct xr_ibqp *qp)
{
	struct xr_link *link = xr_ib_link(qp->ib.device);

	mutex_lock(&link->lock);
	xr_ring_free(&qp->send);
	mutex_unlock(&link->lock);
}

/*
 * Name the queue pair of a datagram whose address is set. A Q_Key with the high bit set stands
 * for that of the sender, which only privileged programs can set to such a value (IBTA 10.2.5).
 */
void xr_ib_send_to(const struct xr_qp *qp, struct xr_send_ud *ud, u32 qpn, u32 qkey)
{
	ud->qpn = qpn & XROCE_QPN_MASK;
	ud->qkey = qkey & IB_QP_SET_QKEY ? READ_ONCE(qp->map->qkey) : qkey;
	if (!ud->sport)
		ud->sport = rdma_get_udp_sport(0, qp->qpn, ud->qpn);
}

/* Copy the elements. Return: enum xroce_wc_status. */
static u32 xr_ib_send_sges(const struct xr_send *s, const struct rxe_send_wqe *e,
			   struct xr_swqe *w)
{
	return xr_send_sges(s, w, (const struct xroce_sge_local *)e->dma.sge,
			    READ_ONCE(e->dma.num_sge));
}

/* SEND and WRITE. */
static u32 xr_ib_send_message(const struct xr_send *s, const struct rxe_send_wqe *e,
			      struct xr_swqe *w)
{
	w->va = READ_ONCE(e->wr.wr.rdma.remote_addr);
	w->rkey = READ_ONCE(e->wr.wr.rdma.rkey);
	if (w->flags & XROCE_SEND_INLINE)
		return xr_send_inline(s, w, e->dma.inline_data, READ_ONCE(e->dma.length));
	return xr_ib_send_sges(s, e, w);
}

static u32 xr_ib_send_read(const struct xr_send *s, const struct rxe_send_wqe *e,
			   struct xr_swqe *w)
{
	if (w->flags & XROCE_SEND_INLINE)
		return XROCE_WC_LOC_QP_OP_ERR;
	return xr_ib_send_message(s, e, w);
}

static u32 xr_ib_send_atomic(const struct xr_send *s, const struct rxe_send_wqe *e,
			     struct xr_swqe *w)
{
	u64 first = READ_ONCE(e->wr.wr.atomic.compare_add);
	u64 swap = READ_ONCE(e->wr.wr.atomic.swap);
	u32 status;

	w->va = READ_ONCE(e->wr.wr.atomic.remote_addr);
	w->rkey = READ_ONCE(e->wr.wr.atomic.rkey);
	w->swap_add = w->opcode == XROCE_WR_FETCH_ADD ? first : swap;
	w->compare = w->opcode == XROCE_WR_FETCH_ADD ? 0 : first;
	if (w->flags & XROCE_SEND_INLINE)
		return XROCE_WC_LOC_QP_OP_ERR;
	status = xr_ib_send_sges(s, e, w);
	return xr_swqe_finish_atomic(w, status);
}

static u32 xr_ib_send_flush(const struct rxe_send_wqe *e, struct xr_swqe *w)
{
	w->va = READ_ONCE(e->wr.wr.flush.remote_addr);
	w->rkey = READ_ONCE(e->wr.wr.flush.rkey);
	w->length = READ_ONCE(e->dma.length);
	w->imm_or_key = (READ_ONCE(e->wr.wr.flush.type) &
			 (XROCE_FLUSH_GLOBAL | XROCE_FLUSH_PERSISTENT)) |
			(READ_ONCE(e->wr.wr.flush.level) & XROCE_FLUSH_SEL_MASK) <<
			XROCE_FLUSH_SEL_SHIFT;
	return XROCE_WC_SUCCESS;
}

static u32 xr_ib_send_bind(const struct rxe_send_wqe *e, struct xr_swqe *w)
{
	w->imm_or_key = READ_ONCE(e->wr.wr.mw.rkey);
	w->bind = (struct xr_bind){
		.key = w->imm_or_key,
		.present = READ_ONCE(e->wr.wr.mw.mw_rkey),
		.lkey = READ_ONCE(e->wr.wr.mw.mr_lkey),
		.addr = READ_ONCE(e->wr.wr.mw.addr),
		.length = READ_ONCE(e->wr.wr.mw.length),
		/* Programs give local write, too, which is no right of a window. */
		.access = READ_ONCE(e->wr.wr.mw.access) &
			  ~(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_OPTIONAL),
	};
	/* The program must know the window's present key. */
	return w->bind.present ? XROCE_WC_SUCCESS : XROCE_WC_MW_BIND_ERR;
}

/* A datagram, of one packet. */
static u32 xr_ib_send_datagram(const struct xr_ibqp *qp, const struct rxe_send_wqe *e,
			       struct xr_swqe *w)
{
	u32 status = xr_ib_send_message(&qp->qp->send, e, w);
	u32 qkey = READ_ONCE(e->wr.wr.ud.remote_qkey);
	u32 qpn = READ_ONCE(e->wr.wr.ud.remote_qpn);

	if (!status && w->length > qp->qp->mtu)
		return XROCE_WC_LOC_LEN_ERR;
	if (!status && !xr_ib_ah_get(to_xr_ibdev(qp->ib.device), qp->ib.pd,
				     READ_ONCE(e->wr.wr.ud.ah_num), &w->ud))
		return XROCE_WC_LOC_QP_OP_ERR;
	xr_ib_send_to(qp->qp, &w->ud, qpn, qkey);
	return status;
}

/* Copy what belongs to the opcode. Return: enum xroce_wc_status. */
static u32 xr_ib_send_copy(const struct xr_send *s, const struct rxe_send_wqe *e,
			   struct xr_swqe *w)
{
	switch (w->opcode) {
	case XROCE_WR_RDMA_WRITE:
	case XROCE_WR_RDMA_WRITE_WITH_IMM:
	case XROCE_WR_SEND:
	case XROCE_WR_SEND_WITH_IMM:
	case XROCE_WR_SEND_WITH_INV:
		return xr_ib_send_message(s, e, w);
	case XROCE_WR_RDMA_READ:
		return xr_ib_send_read(s, e, w);
	case XROCE_WR_CMP_SWAP:
	case XROCE_WR_FETCH_ADD:
		return xr_ib_send_atomic(s, e, w);
	case XROCE_WR_FLUSH:
		return xr_ib_send_flush(e, w);
	case XROCE_WR_ATOMIC_WRITE:
		w->va = READ_ONCE(e->wr.wr.rdma.remote_addr);
		w->rkey = READ_ONCE(e->wr.wr.rdma.rkey);
		return xr_send_atomic_write(w, e->dma.inline_data);
	case XROCE_WR_LOCAL_INV:
		return XROCE_WC_SUCCESS;
	case XROCE_WR_BIND_MW:
		return xr_ib_send_bind(e, w);
	}
	return XROCE_WC_LOC_QP_OP_ERR;
}

/* Copy a work request of the program and check it. */
static void xr_ib_send_take(const struct xr_ibqp *qp, const struct rxe_send_wqe *e,
			    struct xr_swqe *w)
{
	const struct xr_send *s = &qp->qp->send;

	w->wr_id = READ_ONCE(e->wr.wr_id);
	w->opcode = READ_ONCE(e->wr.opcode);
	w->flags = READ_ONCE(e->wr.send_flags) &
		   (XROCE_SEND_FENCE | XROCE_SEND_SIGNALED | XROCE_SEND_SOLICITED |
		    XROCE_SEND_INLINE);
	w->imm_or_key = READ_ONCE(e->wr.ex.invalidate_rkey);
	w->length = 0;
	w->num_sge = 0;
	if (!xr_send_op(w, qp->qp->type))
		w->status = XROCE_WC_LOC_QP_OP_ERR;
	else if (qp->qp->type == XROCE_QPT_UD)
		w->status = xr_ib_send_datagram(qp, e, w);
	else
		w->status = xr_ib_send_copy(s, e, w);
}

/* The number of work requests that are posted and not copied, less than the slots of the ring. */
static u32 xr_ib_send_posted(const struct xr_ibqp *qp)
{
	const struct rxe_queue_buf *header = qp->send.mem;

	/* Pairs with the program's release store: all entries before the index are complete. */
	return (smp_load_acquire(&header->producer_index) - qp->qp->send.tail) & qp->send_mask;
}

/*
 * Copy up to XR_IB_SEND_BATCH posted work requests, at most @left, and execute them, or discard
 * them before RTS. The lock with bottom halves off is also the RCU read-side critical section for
 * the look-ups. @taken: out: their number, fewer than the batch if there was no room for the next
 * one. Return: how many of @left remain.
 */
static u32 xr_ib_send_batch(struct xr_ibqp *qp, u32 left, u32 *taken)
{
	const void *entries = xr_ring_entries(&qp->send, XR_FORMAT_RXE);
	struct xr_send *s = &qp->qp->send;
	struct xr_swqe *w;
	u32 i, n;

	spin_lock_bh(&s->lock);
	/* Another CPU may have copied some of them meanwhile. */
	left = min(left, xr_ib_send_posted(qp));
	n = min(left, XR_IB_SEND_BATCH);
	for (i = 0; i < n; i++) {
		w = xr_send_slot(s);
		if (!w)
			break;
		xr_ib_send_take(qp, entries + (u64)(s->tail & s->mask) * qp->send_stride, w);
		s->tail++;
	}
	*taken = i;
	/* With the lock: in RTS, those that are under way must not be discarded. */
	if (xr_qp_state(qp->qp) >= XROCE_QPS_RTS)
		xr_requester_posted(qp->qp);
	else
		xr_send_discard(s);
	spin_unlock_bh(&s->lock);
	return left - i;
}

/**
 * xr_ib_send_drain() - execute all work requests that are posted now
 * @qp: the queue pair
 *
 * Sleeps. Those of the kernel are not posted to a ring.
 *
 * Return: 0; -ENOMEM: the rest stays in the ring, as if the doorbell had not been rung.
 */
int xr_ib_send_drain(struct xr_ibqp *qp)
{
	u32 left = qp->send_mask, taken;
	int ret;

	if (qp->qp->send.ring.mem)
		xr_post_send(qp->qp->link, qp->qp->owner, qp->qp->qpn);
	if (!qp->send.mem)
		return 0;
	for (;;) {
		left = xr_ib_send_batch(qp, left, &taken);
		if (!left)
			return 0;
		ret = taken < XR_IB_SEND_BATCH ? xr_send_grow(&qp->qp->send, left) : 0;
		/* In ERR those that were taken have been flushed, and made room for more. */
		if (ret && !taken)
			/* -ENOSPC: more than the program may post: it has written wrong indices. */
			return ret == -ENOSPC ? 0 : ret;
		cond_resched();
	}
}

/*
 * The doorbell of a program. Work requests in its call are refused. Before RTS nothing can be
 * posted (IBTA 10.8.3.1): what is in the ring is discarded, as ibv_post_send() fails. In ERR the
 * program may have posted receives, too, of which nothing else tells.
 */
int xr_ib_post_send(struct ib_qp *ib, const struct ib_send_wr *wr,
		    const struct ib_send_wr **bad)
{
	struct xr_ibqp *qp = to_xr_ibqp(ib);
	bool ready = xr_qp_state(qp->qp) >= XROCE_QPS_RTS;
	int ret;

	if (!ib->uobject)
		return xr_ib_post_kernel(qp, wr, bad);
	if (wr) {
		*bad = wr;
		return -EOPNOTSUPP;
	}
	if (qp->qp->send.ring.mem)
		return xr_post_send(qp->qp->link, qp->qp->owner, qp->qp->qpn);
	ret = xr_ib_send_drain(qp);
	if (xr_qp_state(qp->qp) == XROCE_QPS_ERR)
		xr_recv_posted(qp->qp);
	return ready ? ret : -EINVAL;
}
