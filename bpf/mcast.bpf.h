/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Multicast datagrams. Each member of the group gets a copy, and then the stack gets the frame:
 * other devices on the network device may have members as well.
 */
#ifndef _XROCE_MCAST_BPF_H
#define _XROCE_MCAST_BPF_H

/* Return: 0, or XROCE_DROP_*: the packet is for nobody. */
static __always_inline int mcast_check(struct xdp_md *ctx, const void *data, const void *end,
				       struct request *req)
{
	const struct xroce_bth *bth = data + req->bth;
	const struct iphdr *ip = data + req->l3;

	if (!parse_lengths(req) || (const void *)(ip + 1) > end || (const void *)(bth + 1) > end)
		return XROCE_DROP_LENGTH;
	if (!req->ipv6 && !ipv4_checksum_ok(ip))
		return XROCE_DROP_CHECKSUM;
	if (bth->flags & XROCE_BTH_TVER_MASK)
		return XROCE_DROP_TVER;
	req->flags = xroce_op_flags(req->opcode);
	if ((req->opcode & XROCE_OP_SERVICE) != XROCE_OP_UD || !xroce_op_ud(req->flags))
		return XROCE_DROP_OPCODE;
	return xroce_icrc_check(ctx, req->l3, req->end) < 0 ? XROCE_DROP_ICRC : 0;
}

/* Deliver a datagram that mcast_check() has passed. Return: 0, or XROCE_DROP_LENGTH. */
static __always_inline int mcast_deliver(struct xdp_md *ctx, struct request *req,
					 struct xroce_stat *st, __be16 pkey, __u32 tag)
{
	struct xroce_recv r = {
		.link = xroce_link,
		.l3 = req->l3,
		.flags = recv_flags(req),
		.pkey = bpf_ntohs(pkey),
		.byte_len = tag,
	};
	struct xroce_deth deth;
	int n;

	if (!ud_deth(ctx, req, &deth) ||
	    (req->flags & XROCE_OPF_IMM && !recv_word(ctx, req, &r.imm)) || !take_payload(req))
		return XROCE_DROP_LENGTH;
	r.off = req->pos;
	r.len = req->payload;
	r.src_qpn = bpf_ntohl(deth.sqpn) & XROCE_QPN_MASK;
	r.qkey = bpf_ntohl(deth.qkey);
	n = xroce_mcast(ctx, &r);
	if (n > 0) {
		st->send += XROCE_MCAST_TAKEN(n);
		st->send_bytes += (__u64)XROCE_MCAST_TAKEN(n) * req->payload;
		st->drop_recv += XROCE_MCAST_MISSED(n);
	}
	return 0;
}

/**
 * mcast() - deliver a frame to a group address
 * @ctx: the frame
 * @data: start of its first buffer
 * @end: end of it
 * @req: the parsed headers
 * @st: counters
 * @tag: VLAN tag that the driver has removed, as of struct xroce_recv
 */
static __always_inline void mcast(struct xdp_md *ctx, const void *data, const void *end,
				  struct request *req, struct xroce_stat *st, __u32 tag)
{
	const struct xroce_bth *bth = data + req->bth;
	int cause;

	if (!xroce_kfuncs || !eth_to_group(data))
		return;
	req->frame_len = bpf_xdp_get_buff_len(ctx);
	cause = mcast_check(ctx, data, end, req);
	if (!cause && (const void *)(bth + 1) <= end)
		cause = mcast_deliver(ctx, req, st, bth->pkey, tag);
	if (cause == XROCE_DROP_ICRC)
		st->drop_icrc++;
}

#endif
