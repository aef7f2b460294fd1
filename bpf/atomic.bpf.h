/* SPDX-License-Identifier: GPL-2.0-only */
/* Atomic operations (IBTA 9.4.5, A19). */
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
	rd_keep_result(q, req, a.value);
	rd_respond_result(req, a.value, a.crc, resp);
	return XROCE_CAUSE_NONE;
}

#endif
