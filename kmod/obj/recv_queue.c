// SPDX-License-Identifier: GPL-2.0-only
/* The receive side of a queue pair. */
#include <linux/sched.h>

#include "uapi/xroce.h"

#include "cq.h"
#include "link.h"
#include "qp.h"
#include "recv_queue.h"
#include "ring.h"
#include "srq.h"

/* Work requests that are flushed at a time, with bottom halves off. */
#define XR_RECV_FLUSH	64u


static void xr_recv_flush_work(struct work_struct *work);

/**
 * xr_recv_init() - make the receive side of a queue pair
 * @v: zeroed
 * @a: what the program wants
 *
 * Return: 0, -EINVAL or -ENOMEM; xr_recv_free() undoes it.
 */
int xr_recv_init(struct xr_recv *v, const struct xroce_qp_add *a)
{
	spin_lock_init(&v->lock);
	INIT_WORK(&v->flusher, xr_recv_flush_work);
	if (!a->recv_cq || a->srq) {
		if ((a->srq && !a->recv_cq) || a->rq_entries || a->rq_max_sge)
			return -EINVAL;
		return 0;
	}
	return xr_rq_init(&v->rq, a->rq_entries, a->rq_max_sge);
}

/**
 * xr_recv_join() - tie it to its completion queue and shared receive queue
 * @link: where; its lock is held
 * @qp: the queue pair; owner, domain and number are there
 * @a: in: which; out: where its own queue is
 *
 * Queues belong to files, and do not outlive their queue pairs' owner that way.
 *
 * Return: 0, -ENOENT or -EINVAL (another protection domain).
 */
int xr_recv_join(struct xr_link *link, struct xr_qp *qp,
		 struct xroce_qp_add *a)
{
	struct xr_recv *v = &qp->recv;

	xr_event_init(&v->fatal, XROCE_EVENT_QP_FATAL, qp->qpn);
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
		if (v->srq->pd != qp->pd)
			return -EINVAL;
		v->srq->users++;
	} else {
		xr_ring_publish(&v->rq.ring, qp->owner);
		a->rq_offset = v->rq.ring.offset;
		a->rq_bytes = v->rq.ring.bytes;
	}
	v->cq->users++;
	return 0;
}

/* The opposite. Nothing is received when it returns. The link's lock is held. Sleeps. */
void xr_recv_leave(struct xr_qp *qp)
{
	struct xr_recv *v = &qp->recv;

	spin_lock_bh(&v->lock);
	v->on = false;
	v->busy = false;
	v->flush = 0;
	spin_unlock_bh(&v->lock);
	/* A queue pair that is not on does not fail, so that this is not queued again. */
	cancel_work_sync(&v->flusher);
	xr_event_cancel(&qp->owner->events, &v->fatal);
	if (v->srq)
		v->srq->users--;
	if (v->cq)
		v->cq->users--;
}

void xr_recv_free(struct xr_recv *v)
{
	xr_ring_free(&v->rq.ring);
}

/* Out of RESET. */
void xr_recv_start(struct xr_qp *qp)
{
	spin_lock_bh(&qp->recv.lock);
	qp->recv.on = true;
	spin_unlock_bh(&qp->recv.lock);
}

/* Back to RESET: what is posted is forgotten. */
void xr_recv_reset(struct xr_qp *qp)
{
	struct xr_recv *v = &qp->recv;

	spin_lock_bh(&v->lock);
	v->on = false;
	v->busy = false;
	v->flush = 0;
	if (v->rq.ring.mem)
		xr_rq_forget(&v->rq);
	spin_unlock_bh(&v->lock);
}

/* The work request in progress is over. @v->lock is held. */
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
 * Everything that is posted now is to be flushed. The number is read once: the program can
 * post more meanwhile, and give room for completions, but not keep a CPU. @v->lock is held.
 */
static void xr_recv_flush_begin(struct xr_qp *qp)
{
	struct xr_recv *v = &qp->recv;

	v->flush = 0;
	if (v->busy && xr_recv_error(qp, XROCE_WC_WR_FLUSH_ERR))
		return;
	/* Those of a shared queue are for others. */
	if (v->rq.ring.mem)
		v->flush = xr_rq_count(&v->rq);
}

/*
 * Flush up to XR_RECV_FLUSH work requests, as far as there is room for completions.
 * @v->lock is held. Return: whether there are more.
 */
static bool xr_recv_flush(struct xr_qp *qp)
{
	struct xr_recv *v = &qp->recv;
	u32 i, room, n = min(v->flush, XR_RECV_FLUSH);
	struct xr_cq *cq = v->cq;

	if (!n)
		return false;
	spin_lock(&cq->lock);
	room = xr_cq_space(cq);
	for (i = 0; i < min(n, room); i++) {
		*xr_cq_next(cq) = (struct xroce_cqe){
			.wr_id = READ_ONCE(xr_rq_next(&v->rq)->wr_id),
			.status = XROCE_WC_WR_FLUSH_ERR,
			.opcode = XROCE_WC_RECV,
			.qpn = qp->qpn,
		};
		xr_rq_taken(&v->rq);
		xr_cq_added(cq, true);
	}
	if (room < n)
		xr_cq_overflow(cq);
	spin_unlock(&cq->lock);
	v->flush = room < n ? 0 : v->flush - n;
	return v->flush;
}

/* Flush what is left. Sleeps. */
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

static void xr_recv_flush_work(struct work_struct *work)
{
	xr_recv_flush_rest(container_of(work, struct xr_qp, recv.flusher));
}

/* To ERR, as the program wants, or is about to learn. Sleeps. */
void xr_recv_stop(struct xr_qp *qp)
{
	spin_lock_bh(&qp->recv.lock);
	qp->recv.on = false;
	xr_recv_flush_begin(qp);
	spin_unlock_bh(&qp->recv.lock);
	xr_recv_flush_rest(qp);
}

/*
 * To ERR because of a packet or a work request: this can be softirq, so that what is too
 * much is left to a work item. @v->lock is held.
 */
void xr_recv_fail_locked(struct xr_qp *qp)
{
	if (!qp->recv.on)
		return;
	qp->recv.on = false;
	xr_recv_flush_begin(qp);
	if (xr_recv_flush(qp))
		queue_work(system_unbound_wq, &qp->recv.flusher);
	xr_event_raise(&qp->owner->events, &qp->recv.fatal);
}

void xr_recv_fail(struct xr_qp *qp)
{
	spin_lock_bh(&qp->recv.lock);
	xr_recv_fail_locked(qp);
	spin_unlock_bh(&qp->recv.lock);
}
