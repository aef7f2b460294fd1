/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SEND, and receive work requests of other operations (IBTA 9.4.1, 9.7.5.2.8). Which keys a SEND
 * may invalidate: mpt_check_invalidate(). RNR NAKs: not_done() of except.bpf.h.
 */
#ifndef _XROCE_RECV_BPF_H
#define _XROCE_RECV_BPF_H

/*
 * True if the queue pair has a receive queue. Only the module knows whether it has work requests.
 */
static __always_inline bool recv_possible(const struct xroce_qp *q)
{
	return q->recv;
}

/* Convert an error of xroce_recv(). Return: enum xroce_cause, NOT_READY and so on. */
static __always_inline int recv_error(int err)
{
	switch (err) {
	case -EAGAIN:
		return NOT_READY;
	case -EINPROGRESS:
		return DEFERRED;
	case -EBUSY:
		return NOT_THERE;
	case -EMSGSIZE:
		return XROCE_CAUSE_INV_LENGTH;
	case -EFAULT:
		return XROCE_CAUSE_OP_PROT;
	case -ENOSPC:
		return XROCE_CAUSE_OP_CQ;
	case -EKEYREJECTED:
		return XROCE_CAUSE_ACC_KEY;
	default:
		return XROCE_CAUSE_OP_WQE;
	}
}

/*
 * Call the module for a packet, or for one step of its execution. Without the module the call
 * always succeeds.
 *
 * Return: enum xroce_cause, NOT_READY, NOT_THERE or DEFERRED.
 */
static __always_inline int recv_call(struct xdp_md *ctx,
				     const struct xroce_recv *r)
{
	int err = module(xroce_recv(ctx, r));

	return likely(!err) ? XROCE_CAUSE_NONE : recv_error(err);
}

/* Parse immediate data or the key to invalidate: four bytes, not converted. */
static __always_inline bool recv_word(struct xdp_md *ctx, struct request *req,
				      __u32 *word)
{
	void *end = frame_end(ctx);
	__u32 *p = frame_start(ctx) + req->pos;

	if (req->pos + sizeof(*p) > req->end || (void *)(p + 1) > end)
		return false;
	*word = *p;
	req->pos += sizeof(*p);
	return true;
}

/* Return: XROCE_RECV_* for immediate data, invalidate and solicited event. */
static __always_inline __u32 recv_flags(const struct request *req)
{
	return (req->flags & XROCE_OPF_IMM ? XROCE_RECV_IMM : 0) |
	       (req->flags & XROCE_OPF_INV ? XROCE_RECV_INV : 0) |
	       (req->se ? XROCE_RECV_SOLICITED : 0);
}

/* Fill in the fields that are the same for every call for a packet. */
static __always_inline void recv_fill(struct xroce_recv *r,
				      const struct request *req,
				      const struct xroce_qp *q)
{
	r->link = xroce_link;
	r->qpn = q->qpn;
	r->flags |= recv_flags(req);
	r->off = req->pos;
	r->src_qpn = q->dest_qpn;
	r->pkey = q->pkey;
}

/* Take a work request, before the packet is executed. Return: as recv_call(). */
static __always_inline int recv_begin(struct xdp_md *ctx, const struct request *req,
				      const struct xroce_qp *q, __u32 flags)
{
	struct xroce_recv r = { .flags = XROCE_RECV_BEGIN | flags };

	recv_fill(&r, req, q);
	return recv_call(ctx, &r);
}

/* True if the payload of a SEND packet is as long as its place in the message requires. */
static __always_inline bool send_length_ok(const struct request *req, __u32 mtu)
{
	if (!(req->flags & XROCE_OPF_END))
		return !req->pad && req->payload == mtu;
	if (req->payload > mtu)
		return false;
	return req->flags & XROCE_OPF_BEGIN || req->payload;
}

/* Find the length of the payload. Return: false: lengths of packet and pad do not fit. */
static __always_inline bool take_payload(struct request *req)
{
	if (unlikely(req->pos + req->pad > req->end || (req->end - req->pos) & 3))
		return false;
	req->payload = req->end - req->pos - req->pad;
	return true;
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

/*
 * The last packet of a WRITE with immediate data: take a work request before anything is
 * written, and complete it afterwards (recv_write_end()). Return: as recv_call().
 */
static __always_inline int recv_write_begin(struct xdp_md *ctx,
					    const struct request *req,
					    const struct xroce_qp *q)
{
	return recv_possible(q) ? recv_begin(ctx, req, q, XROCE_RECV_WRITE) : NOT_READY;
}

static __always_inline int recv_write_end(struct xdp_md *ctx,
					  const struct request *req,
					  const struct xroce_qp *q, __u32 imm,
					  __u32 byte_len)
{
	struct xroce_recv r = {
		.flags = XROCE_RECV_END | XROCE_RECV_WRITE,
		.imm = imm,
		.byte_len = byte_len,
	};

	recv_fill(&r, req, q);
	return recv_call(ctx, &r);
}

#endif
