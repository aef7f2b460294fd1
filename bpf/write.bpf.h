/* SPDX-License-Identifier: GPL-2.0-only */
/* RDMA WRITE on a reliable connection (IBTA 9.4.3, 9.7.4). */
#ifndef _XROCE_WRITE_BPF_H
#define _XROCE_WRITE_BPF_H

/*
 * Take payload and pad apart, and look at their length and the packet's place in the
 * message. @resid is what the message has left, this packet included.
 */
static __always_inline bool write_payload(struct request *req, __u32 mtu,
					  __u32 resid)
{
	if (!(req->flags & OP_END))
		return take_payload(req) && !req->pad && req->payload == mtu &&
		       resid > mtu;
	/* No more than the MTU, which is no sum that passes 2^32. */
	if (unlikely(resid > mtu || req->end - req->pos != resid + req->pad ||
		     (resid + req->pad) & 3))
		return false;
	req->payload = resid;
	return req->flags & OP_BEGIN || resid;
}

/**
 * write_execute() - check one packet of a WRITE and carry it out
 * @ctx: the frame
 * @req: the packet
 * @q: its queue pair, claimed; it has the right, and the packet is in order
 * @st: counters
 * @resp: sets @va, @key and @len, to be told of a refusal
 *
 * On success the queue pair's message in progress has moved on. On failure
 * neither memory nor the queue pair has changed.
 *
 * Return: enum xroce_cause, NOT_READY, NOT_THERE or DEFERRED.
 */
static __always_inline int write_execute(struct xdp_md *ctx, struct request *req,
					 struct xroce_qp *q,
					 struct xroce_stat *st,
					 struct response *resp)
{
	__u32 resid, key, len, total, imm = 0;
	__u64 va;
	int cause, err;

	if (req->flags & OP_BEGIN) {
		if (!take_reth(ctx, req, resp))
			return XROCE_CAUSE_INV_LENGTH;
		va = resp->va;
		key = resp->key;
		resid = resp->len;
		/* A last packet has no more than the MTU. */
		if (!(req->flags & OP_END) && unlikely(resid > XROCE_MAX_MSG))
			return XROCE_CAUSE_INV_LENGTH;
		total = resid;
	} else {
		va = q->va;
		key = q->rkey;
		resid = q->resid;
		total = q->length;
		resp->va = va;
		resp->key = key;
		resp->len = resid;
	}
	if (req->flags & OP_IMM && !recv_word(ctx, req, &imm))
		return because(XROCE_CAUSE_INV_LENGTH);
	if (unlikely(!write_payload(req, q->mtu, resid)))
		return because(XROCE_CAUSE_INV_LENGTH);
	len = req->payload;

	/* Before the key, and before anything is written. */
	if (req->flags & OP_IMM) {
		cause = recv_write_begin(ctx, req, q);
		if (cause)
			return cause;
	}

	/* A WRITE of no bytes looks at no key (IBTA C9-88). */
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
			.begin = !!(req->flags & OP_BEGIN),
			.qpn = q->qpn,
			.ahead = resid - len,
			/* A completion may have to wait, and the frame with it. */
			.cut = req->flags & OP_IMM ? 0 :
			       response_bytes(req, XROCE_RC_ACK, 0),
		};

		err = module(xroce_write(ctx, &w));
		if (failed(err))
			return missed(err, XROCE_CAUSE_ACC_MODULE);
	}

	if (req->flags & OP_IMM) {
		cause = recv_write_end(ctx, req, q, imm, total);
		if (cause)
			return cause;
	}

	/* Where the next packet goes on. */
	if (!(req->flags & OP_END)) {
		q->va = va + len;
		q->rkey = key;
		q->length = total;
	}
	q->resid = resid - len;
	q->bytes += len;
	st->write++;
	st->write_bytes += len;
	return XROCE_CAUSE_NONE;
}

#endif
