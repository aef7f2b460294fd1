// SPDX-License-Identifier: GPL-2.0-only
/*
 * Executing what a program has posted to its ring (send/ring.h). The program can write to
 * the ring at any time, so each work request is copied and then checked. The index up to
 * which they are executed is read once: a program that goes on posting cannot keep a CPU busy.
 */
#include <linux/minmax.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "uapi/xroce.h"
#include "xroce_wire.h"

#include "obj/link.h"
#include "qp/qp.h"
#include "recv/queue.h"

#include "post.h"
#include "requester.h"

/* Work requests copied at a time, with bottom halves off. */
#define XR_POST_BATCH	16u

#define XR_POST_FLAGS	(XROCE_SEND_FENCE | XROCE_SEND_SIGNALED | XROCE_SEND_SOLICITED | \
			 XROCE_SEND_INLINE)

/* SEND and WRITE. Return, here and below: enum xroce_wc_status. */
static u32 xr_post_message(const struct xr_send *s, const struct xroce_send_wqe *e,
			   struct xr_swqe *w)
{
	/* The lower half of a length beyond 32 bits would be another length. */
	if (w->flags & XROCE_SEND_INLINE)
		return xr_send_inline(s, w, e->data, min_t(u64, READ_ONCE(e->length), U32_MAX));
	return xr_send_sges(s, w, e->sge, READ_ONCE(e->num_sge));
}

static u32 xr_post_read(const struct xr_send *s, const struct xroce_send_wqe *e,
			struct xr_swqe *w)
{
	if (w->flags & XROCE_SEND_INLINE)
		return XROCE_WC_LOC_QP_OP_ERR;
	return xr_post_message(s, e, w);
}

static u32 xr_post_atomic(const struct xr_send *s, const struct xroce_send_wqe *e,
			  struct xr_swqe *w)
{
	u32 status = xr_post_read(s, e, w);

	w->swap_add = READ_ONCE(e->swap_add);
	w->compare = READ_ONCE(e->compare);
	return xr_swqe_atomic(w, status);
}

static u32 xr_post_flush(const struct xroce_send_wqe *e, struct xr_swqe *w)
{
	u32 access = READ_ONCE(e->access);
	u64 length = READ_ONCE(e->length);

	if (w->imm_or_key > 1 ||
	    access & ~(XROCE_ACCESS_FLUSH_GLOBAL | XROCE_ACCESS_FLUSH_PERSISTENT))
		return XROCE_WC_LOC_QP_OP_ERR;
	if (length > U32_MAX)
		return XROCE_WC_LOC_LEN_ERR;
	w->length = length;
	w->imm_or_key <<= XROCE_FLUSH_SEL_SHIFT;
	if (access & XROCE_ACCESS_FLUSH_GLOBAL)
		w->imm_or_key |= XROCE_FLUSH_GLOBAL;
	if (access & XROCE_ACCESS_FLUSH_PERSISTENT)
		w->imm_or_key |= XROCE_FLUSH_PERSISTENT;
	return XROCE_WC_SUCCESS;
}

static u32 xr_post_atomic_write(const struct xroce_send_wqe *e, struct xr_swqe *w)
{
	u64 value = READ_ONCE(e->swap_add);

	return xr_send_atomic_write(w, &value);
}

static u32 xr_post_bind(const struct xroce_send_wqe *e, struct xr_swqe *w)
{
	w->bind = (struct xr_bind){
		.key = w->imm_or_key,
		.lkey = w->rkey,
		.addr = w->va,
		.length = READ_ONCE(e->length),
		.access = READ_ONCE(e->access),
	};
	return XROCE_WC_SUCCESS;
}

/* Copy what belongs to the opcode. */
static u32 xr_post_copy(const struct xr_send *s, const struct xroce_send_wqe *e,
			struct xr_swqe *w)
{
	switch (w->opcode) {
	case XROCE_WR_RDMA_WRITE:
	case XROCE_WR_RDMA_WRITE_WITH_IMM:
	case XROCE_WR_SEND:
	case XROCE_WR_SEND_WITH_IMM:
	case XROCE_WR_SEND_WITH_INV:
		return xr_post_message(s, e, w);
	case XROCE_WR_RDMA_READ:
		return xr_post_read(s, e, w);
	case XROCE_WR_CMP_SWAP:
	case XROCE_WR_FETCH_ADD:
		return xr_post_atomic(s, e, w);
	case XROCE_WR_FLUSH:
		return xr_post_flush(e, w);
	case XROCE_WR_ATOMIC_WRITE:
		return xr_post_atomic_write(e, w);
	case XROCE_WR_LOCAL_INV:
		return XROCE_WC_SUCCESS;
	case XROCE_WR_BIND_MW:
		return xr_post_bind(e, w);
	}
	return XROCE_WC_LOC_QP_OP_ERR;
}

/* Copy a work request of the program and check it. */
static void xr_post_take(const struct xr_qp *qp, const struct xroce_send_wqe *e,
			 struct xr_swqe *w)
{
	w->wr_id = READ_ONCE(e->wr_id);
	w->opcode = READ_ONCE(e->opcode);
	w->flags = READ_ONCE(e->flags);
	w->imm_or_key = READ_ONCE(e->imm_or_key);
	w->rkey = READ_ONCE(e->rkey);
	w->va = READ_ONCE(e->addr);
	w->length = 0;
	w->num_sge = 0;
	if (!xr_send_op(w, qp->type) || w->flags & ~XR_POST_FLAGS)
		w->status = XROCE_WC_LOC_QP_OP_ERR;
	else
		w->status = xr_post_copy(&qp->send, e, w);
}

/*
 * Copy at most XR_POST_BATCH work requests before the index *@end, and execute them, or discard
 * them before RTS. *@end is set if @first. Return: 1: some are left; 0: none; an errno of
 * xr_post_send().
 */
static int xr_post_batch(struct xr_qp *qp, bool first, u32 *end)
{
	const void *entries = xr_ring_entries(&qp->send.ring, XR_FORMAT_OWN);
	const struct xroce_send_header *header = qp->send.ring.mem;
	bool ready = xr_qp_state(qp) >= XROCE_QPS_RTS;
	struct xr_send *s = &qp->send;
	struct xr_swqe *w;
	u32 i, n;

	/* Pairs with the program's release store: all entries before the index are complete. */
	if (first)
		*end = smp_load_acquire(&header->tail);
	n = *end - s->tail;
	/* Impossible, unless another thread has executed entries beyond the index. */
	if (n > s->mask + 1)
		return first ? -EINVAL : 0;
	for (i = 0; i < min(n, XR_POST_BATCH); i++) {
		w = xr_send_slot(s);
		if (!w)
			break;
		xr_post_take(qp, entries + (u64)(s->tail & s->mask) * s->ring_stride, w);
		s->tail++;
	}
	if (ready)
		xr_requester_posted(qp);
	else
		xr_send_discard(s);
	/* The program has posted more than there is room for. */
	if (i < min(n, XR_POST_BATCH))
		return -EINVAL;
	if (i < n)
		return 1;
	return ready ? 0 : -EINVAL;
}

/**
 * xr_post_send() - execute all work requests that are posted now
 * @link: the link
 * @caller: the requesting file
 * @qpn: number of the queue pair
 *
 * Sleeps between batches.
 *
 * Return: 0; -ENOENT: the file has no such queue pair, or it has no send queue; -EINVAL: it is
 * not ready to send, or the index in the ring is impossible.
 */
int xr_post_send(struct xr_link *link, const struct xr_owner *caller, u32 qpn)
{
	bool first = true;
	struct xr_qp *qp;
	u32 end = 0;
	int ret;

	do {
		/* Also the RCU read-side critical section for the look-ups. */
		local_bh_disable();
		qp = xr_qp_get_rcu(link, qpn);
		ret = -ENOENT;
		if (qp && qp->owner == caller) {
			spin_lock(&qp->send.lock);
			/* It may be destroyed meanwhile: its ring exists until it is dead. */
			if (qp->send.ring_stride && qp->send.state != XR_SEND_DYING)
				ret = xr_post_batch(qp, first, &end);
			spin_unlock(&qp->send.lock);
			/* Receives that were posted in ERR, of which nothing else tells. */
			if (!ret && xr_qp_state(qp) == XROCE_QPS_ERR)
				xr_recv_posted(qp);
		}
		local_bh_enable();
		first = false;
		cond_resched();
	} while (ret > 0);
	return ret;
}
