// SPDX-License-Identifier: GPL-2.0-only
/* Sending single packets again: see resend.h. */
#include <linux/log2.h>
#include <linux/minmax.h>

#include "xroce_map.h"

#include "obj/link.h"
#include "qp/qp.h"

#include "cc.h"
#include "count.h"
#include "holes.h"
#include "inflight.h"
#include "packet.h"
#include "queue.h"
#include "resend.h"
#include "score.h"
#include "trace.h"

/* Packets of a response that are requested again at once, if some between them have arrived. */
#define XR_RESEND_NEAR	16u

/* xr_send::probe */
#define XR_PROBE_FIRST	1	/* the oldest packet that is not acknowledged */
#define XR_PROBE_LAST	2

/* How many times the time until the next probe doubles, at most. */
#define XR_PROBE_DOUBLE	6u
/* How many times the time for the response to such a packet doubles while others arrive. */
#define XR_PROBE_HEARD	3u

/*
 * A timer of a queue pair expires about once in this time, in nanoseconds, for each queue pair of
 * the link: many of them do not keep the CPU busy.
 */
#define XR_RESEND_SHARE	(16 * NSEC_PER_USEC)

/* Shortest time of that timer, in nanoseconds. */
#define XR_RESEND_SHORT	(50ull * NSEC_PER_USEC)

/* Return: the work request that has the PSN, if that has been used; or NULL. */
struct xr_swqe *xr_resend_owner(const struct xr_send *s, u32 psn)
{
	u32 n = xr_psn_distance(psn, s->una), i;
	struct xr_swqe *w;

	for (i = s->head; i != s->tail; i++) {
		w = xr_swqe_at(s, i);
		if (!w->begun)
			return NULL;
		if (!xr_swqe_sends(w))
			continue;
		/* Behind the oldest one all PSNs are after xr_send::una. */
		if (n <= xr_psn_distance(w->last, s->una))
			return w;
	}
	return NULL;
}

/*
 * Send the packet @psn again; of a READ, up to @end. @before: how often that was done. Return: as
 * xr_request_build().
 */
static int xr_resend_packet(struct xr_qp *qp, struct xr_swqe *w, u32 psn, u32 end, u32 before)
{
	u32 off = xr_psn_distance(psn, w->psn) << ilog2(qp->mtu);
	struct xr_send *s = &qp->send;
	struct xr_request r = {
		.w = w,
		.psn = psn,
		.again = 1 + before,
		.ack = !xr_swqe_responds(w),
	};
	int ret;

	if (w->opcode == XROCE_WR_RDMA_READ) {
		r.off = off;
		r.want = xr_request_want(qp, w, psn, end);
		w->resumed = true;
	} else if (w->opcode == XROCE_WR_ATOMIC_WRITE) {
		r.len = w->length;
	} else if (!xr_swqe_responds(w)) {
		r.off = off;
		r.len = min(w->length - off, qp->mtu);
	}
	ret = xr_request_build(qp, &r);
	if (ret && ret != -ENETDOWN)
		return ret;
	if (!ret)
		xr_request_again(s);
	xr_rtt_again(&s->rtt, psn, 1);
	xr_cc_sent(&s->cc, r.len + r.want);
	return 0;
}

/* Count a packet that has been sent again because one may be lost. */
static void xr_resend_count(struct xr_qp *qp)
{
	xr_requester_count(&qp->map->req_retransmits, 1);
	this_cpu_inc(qp->send.batch.stat->req_retransmit);
}

/* Return: about how often packets were sent again since the last progress. */
static u32 xr_resend_vain(const struct xr_send *s)
{
	return s->probes + s->retries;
}

/* Return: the PSN behind the hole that begins with @psn, within what was requested at once. */
static u32 xr_resend_end(const struct xr_send *s, const struct xr_swqe *w, u32 psn)
{
	u32 at = xr_psn_add(psn, 1), end;

	if (!xr_swqe_responds(w))
		return at;
	/* The peer has a request for each part. */
	end = xr_swqe_part_end(w, psn);
	while (at != end && s->score.open && at != s->score.high &&
	       !xr_score_has(&s->score, at))
		at = xr_psn_add(at, 1);
	/* Nothing behind has arrived: what is missing is the rest of the part. */
	return s->score.open && at != s->score.high ? at : end;
}

/* Return: the first packet that is missing of what was requested with @psn at once. */
static u32 xr_resend_first(const struct xr_send *s, const struct xr_swqe *w, u32 psn)
{
	u32 at = xr_swqe_part_begin(w, psn);

	if (xr_psn_distance(at, s->una) > xr_psn_distance(psn, s->una))
		at = s->una;
	while (at != psn && xr_score_has(&s->score, at))
		at = xr_psn_add(at, 1);
	return at;
}

/* True if @psn is a hole that counts as lost, of the part that ends with @part, near @first. */
static bool xr_resend_near(const struct xr_send *s, u32 psn, u32 part, u32 first)
{
	return xr_psn_distance(psn, s->una) < xr_psn_distance(s->score.lost, s->una) &&
	       xr_psn_distance(psn, first) < min(xr_psn_distance(part, first), XR_RESEND_NEAR);
}

/*
 * The packets of a response to request again for the hole at @psn. Responders may take a request
 * only if it does not begin before the one that they had last (rxe), so it begins with the first
 * packet that is missing. Return: the PSN behind them; @first: the first one. @first if the hole is
 * too far behind that, and has to wait.
 */
static u32 xr_resend_range(const struct xr_send *s, const struct xr_swqe *w, u32 psn, u32 *first)
{
	u32 part = xr_swqe_part_end(w, psn), end;

	*first = xr_resend_first(s, w, psn);
	if (!xr_resend_near(s, psn, part, *first))
		return *first;
	do {
		end = xr_resend_end(s, w, psn);
		for (psn = end; xr_resend_near(s, psn, part, *first); psn = xr_psn_add(psn, 1))
			if (!xr_score_has(&s->score, psn))
				break;
	} while (xr_resend_near(s, psn, part, *first));
	return end;
}

/*
 * Send the packet @psn of a request again, which the peer misses. @tries: how often it was sent
 * again before. Return: as xr_resend_step().
 */
static int xr_resend_missed(struct xr_qp *qp, u32 psn, u32 tries)
{
	struct xr_swqe *w = xr_resend_owner(&qp->send, psn);
	struct xr_send *s = &qp->send;
	u32 end = xr_psn_add(psn, 1);
	int ret;

	if (!w)
		return -EFAULT;
	if (xr_swqe_responds(w))
		end = xr_swqe_part_end(w, psn);
	trace_xroce_retransmit(qp->link->id, qp->qpn, psn, end, s->retries, XR_AGAIN_HOLE);
	ret = xr_resend_packet(qp, w, psn, end, tries);
	if (ret)
		return ret;
	xr_resend_count(qp);
	s->score.credit--;
	xr_cc_loss(&s->cc, XROCE_CC_LOSS_NAK, xr_psn_distance(end, psn));
	xr_holes_sent(s, psn);
	return 0;
}

/* Send the packets of the next hole again. Return: as xr_resend_step(). */
static int xr_resend_hole(struct xr_qp *qp)
{
	struct xr_send *s = &qp->send;
	struct xr_score *c = &s->score;
	struct xr_swqe *w;
	u32 psn, end, tries;
	int ret;

	if (xr_holes_next(s, &psn, &tries))
		return xr_resend_missed(qp, psn, tries);

	while (c->next != c->lost && xr_score_has(c, c->next))
		c->next = xr_psn_add(c->next, 1);
	if (!xr_resend_holes(s))
		return 0;
	psn = c->next;
	w = xr_resend_owner(s, psn);
	if (!w)
		return -EFAULT;
	end = xr_psn_add(psn, 1);
	if (xr_swqe_responds(w))
		end = xr_resend_range(s, w, psn, &psn);
	/* Alone its response differs from the one that may be late. */
	if (psn == s->una && psn != end && !c->sure && c->lost == xr_psn_add(psn, 1))
		end = c->lost;
	if (psn == end) {
		xr_score_defer(s, xr_swqe_part_end(w, c->next));
		return 0;
	}
	if (psn == s->una)
		trace_xroce_retransmit(qp->link->id, qp->qpn, psn, end, s->retries,
				       XR_AGAIN_HOLE);
	ret = xr_resend_packet(qp, w, psn, end, xr_resend_vain(s));
	if (ret)
		return ret;
	xr_resend_count(qp);
	if (xr_swqe_responds(w))
		xr_requester_count(&qp->map->req_implied_naks, 1);
	xr_cc_loss(&s->cc, XROCE_CC_LOSS_NAK, xr_psn_distance(end, psn));
	xr_score_resent(s, psn, xr_psn_distance(end, psn));
	return 0;
}

/* Send the oldest packet again, or the last one. Return: as xr_resend_step(). */
static int xr_resend_end_packet(struct xr_qp *qp)
{
	struct xr_send *s = &qp->send;
	bool first = s->probe & XR_PROBE_FIRST;
	u32 psn = first ? s->una : xr_psn_add(s->psn, XROCE_PSN_MASK);
	struct xr_swqe *w = xr_resend_owner(s, psn);
	int ret = 0;

	/* The end of a READ is asked for with the rest of it, once that is the oldest request. */
	if (w && (first || w->opcode != XROCE_WR_RDMA_READ))
		ret = xr_resend_packet(qp, w, psn, xr_resend_end(s, w, psn), xr_resend_vain(s));
	if (ret)
		return ret;
	/* A packet that is sent again only to ask for a response has not been lost. */
	if (first || !xr_inflight_unasked(s))
		xr_resend_count(qp);
	if (!first)
		xr_inflight_asked(s);
	s->probe &= first ? ~XR_PROBE_FIRST : ~XR_PROBE_LAST;
	return 0;
}

/* No packet outstanding has asked for a response: send the last one again, which does. */
void xr_resend_ask(struct xr_qp *qp)
{
	struct xr_send *s = &qp->send;

	trace_xroce_retransmit(qp->link->id, qp->qpn, s->una, s->psn, s->retries,
			       XR_AGAIN_UNASKED);
	s->probe |= XR_PROBE_LAST;
}

/**
 * xr_resend_step() - send one packet again, if xr_resend_due()
 * @qp: the queue pair
 *
 * Return: 0; as xr_request_build(). -EFAULT: rewind; the packet fails again in its turn, which ends
 * the connection.
 */
int xr_resend_step(struct xr_qp *qp)
{
	return xr_resend_holes(&qp->send) ? xr_resend_hole(qp) : xr_resend_end_packet(qp);
}

/* No response has come for long: send packets whose responses tell how far the peer has come. */
void xr_resend_probe(struct xr_send *s)
{
	if (s->score.open) {
		xr_score_rescan(s);
		xr_holes_overdue(s, ktime_get_ns(), 0);
		if (xr_resend_holes(s))
			return;
	}
	s->probe = XR_PROBE_FIRST;
	if (xr_psn_distance(s->psn, s->una) > 1)
		s->probe |= XR_PROBE_LAST;
}

/* Return: nanoseconds without any response after which something is lost. */
static u64 xr_resend_silence(const struct xr_qp *qp)
{
	const struct xr_send *s = &qp->send;
	u64 ns = xr_rtt_timeout(&s->rtt);

	ns += READ_ONCE(qp->link->nr_qps) * XR_RESEND_SHARE;
	return min(ns << s->probes, jiffies_to_nsecs(s->ticks));
}

/*
 * Return: nanoseconds since xr_send::heard_at, or since the last paced packet was sent, if that was
 * later.
 */
static u64 xr_resend_waited(const struct xr_send *s, u64 now)
{
	u64 since = max(s->heard_at, s->cc.clock);

	return now > since ? now - since : 0;
}

/* Return: nanoseconds until xr_send::tick expires. */
u64 xr_resend_period(const struct xr_qp *qp)
{
	const struct xr_send *s = &qp->send;
	u64 ns = xr_resend_silence(qp), waited = xr_resend_waited(s, ktime_get_ns());

	ns = ns > waited ? ns - waited : 0;
	if (s->score.open && s->score.since && !xr_send_waits(s))
		ns = min(ns, s->score.reorder);
	return max(ns, XR_RESEND_SHORT);
}

/* Return: responses so far, also those that the program has dropped as no longer outstanding. */
static u32 xr_resend_heard(const struct xr_qp *qp)
{
	return qp->send.heard + (u32)READ_ONCE(qp->map->req_stale);
}

/* Have the timer run while anything is outstanding. */
void xr_resend_watch(struct xr_send *s)
{
	struct xr_qp *qp = container_of(s, struct xr_qp, send);

	if (likely(s->ticking) || s->una == s->psn || !s->ticks || !xr_send_active(s))
		return;
	s->ticking = true;
	s->heard_then = xr_resend_heard(qp);
	s->heard_at = ktime_get_ns();
	hrtimer_start(&s->tick, ns_to_ktime(xr_resend_period(qp)), HRTIMER_MODE_REL_PINNED_SOFT);
}

/* There are holes: judge them, now and when their time has passed. */
void xr_resend_gap(struct xr_send *s)
{
	struct xr_score *c = &s->score;
	bool waits = c->since;

	xr_score_judge(s, ktime_get_ns());
	if (c->since && !waits && s->state != XR_SEND_DYING && s->ticks) {
		s->ticking = true;
		hrtimer_start(&s->tick, ns_to_ktime(max(c->reorder, XR_RESEND_SHORT)),
			      HRTIMER_MODE_REL_PINNED_SOFT);
	}
}

/*
 * Return: nanoseconds after which the response to a packet that was sent again for a hole is
 * overdue, while other responses arrive: it may be in a queue behind these.
 */
static u64 xr_resend_behind(const struct xr_send *s)
{
	return (xr_rtt_timeout(&s->rtt) << XR_PROBE_HEARD) + 2 * s->score.reorder;
}

/* Return: likewise, while no response arrives. Each probe without an answer doubles the time. */
static u64 xr_resend_alone(const struct xr_send *s)
{
	return xr_rtt_timeout(&s->rtt) << s->probes;
}

/* xr_send::tick has expired. Return: whether anything is to be sent. */
bool xr_resend_overdue(struct xr_qp *qp)
{
	struct xr_send *s = &qp->send;
	struct xr_score *c = &s->score;
	u64 now = ktime_get_ns(), timeout;
	u32 all = xr_resend_heard(qp);
	bool heard = all != s->heard_then;

	if (c->open)
		xr_score_judge(s, now);
	/* The timer has expired for a hole, not because no response came. */
	if (!heard && xr_resend_waited(s, now) < xr_resend_silence(qp))
		return xr_resend_due(s);
	s->heard_then = all;
	s->heard_at = now;
	if (c->open) {
		timeout = heard ? xr_resend_behind(s) : xr_resend_alone(s);
		xr_holes_overdue(s, now, timeout);
		if ((!heard && !xr_resend_due(s)) || xr_score_again(s, now, timeout)) {
			s->probes = min(s->probes + 1u, XR_PROBE_DOUBLE);
			xr_resend_probe(s);
		}
	} else if (!heard && xr_inflight_unasked(s)) {
		/* No completion depends on it. Most often the next packet can ask. */
		if (s->owed)
			xr_resend_ask(qp);
		s->owed = true;
	} else if (!heard) {
		s->probes = min(s->probes + 1u, XR_PROBE_DOUBLE);
		xr_resend_probe(s);
		trace_xroce_retransmit(qp->link->id, qp->qpn, s->una, s->psn, s->retries,
				       XR_AGAIN_PROBE);
		xr_requester_count(&qp->map->req_probes, 1);
		this_cpu_inc(s->batch.stat->req_probe);
	}
	return xr_resend_due(s);
}

/* Nothing is outstanding, or all is sent again. */
void xr_resend_reset(struct xr_send *s)
{
	s->probe = 0;
	xr_score_reset(s);
}
