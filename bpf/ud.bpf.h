/* SPDX-License-Identifier: GPL-2.0-only */
/* Unreliable datagrams (IBTA 9.8.3). */
#ifndef _XROCE_UD_BPF_H
#define _XROCE_UD_BPF_H

/* Parse the DETH. Return: false: it is outside the packet, or outside the first buffer. */
static __always_inline bool ud_deth(struct xdp_md *ctx, struct request *req,
				    struct xroce_deth *out)
{
	void *end = frame_end(ctx);
	struct xroce_deth *deth = frame_start(ctx) + req->pos;

	if (req->pos + sizeof(*deth) > req->end || (void *)(deth + 1) > end)
		return false;
	*out = *deth;
	req->pos += sizeof(*deth);
	return true;
}

/* Receive a datagram. Return: enum xroce_cause, NOT_READY, NOT_THERE or DEFERRED. */
static __always_inline int ud_receive(struct xdp_md *ctx, struct request *req,
				      const struct xroce_qp *q, __u32 src_qpn)
{
	struct xroce_recv r = {
		.flags = XROCE_RECV_BEGIN | XROCE_RECV_END | XROCE_RECV_GRH,
		.l3 = req->l3,
	};

	if (req->flags & XROCE_OPF_IMM && !recv_word(ctx, req, &r.imm))
		return XROCE_CAUSE_INV_LENGTH;
	if (!take_payload(req) || req->payload > q->mtu)
		return XROCE_CAUSE_INV_LENGTH;
	if (!recv_possible(q))
		return NOT_READY;
	recv_fill(&r, req, q);
	r.len = req->payload;
	r.src_qpn = src_qpn;
	return recv_call(ctx, &r);
}

/**
 * ud_execute() - check and receive a datagram from any address
 * @ctx: the frame
 * @req: the packet
 * @q: its queue pair, claimed
 * @st: counters
 *
 * Return: SILENT: it has been received; otherwise enum xroce_cause, XROCE_DROP_QKEY, NOT_READY,
 * NOT_THERE or DEFERRED.
 */
static __always_inline int ud_execute(struct xdp_md *ctx, struct request *req,
				      struct xroce_qp *q, struct xroce_stat *st)
{
	struct xroce_deth deth;
	int cause;

	if (!ud_deth(ctx, req, &deth))
		return XROCE_CAUSE_INV_LENGTH;
	if (bpf_ntohl(deth.qkey) != q->qkey)
		return XROCE_DROP_QKEY;
	cause = ud_receive(ctx, req, q, bpf_ntohl(deth.sqpn) & XROCE_QPN_MASK);
	if (cause)
		return cause;
	q->packets++;
	q->bytes += req->payload;
	st->send++;
	st->send_bytes += req->payload;
	return SILENT;
}

#endif
