/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Receive work requests, which SENDs, datagrams and WRITEs with immediate data take and complete
 * (IBTA 9.7.5.2.8). RNR NAKs: not_done() of except.bpf.h.
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
