// SPDX-License-Identifier: GPL-2.0-only
/*
 * CRC-32 over eight bytes of ones, where InfiniBand's local route header would
 * be, and the packet from the IP header through the pad. Fields that routers
 * change count as ones. It is sent least significant byte first.
 */
#include <crypto/hash.h>
#include <linux/crc32.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/module.h>
#include <linux/udp.h>
#include <linux/unaligned.h>
#include <linux/version.h>

#include "xroce_wire.h"

#include "frame.h"
#include "icrc.h"
#include "main.h"

/* State after the eight bytes of ones. */
#define XR_ICRC_SEED	0xdebb20e3u

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
/*
 * Before 6.14 the library's CRC has no vector code; the crypto API's has. It is
 * slower on what is short.
 */
#define XR_ICRC_SHASH_MIN	128

static struct crypto_shash *xr_crc32;

/* The whole state of this hash is the CRC. */
struct xr_crc_desc {
	struct shash_desc shash;
	u32 crc;
};

int xr_icrc_init(void)
{
	xr_crc32 = crypto_alloc_shash("crc32", 0, 0);
	if (IS_ERR(xr_crc32))
		return PTR_ERR(xr_crc32);
	if (crypto_shash_descsize(xr_crc32) == sizeof(u32))
		return 0;
	crypto_free_shash(xr_crc32);
	return -EOPNOTSUPP;
}

void xr_icrc_exit(void)
{
	crypto_free_shash(xr_crc32);
}

static u32 xr_crc(u32 crc, const void *p, u32 len)
{
	/* Not SHASH_DESC_ON_STACK, which zeroes the room of any hash. */
	struct xr_crc_desc desc;

	if (len < XR_ICRC_SHASH_MIN)
		return crc32_le(crc, p, len);
	desc.shash.tfm = xr_crc32;
	desc.crc = crc;
	if (crypto_shash_update(&desc.shash, p, len))
		return crc32_le(crc, p, len);
	return desc.crc;
}

MODULE_SOFTDEP("pre: crc32-pclmul");
#else
int xr_icrc_init(void)
{
	return 0;
}

void xr_icrc_exit(void)
{
}

static u32 xr_crc(u32 crc, const void *p, u32 len)
{
	return crc32_le(crc, p, len);
}
#endif

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

	if (l3 >= linear || !xr_frame_has(xdp, end, XROCE_ICRC_LEN))
		return -EINVAL;
	p = xdp->data + l3;
	ipv6 = *(u8 *)p >> 4 == 6;
	headers = ipv6 ? sizeof(struct xr_headers6) : sizeof(struct xr_headers4);
	if (headers > linear - l3 || end < l3 + headers)
		return -EINVAL;
	*crc = ipv6 ? xr_icrc_headers6(p) : xr_icrc_headers4(p);
	for (l3 += headers; l3 < end; l3 += n) {
		p = xr_frame_at(xdp, l3, &n);
		n = min(n, end - l3);
		*crc = xr_crc(*crc, p, n);
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
