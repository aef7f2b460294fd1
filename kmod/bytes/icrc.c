// SPDX-License-Identifier: GPL-2.0-only
/*
 * The invariant CRC.
 *
 * CRC-32 over eight bytes of ones, in place of InfiniBand's local route header, and the
 * packet from the IP header through the pad. Fields that routers change count as ones. The
 * CRC is sent least significant byte first.
 */
#include <linux/crc32.h>
#include <linux/minmax.h>
#include <linux/unaligned.h>

#include "icrc.h"

/* State after the eight bytes of ones. */
#define XR_ICRC_SEED	0xdebb20e3u

u32 xr_icrc_table[ARRAY_SIZE(xr_icrc_table)][256] __ro_after_init;
u32 xr_icrc_read[2][XROCE_READ_SHORT / 4 + 1] __ro_after_init;
u32 xr_icrc_atomic[2] __ro_after_init;

/* Headers of a response with an AETH. */
struct xr_change4 {
	struct xr_headers4 h;
	struct xroce_aeth aeth;
} __packed __aligned(4);

struct xr_change6 {
	struct xr_headers6 h;
	struct xroce_aeth aeth;
} __packed __aligned(4);

/* Bytes of an acknowledgement from the UDP header on, and from the IPv4 header on. */
#define XR_ACK_UDP	(sizeof(struct udphdr) + sizeof(struct xroce_bth) + \
			 sizeof(struct xroce_aeth) + XROCE_ICRC_LEN)
#define XR_ACK_IP	(sizeof(struct iphdr) + XR_ACK_UDP)

/*
 * Fill in xr_icrc_read for @len bytes of payload, from the difference (XOR) between the
 * headers of such a READ response and those of an acknowledgement.
 */
static void __init xr_icrc_init_read(u32 len)
{
	u8 opcode = XROCE_RC_ACK ^ XROCE_RC_READ_RESPONSE_ONLY;
	__be16 udp = htons(XR_ACK_UDP) ^ htons(XR_ACK_UDP + len);
	struct xr_change4 c4 = {};
	struct xr_change6 c6 = {};

	c4.h.ip.tot_len = htons(XR_ACK_IP) ^ htons(XR_ACK_IP + len);
	c4.h.udp.len = udp;
	c4.h.bth.opcode = opcode;
	c6.h.ip.payload_len = udp;
	c6.h.udp.len = udp;
	c6.h.bth.opcode = opcode;
	/* CRCs are linear. The complement is because a CRC is sent inverted, a state is not. */
	xr_icrc_read[0][len / 4] = ~crc32_le(0, (u8 *)&c4, sizeof(c4));
	xr_icrc_read[1][len / 4] = ~crc32_le(0, (u8 *)&c6, sizeof(c6));
}

/* Return: the contribution of the difference between the headers of an atomic and of a READ. */
static u32 __init xr_icrc_init_atomic(u8 opcode)
{
	u16 read = sizeof(struct xr_read4) + XROCE_ICRC_LEN;
	u16 atomic = sizeof(struct xr_atomic4) + XROCE_ICRC_LEN;
	u16 ip = sizeof(struct iphdr);
	struct xr_atomic4 c = {
		.h.ip.tot_len = htons(read) ^ htons(atomic),
		.h.udp.len = htons(read - ip) ^ htons(atomic - ip),
		.h.bth.opcode = XROCE_RC_READ_REQUEST ^ opcode,
	};

	return crc32_le(0, (u8 *)&c, sizeof(c));
}

void __init xr_icrc_init(void)
{
	u8 bytes[ARRAY_SIZE(xr_icrc_table)] = {};
	int byte, behind;
	u32 len;

	for (byte = 0; byte < 256; byte++) {
		bytes[0] = byte;
		for (behind = 0; behind < ARRAY_SIZE(xr_icrc_table); behind++)
			xr_icrc_table[behind][byte] = crc32_le(0, bytes, 1 + behind);
	}
	for (len = 4; len <= XROCE_READ_SHORT; len += 4)
		xr_icrc_init_read(len);
	xr_icrc_atomic[0] = xr_icrc_init_atomic(XROCE_RC_CMP_SWAP);
	xr_icrc_atomic[1] = xr_icrc_init_atomic(XROCE_RC_FETCH_ADD);
}

/* Return: the state after the headers, with fields that change in flight as ones. */
static u32 xr_icrc_headers4(const void *p)
{
	struct xr_headers4 h;

	memcpy(&h, p, sizeof(h));
	h.ip.tos = 0xff;
	h.ip.ttl = 0xff;
	h.ip.check = (__force __sum16)0xffff;
	h.udp.check = (__force __sum16)0xffff;
	h.bth.dqpn |= htonl(0xff000000);
	return crc32_le(XR_ICRC_SEED, (u8 *)&h, sizeof(h));
}

static u32 xr_icrc_headers6(const void *p)
{
	struct xr_headers6 h;

	memcpy(&h, p, sizeof(h));
	*(__be32 *)&h.ip |= htonl(0x0fffffff);
	h.ip.hop_limit = 0xff;
	h.udp.check = (__force __sum16)0xffff;
	h.bth.dqpn |= htonl(0xff000000);
	return crc32_le(XR_ICRC_SEED, (u8 *)&h, sizeof(h));
}

/* Compute the state after the headers. Return: bytes of the headers. */
static u32 xr_icrc_headers(const void *p, bool ipv6, u32 *crc)
{
	*crc = ipv6 ? xr_icrc_headers6(p) : xr_icrc_headers4(p);
	return xr_icrc_headers_len(ipv6);
}

/**
 * xr_icrc_zeros() - compute the invariant CRC of headers and zeros behind them
 * @l3: the IP header, UDP header and BTH
 * @ipv6: the IP header is IPv6
 * @n: bytes of zeros, as many as an AtomicETH has at most
 *
 * Return: the CRC. With other bytes behind the headers it differs by their contribution.
 */
u32 xr_icrc_zeros(const void *l3, bool ipv6, u32 n)
{
	static const u8 zeros[XR_ICRC_PSN_ATOMIC];
	u32 crc;

	xr_icrc_headers(l3, ipv6, &crc);
	return ~crc32_le(crc, zeros, min_t(u32, n, sizeof(zeros)));
}

/**
 * xr_icrc_expected() - compute the invariant CRC of packets that a peer sends
 * @q: queue pair; the peer's addresses are set
 * @opcode: opcode of the packets, which have no pad
 * @n: bytes from the PSN on
 *
 * Return: the CRC over IPv4, with zeros in the fields that vary, see xroce_qp::read_icrc.
 */
u32 xr_icrc_expected(const struct xroce_qp *q, u8 opcode, u32 n)
{
	u32 behind = n - sizeof(__be32);
	struct xr_headers4 h = {
		.ip.version = 4,
		.ip.ihl = 5,
		.ip.tot_len = htons(sizeof(h) + behind + XROCE_ICRC_LEN),
		.ip.protocol = IPPROTO_UDP,
		.ip.saddr = q->daddr[3],
		.ip.daddr = q->saddr[3],
		.udp.dest = htons(XROCE_UDP_PORT),
		.udp.len = htons(sizeof(h) - sizeof(h.ip) + behind + XROCE_ICRC_LEN),
		.bth.opcode = opcode,
		.bth.pkey = htons(q->pkey),
		.bth.dqpn = htonl(q->qpn),
	};

	return xr_icrc_zeros(&h, false, behind);
}

#ifdef CONFIG_X86_64
/* Compute the state after up to @n bytes. Return: bytes read, a multiple of four. */
static u32 xr_icrc_first(const void *p, u32 n, bool ipv6, u32 *crc)
{
	n &= ~3u;
	*crc = ~xr_icrc_sum(p, n, ipv6);
	return n;
}

static u32 xr_icrc_more(u32 crc, const void *p, u32 n)
{
	u32 odd = n % 16;

	crc = crc32_le(crc, p, odd);
	if (xr_clmul_wide(n - odd))
		return xr_clmul_wide_more(crc, p + odd, n - odd);
	return n == odd ? crc : xr_clmul(crc, p + odd, n - odd);
}
#else
static u32 xr_icrc_first(const void *p, u32 n, bool ipv6, u32 *crc)
{
	return xr_icrc_headers(p, ipv6, crc);
}

static u32 xr_icrc_more(u32 crc, const void *p, u32 n)
{
	return crc32_le(crc, p, n);
}
#endif

/* Continue the state @crc from @off to @end, in any number of buffers. */
static noinline u32 xr_icrc_rest(struct xdp_buff *xdp, u32 off, u32 end,
				 u32 crc, bool vector)
{
	void *p;
	u32 n;

	for (; off < end; off += n) {
		p = xr_frame_at(xdp, off, &n);
		n = min(n, end - off);
		crc = vector ? xr_icrc_more(crc, p, n) : crc32_le(crc, p, n);
	}
	return crc;
}

/**
 * xr_icrc() - compute the invariant CRC of a packet in a frame
 * @xdp: the frame
 * @l3: offset of the IP header; it has no options
 * @end: offset of the CRC
 * @crc: out: the CRC, in host byte order
 *
 * Return: 0, or -EINVAL: headers or CRC are not inside the frame.
 */
int xr_icrc(struct xdp_buff *xdp, u32 l3, u32 end, u32 *crc)
{
	u32 linear = xdp->data_end - xdp->data;
	u32 headers, n;
	bool ipv6;
	void *p;

	BUILD_BUG_ON(XR_CLMUL_BEFORE > ETH_HLEN);
	if (l3 < ETH_HLEN || l3 >= linear ||
	    !xr_frame_has(xdp, end, XROCE_ICRC_LEN))
		return -EINVAL;
	p = xdp->data + l3;
	ipv6 = xr_icrc_ipv6(p);
	headers = xr_icrc_headers_len(ipv6);
	if (headers > linear - l3 || end < l3 + headers)
		return -EINVAL;
	if (likely(xr_vector_begin())) {
		n = xr_icrc_first(p, min(linear, end) - l3, ipv6, crc);
		if (unlikely(l3 + n < end))
			*crc = xr_icrc_rest(xdp, l3 + n, end, *crc, true);
		xr_vector_end();
	} else {
		n = xr_icrc_headers(p, ipv6, crc);
		*crc = xr_icrc_rest(xdp, l3 + n, end, *crc, false);
	}
	*crc = ~*crc;
	return 0;
}

#ifdef CONFIG_X86_64
/*
 * xr_icrc_check_any() for a packet in two buffers, a multiple of four bytes long, which is
 * the most frequent packet with fragments. Return: 1: it is of another kind.
 */
static int xr_icrc_check_two(struct xdp_buff *xdp, u32 l3, u32 end)
{
	u32 linear = xdp->data_end - xdp->data, crc;
	const void *p = xdp->data + l3, *q;
	const skb_frag_t *frag;

	if (l3 < ETH_HLEN || (u64)l3 + XR_CLMUL_FIRST > linear ||
	    (u64)linear + XR_CLMUL_BLOCK > end || (end - l3) % 4 ||
	    !xdp_buff_has_frags(xdp))
		return 1;
	frag = xdp_get_shared_info_from_buff(xdp)->frags;
	if ((u64)end + XROCE_ICRC_LEN > (u64)linear + skb_frag_size(frag))
		return 1;
	if (unlikely(!xr_vector_begin_alone()))
		return 1;
	q = skb_frag_address(frag);
	if (xr_clmul_wide(end - l3))
		crc = xr_clmul_wide_pieces(p, linear - l3, q, end - linear, xr_icrc_ipv6(p));
	else if (likely(!xr_icrc_ipv6(p)))
		crc = xr_clmul_pieces_ipv4(p, linear - l3, q, end - linear);
	else
		crc = xr_clmul_pieces_ipv6(p, linear - l3, q, end - linear);
	xr_vector_end_alone();
	return get_unaligned_le32(q + (end - linear)) == ~crc ? 0 : -EBADMSG;
}
#else
static int xr_icrc_check_two(struct xdp_buff *xdp, u32 l3, u32 end)
{
	return 1;
}
#endif

/* Like xr_icrc_check(), for any number of buffers. Return: 0, -EBADMSG or -EINVAL. */
int xr_icrc_check_any(struct xdp_buff *xdp, u32 l3, u32 end)
{
	u32 crc, n, i, has = 0;
	u8 *p;
	int ret;

	ret = xr_icrc_check_two(xdp, l3, end);
	if (likely(ret <= 0))
		return ret;
	ret = xr_icrc(xdp, l3, end, &crc);
	if (ret)
		return ret;
	p = xr_frame_at(xdp, end, &n);
	if (likely(n >= XROCE_ICRC_LEN))
		return get_unaligned_le32(p) == crc ? 0 : -EBADMSG;
	for (i = 0; i < XROCE_ICRC_LEN; i++)
		has |= (u32)*(u8 *)xr_frame_at(xdp, end + i, &n) << (8 * i);
	return has == crc ? 0 : -EBADMSG;
}

/* Like xr_icrc_put(), for any number of buffers. */
int xr_icrc_put_any(struct xdp_buff *xdp, u32 l3, u32 end)
{
	u32 crc, n, i;
	int ret;
	u8 *p;

	ret = xr_icrc(xdp, l3, end, &crc);
	if (ret)
		return ret;
	p = xr_frame_at(xdp, end, &n);
	if (likely(n >= XROCE_ICRC_LEN)) {
		put_unaligned_le32(crc, p);
		return 0;
	}
	for (i = 0; i < XROCE_ICRC_LEN; i++)
		*(u8 *)xr_frame_at(xdp, end + i, &n) = crc >> (8 * i);
	return 0;
}
