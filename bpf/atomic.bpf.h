/* SPDX-License-Identifier: GPL-2.0-only */
/* Atomic operations and FLUSH (IBTA 9.4.5, A19). */
#ifndef _XROCE_ATOMIC_BPF_H
#define _XROCE_ATOMIC_BPF_H

/* CMP_SWAP or FETCH_ADD. Return: true when all is there, and no more. */
static __always_inline bool atomic_parse(struct xdp_md *ctx, struct request *rq,
					 struct xroce_atomic *a)
{
	void *end = frame_end(ctx);
	struct xroce_atomiceth *h = frame_start(ctx) + rq->pos;

	if (unlikely(rq->pos + sizeof(*h) != rq->end || (void *)(h + 1) > end ||
		     rq->pad))
		return false;
	a->va = read_va((const void *)h, rq->plain);
	a->key = bpf_ntohl(h->rkey);
	a->off = rq->pos + offsetof(struct xroce_atomiceth, swap_hi);
	return true;
}

/* ATOMIC WRITE: a RETH for eight bytes, and those. */
static __always_inline bool atomic_write_parse(struct xdp_md *ctx,
					       struct request *rq,
					       struct answer *ans,
					       struct xroce_atomic *a)
{
	void *end = frame_end(ctx);
	__u64 *value;

	if (!take_reth(ctx, rq, ans) || ans->len != sizeof(*value))
		return false;
	value = frame_start(ctx) + rq->pos;
	if (rq->pos + sizeof(*value) != rq->end || (void *)(value + 1) > end ||
	    rq->pad)
		return false;
	a->va = ans->va;
	a->key = ans->key;
	a->off = rq->pos;
	return true;
}

/* Keep the request under its PSN, with what it found. */
static __always_inline void atomic_keep(struct xroce_qp *q,
					const struct request *rq, __u64 result)
{
	struct xroce_rd *r = rd_add(q);

	if (unlikely(!r))
		return;
	r->psn = rq->psn;
	r->last = rq->psn;
	r->opcode = rq->opcode;
	r->len = result;
}

/* How a request that is kept is answered, now and again. */
static __always_inline void atomic_answer(const struct request *rq,
					  __u64 result, __u32 crc,
					  struct answer *ans)
{
	ans->opcode = rq->flags & OP_ATOMIC ? XROCE_RC_ATOMIC_ACK :
					      XROCE_RC_READ_RESPONSE_ONLY;
	ans->syndrome = XROCE_SYN_ACK;
	ans->result = result;
	ans->crc = crc;
	ans->len = 0;
}

/**
 * atomic_execute() - check an atomic operation and carry it out
 * @ctx: the frame
 * @rq: the packet, which is in order
 * @q: its queue pair, claimed; it has the right
 * @st: counters
 * @ans: the answer
 *
 * Return: enum xroce_cause, NOT_THERE or PUT_ASIDE; on failure nothing has changed.
 */
static __always_inline int atomic_execute(struct xdp_md *ctx,
					  struct request *rq,
					  struct xroce_qp *q,
					  struct xroce_stat *st,
					  struct answer *ans)
{
	bool write = rq->flags & OP_ATOMIC_WRITE;
	struct xroce_atomic a;
	int cause, err = 0;

	if (unlikely(write ? !atomic_write_parse(ctx, rq, ans, &a) :
			     !atomic_parse(ctx, rq, &a)))
		return because(XROCE_CAUSE_INV_LENGTH);
	/* Every member on its own: nothing is written twice. */
	a.value = 0;
	a.crc = 0;
	a.cut = write ? 0 : reply_bytes(rq, XROCE_RC_ATOMIC_ACK, 0);
	a.reserved = 0;
	a.link = xroce_link;
	a.qpn = q->qpn;
	a.opcode = rq->opcode;
	ans->va = a.va;
	ans->key = a.key;
	ans->len = sizeof(__u64);
	if (unlikely(a.va & 7))
		return because(XROCE_CAUSE_INV_ALIGN);
	cause = mpt_check(a.key, q, a.va, sizeof(__u64),
			  write ? XROCE_ACCESS_REMOTE_WRITE :
				  XROCE_ACCESS_REMOTE_ATOMIC);
	if (unlikely(cause))
		return cause;
	if (xroce_kfuncs)
		err = xroce_atomic(ctx, &a);
	if (failed(err))
		return missed(err, err == -EINVAL ? XROCE_CAUSE_INV_ALIGN :
						    XROCE_CAUSE_ACC_MODULE);
	st->atomic++;
	atomic_keep(q, rq, a.value);
	atomic_answer(rq, a.value, a.crc, ans);
	return XROCE_CAUSE_NONE;
}

static __always_inline __u32 flush_rights(__u32 placement)
{
	return (placement & XROCE_FLUSH_GLOBAL ?
		XROCE_ACCESS_FLUSH_GLOBAL : 0) |
	       (placement & XROCE_FLUSH_PERSISTENT ?
		XROCE_ACCESS_FLUSH_PERSISTENT : 0);
}

/**
 * flush_execute() - check a FLUSH and carry it out
 * @ctx: the frame
 * @rq: the packet, which is in order
 * @q: its queue pair, claimed
 * @st: counters
 * @ans: the answer
 *
 * Return: enum xroce_cause; on failure nothing has changed.
 */
static __always_inline int flush_execute(struct xdp_md *ctx, struct request *rq,
					 struct xroce_qp *q,
					 struct xroce_stat *st,
					 struct answer *ans)
{
	void *end = frame_end(ctx);
	struct xroce_feth *feth = frame_start(ctx) + rq->pos;
	__u32 what, selectivity, rights;
	int cause;

	if (rq->pos + sizeof(*feth) > rq->end || (void *)(feth + 1) > end)
		return XROCE_CAUSE_INV_LENGTH;
	what = bpf_ntohl(feth->what);
	rq->pos += sizeof(*feth);
	if (!take_reth(ctx, rq, ans) || rq->pos != rq->end || rq->pad)
		return XROCE_CAUSE_INV_LENGTH;
	selectivity = what >> XROCE_FLUSH_SEL_SHIFT & XROCE_FLUSH_SEL_MASK;
	rights = flush_rights(what);
	if (!rights || selectivity > XROCE_FLUSH_SEL_MR || ans->len > XROCE_MAX_MSG)
		return XROCE_CAUSE_INV_LENGTH;
	if ((q->access & rights) != rights)
		return XROCE_CAUSE_INV_QP_ACCESS;
	cause = mpt_check_all(ans->key, q, ans->va,
			      selectivity == XROCE_FLUSH_SEL_MR ? 0 : ans->len,
			      rights, selectivity == XROCE_FLUSH_SEL_MR);
	if (cause)
		return cause;
	/*
	 * Whatever was written before is in memory, where every CPU and device
	 * sees it. Memory that keeps it without power cannot be registered, so
	 * that nobody holds the right to ask for persistence.
	 */
	st->flush++;
	atomic_keep(q, rq, 0);
	atomic_answer(rq, 0, 0, ans);
	return XROCE_CAUSE_NONE;
}

#endif
