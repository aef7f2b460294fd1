/* SPDX-License-Identifier: GPL-2.0-only */
/* Congestion on the way to us, and telling its sender (IBTA A17.9). */
#ifndef _XROCE_CNP_BPF_H
#define _XROCE_CNP_BPF_H

/* Has a switch that was congested marked the packet? */
static __always_inline bool is_marked(const struct request *req)
{
	return (req->ecn & XROCE_ECN_MASK) == XROCE_ECN_CE;
}

/*
 * Is it a congestion notification, of its right length? It is not a request of
 * any service; what it asks for is for a requester to do.
 */
static __always_inline bool is_cnp(const struct request *req)
{
	return req->opcode == XROCE_OP_CNP && !req->pad &&
	       req->end == req->pos + XROCE_CNP_LEN;
}

/**
 * cnp_send() - a packet was marked: have the module say so to the peer
 * @ctx: the frame
 * @req: the packet, whatever comes of it: it was sent too fast
 * @q: its queue pair, claimed
 * @st: counters
 *
 * It is a frame of its own beside the response, which the module builds, and
 * spaces out. Who sends datagrams is no peer of the queue pair's: their marks are
 * only counted.
 */
static __always_inline void cnp_send(struct xdp_md *ctx,
				     const struct request *req,
				     const struct xroce_qp *q,
				     struct xroce_stat *st)
{
	st->ecn_ce++;
	if (q->type == XROCE_QPT_UD)
		return;
	if (!xroce_kfuncs || !xroce_cnp(ctx, xroce_link, q->qpn, req->l3))
		st->cnp_tx++;
}

#endif
