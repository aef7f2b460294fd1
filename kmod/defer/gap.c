// SPDX-License-Identifier: GPL-2.0-only
/* Holes among the packets of a peer: see gap.h. */
#include <linux/bits.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/udp.h>
#include <net/xdp.h>

#include "xroce_map.h"
#include "xroce_wire.h"

#include "obj/link.h"
#include "qp/qp.h"
#include "send/psn.h"

#include "frames.h"
#include "gap.h"
#include "trace.h"

/* xr_early::reorder shrinks by this part with each hole that was a loss. */
#define XR_EARLY_DECAY	16

/* In xr_early::rnr: there was one. */
#define XR_EARLY_RNR	BIT(24)

u32 xr_gap_epsn(const struct xr_qp *qp)
{
	return READ_ONCE(qp->map->epsn) & XROCE_PSN_MASK;
}

/* True if there are frames, and a hole is before the first one. The lock is held. */
bool xr_gap_waits(const struct xr_qp *qp)
{
	const struct xr_deferred *first = xr_deferred_first(&qp->defer);

	return qp->type == XROCE_QPT_RC && first &&
	       xr_psn_diff(first->psn, xr_gap_epsn(qp)) > 0;
}

/* A NAK is sent for the packet @psn. After an RNR NAK the peer sends all that follows again. */
void xr_gap_nak(struct xr_qp *qp, u32 psn, u8 syndrome)
{
	if ((syndrome & 0xe0) == XROCE_SYN_RNR)
		WRITE_ONCE(qp->defer.early.rnr, psn | XR_EARLY_RNR);
	else if (syndrome == XROCE_SYN_NAK_SEQ)
		WRITE_ONCE(qp->defer.early.nak, psn);
}

/* True if the peer has got an RNR NAK for the packet that is expected. */
bool xr_gap_refused(const struct xr_qp *qp)
{
	return READ_ONCE(qp->defer.early.rnr) == (xr_gap_epsn(qp) | XR_EARLY_RNR);
}

/* True if the frames have waited for too long. The lock is held. */
bool xr_gap_given_up(const struct xr_defer *k)
{
	return ktime_get_ns() - k->since > XR_EARLY_HOLD;
}

/*
 * True if the deferred frame that is being executed in this softirq gets no acknowledgement: the
 * peer sends it again.
 */
bool xr_gap_unanswered(const struct xr_qp *qp)
{
	return READ_ONCE(qp->defer.runner) == current && qp->defer.early.ahead;
}

/* A packet was late by @ns. */
static void xr_gap_late(struct xr_early *e, u32 ns)
{
	u64 late = min(ns + (u64)ns / 4, XR_EARLY_REORDER_MAX);

	e->sure = false;
	if (late >= XR_EARLY_REORDER_MIN)
		e->reorder = max_t(u32, e->reorder, late);
}

/* A packet was lost indeed. */
static void xr_gap_loss(struct xr_early *e)
{
	/* From now on the other holes count as lost, too: tell the peer of them. */
	e->ask = e->ask || !e->sure;
	e->sure = true;
	e->reorder -= e->reorder / XR_EARLY_DECAY;
	if (e->reorder < XR_EARLY_REORDER_MIN)
		e->reorder = 0;
}

/*
 * A hole that had counted as lost was filled after @ns. Whether it was lost is not known yet.
 * @since: when it had appeared, if the packet that has filled it was sent again; otherwise 0.
 */
static void xr_gap_filled(struct xr_early *e, u32 psn, u32 ns, u64 since)
{
	u32 at = e->fills++ % XR_EARLY_FILLED;

	if (e->filled[at].ns)
		xr_gap_loss(e);
	e->filled[at].psn = psn;
	e->filled[at].ns = max(ns, 1u);
	e->filled[at].since = since;
}

/*
 * A second copy of the packet @psn arrives. If the first copy filled a hole that had counted as
 * lost, the second one tells whether a copy was only late. @marked: the peer has marked the second
 * copy as sent again (XROCE_BTH_AGAIN). The lock is held.
 */
void xr_gap_again(struct xr_qp *qp, u32 psn, bool marked)
{
	struct xr_early *e = &qp->defer.early;
	u64 ns;
	u32 i;

	for (i = 0; i < XR_EARLY_FILLED; i++) {
		if (!e->filled[i].ns || e->filled[i].psn != psn)
			continue;
		ns = e->filled[i].ns;
		/* Both copies were sent again: that says nothing of the original packet. */
		if (e->filled[i].since && marked)
			return;
		/* This is the original packet, late by the time since the hole appeared. */
		if (e->filled[i].since)
			ns = min(ktime_get_ns() - e->filled[i].since, XR_EARLY_REORDER_MAX);
		xr_gap_late(e, ns);
		e->filled[i].ns = 0;
		return;
	}
}

/*
 * A frame with the PSN of @d is deferred already. The peer may have asked for a response. The lock
 * is held.
 */
void xr_gap_twice(struct xr_qp *qp, const struct xr_deferred *d)
{
	const struct xroce_bth *h = d->frame->data + d->bth;

	qp->defer.early.came = true;
	xr_gap_again(qp, d->psn, h->dqpn & htonl(XROCE_BTH_AGAIN));
	if (h->apsn & htonl(XROCE_BTH_ACKREQ))
		qp->defer.early.ask = true;
}

/* True if xr_gap_again() might know the packet. */
bool xr_gap_expects(const struct xr_defer *k)
{
	return READ_ONCE(k->early.fills);
}

/* Note the port of a frame that was not sent again: whether the peer uses several. */
static void xr_gap_port(struct xr_early *e, const struct xr_deferred *d)
{
	const struct udphdr *udp = d->frame->data + d->bth - sizeof(*udp);

	e->ports = e->ports || (e->port && e->port != udp->source);
	e->port = udp->source;
}

/*
 * True if the peer, which does not understand selective acknowledgements, has gone back to a frame:
 * it has had a NAK for it, or fills the first hole after a long time, and @next is behind that. The
 * lock is held.
 */
static bool xr_gap_back(const struct xr_qp *qp, const struct xr_deferred *d,
			const struct xr_deferred *next)
{
	const struct xr_early *e = &qp->defer.early;

	return !e->sack && (d->psn == READ_ONCE(e->nak) ||
			    (next && d->psn == xr_gap_epsn(qp) &&
			     d->at - next->at > XR_EARLY_TIMEOUT));
}

/*
 * A frame has been added. The lock is held. Return: whether the peer has gone back to it, and sends
 * all that follows again, too.
 */
bool xr_gap_came(struct xr_qp *qp, struct xr_deferred *d)
{
	const struct xroce_bth *h = d->frame->data + d->bth;
	bool again = h->dqpn & htonl(XROCE_BTH_AGAIN);
	const struct xr_deferred *next = xr_deferred_next(d), *prev = xr_deferred_prev(d);
	struct xr_early *e = &qp->defer.early;
	bool back;
	u32 ns;

	e->came = d->psn != xr_gap_epsn(qp) && d->psn != xr_psn_add(e->edge, 1);
	if (!e->came)
		e->edge = d->psn;
	e->sack = h->dqpn & htonl(XROCE_BTH_SACK);
	if (h->apsn & htonl(XROCE_BTH_ACKREQ))
		e->ask = true;
	back = xr_gap_back(qp, d, next);
	if (!again)
		xr_gap_port(e, d);
	if (!prev && !next) {
		e->lost = xr_gap_epsn(qp);
		e->since = 0;
	}
	if (next) {
		ns = min_t(u64, d->at - next->at, U32_MAX);
		/* It takes another path, where it may have overtaken the original packet. */
		if (again && e->ports)
			xr_gap_filled(e, d->psn, ns, next->at);
		else if (again)
			xr_gap_loss(e);
		else if (e->sack || xr_psn_diff(e->lost, d->psn) <= 0)
			xr_gap_late(e, ns);
		else if (d->psn == READ_ONCE(e->nak))
			xr_gap_filled(e, d->psn, ns, 0);
	} else if (!e->reorder && (!prev || xr_psn_add(prev->psn, 1) != d->psn)) {
		e->ask = true;
	}
	return back;
}

/*
 * Judge which holes are lost. Until a packet is known to have been lost, and not only late
 * (xr_early::sure), only the first missing packet is judged: its fate will be known soon. The lock
 * is held. Return: whether the first missing packet counts as lost.
 */
bool xr_gap_judge(struct xr_qp *qp, u32 epsn)
{
	u32 high = xr_deferred_last(&qp->defer)->psn;
	struct xr_early *e = &qp->defer.early;
	u64 now = ktime_get_ns();

	if (e->since && now - e->since >= e->reorder) {
		e->lost = e->sure ? e->until : xr_psn_add(epsn, 1);
		e->since = 0;
		e->ask = true;
	}
	if (!e->since && e->lost != high && (e->sure || xr_psn_diff(e->lost, epsn) <= 0)) {
		if (e->reorder) {
			e->until = high;
			e->since = now;
		} else {
			e->lost = e->sure ? high : xr_psn_add(epsn, 1);
		}
	}
	return xr_psn_diff(e->lost, epsn) > 0;
}

/* True if the module tells the peer of a new hole; otherwise the program does, by a NAK. */
bool xr_gap_answers(const struct xr_defer *k)
{
	return k->early.sack || k->early.reorder;
}

/**
 * xr_gap_sack() - make a selective acknowledgement
 * @qp: the queue pair
 * @sack: out
 * @psn: out: its PSN, the one that is expected
 * @msn: out: message sequence number
 *
 * In softirq. The lock of its responses is held.
 *
 * Return: whether there is still a hole.
 */
bool xr_gap_sack(struct xr_qp *qp, struct xroce_sack *sack, u32 *psn, u32 *msn)
{
	u32 epsn = xr_gap_epsn(qp), bits[XROCE_SACK_BITS / 32] = {}, kept = 0, i;
	struct xr_defer *k = &qp->defer;
	const struct xr_deferred *d;
	bool waits;
	s32 n;

	spin_lock(&k->lock);
	waits = xr_gap_waits(qp);
	for (d = waits ? xr_deferred_first(k) : NULL; d; d = xr_deferred_next(d)) {
		n = xr_psn_diff(d->psn, epsn);
		if (n >= (s32)XROCE_SACK_BITS)
			break;
		if (n <= 0)
			continue;
		bits[n / 32] |= 1u << n % 32;
		kept++;
	}
	n = clamp(xr_psn_diff(k->early.lost, epsn), 0, (s32)XROCE_SACK_BITS);
	spin_unlock(&k->lock);
	sack->lost = htonl(n);
	for (i = 0; i < ARRAY_SIZE(bits); i++)
		sack->bits[i] = htonl(bits[i]);
	*psn = epsn;
	*msn = READ_ONCE(qp->map->msn) & XROCE_PSN_MASK;
	if (waits)
		trace_xroce_sack_sent(qp->link->id, qp->qpn, epsn, kept);
	return waits;
}
