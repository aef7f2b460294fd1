// SPDX-License-Identifier: GPL-2.0-only
/*
 * CRC-32 over eight bytes of ones, where InfiniBand's local route header would
 * be, and the packet from the IP header through the pad. Fields that routers
 * change count as ones. It is sent least significant byte first.
 */
#include <linux/crc32.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <linux/unaligned.h>

#include "xroce_wire.h"

#include "clmul.h"
#include "frame.h"
#include "icrc.h"
#include "vector.h"

/* State after the eight bytes of ones. */
#define XR_ICRC_SEED	0xdebb20e3u

/* The headers up to the BTH. */
struct xr_headers4 {
	struct iphdr ip;
	struct udphdr udp;
	struct xroce_bth bth;
} __packed __aligned(4);

struct xr_headers6 {
	struct ipv6hdr ip;
	struct udphdr udp;
	struct xroce_bth bth;
} __packed __aligned(4);

/* The state after the headers, with what may change in flight as ones. */
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

/* The state after the headers and nothing else; how many bytes that were. */
static u32 xr_icrc_headers(const void *p, bool ipv6, u32 *crc)
{
	*crc = ipv6 ? xr_icrc_headers6(p) : xr_icrc_headers4(p);
	return ipv6 ? sizeof(struct xr_headers6) : sizeof(struct xr_headers4);
}

#ifdef CONFIG_X86_64
static u32 xr_icrc_first(const void *p, u32 n, bool ipv6, u32 *crc)
{
	n &= ~3u;
	*crc = xr_clmul_headers(p, n, ipv6);
	return n;
}

static u32 xr_icrc_more(u32 crc, const void *p, u32 n)
{
	u32 odd = n % 16;

	crc = crc32_le(crc, p, odd);
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

/**
 * xr_icrc() - compute the invariant CRC of a packet in a frame
 * @xdp: the frame
 * @l3: offset of the IP header; it has no options
 * @end: offset of the CRC
 * @crc: out: in the host's byte order
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
	ipv6 = *(u8 *)p >> 4 == 6;
	headers = ipv6 ? sizeof(struct xr_headers6) : sizeof(struct xr_headers4);
	if (headers > linear - l3 || end < l3 + headers)
		return -EINVAL;
	if (likely(xr_vector_begin())) {
		l3 += xr_icrc_first(p, min(linear, end) - l3, ipv6, crc);
		for (; unlikely(l3 < end); l3 += n) {
			p = xr_frame_at(xdp, l3, &n);
			n = min(n, end - l3);
			*crc = xr_icrc_more(*crc, p, n);
		}
		xr_vector_end();
	} else {
		l3 += xr_icrc_headers(p, ipv6, crc);
		for (; l3 < end; l3 += n) {
			p = xr_frame_at(xdp, l3, &n);
			n = min(n, end - l3);
			*crc = crc32_le(*crc, p, n);
		}
	}
	*crc = ~*crc;
	return 0;
}

/* The CRC in the frame at @off, which is inside it. */
u32 xr_icrc_load(struct xdp_buff *xdp, u32 off)
{
	u32 i, n, crc = 0;
	u8 *p;

	p = xr_frame_at(xdp, off, &n);
	if (likely(n >= XROCE_ICRC_LEN))
		return get_unaligned_le32(p);
	for (i = 0; i < XROCE_ICRC_LEN; i++)
		crc |= (u32)*(u8 *)xr_frame_at(xdp, off + i, &n) << (8 * i);
	return crc;
}

void xr_icrc_store(struct xdp_buff *xdp, u32 off, u32 crc)
{
	u32 i, n;
	u8 *p;

	p = xr_frame_at(xdp, off, &n);
	if (likely(n >= XROCE_ICRC_LEN)) {
		put_unaligned_le32(crc, p);
		return;
	}
	for (i = 0; i < XROCE_ICRC_LEN; i++)
		*(u8 *)xr_frame_at(xdp, off + i, &n) = crc >> (8 * i);
}
