/* SPDX-License-Identifier: GPL-2.0-only */
/* Unreliable datagrams (IBTA 9.8.3). */
#ifndef _XROCE_UD_BPF_H
#define _XROCE_UD_BPF_H

/* Take the DETH off the packet. Return: false when it is not all there. */
static __always_inline bool ud_deth(struct xdp_md *ctx, struct request *rq,
				    struct xroce_deth *out)
{
	void *end = frame_end(ctx);
	struct xroce_deth *deth = frame_start(ctx) + rq->pos;

	if (rq->pos + sizeof(*deth) > rq->end || (void *)(deth + 1) > end)
		return false;
	*out = *deth;
	rq->pos += sizeof(*deth);
	return true;
}

/* Return: enum xroce_cause, NOT_READY, NOT_THERE or PUT_ASIDE. */
static __always_inline int ud_receive(struct xdp_md *ctx, struct request *rq,
				      const struct xroce_qp *q, __u32 src_qpn)
{
	struct xroce_recv r = {
		.flags = XROCE_RECV_BEGIN | XROCE_RECV_END | XROCE_RECV_GRH,
		.l3 = rq->l3,
	};

	if (rq->flags & OP_IMM && !recv_word(ctx, rq, &r.imm))
		return XROCE_CAUSE_INV_LENGTH;
	if (!take_payload(rq) || rq->payload > q->mtu)
		return XROCE_CAUSE_INV_LENGTH;
	if (!recv_possible(q))
		return NOT_READY;
	recv_fill(&r, rq, q);
	r.len = rq->payload;
	r.src_qpn = src_qpn;
	return recv_call(ctx, &r);
}

/**
 * ud_execute() - receive a datagram, from whatever address
 * @ctx: the frame
 * @rq: the packet
 * @q: its queue pair, claimed
 * @st: counters
 * @ans: empty: a datagram names nothing
 */
static __always_inline void ud_execute(struct xdp_md *ctx, struct request *rq,
				       struct xroce_qp *q,
				       struct xroce_stat *st,
				       struct answer *ans)
{
	struct xroce_deth deth;
	int cause;

	if (!ud_deth(ctx, rq, &deth)) {
		uc_refuse(rq, q, st, XROCE_CAUSE_INV_LENGTH, ans);
		return;
	}
	if (bpf_ntohl(deth.qkey) != q->qkey) {
		ans->drop = XROCE_DROP_QKEY;
		return;
	}
	cause = ud_receive(ctx, rq, q, bpf_ntohl(deth.sqpn) & XROCE_QPN_MASK);
	if (cause == PUT_ASIDE) {
		stat_kept(st, rq);
		return;
	}
	if (cause) {
		uc_refuse(rq, q, st, cause, ans);
		return;
	}
	q->packets++;
	q->bytes += rq->payload;
	st->send++;
	st->send_bytes += rq->payload;
}

#endif
