/* SPDX-License-Identifier: GPL-2.0-only */
/* RDMA WRITE (IBTA 9.4.3, 9.7.4). */
#ifndef _XROCE_WRITE_BPF_H
#define _XROCE_WRITE_BPF_H

/*
 * Find the length of the payload, and check it against the packet's place in the message.
 * @resid: remaining bytes of the message, including this packet.
 */
static __always_inline bool write_payload(struct request *req, __u32 mtu,
					  __u32 resid)
{
	if (!(req->flags & XROCE_OPF_END))
		return take_payload(req) && !req->pad && req->payload == mtu &&
		       resid > mtu;
	/* @resid is at most the MTU, so the sums cannot exceed 2^32. */
	if (unlikely(resid > mtu || req->end - req->pos != resid + req->pad ||
		     (resid + req->pad) & 3))
		return false;
	req->payload = resid;
	return req->flags & XROCE_OPF_BEGIN || resid;
}

/*
 * Find address, key and remaining bytes of the message, including this packet: @resp->va, @key and
 * @len. Return: false: wrong length.
 */
static __always_inline bool write_range(struct xdp_md *ctx, struct request *req,
					const struct xroce_qp *q, struct response *resp)
{
	if (req->flags & XROCE_OPF_BEGIN)
		/* In an only packet write_payload() checks the length against the MTU. */
		return take_reth(ctx, req, resp) &&
		       (req->flags & XROCE_OPF_END || likely(resp->len <= XROCE_MAX_MSG));
	resp->va = q->va;
	resp->key = q->rkey;
	resp->len = q->resid;
	return true;
}

/* A packet has been written: note the position for the next one of the message, and count. */
static __always_inline void write_advance(const struct request *req, struct xroce_qp *q,
					  struct xroce_stat *st, const struct response *resp)
{
	__u32 flags = flags_again(req), len = req->payload;

	if (!(flags & XROCE_OPF_END)) {
		q->va = resp->va + len;
		if (flags & XROCE_OPF_BEGIN) {
			q->rkey = resp->key;
			q->length = resp->len;
		}
	}
	q->resid = resp->len - len;
	q->bytes += len;
	st->write++;
	st->write_bytes += len;
}

/**
 * write_execute() - check and execute one packet of a WRITE
 * @ctx: the frame
 * @req: the packet
 * @q: its queue pair, claimed; it has the right, and the packet is in order
 * @st: counters
 * @resp: out: @va, @key and @len, for the event of a refusal
 *
 * On success the position of the message in progress has advanced. Otherwise the queue pair
 * has not changed, nor has memory, unless the completion of a WRITE with immediate data
 * fails.
 *
 * Return: enum xroce_cause, NOT_READY, NOT_THERE or DEFERRED.
 *
 * Long: most steps need the results of earlier ones, which must stay in registers.
 */
static __always_inline int write_execute(struct xdp_md *ctx, struct request *req,
					 struct xroce_qp *q,
					 struct xroce_stat *st,
					 struct response *resp)
{
	__u32 resid, key, len, flags, imm = 0;
	__u64 va;
	int cause, err;

	if (unlikely(!write_range(ctx, req, q, resp)))
		return XROCE_CAUSE_INV_LENGTH;
	va = resp->va;
	key = resp->key;
	resid = resp->len;
	if (req->flags & XROCE_OPF_IMM && !recv_word(ctx, req, &imm))
		return because(XROCE_CAUSE_INV_LENGTH);
	if (unlikely(!write_payload(req, q->mtu, resid)))
		return because(XROCE_CAUSE_INV_LENGTH);
	len = req->payload;

	/* Before the key is checked, and before anything is written. */
	if (req->flags & XROCE_OPF_IMM) {
		cause = recv_write_begin(ctx, req, q);
		if (cause)
			return cause;
	}

	/* The key of a WRITE without payload is not checked (IBTA C9-88). */
	if (likely(len)) {
		cause = mpt_check(key, q, va, resid,
				  XROCE_ACCESS_REMOTE_WRITE);
		if (unlikely(cause))
			return cause;
		struct xroce_write w = {
			.va = va,
			.link = xroce_link,
			.key = key,
			.off = req->pos,
			.len = len,
			.begin = !!(req->flags & XROCE_OPF_BEGIN),
			.qpn = q->qpn,
			.ahead = resid - len,
			/* recv_write_end() still passes an offset in the uncut frame. */
			.cut = req->flags & XROCE_OPF_IMM ? 0 :
			       response_bytes(req, XROCE_RC_ACK, 0),
		};

		err = module(xroce_write(ctx, &w));
		if (failed(err))
			return missed(err, XROCE_CAUSE_ACC_MODULE);
	}

	flags = flags_again(req);
	if (flags & XROCE_OPF_IMM) {
		cause = recv_write_end(ctx, req, q, imm,
				       flags & XROCE_OPF_BEGIN ? resid : q->length);
		if (cause)
			return cause;
	}

	write_advance(req, q, st, resp);
	return XROCE_CAUSE_NONE;
}

#endif
