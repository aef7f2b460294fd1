/* SPDX-License-Identifier: GPL-2.0-only */
/* Dropping a packet without a response: its counters. drop_event.bpf.h has its event. */
#ifndef _XROCE_DROP_BPF_H
#define _XROCE_DROP_BPF_H

/* One word with the offsets of the IP header and of the BTH, and whether it is IPv6. */
#define DROP_FRAME(l3, bth, ipv6)	((l3) | (bth) << 8 | (ipv6) << 16)
#define DROP_L3(frame)			((frame) & 0xff)
#define DROP_BTH(frame)			((frame) >> 8 & 0xff)
#define DROP_IPV6(frame)		((frame) >> 16 & 1)

/* Read the BTH of the frame. @to stays zero if the BTH is outside the first buffer. */
static __always_inline void drop_parse(struct xdp_md *ctx, __u32 off, struct drop_bth *to)
{
	const struct xroce_bth *bth = frame_start(ctx) + off;

	if ((const void *)(bth + 1) > frame_end(ctx))
		return;
	to->qpn = bpf_ntohl(bth->dqpn) & XROCE_QPN_MASK;
	to->psn = bpf_ntohl(bth->apsn) & XROCE_PSN_MASK;
	to->opcode = bth->opcode;
}

/**
 * dropped() - count a dropped packet, and write an event if a reader wants it
 * @ctx: the frame
 * @qpn: number of its queue pair; 0: take it from the BTH
 * @cause: XROCE_DROP_*
 * @frame: DROP_FRAME()
 *
 * Not inlined, because it has many callers, all of them rare. It parses the BTH again, so
 * that its callers need not keep the fields in registers.
 */
__noinline int dropped(struct xdp_md *ctx, __u32 qpn, __u32 cause, __u32 frame)
{
	struct xroce_stat *st = stat_this_cpu();
	__u32 i = cause - XROCE_DROP_QKEY;
	struct drop_bth bth = {};
	struct xroce_qp *q;

	if (!st)
		return 0;
	drop_parse(ctx, DROP_BTH(frame), &bth);
	if (qpn)
		bth.qpn = qpn;
	q = qp_find(bth.qpn);
	stat_drop(st, cause);
	barrier_var(i);
	/* Atomic: other CPUs may drop packets of the same queue pair. */
	if (q && i < XROCE_QP_DROPS)
		__sync_fetch_and_add(&q->drops[i], 1);
	drop_event(ctx, q, st, &bth, cause, DROP_L3(frame), DROP_IPV6(frame));
	return 0;
}

/*
 * Drop a packet. @cause: XROCE_DROP_*, or 0: it is not counted. @qpn: see dropped(). Return:
 * XDP_DROP.
 */
static __always_inline int drop_of(struct xdp_md *ctx, const struct request *req,
				   __u32 qpn, __u32 cause)
{
	if (cause)
		dropped(ctx, qpn, cause, DROP_FRAME(req->l3, req->bth, req->ipv6));
	return XDP_DROP;
}

/* Drop a packet whose BTH has not been overwritten by a response. Otherwise like drop_of(). */
static __always_inline int drop(struct xdp_md *ctx, const struct request *req, __u32 cause)
{
	return drop_of(ctx, req, 0, cause);
}

#endif
