/* SPDX-License-Identifier: GPL-2.0-only */
/* Turning the request's frame into its answer. */
#ifndef _XROCE_REPLY_BPF_H
#define _XROCE_REPLY_BPF_H

/* In place of an enum xroce_cause. */
#define NOT_READY	(-1)	/* there is no receive work request */
#define NO_ANSWER	(-2)	/* there is no way to answer now: drop it */

/**
 * struct answer - what to say
 * @psn: packet sequence number of the first packet
 * @msn: message sequence number
 * @syndrome: XROCE_SYN_*
 * @opcode: XROCE_RC_ACK, XROCE_RC_ATOMIC_ACK or XROCE_RC_READ_RESPONSE_ONLY
 * @result: ATOMIC_ACK: what was there
 * @va: READ response: first byte
 * @key: READ response: R_Key
 * @len: READ response: bytes
 * @packets: PSNs that the request took
 * @queued: the module sends it
 */
struct answer {
	__u32 psn;
	__u32 msn;
	__u32 syndrome;
	__u32 opcode;
	__u64 result;
	__u64 va;
	__u32 key;
	__u32 len;
	__u32 packets;
	bool queued;
};

/* Headers of all replies; result or payload follow, then the invariant CRC. */
struct reply_packet {
	struct xroce_bth bth;
	struct xroce_aeth aeth;
};

/* Bytes of the frame that carries an answer. */
static __always_inline __u32 reply_len(const struct request *rq,
				       const struct answer *ans)
{
	__u32 len = rq->bth + sizeof(struct reply_packet) + XROCE_ICRC_LEN;

	if (ans->opcode == XROCE_RC_ATOMIC_ACK)
		return len + sizeof(struct xroce_atomicacketh);
	if (ans->opcode == XROCE_RC_READ_RESPONSE_ONLY)
		return len + ((ans->len + 3) & ~3u);
	return len;
}

/**
 * reply_queue() - have the module send the answer
 * @ctx: the frame of the request
 * @rq: the request
 * @q: its queue pair, claimed
 * @st: counters
 * @ans: the answer; marked
 *
 * Return: 0 or a negative error of xroce_queue().
 */
static __always_inline int reply_queue(struct xdp_md *ctx,
				       const struct request *rq,
				       const struct xroce_qp *q,
				       struct xroce_stat *st,
				       struct answer *ans)
{
	struct xroce_reply r = {
		.va = ans->va,
		.result = ans->result,
		.link = xroce_link,
		.qpn = q->qpn,
		.key = ans->key,
		.len = ans->len,
		.psn = ans->psn,
		.msn = ans->msn,
		.opcode = ans->opcode,
		.syndrome = ans->syndrome,
	};
	int err = xroce_kfuncs ? xroce_queue(ctx, &r, rq->l3) : 0;

	if (!err) {
		st->queued++;
		ans->queued = true;
	}
	return err;
}

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

/* Where there is no room behind the frame, there is some before it. */
static __always_inline bool reply_room_front(struct xdp_md *ctx,
					     const struct request *rq,
					     int delta)
{
	struct l2_hdr l2;

	return l2_load(ctx, &l2) && !bpf_xdp_adjust_head(ctx, -delta) &&
	       l2_store(ctx, rq->l3, &l2);
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
				       struct request *rq, __u32 want)
{
	__u32 linear = ctx->data_end - ctx->data;
	int delta = (int)want - (int)rq->frame_len;

	if (rq->frame_len > linear && xroce_keep_frags)
		return reply_room_keep(ctx, rq, want, linear, rq->frame_len);
	if (delta && bpf_xdp_adjust_tail(ctx, delta) &&
	    !(delta > 0 && reply_room_front(ctx, rq, delta)))
		return false;
	rq->frame_len = want;
	return true;
}

/* Without the module: zeros where the CRC belongs. */
static __always_inline bool reply_no_icrc(struct xdp_md *ctx, __u32 want)
{
	__be32 zero = 0;

	return !bpf_xdp_store_bytes(ctx, want - sizeof(zero), &zero,
				    sizeof(zero));
}

/**
 * reply() - make the frame an answer
 * @ctx: the frame of the request
 * @rq: the request
 * @q: its queue pair, claimed
 * @ans: what to say; a READ's payload is in its place already
 *
 * VLAN tags stay as they are.
 *
 * Return: true, or false when the frame could not be made to fit; it must be
 * dropped then.
 */
static __always_inline bool reply(struct xdp_md *ctx, struct request *rq,
				  const struct xroce_qp *q,
				  const struct answer *ans)
{
	__u32 want = reply_len(rq, ans);
	__u16 udp_len = want - rq->bth + sizeof(struct udphdr);
	struct xroce_atomicacketh *orig;
	struct reply_packet *pkt;
	struct udphdr *udp;
	void *data, *end;
	__be32 *icrc;

	if (!reply_room(ctx, rq, want))
		return false;

	data = (void *)(long)ctx->data;
	end = (void *)(long)ctx->data_end;
	pkt = data + rq->bth;
	orig = (void *)(pkt + 1);
	/* There is at least the invariant CRC behind the headers. */
	icrc = (void *)(pkt + 1);
	if ((void *)(icrc + 1) > end)
		return false;

	reply_eth(data);
	if (rq->ipv6)
		reply_ipv6(data + rq->l3, q, udp_len);
	else
		reply_ipv4(data + rq->l3, q, udp_len);

	udp = (void *)pkt - sizeof(*udp);
	udp->source = bpf_htons(q->sport);
	udp->dest = bpf_htons(XROCE_UDP_PORT);
	udp->len = bpf_htons(udp_len);
	udp->check = 0;

	pkt->bth.opcode = ans->opcode;
	pkt->bth.flags = XROCE_BTH_MIGREQ;
	pkt->bth.pkey = bpf_htons(q->pkey);
	pkt->bth.dqpn = bpf_htonl(q->dest_qpn);
	pkt->bth.apsn = bpf_htonl(ans->psn);
	pkt->aeth.smsn = bpf_htonl(ans->syndrome << 24 | ans->msn);
	if (ans->opcode == XROCE_RC_ATOMIC_ACK) {
		if ((void *)(orig + 1) > end)
			return false;
		orig->orig_hi = bpf_htonl(ans->result >> 32);
		orig->orig_lo = bpf_htonl(ans->result);
	} else if (ans->opcode == XROCE_RC_READ_RESPONSE_ONLY) {
		pkt->bth.flags |= (-ans->len & 3) << XROCE_BTH_PAD_SHIFT;
	}

	if (!xroce_kfuncs)
		return reply_no_icrc(ctx, want);
	return !xroce_icrc_put(ctx, rq->l3, want - XROCE_ICRC_LEN);
}

#endif
