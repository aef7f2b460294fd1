// SPDX-License-Identifier: GPL-2.0-only
/*
 * Send queues. The program can write to the ring at any time, so a work request is copied
 * before it is checked, and the index up to which entries are applied is read once: a
 * program that goes on posting cannot keep a CPU busy.
 */
#include <linux/cpumask.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "xroce_map.h"

#include "obj/cq.h"
#include "obj/link.h"
#include "obj/mw.h"
#include "qp/error.h"
#include "qp/qp.h"

#include "sq.h"

/*
 * The budget: XR_SQ_BUDGET work requests are applied at a time, with bottom halves off. A
 * bind reads a variable of each CPU (xr_hazard_wait()), so the budget is reduced on a
 * machine with many CPUs, to XR_SQ_LOOKS such reads but not below XR_SQ_BUDGET_MIN. A work
 * request that moves its queue pair to ERR counts as XR_SQ_FAILURE, because the receive
 * queue is flushed.
 */
#define XR_SQ_BUDGET	256u
#define XR_SQ_BUDGET_MIN	16u
#define XR_SQ_LOOKS	8192u
#define XR_SQ_FAILURE	16u

/* Applies what exceeds the budgets, for all send queues. */
static struct workqueue_struct *xr_sq_wq;

static void xr_sq_rest(struct work_struct *work);

/* Return: 0 or -ENOMEM. */
int xr_sqs_init(void)
{
	xr_sq_wq = alloc_workqueue("xroce_sq", WQ_UNBOUND, 0);
	return xr_sq_wq ? 0 : -ENOMEM;
}

/* No send queue exists any more. */
void xr_sqs_exit(void)
{
	destroy_workqueue(xr_sq_wq);
}

/**
 * xr_sq_create() - create the send queue of a file
 * @link: the link
 * @owner: the file
 * @a: in: number of entries; out: offset and length for mmap(2)
 *
 * Return: 0 or an errno of SQ_ADD, see uapi/xroce.h.
 */
int xr_sq_create(struct xr_link *link, struct xr_owner *owner,
		 struct xroce_sq_add *a)
{
	struct xr_sq *sq;
	struct xr_qp *qp;
	int ret;

	if (a->entries < XROCE_SQ_MIN || a->entries > XROCE_SQ_MAX ||
	    !is_power_of_2(a->entries))
		return -EINVAL;
	sq = kzalloc(sizeof(*sq), GFP_KERNEL_ACCOUNT);
	if (!sq)
		return -ENOMEM;
	ret = xr_ring_alloc(&sq->ring, XR_FORMAT_OWN, a->entries,
			    sizeof(struct xroce_sq_wqe));
	if (ret)
		goto err_free;
	sq->link = link;
	sq->owner = owner;
	sq->header = sq->ring.mem;
	sq->mask = a->entries - 1;
	sq->budget = clamp(XR_SQ_LOOKS / num_possible_cpus(), XR_SQ_BUDGET_MIN,
			   XR_SQ_BUDGET);
	spin_lock_init(&sq->lock);
	INIT_WORK(&sq->rest, xr_sq_rest);

	mutex_lock(&link->lock);
	if (owner->sq) {
		mutex_unlock(&link->lock);
		ret = -EEXIST;
		goto err_ring;
	}
	xr_ring_publish(&sq->ring, owner);
	owner->sq = sq;
	a->offset = sq->ring.offset;
	a->bytes = sq->ring.bytes;
	list_for_each_entry(qp, &owner->qps, node) {
		xr_sq_join(qp);
		WRITE_ONCE(qp->map->sq, 1);
	}
	mutex_unlock(&link->lock);
	return 0;

err_ring:
	xr_ring_free(&sq->ring);
err_free:
	kfree(sq);
	return ret;
}

/* Destroy a send queue to which no queue pair is tied. The link's lock is held. Sleeps. */
void xr_sq_destroy(struct xr_sq *sq)
{
	lockdep_assert_held(&sq->link->lock);
	WARN_ON_ONCE(sq->users);
	spin_lock_bh(&sq->lock);
	sq->dying = true;
	spin_unlock_bh(&sq->lock);
	/* xr_sq_drain() does not queue it any more. */
	cancel_work_sync(&sq->rest);
	sq->owner->sq = NULL;
	xr_ring_retire(&sq->ring);
	kfree_rcu(sq, rcu);
}

/**
 * xr_sq_delete() - destroy the send queue of a file
 * @link: the link
 * @owner: the file
 *
 * Return: 0; -ENOENT: the file has none; -EBUSY: a queue pair has a send_cq.
 */
int xr_sq_delete(struct xr_link *link, struct xr_owner *owner)
{
	struct xr_qp *qp;
	int ret = 0;

	mutex_lock(&link->lock);
	if (!owner->sq) {
		ret = -ENOENT;
	} else if (owner->sq->users) {
		ret = -EBUSY;
	} else {
		list_for_each_entry(qp, &owner->qps, node) {
			WRITE_ONCE(qp->map->sq, 0);
			RCU_INIT_POINTER(qp->sq, NULL);
		}
		xr_sq_destroy(owner->sq);
	}
	mutex_unlock(&link->lock);
	return ret;
}

/**
 * xr_sq_find_cq() - set the completion queue of a new queue pair's work requests
 * @link: the link, whose lock is held
 * @qp: the queue pair, which is not published yet
 * @cq: number of the completion queue; 0: none
 *
 * Return: 0; -ENOENT: the owner has no such completion queue; -EINVAL: there is no send queue,
 * neither of the owner nor of the queue pair.
 */
int xr_sq_find_cq(struct xr_link *link, struct xr_qp *qp, u32 cq)
{
	if (!cq)
		return 0;
	if (!qp->owner->sq)
		return qp->send.ring.mem ? 0 : -EINVAL;
	qp->send_cq = xr_cq_find(link, qp->owner, cq);
	return qp->send_cq ? 0 : -ENOENT;
}

/* Tie a queue pair to its owner's send queue, if there is one. The link's lock is held. */
void xr_sq_join(struct xr_qp *qp)
{
	struct xr_sq *sq = qp->owner->sq;

	rcu_assign_pointer(qp->sq, sq);
	if (!sq || !qp->send_cq)
		return;
	qp->send_cq->users++;
	sq->users++;
}

/*
 * Undo xr_sq_join(). When this returns, no work request completes for the queue pair any
 * more. The link's lock is held.
 */
void xr_sq_leave(struct xr_qp *qp)
{
	struct xr_sq *sq = qp->owner->sq;

	RCU_INIT_POINTER(qp->sq, NULL);
	if (!qp->send_cq)
		return;
	spin_lock_bh(&sq->lock);
	qp->send_cq->users--;
	qp->send_cq = NULL;
	spin_unlock_bh(&sq->lock);
	sq->users--;
}

/* Copy a work request, so that the program cannot change it any more. */
static struct xroce_sq_wqe xr_sq_read(const struct xroce_sq_wqe *w)
{
	return (struct xroce_sq_wqe){
		.wr_id = READ_ONCE(w->wr_id),
		.opcode = READ_ONCE(w->opcode),
		.flags = READ_ONCE(w->flags),
		.qpn = READ_ONCE(w->qpn),
		.key = READ_ONCE(w->key),
		.lkey = READ_ONCE(w->lkey),
		.access = READ_ONCE(w->access),
		.addr = READ_ONCE(w->addr),
		.length = READ_ONCE(w->length),
		.reserved = READ_ONCE(w->reserved),
	};
}

/* Check and apply a work request. @sq->lock is held. Return: enum xroce_wc_status. */
static u32 xr_sq_execute(struct xr_sq *sq, struct xr_qp *qp,
			 const struct xroce_sq_wqe *w)
{
	const struct xr_bind b = {
		.key = w->key,
		.lkey = w->lkey,
		.addr = w->addr,
		.length = w->length,
		.access = w->access,
		.one = w->opcode == XROCE_SQ_BIND_MW_1,
	};

	if (w->flags & ~(XROCE_SQ_FENCE | XROCE_SQ_SIGNALED) || w->reserved)
		return XROCE_WC_LOC_QP_OP_ERR;
	switch (w->opcode) {
	case XROCE_SQ_BIND_MW:
	case XROCE_SQ_BIND_MW_1:
		return xr_mw_post_bind(sq->link, qp, &b) ?
		       XROCE_WC_MW_BIND_ERR : XROCE_WC_SUCCESS;
	case XROCE_SQ_LOCAL_INV:
		return xr_mw_invalidate(sq->link, qp, w->key) ?
		       XROCE_WC_MW_BIND_ERR : XROCE_WC_SUCCESS;
	}
	return XROCE_WC_LOC_QP_OP_ERR;
}

/*
 * Apply and complete a work request, as the state of its queue pair requires. @sq->lock is
 * held. Return: the part of the budget that it has used.
 */
static u32 xr_sq_do(struct xr_sq *sq, const struct xroce_sq_wqe *w)
{
	struct xr_qp *qp = xr_qp_get_rcu(sq->link, w->qpn);
	struct xroce_cqe cqe = {
		.wr_id = w->wr_id,
		.opcode = w->opcode == XROCE_SQ_LOCAL_INV ? XROCE_WC_LOCAL_INV :
							    XROCE_WC_BIND_MW,
		.imm_or_key = w->key,
		.qpn = w->qpn,
	};
	bool fatal = false;

	if (!qp || qp->owner != sq->owner || !qp->send_cq) {
		WRITE_ONCE(sq->header->lost, READ_ONCE(sq->header->lost) + 1);
		return 1;
	}
	switch (xr_qp_state(qp)) {
	case XROCE_QPS_RESET:
		return 1;
	case XROCE_QPS_ERR:
		cqe.status = XROCE_WC_WR_FLUSH_ERR;
		break;
	case XROCE_QPS_RTS:
	case XROCE_QPS_SQD:
		cqe.status = xr_sq_execute(sq, qp, w);
		fatal = cqe.status;
		break;
	default:
		cqe.status = XROCE_WC_LOC_QP_OP_ERR;
	}
	if ((cqe.status || w->flags & XROCE_SQ_SIGNALED) &&
	    xr_cq_post_as(qp->send_cq, XR_FORMAT_OWN, &cqe))
		fatal = true;
	if (!fatal)
		return 1;
	xr_qp_end(qp);
	xr_qp_fail(qp);
	return XR_SQ_FAILURE;
}

/*
 * The index after the last posted entry. Pairs with the program's release store of the tail:
 * all entries before it are complete.
 */
static u32 xr_sq_end(const struct xr_sq *sq)
{
	return smp_load_acquire(&sq->header->tail);
}

/* Whether all work requests up to the index @end have been applied. */
static bool xr_sq_applied(const struct xr_sq *sq, u32 end)
{
	/* Pairs with xr_sq_drain(): their effects are visible. */
	return end == smp_load_acquire(&sq->head);
}

/*
 * Apply entries before the index @end, at most @sq->budget of them. @again: queue the work
 * item if entries are left. Holding the lock with bottom halves off is also the RCU read-side
 * critical section for the look-ups. Return: whether none is left.
 */
static __always_inline bool xr_sq_drain(struct xr_sq *sq, u32 end, bool again)
{
	const struct xroce_sq_wqe *entries;
	u32 n, left = sq->budget;
	struct xroce_sq_wqe w;

	spin_lock_bh(&sq->lock);
	/*
	 * Apply nothing if the index is impossible, or if another CPU has applied entries
	 * beyond it.
	 */
	n = end - sq->head;
	if (sq->dying || n > sq->mask + 1)
		n = 0;
	entries = xr_ring_entries(&sq->ring, XR_FORMAT_OWN);
	for (; n && left; n--) {
		w = xr_sq_read(&entries[sq->head & sq->mask]);
		left -= min(left, xr_sq_do(sq, &w));
		/* Pairs with xr_sq_poll(): the entry has been applied. */
		smp_store_release(&sq->head, sq->head + 1);
		/* Pairs with the program's acquire load: it may write to the entry again. */
		smp_store_release(&sq->header->head, sq->head);
	}
	if (n && again)
		queue_work(xr_sq_wq, &sq->rest);
	spin_unlock_bh(&sq->lock);
	return !n;
}

/*
 * Apply all entries that are posted now. The caller makes sure that the queue is not freed.
 * Sleeps.
 */
static void xr_sq_drain_all(struct xr_sq *sq)
{
	u32 end = xr_sq_end(sq);

	if (xr_sq_applied(sq, end))
		return;
	while (!xr_sq_drain(sq, end, false))
		cond_resched();
}

static void xr_sq_rest(struct work_struct *work)
{
	xr_sq_drain_all(container_of(work, struct xr_sq, rest));
}

/**
 * xr_sq_poll() - apply posted work requests before a packet
 * @qp: a queue pair of the send queue's owner
 *
 * In softirq, under RCU. At most one budget is applied here; a work item applies the rest.
 *
 * Return: 0: all that was posted before the call has been applied, here or by another CPU;
 * -EAGAIN: some of it has not.
 */
int xr_sq_poll(struct xr_qp *qp)
{
	struct xr_sq *sq = rcu_dereference_bh(qp->sq);
	u32 end;

	if (!sq)
		return 0;
	end = xr_sq_end(sq);
	return xr_sq_applied(sq, end) || xr_sq_drain(sq, end, true) ? 0 : -EAGAIN;
}

/*
 * Apply all posted work requests of @qp's owner before a command. The link's lock is held.
 * Sleeps.
 */
void xr_sq_apply(struct xr_qp *qp)
{
	if (qp->owner->sq)
		xr_sq_drain_all(qp->owner->sq);
}

/**
 * xr_sq_apply_all() - apply all posted work requests of a file, for SQ_APPLY
 * @link: the link
 * @owner: the file
 *
 * Return: 0; -ENOENT: the file has no send queue.
 */
int xr_sq_apply_all(struct xr_link *link, struct xr_owner *owner)
{
	int ret = -ENOENT;

	mutex_lock(&link->lock);
	if (owner->sq) {
		xr_sq_drain_all(owner->sq);
		ret = 0;
	}
	mutex_unlock(&link->lock);
	return ret;
}
