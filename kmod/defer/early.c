// SPDX-License-Identifier: GPL-2.0-only
/* Holes among the packets of a peer: see early.h. */
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
#include "trace.h"

/* xr_early::reorder shrinks by this part with each hole that was a loss. */
#define XR_EARLY_DECAY	16

/* xr_early::reorder, in nanoseconds: if it is shorter it is 0; at most. */
#define XR_EARLY_REORDER_MIN	(50ull * NSEC_PER_USEC)
#define XR_EARLY_REORDER_MAX	(50ull * NSEC_PER_MSEC)

/* Frames are kept for this time without progress, in nanoseconds. */
#define XR_EARLY_HOLD	(2ull * NSEC_PER_SEC)

static u32 xr_early_epsn(const struct xr_qp *qp)
{
	return READ_ONCE(qp->map->epsn) & XROCE_PSN_MASK;
}

/* True if there are frames, and a hole is before the first one. The lock is held. */
bool xr_early_waits(const struct xr_qp *qp)
{
	const struct xr_deferred *first = xr_deferred_first(&qp->defer);

	return qp->type == XROCE_QPT_RC && first &&
	       xr_psn_diff(first->psn, xr_early_epsn(qp)) > 0;
}

/* True if the frames have waited for too long. The lock is held. */
bool xr_early_given_up(const struct xr_defer *k)
{
	return ktime_get_ns() - k->since > XR_EARLY_HOLD;
}

/* A packet was late by @ns. */
static void xr_early_late(struct xr_early *e, u32 ns)
{
	u64 late = min(ns + (u64)ns / 4, XR_EARLY_REORDER_MAX);

	if (late >= XR_EARLY_REORDER_MIN)
		e->reorder = max_t(u32, e->reorder, late);
}

/* A hole that had counted as lost was filled after @ns. Whether it was lost is not known yet. */
static void xr_early_filled(struct xr_early *e, u32 psn, u32 ns)
{
	u32 at = e->fills++ % XR_EARLY_FILLED;

	if (e->filled[at].ns) {
		e->reorder -= e->reorder / XR_EARLY_DECAY;
		if (e->reorder < XR_EARLY_REORDER_MIN)
			e->reorder = 0;
	}
	e->filled[at].psn = psn;
	e->filled[at].ns = max(ns, 1u);
}

/* The packet @psn has come once more. The lock is held. */
void xr_early_again(struct xr_qp *qp, u32 psn)
{
	struct xr_early *e = &qp->defer.early;
	u32 i;

	for (i = 0; i < XR_EARLY_FILLED; i++) {
		if (!e->filled[i].ns || e->filled[i].psn != psn)
			continue;
		xr_early_late(e, e->filled[i].ns);
		e->filled[i].ns = 0;
		return;
	}
}

/* True if xr_early_again() might know the packet. */
bool xr_early_expects(const struct xr_defer *k)
{
	return READ_ONCE(k->early.fills);
}

/* A frame has been added. The lock is held. */
void xr_early_came(struct xr_qp *qp, struct xr_deferred *d)
{
	const struct xroce_bth *h = d->frame->data + d->bth;
	const struct xr_deferred *next = xr_deferred_next(d), *prev = xr_deferred_prev(d);
	struct xr_early *e = &qp->defer.early;
	u32 ns;

	e->sack = h->dqpn & htonl(XROCE_BTH_SACK);
	if (h->apsn & htonl(XROCE_BTH_ACKREQ))
		e->ask = true;
	if (!prev && !next) {
		e->lost = xr_early_epsn(qp);
		e->since = 0;
	}
	if (next) {
		ns = min_t(u64, d->at - next->at, U32_MAX);
		if (xr_psn_diff(e->lost, d->psn) > 0)
			xr_early_filled(e, d->psn, ns);
		else
			xr_early_late(e, ns);
	} else if (!e->reorder && (!prev || xr_psn_add(prev->psn, 1) != d->psn)) {
		e->ask = true;
	}
}

/*
 * Judge which holes are lost. The lock is held. Return: whether
 * the first one is.
 */
static bool xr_early_judge(struct xr_qp *qp, u32 epsn)
{
	u32 high = xr_deferred_last(&qp->defer)->psn;
	struct xr_early *e = &qp->defer.early;
	u64 now = ktime_get_ns();

	if (e->since && now - e->since >= e->reorder) {
		e->lost = e->until;
		e->since = 0;
		e->ask = true;
	}
	if (!e->since && e->lost != high) {
		if (e->reorder) {
			e->until = high;
			e->since = now;
		} else {
			e->lost = high;
		}
	}
	return xr_psn_diff(e->lost, epsn) > 0;
}

/* True if the module tells the peer of a hole that has appeared. The lock is held. */
bool xr_early_answers(const struct xr_defer *k)
{
	return k->early.sack || k->early.reorder;
}

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

/*
 * Send a NAK for the hole, or acknowledge what was executed. @lost: a hole counts as lost; otherwise
 * @done is the PSN behind what was executed. Return: false: another CPU has the claim.
 */
static bool xr_early_answer(struct xr_qp *qp, const struct xr_defer_way *way, bool lost, u32 done)
{
	struct xroce_qp *q = qp->map;

	if (cmpxchg(&q->claim, 0, 1))
		return false;
	if (!q->error && lost && !q->nak_sent) {
		q->nak_sent = XROCE_NAK_SENT_SEQ;
		q->naks++;
		q->silent++;
		this_cpu_inc(qp->link->stat->nak_seq);
		xr_response_tell(qp, way->l2, way->l2_len, q->epsn, q->msn, XROCE_SYN_NAK_SEQ);
	} else if (!q->error && !lost && q->epsn == done) {
		xr_response_tell(qp, way->l2, way->l2_len, xr_psn_add(done, XROCE_PSN_MASK),
				 q->msn, XROCE_SYN_ACK);
	}
	xr_qp_release(q);
	return true;
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
	bool lost = false, sack = false, silent;
	const struct xr_deferred *first;
	u32 done;

	spin_lock(&k->lock);
	silent = e->silent;
	done = e->done;
	if (k->active && xr_early_waits(qp)) {
		first = xr_deferred_first(k);
		way->l2_len = xr_frame_l2_len(first->frame->data);
		memcpy(way->l2, first->frame->data, way->l2_len);
		lost = xr_early_judge(qp, xr_early_epsn(qp));
		sack = e->sack && e->ask;
		lost = lost && !e->sack;
		e->ask = false;
		xr_early_watch(k);
	}
	e->silent = false;
	spin_unlock(&k->lock);
	if (sack)
		xr_sack_queue(qp, way->l2, way->l2_len);
	else if ((lost || silent) && way->l2_len && !xr_early_answer(qp, way, lost, done))
		return true;
	return false;
}

/**
 * xr_early_sack() - make a selective acknowledgement
 * @qp: the queue pair
 * @sack: out
 * @psn: out: its PSN, the one that is expected
 * @msn: out: message sequence number
 *
 * In softirq. The lock of its responses is held.
 *
 * Return: whether there is still a hole.
 */
bool xr_early_sack(struct xr_qp *qp, struct xroce_sack *sack, u32 *psn, u32 *msn)
{
	u32 epsn = xr_early_epsn(qp), bits[XROCE_SACK_BITS / 32] = {}, i;
	struct xr_defer *k = &qp->defer;
	const struct xr_deferred *d;
	bool waits;
	s32 n;

	spin_lock(&k->lock);
	waits = xr_early_waits(qp);
	for (d = waits ? xr_deferred_first(k) : NULL; d; d = xr_deferred_next(d)) {
		n = xr_psn_diff(d->psn, epsn);
		if (n >= (s32)XROCE_SACK_BITS)
			break;
		if (n > 0)
			bits[n / 32] |= 1u << n % 32;
	}
	n = clamp(xr_psn_diff(k->early.lost, epsn), 0, (s32)XROCE_SACK_BITS);
	spin_unlock(&k->lock);
	sack->lost = htonl(n);
	for (i = 0; i < ARRAY_SIZE(bits); i++)
		sack->bits[i] = htonl(bits[i]);
	*psn = epsn;
	*msn = READ_ONCE(qp->map->msn) & XROCE_PSN_MASK;
	return waits;
}
