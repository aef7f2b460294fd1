// SPDX-License-Identifier: GPL-2.0-only
/*
 * Responses to the requests of a queue pair. The XDP program has compared a response with the
 * map; here it is compared with the module's own state, under the lock of the send side.
 */
#include "uapi/xroce.h"
#include "xroce_kfunc.h"
#include "xroce_map.h"
#include "xroce_wire.h"

#include "bytes/frame.h"
#include "obj/link.h"
#include "qp/qp.h"

#include "ack.h"
#include "packet.h"
#include "requester.h"
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
	int ret = 0;

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
	if (s->una != una && ret >= 0)
		xr_requester_progress(s, xr_psn_distance(s->una, una));
	return ret;
}

/*
 * The response to the oldest READ or atomic has been lost: ask for it again (IBTA 9.7.5.2.8).
 * What follows until then is out of sequence, too, and is ignored.
 */
static void xr_ack_lost(struct xr_qp *qp)
{
	struct xr_send *s = &qp->send;

	if (s->gap)
		return;
	xr_requester_count(&qp->map->req_implied_naks, 1);
	if (xr_requester_again(qp, XR_AGAIN_RESPONSE))
		s->gap = true;
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

/* A NAK of the packet @psn, which is the oldest one now. Return: whether its code is known. */
static bool xr_ack_nak(struct xr_qp *qp, u32 code)
{
	switch (code) {
	case XR_SYN_CODE(XROCE_SYN_NAK_SEQ):
		xr_requester_count(&qp->map->req_seq_naks, 1);
		xr_requester_again(qp, XR_AGAIN_SEQ_NAK);
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
		xr_ack_lost(qp);
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
	if (syndrome == XROCE_SYN_NAK_SEQ && s->psn != s->top && xr_requester_inflight(s) <= 1)
		return -ESTALE;
	trace_xroce_nak_received(qp->link->id, qp->qpn, psn, syndrome);
	if (kind == XR_SYN_KIND_RNR)
		xr_ack_rnr(qp, code);
	else if (!xr_ack_nak(qp, code))
		return -ESTALE;
	return 0;
}

/*
 * A packet of the response to a READ, atomic, ATOMIC WRITE or FLUSH: complete the requests
 * before it. Return: the work request that it must be for; NULL: the packet is ignored, or the
 * connection has ended.
 */
static struct xr_swqe *xr_ack_owner(struct xr_qp *qp, u32 psn)
{
	struct xr_send *s = &qp->send;
	struct xr_swqe *w;

	if (xr_ack_until(qp, psn) < 0)
		return NULL;
	w = xr_ack_oldest(s);
	if (!w || !xr_swqe_responds(w))
		return NULL;
	if (psn == s->una)
		return w;
	xr_ack_lost(qp);
	return NULL;
}

/* True if opcode and length of a packet are those of the next one of the response to @w. */
static bool xr_ack_fits(const struct xr_qp *qp, const struct xr_swqe *w, u32 opcode, u32 len)
{
	/* After a READ was resumed, packets of the earlier response may still arrive. */
	bool first = !w->received || w->resumed, later = w->received || w->resumed;
	u32 left = w->length - w->received;

	if (xr_swqe_is_atomic(w))
		return opcode == XROCE_RC_ATOMIC_ACK && !len;
	if (!xr_swqe_reads(w))
		return opcode == XROCE_RC_READ_RESPONSE_ONLY && !len;
	if (len != min(left, qp->mtu))
		return false;
	if (left > qp->mtu)
		return (first && opcode == XROCE_RC_READ_RESPONSE_FIRST) ||
		       (later && opcode == XROCE_RC_READ_RESPONSE_MIDDLE);
	return (first && opcode == XROCE_RC_READ_RESPONSE_ONLY) ||
	       (later && opcode == XROCE_RC_READ_RESPONSE_LAST);
}

/* Write a part of a response to local memory. Return: as xr_request_scatter(). */
static int xr_ack_store(struct xr_qp *qp, const struct xr_swqe *w, u64 result,
			struct xdp_buff *xdp, u32 off, u32 len)
{
	if (xr_swqe_is_atomic(w))
		return xr_request_scatter(qp, w, 0, &result, NULL, 0, sizeof(result));
	return xr_request_scatter(qp, w, w->received, NULL, xdp, off, len);
}

/* @wrong: of struct xroce_ack. Return: 0; -ESTALE: ignored. */
static int xr_ack_response(struct xr_qp *qp, u32 psn, u32 opcode, bool wrong, u64 result,
			   struct xdp_buff *xdp, u32 off, u32 len)
{
	struct xr_send *s = &qp->send;
	struct xr_swqe *w = xr_ack_owner(qp, psn);
	int ret;

	if (!w)
		return -ESTALE;
	if (wrong || !xr_ack_fits(qp, w, opcode, len)) {
		xr_requester_fail(qp, XROCE_WC_BAD_RESP_ERR);
		return 0;
	}
	ret = xr_ack_store(qp, w, result, xdp, off, len);
	if (ret == -EAGAIN) {
		/* The memory is being brought in: have the response sent again. */
		trace_xroce_retransmit(qp->link->id, qp->qpn, s->una, s->psn, s->retries,
				       XR_AGAIN_MEMORY);
		s->gap = true;
		xr_requester_rewind(qp);
		xr_requester_pause(s, XR_ACK_FAULT);
		return -ESTALE;
	}
	if (ret) {
		xr_requester_fail(qp, XROCE_WC_LOC_PROT_ERR);
		return 0;
	}
	w->received += len;
	s->una = xr_psn_add(psn, 1);
	/* The rewind has counted what it will request again; this was requested before. */
	if (s->reads && psn != w->last)
		s->extra--;
	xr_requester_progress(s, 1);
	if (psn != w->last)
		return 0;
	if (s->reads)
		s->reads--;
	xr_ack_complete(qp);
	return 0;
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
	u32 psn = READ_ONCE(a->psn) & XROCE_PSN_MASK, opcode = READ_ONCE(a->opcode);
	u32 off = READ_ONCE(a->off), len = READ_ONCE(a->len);
	struct xr_send *s;
	int ret;

	if (unlikely(!qp))
		return -ENOENT;
	if (!xr_frame_has(xdp, off, len))
		return -EINVAL;
	s = &qp->send;
	spin_lock(&s->lock);
	if (!xr_send_active(s)) {
		ret = -ENOENT;
		goto out;
	}
	if (xr_psn_distance(psn, s->una) >= xr_psn_distance(s->top, s->una))
		ret = -ESTALE;
	else if (opcode == XROCE_RC_ACK)
		ret = xr_ack_plain(qp, psn, READ_ONCE(a->syndrome) & 0xff);
	else
		ret = xr_ack_response(qp, psn, opcode, READ_ONCE(a->wrong),
				      READ_ONCE(a->result), xdp, off, len);
	if (likely(!ret)) {
		xr_requester_count(&qp->map->req_responses, 1);
		xr_requester_count(&qp->map->req_response_bytes, len);
	} else {
		xr_requester_count(&qp->map->req_ignored, 1);
	}
	if (xr_send_active(s)) {
		xr_ack_sync(qp);
		xr_requester_run(qp);
	}
out:
	spin_unlock(&s->lock);
	return ret;
}
