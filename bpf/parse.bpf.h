/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parsing headers. parse() goes up to the base transport header: each of its parsers advances the
 * cursor by one header and returns what the header says of the next one, or -1 if the frame is not
 * RoCEv2. take_reth() and read_va() parse headers behind it, later, and
 * take_payload() what follows these.
 */
#ifndef _XROCE_PARSE_BPF_H
#define _XROCE_PARSE_BPF_H

#define IPV4_OFFSET_OR_MORE	0x3fff	/* fragment offset and MF */
#define VLAN_DEPTH		2
/* In place of the opcode of a plain packet; see plain_opcode(). */
#define ANY_OPCODE		(-1)	/* a plain packet with any opcode */
#define NOT_PLAIN		(-2)
#define NOT_OURS		(-3)

/* An offset instead of a pointer: the verifier does not track differences of pointers. */
struct cursor {
	void *data;
	void *end;
	__u32 off;
};

struct vlan_hdr {
	__be16 tci;
	__be16 proto;
};

#define VLAN_VID_MASK	0xfff

/**
 * struct request - offsets in the frame, and fields of the headers
 * @frame_len: bytes of the frame. Until the packet is admitted, bytes of the first buffer if
 *	the packet is inside that
 * @l3: offset of the IP header
 * @bth: offset of the base transport header
 * @pos: offset of the first byte that is not parsed yet
 * @end: offset of the invariant CRC
 * @l3_len: bytes from the IP header on, according to the IP header
 * @udp_len: bytes from the UDP header on, according to the UDP header
 * @payload: bytes between the headers and the pad
 * @qpn: destination queue pair number
 * @psn: packet sequence number
 * @generation: xroce_qp::generation when the packet was admitted
 * @flags: enum xroce_op_flag of the opcode
 * @opcode: 8 bits
 * @pad: bytes of pad, 0 to 3
 * @ecn: the low two bits are the ECN field; ignore the others
 * @ackreq: the requester asks for an acknowledgement
 * @ipv6: IPv6; otherwise IPv4
 * @plain: IPv4 and no VLAN tag
 * @frags: XROCE_FRAME_*; 0 until the packet is admitted
 * @se: not 0: the completion shall be a solicited event
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

/*
 * Return: request::flags, for tests behind a call. If the compiler knew that they are the same as
 * before, it would make all tests early and keep each result on the stack. In a copy of packet()
 * for one opcode they are a constant.
 */
static __always_inline __u32 flags_again(const struct request *req)
{
	__u32 flags = req->flags;

	if (!__builtin_constant_p(flags))
		barrier_var(flags);
	return flags;
}

/* Return: EtherType after up to two VLAN tags, in network byte order, or -1. */
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
 * True if the frame is for the device's own address. Reads the destination and two bytes of the
 * source as one word.
 */
static __always_inline bool eth_own(const void *data)
{
	return xroce_netdev_word(*(const __u64 *)data) == xroce_netdev.addr;
}

/*
 * True if the frame is for any address of the device. Frames for other addresses arrive if the
 * device is promiscuous or a switch floods; they are left to the stack.
 */
static __always_inline bool eth_ours(struct xdp_md *ctx, const void *data)
{
	return eth_own(data) || (xroce_kfuncs && !xroce_addr(ctx, xroce_link));
}

/* True if the frame is for a group. */
static __always_inline bool eth_to_group(const struct ethhdr *eth)
{
	return eth->h_dest[0] & 1;
}

/* True if the source is a group address. A response would go to all members. */
static __always_inline bool eth_from_group(const struct ethhdr *eth)
{
	return eth->h_source[0] & 1;
}

/*
 * Packets with options, and fragments, are left to the stack: RoCEv2 has neither.
 * Return: protocol, or -1.
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

/* Return: next header, or -1. Packets with extension headers are left to the stack. */
static __always_inline int parse_ipv6(struct cursor *c, struct request *req)
{
	struct ipv6hdr *ip = c->data + c->off;

	if ((void *)(ip + 1) > c->end)
		return -1;
	if (ip->version != 6)
		return -1;
	req->l3_len = sizeof(*ip) + bpf_ntohs(ip->payload_len);
	req->ipv6 = true;
	/* The low two bits of the traffic class are bits 4 and 5 of the second byte. */
	req->ecn = ((const __u8 *)ip)[1] >> 4;
	c->off += sizeof(*ip);
	return ip->nexthdr;
}

/*
 * A datagram that is too short for a BTH and the invariant CRC is not RoCEv2.
 * Return: destination port, or -1.
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

/* @opcode: opcode of a plain packet, or negative. Return: destination QP number, or -1. */
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

/* Headers of a plain packet: over IPv4, without VLAN tags. */
struct plain {
	struct ethhdr eth;
	struct iphdr ip;
	struct udphdr udp;
	struct xroce_bth bth;
} __attribute__((packed));

/*
 * Recognise a plain packet: a frame for the device's own address, without VLAN tags, over
 * IPv4 and UDP to port 4791, with all headers in the first buffer. parse() checks later that
 * the IP header has no options.
 *
 * Return: the opcode of a plain packet; NOT_OURS: IPv4, but not UDP to port 4791, which is
 * most of the traffic of others; NOT_PLAIN: any other frame.
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
	/* Not eth_ours(): its call would take registers from the frequent path. */
	return likely(eth_own(data)) ? p->bth.opcode : NOT_PLAIN;
}

/**
 * parse() - parse the headers up to the BTH
 * @data: start of the frame
 * @end: end of its first buffer
 * @req: out: valid if the frame is RoCEv2
 * @opcode: result of plain_opcode(), or ANY_OPCODE for a plain packet. A constant, so that
 *	unneeded code is left out, and all offsets of a plain packet are constants
 *
 * Lengths are not compared with each other yet.
 *
 * Return: the queue pair number, or a negative number: the frame is not RoCEv2.
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
	/* plain_opcode() has checked protocol and port of a plain packet. */
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
 * parse_lengths() - compare the lengths in the headers with each other and the frame
 * @req: in: @frame_len and the parsed lengths; out: @end
 *
 * Bytes after the IP packet are Ethernet padding, and are allowed.
 *
 * Return: whether the lengths fit.
 */
static __always_inline bool parse_lengths(struct request *req)
{
	__u32 l4 = req->bth - sizeof(struct udphdr);

	/* First, because the caller has just made the same comparison. */
	if (unlikely(req->frame_len < req->l3 + req->l3_len))
		return false;
	if (unlikely(req->l3_len != l4 - req->l3 + req->udp_len))
		return false;
	req->end = l4 + req->udp_len - XROCE_ICRC_LEN;
	return true;
}

/* Return: whether the IPv4 header checksum is right. */
static __always_inline bool ipv4_checksum_ok(const struct iphdr *ip)
{
	const __u32 *w = (const __u32 *)ip;
	__u64 sum = (__u64)w[0] + w[1] + w[2] + w[3] + w[4];

	/*
	 * The folded sum has to be 0xffff: the sum is a multiple of 0xffff (it is not 0,
	 * because the version is not 0). Multiplied by the inverse of 0xffff modulo 2^64,
	 * a multiple becomes its quotient, and any other number becomes larger than that.
	 */
	return sum * 0xfffefffefffeffff <= ~0ull / 0xffff;
}

static __always_inline __u64 join(__be32 hi, __be32 lo)
{
	return (__u64)bpf_ntohl(hi) << 32 | bpf_ntohl(lo);
}

/*
 * Read the virtual address at the start of a RETH or AtomicETH. @aligned: the header directly
 * follows the BTH of a plain packet, hence is aligned.
 */
static __always_inline __u64 read_va(const struct xroce_reth *h, bool aligned)
{
	return aligned ? bpf_be64_to_cpu(*(const __be64 *)(const void *)h) :
			 join(h->va_hi, h->va_lo);
}

/* Parse a RETH. Return: false: it is outside the packet, or outside the first buffer. */
static __always_inline bool take_reth(struct xdp_md *ctx, struct request *req,
				      struct response *resp)
{
	void *end = frame_end(ctx);
	struct xroce_reth *reth = frame_start(ctx) + req->pos;

	if (unlikely(req->pos + sizeof(*reth) > req->end))
		return false;
	/* Keeps two branches: combined into one they take more instructions. */
	asm volatile("");
	if (unlikely((void *)(reth + 1) > end))
		return false;
	resp->va = read_va(reth, req->plain && !(req->flags & XROCE_OPF_FLUSH));
	resp->key = bpf_ntohl(reth->rkey);
	resp->len = bpf_ntohl(reth->len);
	req->pos += sizeof(*reth);
	return true;
}

/*
 * Find the length of the payload, behind the last header. Return: false: the length of the packet
 * contradicts that of the pad.
 */
static __always_inline bool take_payload(struct request *req)
{
	if (unlikely(req->pos + req->pad > req->end || (req->end - req->pos) & 3))
		return false;
	req->payload = req->end - req->pos - req->pad;
	return true;
}

#endif
