// SPDX-License-Identifier: GPL-2.0-only
/*
 * A round of a thread that polls: it visits the rings of all queue pairs of an owner, and for those
 * where something is posted does what the doorbell does. That is bounded, so that a program that
 * goes on posting to one queue pair does not keep the thread from the others.
 *
 * The owner's list is read under RCU, so that making and destroying queue pairs waits for no round.
 * A round has many critical sections; the number of the queue pair that was visited last says where
 * to go on.
 */
#include <linux/export.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "obj/link.h"
#include "own/owner.h"
#include "qp/qp.h"

#include "poll.h"
#include "post.h"

/* Queue pairs visited with bottom halves off. */
#define XR_POLL_VISITS	32u

/**
 * struct xr_poll_at - how far a round has come
 * @qpn: number of the queue pair that was visited last; 0: none yet, or all have been visited
 * @lost: it has been destroyed, and so those after it are not visited
 */
struct xr_poll_at {
	u32 qpn;
	bool lost;
};

/* Return: the queue pair after @qp, NULL: after none; NULL: none. Under RCU. */
static struct xr_qp *xr_poll_next(struct xr_owner *own, struct xr_qp *qp)
{
	struct list_head *from = qp ? &qp->node : &own->qps;

	return list_next_or_null_rcu(&own->qps, from, struct xr_qp, node);
}

/*
 * Visit queue pairs, XR_POLL_VISITS of them, up to the first where something is posted. Under RCU.
 * Return: whether there is one.
 */
static bool xr_poll_visit(const struct xr_link *link, struct xr_owner *own, struct xr_poll_at *at)
{
	struct xr_qp *qp = at->qpn ? xr_qp_get_rcu(link, at->qpn) : NULL;
	u32 left;

	at->lost = at->qpn && (!qp || qp->owner != own);
	at->qpn = 0;
	if (at->lost)
		return false;
	for (left = XR_POLL_VISITS; left; left--) {
		qp = xr_poll_next(own, qp);
		if (!qp)
			return false;
		if (xr_post_due(qp))
			break;
	}
	at->qpn = qp->qpn;
	return left;
}

/**
 * xr_poll_round() - execute what is posted to each queue pair
 * @link: the link
 * @own: owner of the queue pairs, which exists until this returns
 *
 * Sleeps between batches.
 *
 * Return: false: nothing was posted to any of them, when it was visited, that can be executed.
 */
bool xr_poll_round(struct xr_link *link, struct xr_owner *own)
{
	struct xr_poll_at at = {};
	bool found = false, due;

	do {
		rcu_read_lock_bh();
		due = xr_poll_visit(link, own, &at);
		rcu_read_unlock_bh();
		if (at.lost || (due && !xr_post_send(link, own, at.qpn)))
			found = true;
		cond_resched_tasks_rcu_qs();
	} while (at.qpn);
	return found;
}
EXPORT_SYMBOL_GPL(xr_poll_round);
