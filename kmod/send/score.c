// SPDX-License-Identifier: GPL-2.0-only
/* Packets that have arrived out of order: see score.h. */
#include <linux/bitmap.h>
#include <linux/minmax.h>

#include "xroce_map.h"
#include "xroce_wire.h"

#include "qp/qp.h"

#include "holes.h"
#include "inflight.h"
#include "psn.h"
#include "score.h"
#include "wqe.h"

/* xr_score::reorder shrinks by its 16th with each hole whose packets had been lost. */
#define XR_SCORE_DECAY	16

/*
 * xr_score::reorder, in nanoseconds: if it is shorter it is 0; at most, unless twice the round-trip
 * time is more.
 */
#define XR_SCORE_REORDER_MIN	(50ull * NSEC_PER_USEC)
#define XR_SCORE_REORDER_MAX	(50ull * NSEC_PER_MSEC)

/* Shortest time between two marks, in nanoseconds. */
#define XR_SCORE_MARK_GAP	(250ull * NSEC_PER_USEC)

/* An answer to a packet sent again cannot come before three quarters of the round-trip time. */
#define XR_SCORE_EARLY(ns)	((ns) / 4 * 3)

/* Distance of a PSN from the oldest one that is not acknowledged. */
static u32 xr_score_at(const struct xr_send *s, u32 psn)
{
	return xr_psn_distance(psn, s->una);
}

static bool xr_score_open(struct xr_qp *qp)
{
	struct xr_send *s = &qp->send;
	struct xr_score *c = &s->score;

	if (!c->seen) {
		c->seen = xr_qp_alloc(qp, 1, sizeof(*c->seen));
		if (!c->seen)
			return false;
		bitmap_zero(c->seen->has, XR_SCORE_PSNS);
		xr_holes_reset(s);
	}
	c->seen->marks = 0;
	xr_holes_pass(s);
	c->open = true;
	c->high = s->una;
	c->proof = s->una;
	c->lost = s->una;
	c->next = s->una;
	c->waits = false;
	c->since = 0;
	c->scan = 0;
	c->sent = 0;
	c->credit = s->window;
	c->acked = s->una;
	return true;
}

/* @c->high has moved on. */
static void xr_score_mark(struct xr_score *c)
{
	u64 now = ktime_get_ns(), gap = max(c->reorder / 8, XR_SCORE_MARK_GAP);
	u32 last = (c->seen->marks - 1) % XR_SCORE_MARKS;

	if (c->seen->marks && now - c->seen->mark[last].at < gap) {
		c->seen->mark[last].psn = c->high;
		return;
	}
	last = c->seen->marks++ % XR_SCORE_MARKS;
	c->seen->mark[last].psn = c->high;
	c->seen->mark[last].at = now;
}

/* Return: about when a packet behind @psn arrived first, in nanoseconds; @now: unknown. */
static u64 xr_score_first(const struct xr_send *s, u32 psn, u64 now)
{
	const struct xr_score_seen *seen = s->score.seen;
	u32 n = min(seen->marks, XR_SCORE_MARKS), i, at;

	for (i = seen->marks - n; i != seen->marks; i++) {
		at = i % XR_SCORE_MARKS;
		if (xr_psn_distance(seen->mark[at].psn, psn) - 1 < XR_SCORE_PSNS)
			return seen->mark[at].at;
	}
	return now;
}

/*
 * Note packets; add the number of those that are new to @count. @proof: those before should have
 * arrived, too. Return: as xr_score_response().
 */
static bool xr_score_add(struct xr_qp *qp, u32 psn, u32 n, u32 *count, bool proof)
{
	struct xr_send *s = &qp->send;
	struct xr_score *c = &s->score;
	u32 end = xr_score_at(s, psn) + n, fresh = 0, i;

	if (end > XR_SCORE_PSNS || (!c->open && !xr_score_open(qp)))
		return false;
	for (i = 0; i < n; i++)
		fresh += !__test_and_set_bit((psn + i) % XR_SCORE_PSNS, c->seen->has);
	*count += fresh;
	s->rtt.delivered += fresh;
	if (s->rtt.timing && xr_psn_distance(s->rtt.psn, psn) < n)
		xr_inflight_measured(s);
	if (end > xr_score_at(s, c->high)) {
		c->high = xr_psn_add(psn, n);
		xr_score_mark(c);
	}
	if (proof && end > xr_score_at(s, c->proof))
		c->proof = xr_psn_add(psn, n);
	return true;
}

/**
 * xr_score_response() - note a packet of a response that has arrived
 * @qp: the queue pair
 * @psn: its PSN, before xr_send::top
 *
 * Return: false: it is too far from the hole, or there is no memory. Nothing is noted.
 */
bool xr_score_response(struct xr_qp *qp, u32 psn)
{
	return xr_score_add(qp, psn, 1, &qp->send.score.responses, true);
}

/* The same for @n request packets from @psn on, which the peer has executed. */
bool xr_score_requests(struct xr_qp *qp, u32 psn, u32 n)
{
	return xr_score_add(qp, psn, n, &qp->send.score.requests, true);
}

/* The same for @n request packets from @psn on, which the peer keeps. */
bool xr_score_kept(struct xr_qp *qp, u32 psn, u32 n)
{
	return xr_score_add(qp, psn, n, &qp->send.score.requests, false);
}

/**
 * xr_score_begin() - prepare for holes
 * @qp: the queue pair, whose oldest packet is missing
 *
 * Return: whether there was memory.
 */
bool xr_score_begin(struct xr_qp *qp)
{
	struct xr_send *s = &qp->send;

	if (s->score.open)
		return true;
	if (!xr_score_open(qp))
		return false;
	s->score.high = xr_psn_add(s->una, 1);
	return true;
}

/**
 * xr_score_origin() - tell a packet that was sent again from one that was only late
 * @s: the send side, with holes
 * @w: a READ, or another request with a response
 * @psn: PSN of the packet of its response that is due
 * @opcode: its opcode, which shows where the response begins and ends that it belongs to
 *
 * The response to a request for a part begins with FIRST or ONLY (IBTA 9.7.4.3), but that of rxe
 * goes on with MIDDLE or LAST, unless it begins with the first packet. So the LAST one of all may
 * be either.
 *
 * xr_score_pass() uses it.
 */
void xr_score_origin(struct xr_send *s, const struct xr_swqe *w, u32 psn, u32 opcode)
{
	u32 begin = xr_swqe_part_begin(w, psn), end = xr_swqe_part_end(w, psn);
	struct xr_score *c = &s->score;

	if (xr_psn_distance(end, begin) <= 1)
		return;
	if (opcode == XROCE_RC_READ_RESPONSE_ONLY ||
	    (opcode == XROCE_RC_READ_RESPONSE_FIRST && psn != begin) ||
	    (opcode == XROCE_RC_READ_RESPONSE_LAST && xr_psn_add(psn, 1) != end))
		c->origin = XR_ORIGIN_AGAIN;
	else if (c->single && c->again == psn && opcode != XROCE_RC_READ_RESPONSE_LAST)
		c->origin = XR_ORIGIN_LATE;
}

/*
 * Learn whether packets are lost or only late. A packet of the hole at @from, the previous
 * xr_send::una, has come; @end: no packet of the hole is missing any more.
 *
 * The packet was late if it is a response to the first request (xr_score::origin), or has come too
 * soon for an answer to a packet that was sent again. The hole before this one was late if since
 * then a response has come to a packet that is not outstanding any more (xroce_qp::req_stale): both
 * the first packet and the one sent again have been answered.
 */
static void xr_score_learn(struct xr_send *s, u32 from, bool end)
{
	const struct xroce_qp *map = container_of(s, struct xr_qp, send)->map;
	u64 now = ktime_get_ns(), late;
	u32 stale = READ_ONCE(map->req_stale);
	struct xr_score *c = &s->score;
	bool now_late, was_late;

	late = now - xr_score_first(s, from, now);
	late = min(late + late / 4, max(XR_SCORE_REORDER_MAX, 2ull * s->rtt.srtt));
	now_late = c->origin == XR_ORIGIN_LATE || (c->origin == XR_ORIGIN_UNKNOWN &&
		   (!c->sent || (c->exact && now - c->sent < XR_SCORE_EARLY(s->rtt.min))));
	was_late = stale != c->stale && c->late;
	if (now_late || was_late) {
		c->reorder = max3(c->reorder, now_late ? late : 0, was_late ? c->late : 0);
		c->sure = c->sure && !now_late;
	} else if (end || c->origin == XR_ORIGIN_AGAIN) {
		c->reorder -= c->reorder / XR_SCORE_DECAY;
		c->sure = true;
	}
	if (c->reorder < XR_SCORE_REORDER_MIN)
		c->reorder = 0;
	if (!end && c->origin == XR_ORIGIN_UNKNOWN)
		return;
	c->late = now_late || c->origin ? 0 : late;
	c->stale = stale;
}

/* Return: how many of @n packets from @from on are noted. */
u32 xr_score_noted(const struct xr_score *c, u32 from, u32 n)
{
	u32 noted = 0, i;

	for (i = 0; i < min(n, XR_SCORE_PSNS); i++)
		noted += test_bit((from + i) % XR_SCORE_PSNS, c->seen->has);
	return noted;
}

/*
 * @s->una has moved on from @from; @end: beyond a hole. Of what had been noted there, @responses
 * were packets of responses.
 */
void xr_score_pass(struct xr_send *s, u32 from, bool end, u32 responses)
{
	u32 n = xr_psn_distance(s->una, from), noted = 0, i;
	struct xr_score *c = &s->score;

	if (likely(!c->open) || !n)
		return;
	/* The peer itself judges holes of requests. */
	if (c->proof != from && !xr_holes_had(s, from))
		xr_score_learn(s, from, end);
	c->origin = XR_ORIGIN_UNKNOWN;
	for (i = 0; i < min(n, XR_SCORE_PSNS); i++)
		noted += __test_and_clear_bit((from + i) % XR_SCORE_PSNS, c->seen->has);
	c->credit = min(c->credit + n, XROCE_CC_WINDOW_MAX);
	c->responses -= responses;
	c->requests -= noted - responses;
	if (n >= xr_psn_distance(c->high, from)) {
		c->open = false;
		c->responses = 0;
		c->requests = 0;
		return;
	}
	if (n > xr_psn_distance(c->lost, from))
		c->lost = s->una;
	if (n > xr_psn_distance(c->proof, from))
		c->proof = s->una;
	if (n > xr_psn_distance(c->acked, from))
		c->acked = s->una;
	if (n > xr_psn_distance(c->until, from))
		c->until = s->una;
	if (end) {
		c->sent = c->scan;
		c->top = c->scan_top;
		c->exact = false;
	}
	if (n >= xr_psn_distance(c->next, from)) {
		c->next = s->una;
		c->sent = 0;
	}
	if (end && c->waits) {
		c->waits = false;
		c->next = s->una;
	}
}

/* @n packets from @psn on, which belong to a hole, are sent again. */
void xr_score_resent(struct xr_send *s, u32 psn, u32 n)
{
	struct xr_score *c = &s->score;

	c->scan = ktime_get_ns();
	c->credit--;
	c->scan_top = s->top;
	if (psn == s->una) {
		c->sent = c->scan;
		c->top = s->top;
		c->exact = true;
		c->again = psn;
		c->single = n == 1;
	}
	c->next = xr_psn_add(psn, n);
	if (xr_score_at(s, c->next) > xr_score_at(s, c->lost))
		c->next = c->lost;
}

/*
 * Return: PSN before which holes count as lost that are due. @until: PSN before which they are due.
 * Without a timeout nothing would have the others judged later.
 */
static u32 xr_score_due(const struct xr_send *s, u32 until)
{
	return s->score.sure || !s->ticks ? until : xr_psn_add(s->una, 1);
}

/**
 * xr_score_judge() - judge which holes are lost
 * @s: the send side, with holes
 * @now: nanoseconds of CLOCK_MONOTONIC
 *
 * To be called when packets have arrived, and when the time has passed.
 */
void xr_score_judge(struct xr_send *s, u64 now)
{
	struct xr_score *c = &s->score;
	u32 until;

	/* Without a timeout no timer runs. */
	if (c->since && (now - c->since >= c->reorder || !s->ticks)) {
		until = xr_score_due(s, c->until);
		if (xr_score_at(s, until) > xr_score_at(s, c->lost))
			c->lost = until;
		c->since = 0;
	}
	if (c->since || xr_score_at(s, c->lost) >= xr_score_at(s, c->proof) ||
	    (!c->sure && s->ticks && c->lost != s->una))
		return;
	if (!c->reorder || !s->ticks) {
		c->lost = xr_score_due(s, c->proof);
		return;
	}
	c->until = c->proof;
	c->since = now;
}

/* Return: packets that are missing while later ones have arrived. */
u32 xr_score_holes(const struct xr_send *s)
{
	const struct xr_score *c = &s->score;

	return c->open ? xr_score_at(s, c->high) - min(xr_score_at(s, c->high),
						       c->requests + c->responses) : 0;
}

/* Holes from @next up to @end must wait until the first one of them is filled. */
void xr_score_defer(struct xr_send *s, u32 end)
{
	struct xr_score *c = &s->score;

	c->waits = true;
	c->next = xr_score_at(s, end) < xr_score_at(s, c->lost) ? end : c->lost;
}

/*
 * True if what was sent again of the holes has been lost, too: something that was sent later has
 * arrived, or the time @timeout has passed.
 */
bool xr_score_again(const struct xr_send *s, u64 now, u64 timeout)
{
	const struct xr_score *c = &s->score;

	if ((c->next != c->lost && c->credit) || !c->sent)
		return false;
	if (xr_score_at(s, c->high) > xr_score_at(s, c->top))
		return now - c->sent >= (c->reorder ? c->reorder + s->rtt.srtt : s->rtt.min);
	return now - c->sent >= timeout;
}

/* The packets sent again for holes have been lost, too: all holes are sent again. */
void xr_score_rescan(struct xr_send *s)
{
	struct xr_score *c = &s->score;

	c->next = s->una;
	c->waits = false;
	c->lost = c->proof;
	c->since = 0;
	s->window = max(s->window / 2, 1u);
	c->credit = s->window;
}

/* Nothing is outstanding, or all is sent again. */
void xr_score_reset(struct xr_send *s)
{
	struct xr_score *c = &s->score;

	if (c->open)
		bitmap_zero(c->seen->has, XR_SCORE_PSNS);
	xr_holes_reset(s);
	c->open = false;
	c->responses = 0;
	c->requests = 0;
}
