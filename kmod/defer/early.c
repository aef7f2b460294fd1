// SPDX-License-Identifier: GPL-2.0-only
/* Executing and answering what was kept behind a hole: see early.h. */
#include <linux/minmax.h>
#include <net/xdp.h>

#include "xroce_map.h"
#include "xroce_op.h"
#include "xroce_wire.h"

#include "bytes/frame.h"
#include "obj/link.h"
#include "qp/qp.h"
#include "respond/queue.h"
#include "respond/sack.h"
#include "send/psn.h"

#include "early.h"
#include "frames.h"
#include "gap.h"
#include "way.h"

/*
 * Wait until a hole counts as lost, an acknowledgement is due, or the frames are given up. The lock
 * is held.
 */
static void xr_early_watch(struct xr_defer *k)
{
	u64 ns = XR_EARLY_HOLD, now = ktime_get_ns();

	if (k->early.since) {
		ns = now - k->early.since;
		ns = k->early.reorder > ns ? k->early.reorder - ns : 0;
		ns = max(ns, XR_EARLY_REORDER_MIN);
	}
	if (k->early.owed.l2_len)
		ns = min(ns, XR_EARLY_QUIET);
	hrtimer_start(&k->timer, ns_to_ktime(ns), HRTIMER_MODE_REL_PINNED_SOFT);
}

/* An acknowledgement of what was executed has to wait. The lock is held. */
static void xr_early_owe(struct xr_qp *qp, const struct xr_defer_way *way, u64 since)
{
	struct xr_early *e = &qp->defer.early;

	e->owed = *way;
	e->owed_since = since;
	e->again = READ_ONCE(qp->map->duplicates);
}

/*
 * Return: whether the acknowledgement that has to wait is due. It is needless if the peer has come
 * to the last packet. @way: out. The lock is held.
 */
static bool xr_early_due(struct xr_qp *qp, struct xr_defer_way *way)
{
	struct xr_early *e = &qp->defer.early;
	u64 now = ktime_get_ns();

	if (e->owed_since && !READ_ONCE(qp->map->ahead))
		e->owed.l2_len = 0;
	if (!e->owed.l2_len)
		return false;
	if (READ_ONCE(qp->map->duplicates) != e->again)
		xr_early_owe(qp, &e->owed, now);
	if (now - e->owed_since < XR_EARLY_QUIET)
		return false;
	*way = e->owed;
	e->owed.l2_len = 0;
	WRITE_ONCE(qp->map->ahead, 0);
	return true;
}

/* A frame is about to be executed. The lock is held. */
void xr_early_begin(struct xr_early *e, const struct xr_deferred *d)
{
	e->ahead = d->at < e->back;
}

/* True if the frame is an acknowledgement. @bth: offset of its header. */
static bool xr_early_is_ack(const struct xdp_buff *xdp, u32 bth)
{
	const struct xroce_bth *h = xdp->data + bth;
	const struct xroce_aeth *aeth = (const void *)(h + 1);

	return xr_frame_linear(xdp, bth, sizeof(*h) + sizeof(*aeth)) &&
	       h->opcode == XROCE_RC_ACK && ntohl(aeth->smsn) >> 24 == XROCE_SYN_ACK;
}

/**
 * xr_early_done() - note that a deferred frame has been executed
 * @qp: its queue pair
 * @d: the frame
 * @xdp: the response, or NULL
 *
 * Return: whether the response need not be sent: it is an acknowledgement, and the frame behind it
 * will be executed at once, as acknowledgements are cumulative, or the peer sends this one again.
 */
bool xr_early_done(struct xr_qp *qp, const struct xr_deferred *d, const struct xdp_buff *xdp)
{
	struct xr_defer *k = &qp->defer;
	const struct xr_deferred *next;
	struct xr_early *e = &k->early;
	bool spare;

	if (qp->type != XROCE_QPT_RC)
		return false;
	spin_lock(&k->lock);
	next = xr_deferred_first(k);
	if (e->ahead)
		WRITE_ONCE(qp->map->ahead, d->psn | XROCE_QP_AHEAD);
	spare = e->ahead || (next && next->psn == xr_psn_add(d->psn, 1) &&
			    !(xroce_op_flags(next->opcode) & XROCE_OPF_REPLAY));
	spare = spare && xdp && xr_early_is_ack(xdp, d->bth);
	e->silent = (spare || !xdp) && !(xroce_op_flags(d->opcode) & XROCE_OPF_REPLAY);
	e->done = xr_psn_add(d->psn, 1);
	e->owed.l2_len = 0;
	spin_unlock(&k->lock);
	return spare;
}

/* Send a NAK for a hole that counts as lost. This CPU has the claim. */
static void xr_early_nak(struct xr_qp *qp, const struct xr_defer_way *way)
{
	struct xroce_qp *q = qp->map;

	if (q->error || q->nak_sent)
		return;
	q->nak_sent = 1;
	q->naks++;
	q->silent++;
	this_cpu_inc(qp->link->stat->nak_seq);
	xr_response_tell(qp, way->l2, way->l2_len, q->epsn, q->msn, XROCE_SYN_NAK_SEQ);
}

/* Acknowledge what was executed; @done is the PSN behind it. This CPU has the claim. */
static void xr_early_ack(struct xr_qp *qp, const struct xr_defer_way *way, u32 done)
{
	struct xroce_qp *q = qp->map;

	if (!q->error && q->epsn == done)
		xr_response_tell(qp, way->l2, way->l2_len, xr_psn_add(done, XROCE_PSN_MASK),
				 q->msn, XROCE_SYN_ACK);
}

/* There is a hole. Return: whether the peer gets a NAK for it now. The lock is held. */
static bool xr_early_lost(struct xr_qp *qp)
{
	struct xr_early *e = &qp->defer.early;
	u32 epsn = xr_gap_epsn(qp);

	/* Once for each packet that is missing. */
	if (!xr_gap_judge(qp, epsn) || e->sack || READ_ONCE(e->nak) == epsn)
		return false;
	/*
	 * A peer that has gone back for the packet before it sends all that follows, so this one
	 * may come at once. If one behind it comes instead, the peer hears of it.
	 */
	if (!e->came && (!e->reorder || e->owed.l2_len))
		return false;
	e->owed.l2_len = 0;
	return true;
}

/**
 * xr_early_tell() - tell the peer of what was executed, and of the hole behind it
 * @qp: the queue pair
 * @way: the way to the peer, if a frame was executed
 *
 * Of the work item, after it has executed what it can.
 *
 * Return: whether it has to be called again, because another CPU has the claim, or to tell of the
 * hole.
 */
bool xr_early_tell(struct xr_qp *qp, struct xr_defer_way *way)
{
	bool lost = false, sack = false, silent, waits, due;
	struct xr_defer *k = &qp->defer;
	const struct xr_deferred *first;
	struct xr_early *e = &k->early;
	u32 done;

	spin_lock(&k->lock);
	waits = xr_gap_waits(qp);
	done = e->done;
	silent = e->silent && !e->ahead && (!waits || (!e->sack && !e->reorder));
	if (e->silent && e->ahead)
		xr_early_owe(qp, way, ktime_get_ns());
	due = xr_early_due(qp, way);
	if (k->active && waits) {
		first = xr_deferred_first(k);
		way->l2_len = xr_frame_l2_len(first->frame->data);
		memcpy(way->l2, first->frame->data, way->l2_len);
		lost = !due && xr_early_lost(qp);
		sack = e->sack && e->ask;
		e->ask = false;
	}
	if (k->active && (waits || (e->owed.l2_len && !k->count)))
		xr_early_watch(k);
	e->silent = false;
	e->came = false;
	spin_unlock(&k->lock);
	if (sack)
		xr_sack_queue(qp, way->l2, way->l2_len);
	if (sack || !(lost || silent || due) || !way->l2_len)
		return false;
	if (cmpxchg(&qp->map->claim, 0, 1)) {
		spin_lock(&k->lock);
		if (lost)
			e->came = true;
		else
			xr_early_owe(qp, way, 0);
		spin_unlock(&k->lock);
		return true;
	}
	if (lost)
		xr_early_nak(qp, way);
	else
		xr_early_ack(qp, way, done);
	xr_qp_release(qp->map);
	return due && waits;
}
