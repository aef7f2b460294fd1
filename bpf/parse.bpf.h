/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Headers up to the base transport header. Each parser takes one header off the
 * cursor and says what comes next, or a negative number: nothing for us.
 */
#ifndef _XROCE_PARSE_BPF_H
#define _XROCE_PARSE_BPF_H

#define IPV4_OFFSET_OR_MORE	0x3fff	/* fragment offset and MF */
#define VLAN_DEPTH		2
#define ANY_OPCODE		(-1)	/* in place of one */
#define NOT_PLAIN		(-2)
#define NOT_OURS		(-3)

/* Offsets, not pointers: the verifier knows no difference of two pointers. */
struct cursor {
	void *data;
	void *end;
	__u32 off;
};

struct vlan_hdr {
	__be16 tci;
	__be16 proto;
};

/**
 * struct request - where things are in the frame, and what the BTH says
 * @frame_len: bytes of the frame; of its first buffer, if the packet is in that, until
 *	the packet is admitted
 * @l3: offset of the IP header
 * @bth: offset of the base transport header
 * @pos: offset of what is not parsed yet
 * @end: offset of the invariant CRC
 * @l3_len: bytes from the IP header on, as the IP header says
 * @udp_len: bytes from the UDP header on, as the UDP header says
 * @payload: bytes between the headers and the pad
 * @qpn: destination queue pair number
 * @psn: packet sequence number
 * @generation: of the queue pair when it let the packet in
 * @flags: enum op_flag of the opcode
 * @opcode: 8 bits
 * @pad: bytes of pad, 0 to 3
 * @ecn: its low two bits are the ECN field, the others anything
 * @ackreq: the requester asks for an acknowledgement
 * @ipv6: IPv6; else IPv4
 * @plain: IPv4 and no VLAN tag
 * @frags: XROCE_FRAME_*; 0 until the packet is admitted
 * @se: not 0: the requester wants the completion to be a solicited event
 */
struct request {
	__u32 frame_len;
	__u32 l3;
	__u32 bth;
	__u32 pos;
	__u32 end;
	__u32 l3_len;
	__u32 udp_len;
	__u32 payload;
	__u32 qpn;
	__u32 psn;
	__u32 generation;
	__u16 flags;
	__u8  opcode;
	__u8  pad;
	__u8  ecn;
	bool  ackreq;
	bool  ipv6;
	bool  plain;
	__u8  frags;
	__u8  se;
};

/* Return: EtherType behind up to two VLAN tags, in network order. */
static __always_inline int parse_eth(struct cursor *c)
{
	struct ethhdr *eth = c->data + c->off;
	struct vlan_hdr *vlan;
	__be16 proto;
	int i;

	if ((void *)(eth + 1) > c->end)
		return -1;
	proto = eth->h_proto;
	c->off += sizeof(*eth);

#pragma unroll
	for (i = 0; i < VLAN_DEPTH; i++) {
		if (proto != bpf_htons(ETH_P_8021Q) &&
		    proto != bpf_htons(ETH_P_8021AD))
			break;
		vlan = c->data + c->off;
		if ((void *)(vlan + 1) > c->end)
			return -1;
		proto = vlan->proto;
		c->off += sizeof(*vlan);
	}
	return proto;
}

/*
 * Is the frame for the device's own address? The destination and two bytes of the source
 * are read as one word.
 */
static __always_inline bool eth_own(const void *data)
{
	return xroce_netdev_word(*(const __u64 *)data) == xroce_netdev.addr;
}

/*
 * Or for another one that it takes? Others come where the device is promiscuous, or a
 * switch floods; the stack drops them, and decides.
 */
static __always_inline bool eth_ours(struct xdp_md *ctx, const void *data)
{
	return eth_own(data) || (xroce_kfuncs && !xroce_addr(ctx, xroce_link));
}

static __always_inline bool qpn_ours(__u32 qpn)
{
	return qpn >= XROCE_QPN_BASE && qpn != XROCE_QPN_MCAST;
}

/* A response to such a frame would go to everyone. */
static __always_inline bool eth_from_group(const struct ethhdr *eth)
{
	return eth->h_source[0] & 1;
}

/*
 * Options and fragments are the stack's: RoCEv2 has neither.
 * Return: protocol.
 */
static __always_inline int parse_ipv4(struct cursor *c, struct request *req)
{
	struct iphdr *ip = c->data + c->off;

	if ((void *)(ip + 1) > c->end)
		return -1;
	if (unlikely(ip->version != 4 || ip->ihl != 5 ||
		     ip->frag_off & bpf_htons(IPV4_OFFSET_OR_MORE)))
		return -1;
	req->l3_len = bpf_ntohs(ip->tot_len);
	req->ipv6 = false;
	req->ecn = ip->tos;
	c->off += sizeof(*ip);
	return ip->protocol;
}

/* Return: next header; extension headers are the stack's. */
static __always_inline int parse_ipv6(struct cursor *c, struct request *req)
{
	struct ipv6hdr *ip = c->data + c->off;

	if ((void *)(ip + 1) > c->end)
		return -1;
	if (ip->version != 6)
		return -1;
	req->l3_len = sizeof(*ip) + bpf_ntohs(ip->payload_len);
	req->ipv6 = true;
	/* Behind the version and the upper four bits of the traffic class. */
	req->ecn = ((const __u8 *)ip)[1] >> 4;
	c->off += sizeof(*ip);
	return ip->nexthdr;
}

/*
 * Too short for RoCEv2's headers and invariant CRC, it names no queue pair.
 * Return: destination port.
 */
static __always_inline int parse_udp(struct cursor *c, struct request *req)
{
	struct udphdr *udp = c->data + c->off;

	if ((void *)(udp + 1) > c->end)
		return -1;
	req->udp_len = bpf_ntohs(udp->len);
	if (req->udp_len < sizeof(*udp) + sizeof(struct xroce_bth) +
			  XROCE_ICRC_LEN)
		return -1;
	c->off += sizeof(*udp);
	return bpf_ntohs(udp->dest);
}

/* Return: destination queue pair number. */
static __always_inline int parse_bth(struct cursor *c, struct request *req, int opcode)
{
	struct xroce_bth *bth = c->data + c->off;
	__u32 apsn;

	if ((void *)(bth + 1) > c->end)
		return -1;
	apsn = bpf_ntohl(bth->apsn);
	req->opcode = opcode < 0 ? bth->opcode : opcode;
	req->pad = (bth->flags & XROCE_BTH_PAD_MASK) >> XROCE_BTH_PAD_SHIFT;
	req->psn = apsn & XROCE_PSN_MASK;
	req->se = bth->flags & XROCE_BTH_SE;
	req->ackreq = bth->apsn & bpf_htonl(XROCE_BTH_ACKREQ);
	req->qpn = bpf_ntohl(bth->dqpn) & XROCE_QPN_MASK;
	c->off += sizeof(*bth);
	return req->qpn;
}

/* Headers of a packet without a VLAN tag, over IPv4. */
struct plain {
	struct ethhdr eth;
	struct iphdr ip;
	struct udphdr udp;
	struct xroce_bth bth;
} __attribute__((packed));

/*
 * Of a frame that is for the device's own address, is IPv4, has no VLAN tag and is as long
 * as that takes; if its IP header has no options, which parse() looks at.
 *
 * Return: the opcode; NOT_PLAIN of others; NOT_OURS: it is not UDP, or not to our port,
 * as is most of what comes that is others'.
 */
static __always_inline int plain_opcode(const void *data, const void *end)
{
	const struct plain *p = data;

	if ((const void *)(p + 1) > end ||
	    *(const __be16 *)(data + offsetof(struct ethhdr, h_proto)) !=
	    bpf_htons(ETH_P_IP))
		return NOT_PLAIN;
	if (p->ip.protocol != IPPROTO_UDP ||
	    *(const __be16 *)(data + offsetof(struct plain, udp.dest)) !=
	    bpf_htons(XROCE_UDP_PORT))
		return NOT_OURS;
	/* A call in the way of all would take registers from them. */
	return likely(eth_own(data)) ? p->bth.opcode : NOT_PLAIN;
}

/**
 * parse() - find out whether a frame is for a queue pair number of ours
 * @data: where the frame begins
 * @end: where it, or its first buffer, ends
 * @req: filled in when it is
 * @opcode: plain_opcode() or ANY_OPCODE; a constant, so that what it is not for is
 *	left out, and so that all offsets of a plain packet are constants
 *
 * Lengths are not checked against each other yet.
 *
 * Return: the queue pair number, or a negative number when the frame is not
 * RoCEv2.
 */
static __always_inline int parse(void *data, void *end, struct request *req,
				 int opcode)
{
	bool plain = opcode != NOT_PLAIN;
	struct cursor c = {
		.data = data,
		.end = end,
		.off = plain ? sizeof(struct ethhdr) : 0,
	};
	int next = plain ? bpf_htons(ETH_P_IP) : parse_eth(&c);

	req->plain = plain;
	req->l3 = c.off;
	if (next == bpf_htons(ETH_P_IP))
		next = parse_ipv4(&c, req);
	else if (next == bpf_htons(ETH_P_IPV6))
		next = parse_ipv6(&c, req);
	else
		return -1;
	/* Of a plain one plain_opcode() knows; but nothing is read of a negative one. */
	if (unlikely(plain ? next < 0 : next != IPPROTO_UDP))
		return -1;
	next = parse_udp(&c, req);
	if (unlikely(plain ? next < 0 : next != XROCE_UDP_PORT))
		return -1;
	req->bth = c.off;
	next = parse_bth(&c, req, opcode);
	req->pos = c.off;
	return next;
}

/**
 * parse_lengths() - check the lengths against each other and the frame
 * @req: @frame_len is there; sets @end
 *
 * Trailing bytes beyond the IP packet are Ethernet padding, and are allowed.
 *
 * Return: true when the frame holds what its headers announce.
 */
static __always_inline bool parse_lengths(struct request *req)
{
	__u32 l4 = req->bth - sizeof(struct udphdr);

	/* First, as the caller has just compared the two. */
	if (unlikely(req->frame_len < req->l3 + req->l3_len))
		return false;
	if (unlikely(req->l3_len != l4 - req->l3 + req->udp_len))
		return false;
	req->end = l4 + req->udp_len - XROCE_ICRC_LEN;
	return true;
}

/* Return: true when the IPv4 header's checksum is right. */
static __always_inline bool ipv4_checksum_ok(const struct iphdr *ip)
{
	const __u32 *w = (const __u32 *)ip;
	__u64 sum = (__u64)w[0] + w[1] + w[2] + w[3] + w[4];

	/*
	 * Folded it would be 0xffff: it is a multiple of that, and not 0, as the version
	 * is there. Multiples, and no others, become their quotient when multiplied by
	 * the inverse of 0xffff modulo 2^64.
	 */
	return sum * 0xfffefffefffeffff <= ~0ull / 0xffff;
}

static __always_inline __u64 join(__be32 hi, __be32 lo)
{
	return (__u64)bpf_ntohl(hi) << 32 | bpf_ntohl(lo);
}

/*
 * The virtual address that RETH and AtomicETH begin with: @aligned says that it is
 * right behind the BTH of a plain packet, and so is.
 */
static __always_inline __u64 read_va(const struct xroce_reth *h, bool aligned)
{
	return aligned ? bpf_be64_to_cpu(*(const __be64 *)(const void *)h) :
			 join(h->va_hi, h->va_lo);
}

/* Take the RETH off the packet. Return: false when it is not all there. */
static __always_inline bool take_reth(struct xdp_md *ctx, struct request *req,
				      struct response *resp)
{
	void *end = frame_end(ctx);
	struct xroce_reth *reth = frame_start(ctx) + req->pos;

	if (unlikely(req->pos + sizeof(*reth) > req->end))
		return false;
	/* Two branches: one of both would be longer. */
	asm volatile("");
	if (unlikely((void *)(reth + 1) > end))
		return false;
	resp->va = read_va(reth, req->plain && !(req->flags & OP_FLUSH));
	resp->key = bpf_ntohl(reth->rkey);
	resp->len = bpf_ntohl(reth->len);
	req->pos += sizeof(*reth);
	return true;
}

#endif
