/* SPDX-License-Identifier: GPL-2.0-only */
/* SEND (IBTA 9.4.1). Which keys it may invalidate: mpt_check_invalidate(). */
#ifndef _XROCE_SEND_BPF_H
#define _XROCE_SEND_BPF_H

/* True if the payload of a SEND packet is as long as its place in the message requires. */
static __always_inline bool send_length_ok(const struct request *req, __u32 mtu)
{
	if (!(req->flags & XROCE_OPF_END))
		return !req->pad && req->payload == mtu;
	if (req->payload > mtu)
		return false;
	return req->flags & XROCE_OPF_BEGIN || req->payload;
}

/**
 * send_execute() - check and execute one packet of a SEND
 * @ctx: the frame
 * @req: the packet
 * @q: its queue pair, claimed; the packet is in order
 * @st: counters
 * @resp: out: @key is the key to be invalidated, for the event of a refusal
 *
 * Return: enum xroce_cause, NOT_READY, NOT_THERE or DEFERRED. After the latter three the
 * packet can be executed again.
 */
static __always_inline int send_execute(struct xdp_md *ctx, struct request *req,
					struct xroce_qp *q,
					struct xroce_stat *st,
					struct response *resp)
{
	__u32 flags = recv_flags(req), imm = 0;
	int cause;

	if (unlikely(!recv_possible(q)))
		return NOT_READY;
	if (req->flags & (XROCE_OPF_IMM | XROCE_OPF_INV) && !recv_word(ctx, req, &imm))
		return XROCE_CAUSE_INV_LENGTH;
	if (unlikely(!take_payload(req) || !send_length_ok(req, q->mtu)))
		return XROCE_CAUSE_INV_LENGTH;

	if (req->flags & XROCE_OPF_INV) {
		/* The check for a work request precedes that of the key. */
		if (req->flags & XROCE_OPF_BEGIN) {
			cause = recv_begin(ctx, req, q, 0);
			if (cause)
				return cause;
		}
		imm = bpf_ntohl(imm);
		resp->key = imm;
		cause = mpt_check_invalidate(imm, q);
		if (cause)
			return cause;
	} else if (req->flags & XROCE_OPF_BEGIN) {
		flags |= XROCE_RECV_BEGIN;
	}
	if (req->flags & XROCE_OPF_END)
		flags |= XROCE_RECV_END;
	/* One initialiser: it zeroes the other members. */
	struct xroce_recv r = {
		.link = xroce_link,
		.qpn = q->qpn,
		.flags = flags,
		.off = req->pos,
		.len = req->payload,
		.imm = imm,
		.src_qpn = q->dest_qpn,
		.pkey = q->pkey,
		.cut = response_bytes(req, XROCE_RC_ACK, 0),
	};

	cause = recv_call(ctx, &r);
	if (unlikely(cause))
		return cause;
	q->bytes += req->payload;
	st->send++;
	st->send_bytes += req->payload;
	return XROCE_CAUSE_NONE;
}

#endif
