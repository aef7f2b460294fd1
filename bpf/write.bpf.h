/* SPDX-License-Identifier: GPL-2.0-only */
/* RDMA WRITE on a reliable connection (IBTA 9.4.3, 9.7.4). */
#ifndef _XROCE_WRITE_BPF_H
#define _XROCE_WRITE_BPF_H

/*
 * Length of this packet against its place in the message. @resid is what the
 * message has left, this packet included.
 */
static __always_inline bool write_length_ok(const struct request *rq, __u32 mtu,
					    __u32 resid)
{
	if (!(rq->flags & OP_END))
		return !rq->pad && rq->payload == mtu && resid > mtu;
	if (rq->payload > mtu || rq->payload != resid)
		return false;
	return rq->flags & OP_BEGIN || rq->payload;
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
	struct xroce_reth reth;
	struct xroce_sge sge = { .link = xroce_link, .qpn = q->qpn };
	__u32 resid, key, len, total, imm = 0;
	__u64 va;
	int cause, err;

	if (rq->flags & OP_BEGIN) {
		if (!take_reth(ctx, rq, &reth))
			return XROCE_CAUSE_INV_LENGTH;
		va = (__u64)bpf_ntohl(reth.va_hi) << 32 | bpf_ntohl(reth.va_lo);
		key = bpf_ntohl(reth.rkey);
		resid = bpf_ntohl(reth.len);
		if (resid > XROCE_MAX_MSG)
			return XROCE_CAUSE_INV_LENGTH;
		total = resid;
	} else {
		va = q->va;
		key = q->rkey;
		resid = q->resid;
		total = q->length;
	}
	ans->va = va;
	ans->key = key;
	ans->len = resid;
	if (rq->flags & OP_IMM && !recv_word(ctx, rq, &imm))
		return XROCE_CAUSE_INV_LENGTH;
	if (!take_payload(rq) || !write_length_ok(rq, q->mtu, resid))
		return XROCE_CAUSE_INV_LENGTH;
	len = rq->payload;

	/* Before the key, and before anything is written. */
	if (rq->flags & OP_IMM) {
		cause = recv_write_begin(ctx, rq, q);
		if (cause)
			return cause;
	}

	/* A WRITE of no bytes looks at no key (IBTA C9-88). */
	if (len) {
		cause = mpt_check(key, q, va, resid,
				  XROCE_ACCESS_REMOTE_WRITE);
		if (cause)
			return cause;
		sge.va = va;
		sge.key = key;
		sge.off = rq->pos;
		sge.len = len;
		sge.begin = rq->flags & OP_BEGIN;
		sge.ahead = resid - len;
		err = xroce_kfuncs ? xroce_write(ctx, &sge) : 0;
		if (err)
			return missed(err, XROCE_CAUSE_ACC_MODULE);
	}

	if (rq->flags & OP_IMM) {
		cause = recv_write_end(ctx, rq, q, imm, total);
		if (cause)
			return cause;
	}

	q->va = va + len;
	q->rkey = key;
	q->resid = resid - len;
	q->length = total;
	q->bytes += len;
	st->write++;
	st->write_bytes += len;
	return XROCE_CAUSE_NONE;
}

#endif
