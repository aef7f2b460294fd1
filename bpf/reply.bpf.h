/* SPDX-License-Identifier: GPL-2.0-only */
/* Turning the request's frame into its acknowledgement. */
#ifndef _XROCE_REPLY_BPF_H
#define _XROCE_REPLY_BPF_H

/**
 * struct answer - what an acknowledgement says
 * @psn: packet sequence number
 * @msn: message sequence number
 * @syndrome: XROCE_SYN_*
 */
struct answer {
	__u32 psn;
	__u32 msn;
	__u32 syndrome;
};

/* Acknowledge packet from the BTH to the invariant CRC. */
struct ack_packet {
	struct xroce_bth bth;
	struct xroce_aeth aeth;
	__be32 icrc;
};

/* In words: struct ethhdr is packed, and would be copied by the byte. */
static __always_inline void reply_eth(struct ethhdr *eth)
{
	__u16 *w = (__u16 *)eth;
	__u16 d0 = w[0], d1 = w[1], d2 = w[2];

	w[0] = w[3];
	w[1] = w[4];
	w[2] = w[5];
	w[3] = d0;
	w[4] = d1;
	w[5] = d2;
}

static __always_inline void reply_ipv4(struct iphdr *ip,
				       const struct xroce_qp *q, __u16 udp_len)
{
	__u32 *w = (__u32 *)ip;
	__u64 sum;

	ip->version = 4;
	ip->ihl = 5;
	ip->tos = q->tos;
	ip->tot_len = bpf_htons(sizeof(*ip) + udp_len);
	ip->id = 0;
	ip->frag_off = bpf_htons(0x4000);	/* do not fragment */
	ip->ttl = q->ttl;
	ip->protocol = IPPROTO_UDP;
	ip->check = 0;
	ip->saddr = q->saddr[3];
	ip->daddr = q->daddr[3];

	sum = (__u64)w[0] + w[1] + w[2] + w[3] + w[4];
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	ip->check = ~sum;
}

static __always_inline void reply_ipv6(struct ipv6hdr *ip,
				       const struct xroce_qp *q, __u16 udp_len)
{
	*(__be32 *)ip = bpf_htonl(6u << 28 | (__u32)q->tos << 20);
	ip->payload_len = bpf_htons(udp_len);
	ip->nexthdr = IPPROTO_UDP;
	ip->hop_limit = q->ttl;
	__builtin_memcpy(&ip->saddr, q->saddr, sizeof(ip->saddr));
	__builtin_memcpy(&ip->daddr, q->daddr, sizeof(ip->daddr));
}

/* The longest Ethernet header that parse() accepts. */
struct l2_hdr {
	struct ethhdr eth;
	struct vlan_hdr vlan[VLAN_DEPTH];
};

static __always_inline bool l2_load(struct xdp_md *ctx, struct l2_hdr *l2)
{
	void *end = (void *)(long)ctx->data_end;
	struct l2_hdr *at = (void *)(long)ctx->data;

	if ((void *)(at + 1) > end)
		return false;
	*l2 = *at;
	return true;
}

static __always_inline bool l2_store(struct xdp_md *ctx, __u32 len,
				     const struct l2_hdr *l2)
{
	void *end = (void *)(long)ctx->data_end;
	struct l2_hdr *at = (void *)(long)ctx->data;

	if ((void *)(at + 1) > end)
		return false;
	at->eth = l2->eth;
	if (len > sizeof(l2->eth))
		at->vlan[0] = l2->vlan[0];
	if (len > sizeof(l2->eth) + sizeof(l2->vlan[0]))
		at->vlan[1] = l2->vlan[1];
	return true;
}

/*
 * Use the end of the frame's first buffer: cut what lies before it, and leave a
 * byte of the fragment, as padding, so that the fragment is not freed.
 */
static __always_inline bool reply_room_keep(struct xdp_md *ctx,
					    const struct request *rq,
					    __u32 want, __u32 linear,
					    __u32 total)
{
	int frag = total - linear;
	struct l2_hdr l2;

	/* Such drivers put a page into each fragment: this is one. */
	if (frag > 4096 || linear < want || !l2_load(ctx, &l2))
		return false;
	if (frag > 1 && bpf_xdp_adjust_tail(ctx, 1 - frag))
		return false;
	if (bpf_xdp_adjust_head(ctx, (int)(linear - want)))
		return false;
	return l2_store(ctx, rq->l3, &l2);
}

/**
 * reply_room() - give the frame the length of a reply
 * @ctx: the frame
 * @rq: the request
 * @want: bytes of the reply
 *
 * The Ethernet header is at the front afterwards, the rest is undefined.
 *
 * Return: true, or false when it cannot be done; the frame must be dropped.
 */
static __always_inline bool reply_room(struct xdp_md *ctx,
				       const struct request *rq, __u32 want)
{
	__u32 linear = ctx->data_end - ctx->data;
	int delta = (int)want - (int)rq->frame_len;

	if (rq->frame_len > linear && xroce_keep_frags)
		return reply_room_keep(ctx, rq, want, linear, rq->frame_len);
	return !delta || !bpf_xdp_adjust_tail(ctx, delta);
}

/**
 * reply_ack() - make the frame an acknowledgement
 * @ctx: the frame of the request
 * @rq: the request
 * @q: its queue pair; only what the module writes is read, so that no claim is
 *	needed
 * @ans: what to say
 *
 * VLAN tags stay as they are.
 *
 * Return: true, or false when the frame could not be made to fit; it must be
 * dropped then.
 */
static __always_inline bool reply_ack(struct xdp_md *ctx,
				      const struct request *rq,
				      const struct xroce_qp *q,
				      const struct answer *ans)
{
	__u16 udp_len = sizeof(struct udphdr) + sizeof(struct ack_packet);
	__u32 want = rq->bth + sizeof(struct ack_packet);
	struct ack_packet *ack;
	struct udphdr *udp;
	void *data, *end;

	if (!reply_room(ctx, rq, want))
		return false;

	data = (void *)(long)ctx->data;
	end = (void *)(long)ctx->data_end;
	ack = data + rq->bth;
	if ((void *)(ack + 1) > end)
		return false;

	reply_eth(data);
	if (rq->ipv6)
		reply_ipv6(data + rq->l3, q, udp_len);
	else
		reply_ipv4(data + rq->l3, q, udp_len);

	udp = (void *)ack - sizeof(*udp);
	udp->source = bpf_htons(q->sport);
	udp->dest = bpf_htons(XROCE_UDP_PORT);
	udp->len = bpf_htons(udp_len);
	udp->check = 0;

	ack->bth.opcode = XROCE_RC_ACK;
	ack->bth.flags = XROCE_BTH_MIGREQ;
	ack->bth.pkey = bpf_htons(q->pkey);
	ack->bth.dqpn = bpf_htonl(q->dest_qpn);
	ack->bth.apsn = bpf_htonl(ans->psn);
	ack->aeth.smsn = bpf_htonl(ans->syndrome << 24 | ans->msn);
	ack->icrc = 0;

	if (xroce_kfuncs &&
	    xroce_icrc_put(ctx, rq->l3, want - sizeof(ack->icrc)))
		return false;
	return true;
}

#endif
