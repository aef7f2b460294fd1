// SPDX-License-Identifier: GPL-2.0-only
/* Sending requests again in order, and how often that is done: see requester.h. */
#include <linux/log2.h>
#include <linux/minmax.h>

#include "uapi/xroce.h"

#include "obj/link.h"
#include "qp/qp.h"

#include "cc.h"
#include "holes.h"
#include "queue.h"
#include "requester.h"
#include "resend.h"
#include "rtt.h"
#include "trace.h"

/* xr_send_attr::rnr_retry: RNR NAKs are never too many (IBTA 9.7.5.2.8). */
#define XR_RNR_WITHOUT_END	7

/* Responses with the PSNs from @psn up to @last are outstanding. */
static void xr_requester_expect(struct xr_send *s, const struct xr_swqe *w, u32 psn, u32 last)
{
	u32 parts = xr_swqe_parts(w, psn, last);

	s->reads += parts;
	s->extra += xr_psn_distance(last, psn) + 1 - parts;
}

/*
 * The part of @w that has @psn is requested again; those from @from on before it stay outstanding.
 * Return: its PSN, or @from if that is in it.
 */
static u32 xr_requester_part(struct xr_send *s, const struct xr_swqe *w, u32 from, u32 psn)
{
	u32 begin = xr_swqe_part_begin(w, psn);

	if (xr_psn_distance(begin, s->una) > xr_psn_distance(psn, s->una) || begin == from)
		return from;
	xr_requester_expect(s, w, from, xr_psn_add(begin, XROCE_PSN_MASK));
	return begin;
}

/**
 * xr_requester_back() - send again from a PSN on
 * @qp: the queue pair; the lock of its send side is held
 * @psn: from xr_send::una up to xr_send::psn. What was requested before it stays outstanding
 */
void xr_requester_back(struct xr_qp *qp, u32 psn)
{
	struct xr_send *s = &qp->send;
	u32 n = xr_psn_distance(psn, s->una), from = s->una;
	const struct xr_swqe *w;

	/* These are sent in order. */
	xr_holes_reset(s);
	s->psn = psn;
	s->off = 0;
	s->extra = 0;
	s->reads = 0;
	s->silent = 0;
	s->owed = true;
	for (s->next = s->head; s->next != s->tail; s->next++) {
		w = xr_swqe_at(s, s->next);
		if (!w->begun)
			return;
		if (!xr_swqe_sends(w)) {
			if (n)
				continue;
			return;
		}
		if (xr_psn_distance(w->last, s->una) >= n)
			break;
		if (xr_swqe_responds(w))
			xr_requester_expect(s, w, from, w->last);
		from = xr_psn_add(w->last, 1);
	}
	if (s->next == s->tail)
		return;
	if (!xr_swqe_responds(w))
		s->off = xr_psn_distance(psn, w->psn) << ilog2(qp->mtu);
	else if (n)
		s->psn = xr_requester_part(s, w, from, psn);
}

/**
 * xr_requester_rewind() - send again from the oldest PSN that is not acknowledged
 * @qp: the queue pair; the lock of its send side is held
 *
 * Also used if a response has acknowledged more than has been sent since the last rewind.
 */
void xr_requester_rewind(struct xr_qp *qp)
{
	struct xr_send *s = &qp->send;

	xr_resend_reset(s);
	xr_rtt_again(&s->rtt, s->una, xr_psn_distance(s->top, s->una));
	xr_requester_back(qp, s->una);
}

/* Return: packets that arrive between two NAKs for a sequence error, smoothed, with this one. */
static u32 xr_requester_smooth(struct xr_rtt *r)
{
	u32 n = r->delivered - r->refused;

	r->refused = r->delivered;
	r->run = r->run ? r->run - r->run / 4 + n / 4 : n;
	return r->run;
}

/*
 * One packet is enough to find out whether the peer is ready; otherwise half of the window. But if
 * most arrives, a peer that discards what follows a loss should find the path full: then twice what
 * arrives between two losses, up to the window. Losses that come close by chance are no reason to
 * send less.
 */
static void xr_requester_shrink(struct xr_send *s, enum xr_again why)
{
	u32 least = 1;

	if (why == XR_AGAIN_SEQ_NAK)
		least = min(2 * xr_requester_smooth(&s->rtt), s->cc.window);
	least = why == XR_AGAIN_RNR_NAK ? 1 : max3(s->window / 2, least, 1u);
	s->window = min(least, s->cc.window);
}

/*
 * Count an attempt without progress, and halve the window. Return: false: there have been too many,
 * and the connection has ended.
 */
bool xr_requester_retries(struct xr_qp *qp, enum xr_again why)
{
	struct xr_send *s = &qp->send;
	bool rnr = why == XR_AGAIN_RNR_NAK;
	u8 *count = rnr ? &s->rnr_retries : &s->retries;
	u8 limit = rnr ? s->attr.rnr_retry : s->attr.retry;

	if (*count >= limit && !(rnr && limit == XR_RNR_WITHOUT_END)) {
		xr_requester_fail(qp, rnr ? XROCE_WC_RNR_RETRY_EXC_ERR : XROCE_WC_RETRY_EXC_ERR);
		return false;
	}
	*count += *count < limit;
	if (why != XR_AGAIN_SEQ_NAK)
		xr_cc_loss(&s->cc, rnr ? XROCE_CC_LOSS_RNR : XROCE_CC_LOSS_TIMEOUT, 0);
	trace_xroce_retransmit(qp->link->id, qp->qpn, s->una, s->psn, *count, why);
	xr_requester_shrink(s, why);
	xr_requester_restart(s);
	return true;
}

/**
 * xr_requester_again() - send requests again, unless that has been done too often
 * @qp: the queue pair; the lock of its send side is held
 * @why: the cause
 *
 * Return: whether they are sent again; if not, the connection has ended.
 */
bool xr_requester_again(struct xr_qp *qp, enum xr_again why)
{
	if (!xr_requester_retries(qp, why))
		return false;
	xr_requester_rewind(qp);
	return true;
}
