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

/* Wait until a hole counts as lost, or the frames are given up. The lock is held. */
static void xr_early_watch(struct xr_defer *k)
{
	u64 ns = XR_EARLY_HOLD, now = ktime_get_ns();

	if (k->early.since) {
		ns = now - k->early.since;
		ns = k->early.reorder > ns ? k->early.reorder - ns : 0;
		ns = max(ns, XR_EARLY_REORDER_MIN);
	}
	hrtimer_start(&k->timer, ns_to_ktime(ns), HRTIMER_MODE_REL_PINNED_SOFT);
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
 * will be executed at once. Acknowledgements are cumulative.
 */
bool xr_early_done(struct xr_qp *qp, const struct xr_deferred *d, const struct xdp_buff *xdp)
{
	struct xr_defer *k = &qp->defer;
	const struct xr_deferred *next;
	bool spare;

	if (qp->type != XROCE_QPT_RC)
		return false;
	spin_lock(&k->lock);
	next = xr_deferred_first(k);
	spare = xdp && next && next->psn == xr_psn_add(d->psn, 1) &&
		!(xroce_op_flags(next->opcode) & XROCE_OPF_REPLAY) && xr_early_is_ack(xdp, d->bth);
	k->early.silent = (spare || !xdp) && !(xroce_op_flags(d->opcode) & XROCE_OPF_REPLAY);
	k->early.done = xr_psn_add(d->psn, 1);
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

/**
 * xr_early_tell() - tell the peer of what was executed, and of the hole behind it
 * @qp: the queue pair
 * @way: the way to the peer, if a frame was executed
 *
 * Of the work item, after it has executed what it can.
 *
 * Return: whether it has to be called again, because another CPU has the claim.
 */
bool xr_early_tell(struct xr_qp *qp, struct xr_defer_way *way)
{
	struct xr_defer *k = &qp->defer;
	struct xr_early *e = &k->early;
	bool lost = false, sack = false, executed = way->l2_len, silent, waits;
	const struct xr_deferred *first;
	u32 done;

	spin_lock(&k->lock);
	waits = xr_gap_waits(qp);
	silent = e->silent && !waits;
	done = e->done;
	if (k->active && waits) {
		first = xr_deferred_first(k);
		way->l2_len = xr_frame_l2_len(first->frame->data);
		memcpy(way->l2, first->frame->data, way->l2_len);
		lost = xr_gap_judge(qp, xr_gap_epsn(qp));
		sack = e->sack && e->ask;
		/*
		 * Once for each hole: what comes of it in order shows that it is being filled. One
		 * that is the first since just now may be filled at once, because a peer that has
		 * gone back for the hole before it sends all that follows. If a frame behind it
		 * comes instead, the peer hears of it.
		 */
		if (lost && executed && !e->sack && !e->reorder) {
			lost = false;
			silent = e->silent;
		}
		lost = lost && !e->sack && e->told != first->psn;
		if (lost)
			e->told = first->psn;
		e->ask = false;
		xr_early_watch(k);
	}
	e->silent = false;
	spin_unlock(&k->lock);
	if (sack)
		xr_sack_queue(qp, way->l2, way->l2_len);
	if (sack || !(lost || silent) || !way->l2_len)
		return false;
	if (cmpxchg(&qp->map->claim, 0, 1))
		return true;
	if (lost)
		xr_early_nak(qp, way);
	else
		xr_early_ack(qp, way, done);
	xr_qp_release(qp->map);
	return false;
}
