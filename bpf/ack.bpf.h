/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Responses to the requests of a queue pair's own requester (IBTA 9.7.5). They are compared with
 * what is outstanding according to the map; the module then compares again and accepts them. The
 * responses that are sent to a peer: respond.bpf.h.
 */
#ifndef _XROCE_ACK_BPF_H
#define _XROCE_ACK_BPF_H

/* True if it is a response, and the queue pair has a requester. Other services have none. */
static __always_inline bool is_ack(const struct xroce_qp *q, const struct request *req)
{
	return req->flags & XROCE_OPF_RESPONSE && !(req->opcode & XROCE_OP_SERVICE) && q->req;
}

/* True if it is a selective acknowledgement, and the queue pair has a requester. */
static __always_inline bool is_sack(const struct xroce_qp *q, const struct request *req)
{
	return req->opcode == XROCE_OP_SACK && q->req;
}

/* Parse the AETH, which is in the packet. Return: false: it is outside the first buffer. */
static __always_inline bool ack_aeth(struct xdp_md *ctx, struct request *req,
				     struct xroce_ack *a)
{
	void *end = frame_end(ctx);
	struct xroce_aeth *aeth = frame_start(ctx) + req->pos;

	if (unlikely((void *)(aeth + 1) > end))
		return false;
	a->syndrome = bpf_ntohl(aeth->smsn) >> 24;
	req->pos += sizeof(*aeth);
	return true;
}

/* Parse the original value of an atomic. Return: as ack_aeth(). */
static __always_inline bool ack_atomic(struct xdp_md *ctx, struct request *req,
				       struct xroce_ack *a)
{
	void *end = frame_end(ctx);
	struct xroce_atomicacketh *orig = frame_start(ctx) + req->pos;

	if ((void *)(orig + 1) > end)
		return false;
	a->result = join(orig->orig_hi, orig->orig_lo);
	req->pos += sizeof(*orig);
	return true;
}

/*
 * True if the PSN is that of a packet that was sent and not acknowledged. There are at most 2^23
 * such PSNs, half of all.
 */
static __always_inline bool ack_in_window(const struct xroce_qp *q, __u32 psn)
{
	return ((psn - q->req_una) & XROCE_PSN_MASK) < ((q->req_top - q->req_una) & XROCE_PSN_MASK);
}

/*
 * True if it is a packet of the response to a READ or atomic, with the PSN that is due. If its
 * lengths are wrong, that ends the connection: nobody but the peer sends that PSN. The module
 * compares the PSN with its own state. Whether the opcode is right only the module can tell: the
 * fields of the map change one after the other.
 */
static __always_inline bool ack_is_due(const struct xroce_qp *q, const struct request *req)
{
	return req->opcode != XROCE_RC_ACK && req->opcode != XROCE_OP_SACK &&
	       req->psn == q->req_psn && q->req_op != XROCE_QP_OP_NONE;
}

/* True if the headers that belong to the opcode fit into the packet. */
static __always_inline bool ack_has_headers(const struct request *req)
{
	__u32 len = 0;

	if (req->opcode != XROCE_RC_READ_RESPONSE_MIDDLE)
		len = sizeof(struct xroce_aeth);
	if (req->opcode == XROCE_RC_ATOMIC_ACK)
		len += sizeof(struct xroce_atomicacketh);
	return req->pos + len <= req->end;
}

/* True if the lengths are those of the opcode. The module knows how much of a READ is missing. */
static __always_inline bool ack_length_ok(const struct request *req, const struct xroce_qp *q)
{
	switch (req->opcode) {
	case XROCE_RC_ACK:
	case XROCE_RC_ATOMIC_ACK:
		return !req->payload && !req->pad;
	case XROCE_OP_SACK:
		return req->payload == sizeof(struct xroce_sack) && !req->pad;
	case XROCE_RC_READ_RESPONSE_FIRST:
	case XROCE_RC_READ_RESPONSE_MIDDLE:
		return req->payload == q->mtu;
	}
	return req->payload <= q->mtu;
}

/* Parse the headers, which are in the packet. Return: as ack_aeth(). */
static __always_inline bool ack_headers(struct xdp_md *ctx, struct request *req,
					struct xroce_ack *a)
{
	if (req->opcode != XROCE_RC_READ_RESPONSE_MIDDLE && unlikely(!ack_aeth(ctx, req, a)))
		return false;
	return req->opcode != XROCE_RC_ATOMIC_ACK || ack_atomic(ctx, req, a);
}

/* Count a response that the module has been given. @err: result of the kfunc. */
static __always_inline void ack_count(const struct request *req, struct xroce_stat *st,
				      const struct xroce_ack *a, int err)
{
	if (unlikely(err)) {
		st->req_ignored++;
		return;
	}
	st->req_rx++;
	if (req->opcode != XROCE_OP_SACK)
		st->req_rx_bytes += a->len;
}

/**
 * ack_execute() - check a response and have the module accept it
 * @ctx: the frame
 * @req: the packet, admitted except for the state of its queue pair
 * @q: the queue pair, not claimed: the module has a lock for its requester
 * @st: counters
 *
 * Return: 0, or XROCE_DROP_*.
 */
static __always_inline int ack_execute(struct xdp_md *ctx, struct request *req,
				       struct xroce_qp *q, struct xroce_stat *st)
{
	struct xroce_ack a = {
		.link = xroce_link,
		.qpn = req->qpn,
		.psn = req->psn,
		.opcode = req->opcode,
	};
	bool right, sent;

	if (unlikely(!qp_ready(q)))
		return qp_unready(q);
	if (unlikely(is_marked(req))) {
		cnp_send(ctx, req, q, st);
		/* The requester bounds READ responses, but not what acknowledges. */
		if (req->opcode != XROCE_RC_ACK)
			q->req_cnps++;
	}
	right = ack_has_headers(req);
	if (likely(right)) {
		if (!ack_headers(ctx, req, &a))
			return XROCE_DROP_LENGTH;
		right = take_payload(req) && ack_length_ok(req, q);
	}
	sent = ack_in_window(q, req->psn);
	if (unlikely(!right && !(sent && ack_is_due(q, req))))
		return XROCE_DROP_LENGTH;
	if (unlikely(!sent)) {
		st->req_ignored++;
		q->req_stale++;
		return 0;
	}
	if (likely(right)) {
		a.off = req->pos;
		a.len = req->payload;
	} else {
		a.wrong = 1;
	}
	ack_count(req, st, &a, module(xroce_ack(ctx, &a)));
	return 0;
}

#endif
