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

int xr_icrc_init(void)
{
	xr_crc32 = crypto_alloc_shash("crc32", 0, 0);
	return PTR_ERR_OR_ZERO(xr_crc32);
}

void xr_icrc_exit(void)
{
	crypto_free_shash(xr_crc32);
}

static u32 xr_crc(u32 crc, const void *p, u32 len)
{
	SHASH_DESC_ON_STACK(desc, xr_crc32);

	if (len < XR_ICRC_SHASH_MIN)
		return crc32_le(crc, p, len);
	/* The whole state of this hash is the CRC. */
	desc->tfm = xr_crc32;
	*(u32 *)shash_desc_ctx(desc) = crc;
	if (crypto_shash_update(desc, p, len))
		return crc32_le(crc, p, len);
	return *(u32 *)shash_desc_ctx(desc);
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

/* The headers up to the BTH, with what may change in flight as ones. */
struct xr_masked {
	union {
		struct {
			struct iphdr ip;
			struct udphdr udp;
			struct xroce_bth bth;
		} __packed v4;
		struct {
			struct ipv6hdr ip;
			struct udphdr udp;
			struct xroce_bth bth;
		} __packed v6;
	};
};

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
	struct xr_masked m;
	u32 headers, n;
	u8 version;
	void *p;

	if (l3 >= linear || !xr_frame_has(xdp, end, XROCE_ICRC_LEN))
		return -EINVAL;
	version = *(u8 *)(xdp->data + l3) >> 4;
	headers = version == 6 ? sizeof(m.v6) : sizeof(m.v4);
	if (headers > linear - l3 || end < l3 + headers)
		return -EINVAL;
	memcpy(&m, xdp->data + l3, headers);
	if (version == 6) {
		*(__be32 *)&m.v6.ip |= htonl(0x0fffffff);
		m.v6.ip.hop_limit = 0xff;
		m.v6.udp.check = (__force __sum16)0xffff;
		m.v6.bth.dqpn |= htonl(0xff000000);
	} else {
		m.v4.ip.tos = 0xff;
		m.v4.ip.ttl = 0xff;
		m.v4.ip.check = (__force __sum16)0xffff;
		m.v4.udp.check = (__force __sum16)0xffff;
		m.v4.bth.dqpn |= htonl(0xff000000);
	}

	*crc = xr_crc(XR_ICRC_SEED, &m, headers);
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

	for (i = 0; i < XROCE_ICRC_LEN; i++)
		crc |= (u32)*(u8 *)xr_frame_at(xdp, off + i, &n) << (8 * i);
	return crc;
}

void xr_icrc_store(struct xdp_buff *xdp, u32 off, u32 crc)
{
	u32 i, n;

	for (i = 0; i < XROCE_ICRC_LEN; i++)
		*(u8 *)xr_frame_at(xdp, off + i, &n) = crc >> (8 * i);
}
