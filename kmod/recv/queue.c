// SPDX-License-Identifier: GPL-2.0-only
/* The receive side of a queue pair: making, starting, stopping and flushing it. */
#include <linux/export.h>
#include <linux/irqflags.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "uapi/xroce.h"

#include "obj/cq.h"
#include "obj/link.h"
#include "obj/ring.h"
#include "qp/qp.h"

#include "queue.h"
#include "srq.h"

/* Maximum number of work requests that are flushed at a time, with bottom halves off. */
#define XR_RECV_FLUSH	64u

/* Its work may be needed to write dirty pages to a remote disk. */
static struct workqueue_struct *xr_recv_wq;

static void xr_recv_flush_work(struct work_struct *work);

/* Return: 0 or -ENOMEM. */
int xr_recv_queues_init(void)
{
	xr_recv_wq = alloc_workqueue("xroce_flush", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	return xr_recv_wq ? 0 : -ENOMEM;
}

/* No queue pair exists any more. */
void xr_recv_queues_exit(void)
{
	destroy_workqueue(xr_recv_wq);
}

/**
 * xr_recv_init() - make the receive side of a queue pair
 * @v: the receive side, zeroed
 * @format: layout of its queues
 * @a: arguments of QP_ADD
 *
 * Return: 0, and xr_recv_free() undoes it; -EINVAL: the arguments about queues; -ENOMEM.
 */
int xr_recv_init(struct xr_recv *v, enum xr_format format, const struct xroce_qp_add *a)
{
	v->format = format;
	spin_lock_init(&v->lock);
	INIT_WORK(&v->flusher, xr_recv_flush_work);
	if (!a->recv_cq || a->srq) {
		if ((a->srq && !a->recv_cq) || a->rq_entries || a->rq_max_sge)
			return -EINVAL;
		return 0;
	}
	return xr_rq_init(&v->rq, format, a->rq_entries, a->rq_max_sge);
}

/**
 * xr_recv_join() - connect a queue pair to its completion and shared receive queue
 * @link: the link, whose lock is held
 * @qp: the queue pair, whose owner, protection domain and number are set
 * @a: in: numbers of the queues; out: offset and length of its own receive queue for mmap(2)
 *
 * The queues must belong to the owner of the queue pair, whose teardown destroys queue pairs
 * before queues.
 *
 * Return: 0; -ENOENT: the owner has no such queue; -EINVAL: the shared receive queue is in
 * another protection domain.
 */
int xr_recv_join(struct xr_link *link, struct xr_qp *qp,
		 struct xroce_qp_add *a)
{
	struct xr_recv *v = &qp->recv;

	xr_event_init(&v->fatal, XROCE_EVENT_QP_FATAL, qp->qpn, qp->context);
	xr_event_init(&v->last, XROCE_EVENT_QP_LAST_WQE, qp->qpn, qp->context);
	v->pd = qp->pd;
	a->rq_offset = 0;
	a->rq_bytes = 0;
	if (!a->recv_cq)
		return 0;
	v->cq = xr_cq_find(link, qp->owner, a->recv_cq);
	if (!v->cq)
		return -ENOENT;
	if (a->srq) {
		v->srq = xr_srq_find(link, qp->owner, a->srq);
		if (!v->srq)
			return -ENOENT;
		/* See struct xroce_qp_add; verbs allow it (IBTA 10.2.9). */
		if (v->srq->pd != qp->pd && !qp->owner->ops)
			return -EINVAL;
		v->pd = v->srq->pd;
		v->srq->users++;
	} else {
		xr_ring_publish(&v->rq.ring, qp->owner);
		a->rq_offset = v->rq.ring.offset;
		a->rq_bytes = v->rq.ring.bytes;
	}
	v->cq->users++;
	return 0;
}

/* Count the queue pair among those whose receive queues are flushed, or not. recv->lock is held. */
static void xr_recv_set_ended(struct xr_recv *v, bool ended)
{
	if (!v->rq.ring.mem || v->ended == ended)
		return;
	v->ended = ended;
	atomic_add(ended ? 1 : -1, &v->cq->ended);
	if (v->format == XR_FORMAT_OWN)
		WRITE_ONCE(xr_rq_header(&v->rq)->ended, ended);
}

/*
 * Undo xr_recv_join(). When this returns, nothing is received any more. The link's lock is
 * held. Sleeps.
 */
void xr_recv_leave(struct xr_qp *qp)
{
	struct xr_recv *v = &qp->recv;
	unsigned long irq;

	/*
	 * The flusher is not queued again: xr_recv_posted() does nothing if the queue is closed,
	 * and xr_qp_fail_locked() if @active is false. xr_recv_posted() has left the ring when the
	 * lock has been taken, or sees that it is closed.
	 */
	if (v->rq.ring.mem) {
		raw_spin_lock_irqsave(&v->rq.post_lock, irq);
		v->rq.dying = true;
		raw_spin_unlock_irqrestore(&v->rq.post_lock, irq);
	}
	spin_lock_bh(&v->lock);
	v->active = false;
	v->busy = false;
	v->flush = 0;
	xr_recv_set_ended(v, false);
	spin_unlock_bh(&v->lock);
	cancel_work_sync(&v->flusher);
	xr_event_cancel(&qp->owner->events, &v->fatal);
	xr_event_cancel(&qp->owner->events, &v->last);
	if (v->srq)
		v->srq->users--;
	if (v->cq)
		v->cq->users--;
}

void xr_recv_free(struct xr_recv *v)
{
	xr_ring_free(&v->rq.ring);
}

/* The queue pair leaves RESET. */
void xr_recv_start(struct xr_qp *qp)
{
	spin_lock_bh(&qp->recv.lock);
	qp->recv.active = true;
	spin_unlock_bh(&qp->recv.lock);
}

/* The queue pair enters RESET: discard all posted work requests. */
void xr_recv_reset(struct xr_qp *qp)
{
	struct xr_recv *v = &qp->recv;
	unsigned long irq;

	spin_lock_bh(&v->lock);
	v->active = false;
	v->busy = false;
	v->flush = 0;
	xr_recv_set_ended(v, false);
	if (v->rq.ring.mem) {
		/* Whoever posts from now on sees the new state. */
		raw_spin_lock_irqsave(&v->rq.post_lock, irq);
		xr_rq_forget(&v->rq);
		raw_spin_unlock_irqrestore(&v->rq.post_lock, irq);
	}
	spin_unlock_bh(&v->lock);
}

/*
 * Complete the work request in progress with an error. recv->lock is held. Return: as
 * xr_cq_post().
 */
int xr_recv_error(struct xr_qp *qp, u32 status)
{
	struct xr_recv *v = &qp->recv;
	struct xroce_cqe cqe = {
		.wr_id = v->wqe.wr_id,
		.status = status,
		.opcode = XROCE_WC_RECV,
		.qpn = qp->qpn,
	};

	v->busy = false;
	return xr_cq_post(v->cq, &cqe);
}

/*
 * Begin to flush all work requests that are posted now. Their number is read once: the program
 * can go on to post, and to free entries of the completion queue, but it cannot keep a CPU
 * busy that way. recv->lock is held.
 */
static void xr_recv_flush_begin(struct xr_qp *qp)
{
	struct xr_recv *v = &qp->recv;

	v->flush = 0;
	xr_recv_set_ended(v, true);
	/* Pairs with xr_recv_posted(): it sees that @active is false, or its entry is counted. */
	smp_mb();
	if (v->busy && xr_recv_error(qp, XROCE_WC_WR_FLUSH_ERR))
		return;
	/* Work requests of a shared queue stay there for other queue pairs. */
	if (v->rq.ring.mem)
		v->flush = xr_rq_count(&v->rq, v->format);
}

/*
 * Flush up to XR_RECV_FLUSH work requests, or fewer if the completion queue has no room for
 * the rest. recv->lock is held. Return: whether more are to be flushed.
 */
static bool xr_recv_flush(struct xr_qp *qp)
{
	struct xr_recv *v = &qp->recv;
	u32 i, room, n = min(v->flush, XR_RECV_FLUSH);
	struct xroce_cqe cqe = {
		.status = XROCE_WC_WR_FLUSH_ERR,
		.opcode = XROCE_WC_RECV,
		.qpn = qp->qpn,
	};
	struct xr_cq *cq = v->cq;
	bool notify = false;
	unsigned long flags;

	if (!n)
		return false;
	xr_cq_lock(cq, &flags);
	room = xr_cq_space(cq);
	for (i = 0; i < min(n, room); i++) {
		cqe.wr_id = xr_rq_wr_id(xr_rq_next(&v->rq, v->format));
		xr_rq_taken(&v->rq, v->format);
		notify |= xr_cq_add(cq, v->format, &cqe);
	}
	if (room < n)
		xr_cq_overflow(cq);
	xr_cq_unlock(cq, flags);
	if (notify)
		xr_cq_notify(cq);
	v->flush = room < n ? 0 : v->flush - n;
	return v->flush;
}

/* Flush all remaining work requests. Sleeps. */
static void xr_recv_flush_rest(struct xr_qp *qp)
{
	bool more;

	do {
		spin_lock_bh(&qp->recv.lock);
		more = xr_recv_flush(qp);
		spin_unlock_bh(&qp->recv.lock);
		cond_resched();
	} while (more);
}

/* More may have been posted after the queue was flushed. recv->lock is held. */
static void xr_recv_flush_more(struct xr_qp *qp)
{
	struct xr_recv *v = &qp->recv;

	if (!v->active && v->rq.ring.mem && !v->rq.dying && READ_ONCE(qp->state) != XROCE_QPS_RESET)
		v->flush = xr_rq_count(&v->rq, v->format);
}

static void xr_recv_flush_work(struct work_struct *work)
{
	struct xr_qp *qp = container_of(work, struct xr_qp, recv.flusher);

	spin_lock_bh(&qp->recv.lock);
	xr_recv_flush_more(qp);
	spin_unlock_bh(&qp->recv.lock);
	xr_recv_flush_rest(qp);
}

/* Flush the receive queue: QP_MODIFY moves the queue pair to ERR, without an event. Sleeps. */
void xr_recv_stop(struct xr_qp *qp)
{
	spin_lock_bh(&qp->recv.lock);
	qp->recv.active = false;
	xr_recv_flush_begin(qp);
	spin_unlock_bh(&qp->recv.lock);
	xr_recv_flush_rest(qp);
}

/**
 * xr_recv_close() - the queue pair has come to ERR: stop its receive side
 * @qp: the queue pair; recv->lock is held
 *
 * May be called in softirq, so a work item flushes what is left after XR_RECV_FLUSH work requests.
 */
void xr_recv_close(struct xr_qp *qp)
{
	lockdep_assert_held(&qp->recv.lock);
	qp->recv.active = false;
	xr_recv_flush_begin(qp);
	if (xr_recv_flush(qp))
		queue_work(xr_recv_wq, &qp->recv.flusher);
}

/* Have a work item flush what is left. */
static void xr_recv_flush_later(struct xr_recv *v)
{
	unsigned long irq;

	raw_spin_lock_irqsave(&v->rq.post_lock, irq);
	if (!v->rq.dying)
		queue_work(xr_recv_wq, &v->flusher);
	raw_spin_unlock_irqrestore(&v->rq.post_lock, irq);
}

/**
 * xr_recv_posted() - work requests have been posted, or may have been
 * @qp: the queue pair, which may be being destroyed by now
 *
 * If the receive queue has been flushed before, these are flushed, too. In any context, under RCU
 * or with the link's lock, without locks of @qp.
 */
void xr_recv_posted(struct xr_qp *qp)
{
	struct xr_recv *v = &qp->recv;
	bool more;

	/* Pairs with xr_recv_flush_begin(). */
	smp_mb();
	if (READ_ONCE(v->active) || !v->cq || v->srq)
		return;
	if (in_hardirq() || irqs_disabled()) {
		xr_recv_flush_later(v);
		return;
	}
	spin_lock_bh(&v->lock);
	xr_recv_flush_more(qp);
	more = xr_recv_flush(qp);
	spin_unlock_bh(&v->lock);
	if (more)
		xr_recv_flush_later(v);
}
EXPORT_SYMBOL_GPL(xr_recv_posted);

/**
 * xr_recv_settle_cq() - flush what programs have posted to queue pairs in ERR
 * @link: the link, whose lock is held
 * @cq: the completion queue that the queue pairs receive into
 *
 * Programs post to a ring, and nothing tells the module. A program that waits for the completion
 * of a work request that it has posted in ERR arms the queue. Sleeps.
 */
void xr_recv_settle_cq(struct xr_link *link, struct xr_cq *cq)
{
	struct xr_qp *qp;

	lockdep_assert_held(&link->lock);
	if (!atomic_read(&cq->ended))
		return;
	list_for_each_entry(qp, &cq->owner->qps, node) {
		if (qp->recv.cq == cq)
			xr_recv_posted(qp);
		cond_resched();
	}
}
EXPORT_SYMBOL_GPL(xr_recv_settle_cq);
