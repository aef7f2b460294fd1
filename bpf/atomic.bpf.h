/* SPDX-License-Identifier: GPL-2.0-only */
/* Atomic operations and FLUSH (IBTA 9.4.5, A19). */
#ifndef _XROCE_ATOMIC_BPF_H
#define _XROCE_ATOMIC_BPF_H

/* Parse a CMP_SWAP or FETCH_ADD. Return: false: wrong length. */
static __always_inline bool atomic_parse(struct xdp_md *ctx, struct request *req,
					 struct xroce_atomic *a)
{
	void *end = frame_end(ctx);
	struct xroce_atomiceth *h = frame_start(ctx) + req->pos;

	if (unlikely(req->pos + sizeof(*h) != req->end || (void *)(h + 1) > end ||
		     req->pad))
		return false;
	a->va = read_va((const void *)h, req->plain);
	a->key = bpf_ntohl(h->rkey);
	a->off = req->pos + offsetof(struct xroce_atomiceth, swap_hi);
	return true;
}

/* Parse an ATOMIC WRITE: a RETH for eight bytes, and the bytes. Return: false: wrong length. */
static __always_inline bool atomic_write_parse(struct xdp_md *ctx,
					       struct request *req,
					       struct response *resp,
					       struct xroce_atomic *a)
{
	void *end = frame_end(ctx);
	__u64 *value;

	if (!take_reth(ctx, req, resp) || resp->len != sizeof(*value))
		return false;
	value = frame_start(ctx) + req->pos;
	if (req->pos + sizeof(*value) != req->end || (void *)(value + 1) > end ||
	    req->pad)
		return false;
	a->va = resp->va;
	a->key = resp->key;
	a->off = req->pos;
	return true;
}

/* Keep the request and its result for replay. */
static __always_inline void atomic_record(struct xroce_qp *q,
					  const struct request *req, __u64 result)
{
	struct xroce_rd *r = rd_add(q);

	if (unlikely(!r))
		return;
	r->psn = req->psn;
	r->last = req->psn;
	r->opcode = req->opcode;
	r->len = result;
}

/* Fill in the response to an atomic operation or FLUSH, which may be a replay. */
static __always_inline void atomic_respond(const struct request *req,
					   __u64 result, __u32 crc,
					   struct response *resp)
{
	resp->opcode = xroce_op_response(req->flags);
	resp->syndrome = XROCE_SYN_ACK;
	resp->result = result;
	resp->crc = crc;
	resp->len = 0;
}

/**
 * atomic_execute() - check and execute an atomic operation or ATOMIC WRITE
 * @ctx: the frame
 * @req: the packet, which is in order
 * @q: its queue pair, claimed; it has the right
 * @st: counters
 * @resp: out: the response; @va, @key and @len are set also for a refusal's event
 *
 * Return: enum xroce_cause, NOT_THERE or DEFERRED; if it is not XROCE_CAUSE_NONE, neither
 * memory nor the queue pair has changed.
 */
static __always_inline int atomic_execute(struct xdp_md *ctx,
					  struct request *req,
					  struct xroce_qp *q,
					  struct xroce_stat *st,
					  struct response *resp)
{
	bool write = req->flags & XROCE_OPF_ATOMIC_WRITE;
	struct xroce_atomic a;
	int cause, err = 0;

	if (unlikely(write ? !atomic_write_parse(ctx, req, resp, &a) :
			     !atomic_parse(ctx, req, &a)))
		return because(XROCE_CAUSE_INV_LENGTH);
	/* One by one: an initialiser would zero the members that are already set. */
	a.value = 0;
	a.crc = 0;
	a.cut = write ? 0 : response_bytes(req, XROCE_RC_ATOMIC_ACK, 0);
	a.reserved = 0;
	a.link = xroce_link;
	a.qpn = q->qpn;
	a.opcode = req->opcode;
	resp->va = a.va;
	resp->key = a.key;
	resp->len = sizeof(__u64);
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
	atomic_record(q, req, a.value);
	atomic_respond(req, a.value, a.crc, resp);
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
 * flush_execute() - check and execute a FLUSH
 * @ctx: the frame
 * @req: the packet, which is in order
 * @q: its queue pair, claimed; its rights are checked here
 * @st: counters
 * @resp: out: the response
 *
 * Return: enum xroce_cause; if it is not XROCE_CAUSE_NONE, the queue pair has not changed.
 */
static __always_inline int flush_execute(struct xdp_md *ctx, struct request *req,
					 struct xroce_qp *q,
					 struct xroce_stat *st,
					 struct response *resp)
{
	void *end = frame_end(ctx);
	struct xroce_feth *feth = frame_start(ctx) + req->pos;
	__u32 what, selectivity, rights;
	int cause;

	if (req->pos + sizeof(*feth) > req->end || (void *)(feth + 1) > end)
		return XROCE_CAUSE_INV_LENGTH;
	what = bpf_ntohl(feth->what);
	req->pos += sizeof(*feth);
	if (!take_reth(ctx, req, resp) || req->pos != req->end || req->pad)
		return XROCE_CAUSE_INV_LENGTH;
	selectivity = what >> XROCE_FLUSH_SEL_SHIFT & XROCE_FLUSH_SEL_MASK;
	rights = flush_rights(what);
	if (!rights || selectivity > XROCE_FLUSH_SEL_MR || resp->len > XROCE_MAX_MSG)
		return XROCE_CAUSE_INV_LENGTH;
	if ((q->access & rights) != rights)
		return XROCE_CAUSE_INV_QP_ACCESS;
	cause = mpt_check_all(resp->key, q, resp->va,
			      selectivity == XROCE_FLUSH_SEL_MR ? 0 : resp->len,
			      rights, selectivity == XROCE_FLUSH_SEL_MR);
	if (cause)
		return cause;
	/*
	 * Nothing to do: earlier WRITEs are in memory, where every CPU and device sees
	 * them. Persistent memory cannot be registered, so no region has the right to
	 * FLUSH for persistence.
	 */
	st->flush++;
	atomic_record(q, req, 0);
	atomic_respond(req, 0, 0, resp);
	return XROCE_CAUSE_NONE;
}

#endif
