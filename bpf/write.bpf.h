/* SPDX-License-Identifier: GPL-2.0-only */
/* RDMA WRITE on a reliable connection (IBTA 9.4.3, 9.7.4). */
#ifndef _XROCE_WRITE_BPF_H
#define _XROCE_WRITE_BPF_H

/*
 * Take payload and pad apart, and look at their length and the packet's place in the
 * message. @resid is what the message has left, this packet included.
 */
static __always_inline bool write_payload(struct request *rq, __u32 mtu,
					  __u32 resid)
{
	if (!(rq->flags & OP_END))
		return take_payload(rq) && !rq->pad && rq->payload == mtu &&
		       resid > mtu;
	/* No more than the MTU, which is no sum that passes 2^32. */
	if (unlikely(resid > mtu || rq->end - rq->pos != resid + rq->pad ||
		     (resid + rq->pad) & 3))
		return false;
	rq->payload = resid;
	return rq->flags & OP_BEGIN || resid;
}

/**
 * write_execute() - check one packet of a WRITE and carry it out
 * @ctx: the frame
 * @rq: the packet
 * @q: its queue pair, claimed; it has the right, and the packet is in order
 * @st: counters
 * @ans: sets @va, @key and @len, to be told of a refusal
 *
 * On success the queue pair's message in progress has moved on. On failure
 * neither memory nor the queue pair has changed.
 *
 * Return: enum xroce_cause, NOT_READY, NOT_THERE or PUT_ASIDE.
 */
static __always_inline int write_execute(struct xdp_md *ctx, struct request *rq,
					 struct xroce_qp *q,
					 struct xroce_stat *st,
					 struct answer *ans)
{
	__u32 resid, key, len, total, imm = 0;
	__u64 va;
	int cause, err;

	if (rq->flags & OP_BEGIN) {
		if (!take_reth(ctx, rq, ans))
			return XROCE_CAUSE_INV_LENGTH;
		va = ans->va;
		key = ans->key;
		resid = ans->len;
		/* A last packet has no more than the MTU. */
		if (!(rq->flags & OP_END) && unlikely(resid > XROCE_MAX_MSG))
			return XROCE_CAUSE_INV_LENGTH;
		total = resid;
	} else {
		va = q->va;
		key = q->rkey;
		resid = q->resid;
		total = q->length;
		ans->va = va;
		ans->key = key;
		ans->len = resid;
	}
	if (rq->flags & OP_IMM && !recv_word(ctx, rq, &imm))
		return because(XROCE_CAUSE_INV_LENGTH);
	if (unlikely(!write_payload(rq, q->mtu, resid)))
		return because(XROCE_CAUSE_INV_LENGTH);
	len = rq->payload;

	/* Before the key, and before anything is written. */
	if (rq->flags & OP_IMM) {
		cause = recv_write_begin(ctx, rq, q);
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
			.off = rq->pos,
			.len = len,
			.begin = !!(rq->flags & OP_BEGIN),
			.qpn = q->qpn,
			.ahead = resid - len,
			/* A completion may have to wait, and the frame with it. */
			.cut = rq->flags & OP_IMM ? 0 :
			       reply_bytes(rq, XROCE_RC_ACK, 0),
		};

		err = module(xroce_write(ctx, &w));
		if (failed(err))
			return missed(err, XROCE_CAUSE_ACC_MODULE);
	}

	if (rq->flags & OP_IMM) {
		cause = recv_write_end(ctx, rq, q, imm, total);
		if (cause)
			return cause;
	}

	/* Where the next packet goes on. */
	if (!(rq->flags & OP_END)) {
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
