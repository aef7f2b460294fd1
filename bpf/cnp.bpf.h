/* SPDX-License-Identifier: GPL-2.0-only */
/* Congestion marks on requests and responses, and the notification of the sender (IBTA A17.9). */
#ifndef _XROCE_CNP_BPF_H
#define _XROCE_CNP_BPF_H

/* True if a congested switch has marked the packet. */
static __always_inline bool is_marked(const struct request *req)
{
	return (req->ecn & XROCE_ECN_MASK) == XROCE_ECN_CE;
}

/* True if it is a congestion notification of the right length. It belongs to no service. */
static __always_inline bool is_cnp(const struct request *req)
{
	return req->opcode == XROCE_OP_CNP && !req->pad &&
	       req->end == req->pos + XROCE_CNP_LEN;
}

/**
 * cnp_send() - have the module send a congestion notification
 * @ctx: the frame
 * @req: the marked packet; it does not matter whether it can be executed
 * @q: its queue pair
 * @st: counters
 *
 * The notification is a separate frame, which the module builds and paces. Datagrams have no
 * connected peer to notify: their marks are only counted.
 */
static __always_inline void cnp_send(struct xdp_md *ctx,
				     const struct request *req,
				     const struct xroce_qp *q,
				     struct xroce_stat *st)
{
	st->ecn_ce++;
	if (q->type == XROCE_QPT_UD)
		return;
	if (!xroce_kfuncs || !xroce_cnp(ctx, xroce_link, q->qpn, req->l3, req->opcode))
		st->cnp_tx++;
}

/* The peer has sent a congestion notification. It concerns requests and READ responses. */
static __always_inline void cnp_take(struct xroce_qp *q, struct xroce_stat *st)
{
	st->cnp_rx++;
	q->req_cnps++;
	if (xroce_kfuncs)
		xroce_cnp_received(xroce_link, q->qpn);
}

#endif
