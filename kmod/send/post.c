// SPDX-License-Identifier: GPL-2.0-only
/*
 * Executing what a program has posted to its ring (send/ring.h). The program can write to
 * the ring at any time, so each work request is copied and then checked. The index up to
 * which they are executed is read once: a program that goes on posting cannot keep a CPU busy.
 *
 * All entries are executed when the program rings the doorbell, QP_SEND, or when a thread that
 * polls for it finds them (send/poll.c). Binds and invalidations of windows at the head of the ring
 * are executed also before a packet, and before commands that depend on them, so that they need no
 * doorbell.
 *
 * xr_send::tail is the index of the ring, too: of the next entry to be copied.
 */
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/minmax.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "uapi/xroce.h"
#include "xroce_wire.h"

#include "obj/link.h"
#include "obj/mw.h"
#include "own/owner.h"
#include "qp/qp.h"
#include "recv/queue.h"

#include "post.h"
#include "requester.h"

/* Work requests copied at a time, with bottom halves off. */
#define XR_POST_BATCH	16u

/*
 * Work requests executed before a packet, with bottom halves off. A bind reads a variable of each
 * CPU (xr_hazard_wait()), so there are fewer on a machine with many CPUs: as many as make
 * XR_POST_LOOKS such reads, but not fewer than XR_POST_HEAD_MIN.
 */
#define XR_POST_HEAD		256u
#define XR_POST_HEAD_MIN	16u
#define XR_POST_LOOKS		8192u

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
	return xr_swqe_finish_atomic(w, status);
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

/* A datagram, of one packet. Only front ends that have address handles make such queue pairs. */
static u32 xr_post_datagram(const struct xr_qp *qp, const struct xroce_send_wqe *e,
			    struct xr_swqe *w)
{
	u32 status = xr_post_message(&qp->send, e, w);

	if (status)
		return status;
	if (w->length > qp->mtu)
		return XROCE_WC_LOC_LEN_ERR;
	w->ud.qpn = READ_ONCE(e->dest_qpn);
	w->ud.qkey = READ_ONCE(e->qkey);
	if (!qp->owner->ops->address(qp, READ_ONCE(e->ah), &w->ud))
		return XROCE_WC_LOC_QP_OP_ERR;
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
	}
	return XROCE_WC_LOC_QP_OP_ERR;
}

/* Copy a work request of the program, whose opcode has been read, and check the copy. */
static void xr_post_take(const struct xr_qp *qp, const struct xroce_send_wqe *e, u32 opcode,
			 struct xr_swqe *w)
{
	w->wr_id = READ_ONCE(e->wr_id);
	w->opcode = opcode;
	w->flags = READ_ONCE(e->flags);
	w->imm_or_key = READ_ONCE(e->imm_or_key);
	w->rkey = READ_ONCE(e->rkey);
	w->va = READ_ONCE(e->addr);
	w->length = 0;
	w->num_sge = 0;
	if (!xr_send_op(w, qp->type) || w->flags & ~XR_POST_FLAGS)
		w->status = XROCE_WC_LOC_QP_OP_ERR;
	else if (qp->type == XROCE_QPT_UD)
		w->status = xr_post_datagram(qp, e, w);
	else
		w->status = xr_post_copy(&qp->send, e, w);
}

/* The same for what binds and invalidates windows. */
static void xr_post_take_local(const struct xroce_send_wqe *e, u32 opcode, struct xr_swqe *w)
{
	w->wr_id = READ_ONCE(e->wr_id);
	w->opcode = opcode;
	w->op = xroce_wr_op(opcode);
	w->flags = READ_ONCE(e->flags);
	w->imm_or_key = READ_ONCE(e->imm_or_key);
	if (w->flags & ~XR_POST_FLAGS)
		w->status = XROCE_WC_LOC_QP_OP_ERR;
	if (opcode == XROCE_WR_BIND_MW)
		w->bind = (struct xr_bind){
			.key = w->imm_or_key,
			.lkey = READ_ONCE(e->rkey),
			.addr = READ_ONCE(e->addr),
			.length = READ_ONCE(e->length),
			.access = READ_ONCE(e->access),
		};
}

/* The next entry to be copied. */
static const struct xroce_send_wqe *xr_post_entry(const struct xr_send *s)
{
	return xr_ring_entries(&s->ring, XR_FORMAT_OWN) + (u64)(s->tail & s->mask) * s->ring_stride;
}

/* True for a work request that the program can post without a doorbell. */
static bool xr_post_is_local(u32 opcode)
{
	return opcode == XROCE_WR_BIND_MW || opcode == XROCE_WR_LOCAL_INV;
}

/* Execute what xr_post_take_local() has copied. Return: enum xroce_wc_status. */
static u32 xr_post_execute(struct xr_qp *qp, const struct xr_swqe *w)
{
	/* As xr_local_execute(), but a program has no regions that it could invalidate. */
	int ret = w->opcode == XROCE_WR_BIND_MW ? xr_mw_post_bind(qp->link, qp, &w->bind) :
						  xr_mw_invalidate(qp->link, qp, w->imm_or_key);

	return ret ? XROCE_WC_MW_BIND_ERR : XROCE_WC_SUCCESS;
}

/* Requests are sent, and no packet has just ended the connection. */
static bool xr_post_runs(const struct xr_qp *qp)
{
	return qp->send.state == XR_SEND_RUNNING && !READ_ONCE(qp->failed);
}

/*
 * Copy the next work request. A bind or invalidation of a window is executed, unless requests
 * before it are yet to be sent: it does not wait until this or another CPU sends. Return: false:
 * there is no room for it.
 */
static bool xr_post_next(struct xr_qp *qp, u32 opcode)
{
	struct xr_send *s = &qp->send;
	struct xr_swqe *w = xr_send_slot(s);
	bool first = s->head == s->tail;

	if (!w)
		return false;
	if (!xr_post_is_local(opcode)) {
		xr_post_take(qp, xr_post_entry(s), opcode, w);
		s->tail++;
		return true;
	}
	xr_post_take_local(xr_post_entry(s), opcode, w);
	s->tail++;
	if (!xr_post_runs(qp))
		return true;
	/* The same for the only one in the queue, which is the usual case. */
	if (first && !w->status)
		w->status = xr_post_execute(qp, w);
	if (!first || w->status) {
		xr_requester_locals(qp);
		return true;
	}
	s->next = s->tail;
	if (xr_send_complete(qp, XROCE_WC_SUCCESS))
		xr_requester_fail(qp, XROCE_WC_SUCCESS);
	return true;
}

/*
 * Index in the ring after the last posted entry. Pairs with the program's release store: all
 * entries before it are complete.
 */
static u32 xr_post_end(const struct xroce_send_header *header)
{
	return smp_load_acquire(&header->tail);
}

/* All that is to be executed before a packet has been, up to the next entry to be copied. */
static void xr_post_executed(struct xr_send *s)
{
	/* Pairs with xr_post_poll(). */
	smp_store_release(&s->executed, s->tail);
}

/* Find the index @end of xr_post_batch(). Return: 0; -EINVAL: it is impossible. */
static int xr_post_begin(const struct xr_send *s, u32 *end)
{
	*end = xr_post_end(s->ring.mem);
	return *end - s->tail > s->mask + 1 ? -EINVAL : 0;
}

/*
 * Copy at most XR_POST_BATCH work requests before the index @end, and execute them, or discard
 * them before RTS. Return: 1: some are left; 0: none; an errno of xr_post_send().
 */
static int xr_post_batch(struct xr_qp *qp, u32 end)
{
	bool ready = xr_qp_state(qp) >= XROCE_QPS_RTS;
	struct xr_send *s = &qp->send;
	u32 i, n = end - s->tail;

	/* Another thread has executed entries beyond the index. */
	if (n > s->mask + 1)
		return 0;
	for (i = 0; i < min(n, XR_POST_BATCH); i++)
		if (!xr_post_next(qp, READ_ONCE(xr_post_entry(s)->opcode)))
			break;
	if (!ready)
		xr_send_discard(s);
	else if (s->next != s->tail || !xr_send_active(s))
		xr_requester_posted(qp);
	xr_post_executed(s);
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
 * @caller: the requesting file or context
 * @qpn: number of the queue pair
 *
 * Sleeps between batches.
 *
 * Return: 0; -ENOENT: the file has no such queue pair, or it has no send queue; -EINVAL: it is
 * not ready to send, or the index in the ring is impossible.
 */
int xr_post_send(struct xr_link *link, const struct xr_owner *caller, u32 qpn)
{
	bool first = true, ended;
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
			if (qp->send.ring_stride && qp->send.state != XR_SEND_DYING) {
				ret = first ? xr_post_begin(&qp->send, &end) : 0;
				ret = ret ? : xr_post_batch(qp, end);
			}
			ended = READ_ONCE(qp->failed) || !xr_send_active(&qp->send);
			spin_unlock(&qp->send.lock);
			/* Receives that were posted in ERR, of which nothing else tells. */
			if (!ret && ended && xr_qp_state(qp) == XROCE_QPS_ERR)
				xr_recv_posted(qp);
		}
		local_bh_enable();
		first = false;
		cond_resched();
	} while (ret > 0);
	return ret;
}
EXPORT_SYMBOL_GPL(xr_post_send);

/* True if xr_post_send() has something to do. In an RCU read-side critical section. */
bool xr_post_due(const struct xr_qp *qp)
{
	const struct xroce_send_header *header = READ_ONCE(qp->send.ring.mem);

	/* The latter pairs with xr_post_executed(). */
	return header && xr_post_end(header) != smp_load_acquire(&qp->send.executed);
}

/*
 * Execute what binds and invalidates windows at the head of the ring, before the index @end, and at
 * most @budget of them. The lock is held. Return: whether none is left that can be executed now.
 */
static bool xr_post_head(struct xr_qp *qp, u32 end, u32 budget)
{
	struct xr_send *s = &qp->send;
	u32 n = end - s->tail;

	/* Impossible, unless another thread has executed entries beyond the index. */
	if (n > s->mask + 1)
		return true;
	for (; n && xr_post_runs(qp); n--) {
		u32 opcode = READ_ONCE(xr_post_entry(s)->opcode);

		if (!xr_post_is_local(opcode))
			break;
		if (!budget--)
			return false;
		if (!xr_post_next(qp, opcode))
			break;
		xr_post_executed(s);
	}
	return true;
}

static u32 xr_post_budget(void)
{
	return clamp(XR_POST_LOOKS / num_possible_cpus(), XR_POST_HEAD_MIN, XR_POST_HEAD);
}

/* Execute what xr_post_poll() has left. In the tasklet, with the lock held. */
static void xr_post_rest(struct xr_qp *qp)
{
	struct xr_send *s = &qp->send;

	if (xr_post_head(qp, s->rest_end, xr_post_budget()))
		s->rest = NULL;
	else
		xr_requester_arm(s);
}

/**
 * xr_post_poll() - execute binds and invalidations that are posted, before a packet
 * @qp: the queue pair
 *
 * In softirq, under RCU. At most one budget is executed here, the rest by the tasklet. Work
 * requests behind others that cannot be sent yet wait for these, and no packet waits for them.
 *
 * Return: 0: all that was posted before the call has been executed, here or by another CPU, as
 * far as it can be; -EAGAIN: some of it has not.
 */
int xr_post_poll(struct xr_qp *qp)
{
	const struct xroce_send_header *header = READ_ONCE(qp->send.ring.mem);
	struct xr_send *s = &qp->send;
	bool done;
	u32 end;

	if (!header)
		return 0;
	end = xr_post_end(header);
	/* Pairs with xr_post_executed(). */
	if (end == smp_load_acquire(&s->executed))
		return 0;
	spin_lock_bh(&s->lock);
	done = xr_post_head(qp, end, xr_post_budget());
	if (!done) {
		s->rest = xr_post_rest;
		s->rest_end = end;
		xr_requester_arm(s);
	}
	spin_unlock_bh(&s->lock);
	return done ? 0 : -EAGAIN;
}

/* Execute all binds and invalidations that are posted, before a command. Sleeps. */
void xr_post_apply(struct xr_qp *qp)
{
	struct xr_send *s = &qp->send;
	bool done;
	u32 end;

	if (!s->ring.mem)
		return;
	end = xr_post_end(s->ring.mem);
	do {
		/* Also the RCU read-side critical section for the look-ups. */
		spin_lock_bh(&s->lock);
		done = xr_post_head(qp, end, XR_POST_BATCH);
		spin_unlock_bh(&s->lock);
		cond_resched();
	} while (!done);
}
