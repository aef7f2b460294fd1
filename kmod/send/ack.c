// SPDX-License-Identifier: GPL-2.0-only
/*
 * Responses to the requests of a queue pair. The XDP program has compared a response with the
 * map; here it is compared with the module's own state, under the lock of the send side.
 */
#include <linux/log2.h>
#include <linux/minmax.h>

#include "uapi/xroce.h"
#include "xroce_kfunc.h"
#include "xroce_map.h"
#include "xroce_wire.h"

#include "bytes/frame.h"
#include "bytes/icrc.h"
#include "bytes/vector.h"
#include "obj/link.h"
#include "qp/qp.h"

#include "ack.h"
#include "count.h"
#include "holes.h"
#include "inflight.h"
#include "packet.h"
#include "requester.h"
#include "resend.h"
#include "sack.h"
#include "score.h"
#include "trace.h"

/* Kinds of a syndrome: its upper three bits (IBTA table 46). */
#define XR_SYN_KIND(syndrome)	((syndrome) >> 5)
#define XR_SYN_CODE(syndrome)	((syndrome) & 0x1f)
#define XR_SYN_KIND_ACK		0
#define XR_SYN_KIND_RNR		1
#define XR_SYN_KIND_NAK		3

/* Wait for on-demand memory before a response is requested again, in nanoseconds. */
#define XR_ACK_FAULT		(200 * NSEC_PER_USEC)

/* Times of the RNR NAK timer in units of 10 microseconds (IBTA table 45). */
static const u32 xr_rnr_time[32] = {
	65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024,
	1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
};

static struct xr_swqe *xr_ack_oldest(const struct xr_send *s)
{
	struct xr_swqe *w;

	if (s->head == s->tail)
		return NULL;
	w = xr_swqe_at(s, s->head);
	return w->begun ? w : NULL;
}

/* The oldest work request is complete. Return: 0; -ENOSPC: the connection has ended. */
static int xr_ack_complete(struct xr_qp *qp)
{
	int ret = xr_send_complete(qp, XROCE_WC_SUCCESS);

	if (unlikely(ret))
		xr_requester_fail(qp, XROCE_WC_SUCCESS);
	return ret;
}

/* The packet of a response at xr_send::una is not outstanding any more. */
static __always_inline void xr_ack_counted(struct xr_send *s, const struct xr_swqe *w)
{
	/* A rewind has counted what it will request again; this was requested before. */
	if (!s->reads)
		return;
	if (s->una == w->last ||
	    (w->resumed && xr_psn_add(s->una, 1) == xr_swqe_part_end(w, s->una)))
		s->reads--;
	else
		s->extra--;
}

/* It is known whether the peer keeps packets, or not any more. */
static void xr_ack_keeps(struct xr_send *s, enum xr_keeps keeps)
{
	s->keeps = keeps;
	if (keeps == XR_KEEPS || keeps == XR_KEEPS_NOT) {
		s->asks = keeps == XR_KEEPS;
		xr_request_sack(s);
	}
}

/*
 * xr_send::una has moved on. If it has moved only to the end of the request that was sent again as
 * a trial, the peer has discarded the requests after it. If that request is a READ, this says
 * nothing: a NAK or silence will show whether the peer has discarded them.
 */
static void xr_ack_tried(struct xr_qp *qp)
{
	struct xr_send *s = &qp->send;
	s32 ahead = xr_psn_diff(s->una, s->trial);

	if (ahead > 0) {
		xr_ack_keeps(s, XR_KEEPS);
	} else if (!ahead && s->una == s->top) {
		xr_ack_keeps(s, XR_KEEPS_UNKNOWN);
	} else if (!ahead && !s->trial_reads) {
		xr_ack_keeps(s, XR_KEEPS_NOT);
		xr_requester_rewind(qp);
	}
}

/*
 * Take over what has arrived out of order, behind @from, the old xr_send::una. Return: 0; -ENOSPC
 * as xr_ack_complete().
 */
static int xr_ack_absorb(struct xr_qp *qp, u32 from)
{
	struct xr_send *s = &qp->send;
	struct xr_swqe *w;
	u32 una = s->una, responses = 0;
	int ret = 0;

	while (!ret && xr_psn_distance(s->una, from) < xr_psn_distance(s->score.high, from) &&
	       (w = xr_ack_oldest(s))) {
		if (!xr_swqe_sends(w)) {
			ret = xr_ack_complete(qp);
			continue;
		}
		if (!xr_score_has(&s->score, s->una))
			break;
		if (xr_swqe_responds(w)) {
			responses++;
			w->received = min(w->received + qp->mtu, w->length);
			xr_ack_counted(s, w);
		} else if (!xr_score_acked(&s->score, from, xr_psn_add(s->una, 1))) {
			/* The peer only keeps it, and may still refuse or forget it. */
			break;
		}
		s->una = xr_psn_add(s->una, 1);
		if (xr_psn_add(w->last, 1) == s->una)
			ret = xr_ack_complete(qp);
	}
	if (s->una != una) {
		/* They were counted as delivered when noted, and are once more by what follows. */
		s->rtt.delivered -= xr_psn_distance(s->una, una);
		xr_requester_progress(s, xr_psn_distance(s->una, una));
	}
	xr_score_pass(s, from, s->una != una, responses);
	return ret;
}

/* As xr_ack_moved(), if something was lost. */
static noinline int xr_ack_moved_lossy(struct xr_qp *qp, u32 from, u32 packets)
{
	struct xr_send *s = &qp->send;
	bool open = s->score.open;
	int ret = 0;

	/* Those that the peer only kept are delivered since they were noted. */
	if (open)
		s->rtt.delivered -= xr_score_noted(&s->score, from, packets);
	xr_requester_progress(s, packets);
	if (open)
		ret = xr_ack_absorb(qp, from);
	if (s->keeps == XR_KEEPS_TRIAL && !ret)
		xr_ack_tried(qp);
	return ret;
}

/* @s->una has moved on from @from, by @packets that are not yet counted. Return: likewise. */
static int xr_ack_moved(struct xr_qp *qp, u32 from, u32 packets)
{
	struct xr_send *s = &qp->send;

	if (unlikely(s->score.open || s->keeps == XR_KEEPS_TRIAL))
		return xr_ack_moved_lossy(qp, from, packets);
	xr_requester_progress(s, packets);
	return 0;
}

/*
 * All requests before @psn have been executed: complete them, up to the first READ or atomic
 * whose response is missing. Return: 0; 1: there is one before @psn; -ENOSPC as
 * xr_ack_complete().
 */
static int xr_ack_until(struct xr_qp *qp, u32 psn)
{
	struct xr_send *s = &qp->send;
	u32 una = s->una, n;
	struct xr_swqe *w;
	int ret = 0, err;

	while (!ret && (w = xr_ack_oldest(s))) {
		if (!xr_swqe_sends(w)) {
			ret = xr_ack_complete(qp);
			continue;
		}
		/* Distances from @una, a PSN of @w, because half the circle may be used. */
		n = xr_psn_distance(psn, s->una);
		if (!n)
			break;
		if (xr_swqe_responds(w)) {
			ret = 1;
			break;
		}
		if (n <= xr_psn_distance(w->last, s->una)) {
			s->una = psn;
			break;
		}
		s->una = xr_psn_add(w->last, 1);
		ret = xr_ack_complete(qp);
	}
	if (s->una == una || ret < 0)
		return ret;
	err = xr_ack_moved(qp, una, xr_psn_distance(s->una, una));
	return err ?: ret;
}

/*
 * All requests before @psn have been executed, but the response to a READ or atomic among them is
 * missing: note the others (IBTA 9.7.5.2.8).
 */
static void xr_ack_beyond(struct xr_qp *qp, u32 psn)
{
	struct xr_send *s = &qp->send;
	u32 i, n = xr_psn_distance(psn, s->una), at, end;
	const struct xr_swqe *w, *oldest = NULL;

	if (n > xr_psn_distance(s->top, s->una) || xr_score_acked(&s->score, s->una, psn))
		return;
	for (i = s->head; i != s->tail; i++) {
		w = xr_swqe_at(s, i);
		if (!w->begun)
			break;
		if (!xr_swqe_sends(w))
			continue;
		/* A part of the oldest one may be before xr_send::una. */
		if (!oldest) {
			oldest = w;
			continue;
		}
		at = xr_psn_distance(w->psn, s->una);
		if (at >= n)
			break;
		end = min(xr_psn_distance(w->last, s->una) + 1, n);
		if (!xr_swqe_responds(w) && !xr_score_requests(qp, w->psn, end - at))
			return;
	}
	if (s->score.open)
		s->score.acked = psn;
}

static void xr_ack_rnr(struct xr_qp *qp, u32 code)
{
	struct xr_send *s = &qp->send;

	xr_requester_count(&qp->map->req_rnr_naks, 1);
	/* The oldest packet has arrived, so path and peer are alive: this is no loss. */
	s->retries = 0;
	if (xr_requester_again(qp, XR_AGAIN_RNR_NAK))
		xr_requester_pause(s, xr_rnr_time[code] * 10ull * NSEC_PER_USEC);
}

/*
 * Send only the request @psn again, unless it is known that the peer discards what follows, or is
 * nothing else outstanding. Return: whether that is done.
 */
static bool xr_ack_single(struct xr_qp *qp, u32 psn)
{
	struct xr_send *s = &qp->send;
	const struct xr_swqe *w = xr_resend_owner(s, psn);
	u32 end = xr_psn_add(psn, 1);

	if (s->keeps == XR_KEEPS_TRIAL && psn == s->trial)
		xr_ack_keeps(s, XR_KEEPS_NOT);
	if (s->keeps == XR_KEEPS_NOT && s->discards <= XR_SEND_DISCARDS &&
	    (++s->discards == XR_SEND_DISCARDS_SOON || s->discards == XR_SEND_DISCARDS))
		s->keeps = XR_KEEPS_UNKNOWN;
	if (w && xr_swqe_responds(w))
		end = xr_swqe_part_end(w, psn);
	if (!w || s->keeps == XR_KEEPS_NOT || s->psn == end || !xr_score_begin(qp))
		return false;
	xr_holes_pass(s);
	xr_holes_miss(s, psn, s->top);
	/*
	 * Late packets may have made it seem that the peer keeps packets. A selective
	 * acknowledgement would prove that it does.
	 */
	if (s->keeps == XR_KEEPS_UNKNOWN || !s->sacked) {
		s->keeps = XR_KEEPS_TRIAL;
		s->trial = end;
		s->trial_reads = xr_swqe_responds(w);
	}
	return true;
}

/* The peer misses the packet @psn, while a response before it is missing here. */
static void xr_ack_nak_beyond(struct xr_qp *qp, u32 psn)
{
	struct xr_send *s = &qp->send;

	if (xr_psn_distance(psn, s->una) >= xr_psn_distance(s->psn, s->una))
		return;
	trace_xroce_nak_received(qp->link->id, qp->qpn, psn, XROCE_SYN_NAK_SEQ);
	xr_requester_count(&qp->map->req_seq_naks, 1);
	/* One for another packet shows that the peer goes on. */
	if (s->nak != psn)
		s->retries = 0;
	s->nak = psn;
	if (xr_requester_retries(qp, XR_AGAIN_SEQ_NAK) && !xr_ack_single(qp, psn))
		xr_requester_back(qp, psn);
}

/* The peer misses the oldest packet. */
static void xr_ack_missed(struct xr_qp *qp)
{
	struct xr_send *s = &qp->send;

	xr_requester_count(&qp->map->req_seq_naks, 1);
	if (xr_requester_retries(qp, XR_AGAIN_SEQ_NAK) && !xr_ack_single(qp, s->una))
		xr_requester_rewind(qp);
}

/*
 * The peer misses the packet @psn, and says which of those behind it keeps. Return: 0; -ESTALE:
 * ignored.
 */
static int xr_ack_sack(struct xr_qp *qp, u32 psn, struct xdp_buff *xdp, u32 off)
{
	u32 kept = qp->send.score.requests, una = qp->send.una;
	struct xr_send *s = &qp->send;
	bool noted;
	int ret;

	if (unlikely(s->keeps != XR_KEEPS))
		xr_ack_keeps(s, XR_KEEPS);
	s->sacked = true;
	ret = xr_ack_until(qp, psn);
	if (ret < 0)
		return 0;
	if (ret > 0)
		xr_ack_beyond(qp, psn);
	else if (s->una != psn)
		return -ESTALE;
	xr_requester_count(&qp->map->req_sacks, 1);
	this_cpu_inc(s->batch.stat->req_sack);
	noted = xr_sack_note(qp, psn, xdp, off);
	trace_xroce_sack_received(qp->link->id, qp->qpn, psn, s->score.requests);
	if (!noted)
		xr_requester_rewind(qp);
	else if (s->una == una && s->score.requests > kept)
		xr_requester_restart(s);
	return 0;
}

/* A NAK of the oldest packet. Return: whether its code is known. */
static bool xr_ack_nak(struct xr_qp *qp, u32 code)
{
	switch (code) {
	case XR_SYN_CODE(XROCE_SYN_NAK_SEQ):
		xr_ack_missed(qp);
		return true;
	case XR_SYN_CODE(XROCE_SYN_NAK_INV):
		xr_requester_fail(qp, XROCE_WC_REM_INV_REQ_ERR);
		return true;
	case XR_SYN_CODE(XROCE_SYN_NAK_ACC):
		xr_requester_fail(qp, XROCE_WC_REM_ACCESS_ERR);
		return true;
	case XR_SYN_CODE(XROCE_SYN_NAK_OP):
		xr_requester_fail(qp, XROCE_WC_REM_OP_ERR);
		return true;
	}
	return false;
}

/*
 * An acknowledgement or NAK. A NAK acknowledges all packets before its PSN. Return: 0;
 * -ESTALE: ignored.
 */
static int xr_ack_plain(struct xr_qp *qp, u32 psn, u32 syndrome)
{
	u32 kind = XR_SYN_KIND(syndrome), code = XR_SYN_CODE(syndrome);
	struct xr_send *s = &qp->send;
	int ret;

	if (kind != XR_SYN_KIND_ACK && kind != XR_SYN_KIND_RNR && kind != XR_SYN_KIND_NAK)
		return -ESTALE;
	ret = xr_ack_until(qp, kind == XR_SYN_KIND_ACK ? xr_psn_add(psn, 1) : psn);
	if (ret < 0)
		return 0;
	if (ret > 0) {
		xr_ack_beyond(qp, kind == XR_SYN_KIND_ACK ? xr_psn_add(psn, 1) : psn);
		if (syndrome == XROCE_SYN_NAK_SEQ)
			xr_ack_nak_beyond(qp, psn);
		return 0;
	}
	if (kind == XR_SYN_KIND_ACK)
		return 0;
	/* Only the packet that is the oldest one now can be refused. */
	if (s->una != psn || !xr_ack_oldest(s))
		return -ESTALE;
	/* A duplicate: since the one before, nothing has been sent that could be refused. */
	if (s->wait && s->psn == s->una && syndrome < XROCE_SYN_NAK_INV)
		return -ESTALE;
	/*
	 * Since the oldest packet was sent again, nothing behind it has been: a packet before that
	 * made the peer miss it. This comes behind an RNR NAK of the same packet.
	 */
	if (syndrome == XROCE_SYN_NAK_SEQ && s->psn != s->top && xr_inflight_requests(s) <= 1)
		return -ESTALE;
	trace_xroce_nak_received(qp->link->id, qp->qpn, psn, syndrome);
	if (kind == XR_SYN_KIND_RNR)
		xr_ack_rnr(qp, code);
	else if (!xr_ack_nak(qp, code))
		return -ESTALE;
	return 0;
}

/* True if opcode and length of a packet are those that a response to @w has at @off. */
static __always_inline bool xr_ack_fits(const struct xr_qp *qp, const struct xr_swqe *w, u32 off,
					u32 opcode, u32 len)
{
	u32 left = w->length - off;

	if (xr_swqe_is_atomic(w))
		return opcode == XROCE_RC_ATOMIC_ACK && !len;
	if (!xr_swqe_reads(w))
		return opcode == XROCE_RC_READ_RESPONSE_ONLY && !len;
	if (opcode < XROCE_RC_READ_RESPONSE_FIRST || opcode > XROCE_RC_READ_RESPONSE_ONLY ||
	    len != min(left, qp->mtu))
		return false;
	/* Parts of it may have been requested again. */
	if (w->resumed)
		return true;
	if (left > qp->mtu)
		return opcode == (off ? XROCE_RC_READ_RESPONSE_MIDDLE :
					XROCE_RC_READ_RESPONSE_FIRST);
	return opcode == (off ? XROCE_RC_READ_RESPONSE_LAST : XROCE_RC_READ_RESPONSE_ONLY);
}

/**
 * struct xr_ack - a response, as the XDP program has parsed it
 * @psn: PSN
 * @opcode: opcode
 * @syndrome: of the AETH
 * @wrong: see struct xroce_ack
 * @result: ATOMIC ACK: the value before the operation
 * @xdp: the frame
 * @off: offset of the payload in it
 * @len: bytes of the payload, which the frame has
 */
struct xr_ack {
	u32 psn;
	u32 opcode;
	u32 syndrome;
	bool wrong;
	u64 result;
	struct xdp_buff *xdp;
	u32 off;
	u32 len;
};

/* Write a packet of a response, from its byte @pos on. Return: as xr_request_scatter(). */
static __always_inline int xr_ack_store(struct xr_qp *qp, const struct xr_swqe *w, u32 pos,
					struct xr_ack *a)
{
	int ret;

	if (xr_swqe_is_atomic(w))
		return xr_request_result(qp, w, &a->result);
	ret = xr_request_scatter(qp, w, pos, a->xdp, a->off, a->len);
	/* See xr_ack_checked(). */
	xr_vector_release();
	return ret;
}

/*
 * A packet of a response behind one that is missing, or a duplicate. Return: 0: it is new; -ESTALE:
 * ignored.
 */
static int xr_ack_early(struct xr_qp *qp, struct xr_ack *a)
{
	struct xr_swqe *w = xr_resend_owner(&qp->send, a->psn);
	u32 off;
	int ret;

	if (!w || !xr_swqe_responds(w))
		return -ESTALE;
	off = xr_psn_distance(a->psn, w->psn) << ilog2(qp->mtu);
	/* The requests before it have been executed. */
	if (w != xr_swqe_at(&qp->send, qp->send.head))
		xr_ack_beyond(qp, w->psn);
	if (xr_psn_distance(a->psn, qp->send.una) >= XR_SCORE_PSNS ||
	    xr_score_has(&qp->send.score, a->psn))
		return -ESTALE;
	/* An error in it counts when its turn has come. */
	if (a->wrong || !xr_ack_fits(qp, w, off, a->opcode, a->len))
		return -ESTALE;
	ret = xr_ack_store(qp, w, off, a);
	/* Without a note it is requested again. Without access the request fails in its turn. */
	if (ret || !xr_score_response(qp, a->psn))
		return -ESTALE;
	xr_requester_restart(&qp->send);
	return 0;
}

/* The packet of a response that is due. Return: 0; -ESTALE: ignored. */
static int xr_ack_due(struct xr_qp *qp, struct xr_swqe *w, struct xr_ack *a)
{
	struct xr_send *s = &qp->send;
	u32 from = s->una;
	int ret;

	if (a->wrong || !xr_ack_fits(qp, w, w->received, a->opcode, a->len)) {
		xr_requester_fail(qp, XROCE_WC_BAD_RESP_ERR);
		return 0;
	}
	ret = xr_ack_store(qp, w, w->received, a);
	if (ret == -EAGAIN) {
		/* The memory is being brought in: have the response sent again. */
		trace_xroce_retransmit(qp->link->id, qp->qpn, s->una, s->psn, s->retries,
				       XR_AGAIN_MEMORY);
		xr_requester_rewind(qp);
		xr_requester_pause(s, XR_ACK_FAULT);
		return -ESTALE;
	}
	if (ret) {
		xr_requester_fail(qp, XROCE_WC_LOC_PROT_ERR);
		return 0;
	}
	if (unlikely(s->score.open))
		xr_score_origin(s, w, a->psn, a->opcode);
	w->received += a->len;
	xr_ack_counted(s, w);
	s->una = xr_psn_add(a->psn, 1);
	if (a->psn == w->last && xr_ack_complete(qp))
		return 0;
	xr_ack_moved(qp, from, 1);
	return 0;
}

/*
 * A packet of the response to a READ, atomic, ATOMIC WRITE or FLUSH: complete the requests before
 * it. Return: 0; -ESTALE: ignored.
 */
static int xr_ack_response(struct xr_qp *qp, struct xr_ack *a)
{
	struct xr_send *s = &qp->send;
	struct xr_swqe *w = xr_ack_oldest(s);

	/* Most often it is due, and nothing precedes it. */
	if (likely(a->psn == s->una && w && xr_swqe_responds(w)))
		return xr_ack_due(qp, w, a);
	if (xr_ack_until(qp, a->psn) < 0)
		return -ESTALE;
	if (a->psn != s->una)
		return xr_ack_early(qp, a);
	w = xr_ack_oldest(s);
	return w && xr_swqe_responds(w) ? xr_ack_due(qp, w, a) : -ESTALE;
}

/*
 * A late response may acknowledge packets that xr_requester_rewind() was about to send again: do
 * not send them.
 */
static void xr_ack_sync(struct xr_qp *qp)
{
	struct xr_send *s = &qp->send;

	if (xr_psn_distance(s->top, s->psn) > xr_psn_distance(s->top, s->una) ||
	    (s32)(s->head - s->next) > 0)
		xr_requester_rewind(qp);
}

/* A response, whose queue pair is active. Return: 0; -ESTALE: ignored; -EINVAL: its length. */
static __always_inline int xr_ack_judge(struct xr_qp *qp, struct xr_ack *a)
{
	struct xr_send *s = &qp->send;

	if (xr_psn_distance(a->psn, s->una) >= xr_psn_distance(s->top, s->una))
		return -ESTALE;
	if (a->opcode == XROCE_RC_ACK)
		return xr_ack_plain(qp, a->psn, a->syndrome);
	if (a->opcode != XROCE_OP_SACK)
		return xr_ack_response(qp, a);
	return a->len == sizeof(struct xroce_sack) ? xr_ack_sack(qp, a->psn, a->xdp, a->off) :
						     -EINVAL;
}

/*
 * Accept a response to a request, in softirq, under RCU. @a: arguments of xroce_ack(); they may
 * change at any time, so each is read once. Return: see xroce_ack().
 */
static __always_inline int xr_ack_accept(struct xr_qp *qp, struct xdp_buff *xdp,
					 const struct xroce_ack *a)
{
	struct xr_ack r = {
		.psn = READ_ONCE(a->psn) & XROCE_PSN_MASK,
		.opcode = READ_ONCE(a->opcode),
		.syndrome = READ_ONCE(a->syndrome) & 0xff,
		.wrong = READ_ONCE(a->wrong),
		.result = READ_ONCE(a->result),
		.xdp = xdp,
		.off = READ_ONCE(a->off),
		.len = READ_ONCE(a->len),
	};
	struct xr_send *s = &qp->send;
	int ret;

	if (!xr_frame_has(xdp, r.off, r.len))
		return -EINVAL;
	spin_lock(&s->lock);
	if (unlikely(!xr_send_active(s))) {
		spin_unlock(&s->lock);
		return -ENOENT;
	}
	s->heard++;
	ret = xr_ack_judge(qp, &r);
	xr_vector_release();
	if (likely(!ret)) {
		xr_requester_count(&qp->map->req_responses, 1);
		if (r.opcode != XROCE_OP_SACK)
			xr_requester_count(&qp->map->req_response_bytes, r.len);
	} else {
		xr_requester_count(&qp->map->req_ignored, 1);
	}
	if (xr_send_active(s) && !xr_requester_quiet(qp)) {
		xr_ack_sync(qp);
		if (unlikely(s->score.open))
			xr_resend_gap(s);
		xr_requester_run(qp);
	}
	spin_unlock(&s->lock);
	return ret;
}

/**
 * xr_ack_packet() - accept a response to a request
 * @xdp: the frame
 * @a: arguments of xroce_ack(); they may change at any time, so each is read once
 *
 * In softirq, under RCU.
 *
 * Return: see xroce_ack().
 */
int xr_ack_packet(struct xdp_buff *xdp, const struct xroce_ack *a)
{
	struct xr_qp *qp = xr_qp_rcu(READ_ONCE(a->link), READ_ONCE(a->qpn));

	return likely(qp) ? xr_ack_accept(qp, xdp, a) : -ENOENT;
}

/* True if the invariant CRC of a packet with @n bytes from the PSN on is right: xr_icrc_vary4(). */
static __always_inline bool xr_ack_right_short(const struct xdp_buff *xdp, u32 l3, u32 end, u32 n,
					       u32 known)
{
	u32 len = offsetof(struct xr_headers4, bth.apsn) + n;

	return likely(l3 >= ETH_HLEN && l3 < end && end - l3 == len) &&
	       get_unaligned_le32(xdp->data + end) == xr_icrc_vary4(xdp->data + l3, n, known);
}

/*
 * True if the invariant CRC of a response over IPv4 is right, which is in the first buffer. A
 * vector section is held if it has a payload.
 */
static __always_inline bool xr_ack_right(const struct xr_qp *qp, const struct xdp_buff *xdp,
					 u32 opcode, u32 l3, u32 end)
{
	bool right;

	if (opcode == XROCE_RC_ACK)
		return xr_ack_right_short(xdp, l3, end, XR_ICRC_PSN_ACK,
					  READ_ONCE(qp->send.icrc.ack));
	if (opcode == XROCE_RC_ATOMIC_ACK)
		return xr_ack_right_short(xdp, l3, end, XR_ICRC_PSN_RESULT,
					  READ_ONCE(qp->send.icrc.result));
	xr_vector_hold();
	if (unlikely(!xr_vector_begin()))
		return false;
	right = xr_icrc_right4(xdp, l3, end);
	xr_vector_end();
	return right;
}

/**
 * xr_ack_checked() - verify the invariant CRC of a response, and accept it
 * @xdp: the frame
 * @a: as for xr_ack_packet(), which checks again what it uses
 *
 * In softirq, under RCU. One vector section is held for the CRC and for the copy of the payload;
 * the latter ends it.
 *
 * Return: see xroce_ack_checked().
 */
int xr_ack_checked(struct xdp_buff *xdp, const struct xroce_ack *a)
{
	struct xr_qp *qp = xr_qp_rcu(READ_ONCE(a->link), READ_ONCE(a->qpn));
	u32 end = READ_ONCE(a->end);
	int ret = -EBADMSG;

	/* The program counts the bytes of the first buffer. */
	if (unlikely(!qp || !xr_frame_linear(xdp, end, XROCE_ICRC_LEN) || xdp_buff_has_frags(xdp)))
		return -EBADMSG;
	if (likely(xr_ack_right(qp, xdp, READ_ONCE(a->opcode), READ_ONCE(a->l3), end)))
		ret = xr_ack_accept(qp, xdp, a);
	xr_vector_release();
	return ret;
}
