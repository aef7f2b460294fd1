/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The invariant CRC (IBTA 7.8.1, A17.3.3). Most packets are in the first buffer, and a
 * multiple of four bytes long. For these, everything is inlined but the CRC itself.
 */
#ifndef _XR_ICRC_H
#define _XR_ICRC_H

#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/types.h>
#include <linux/udp.h>
#include <linux/unaligned.h>

#include "xroce_kfunc.h"
#include "xroce_map.h"
#include "xroce_wire.h"

#include "clmul.h"
#include "frame.h"
#include "vector.h"

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

/* A READ request over IPv4, without the invariant CRC. */
struct xr_read4 {
	struct xr_headers4 h;
	struct xroce_reth reth;
} __packed __aligned(4);

/* An atomic over IPv4, likewise. */
struct xr_atomic4 {
	struct xr_headers4 h;
	struct xroce_atomiceth atomic;
} __packed __aligned(4);

/* [n][b]: CRC of the byte b and n bytes of zeros behind it, from state 0. */
extern u32 xr_icrc_table[sizeof(struct xr_atomic4) - offsetof(struct xr_atomic4, h.ip.id)][256];

/* Bytes from the PSN to the invariant CRC. */
#define XR_ICRC_PSN_READ	(sizeof(__be32) + sizeof(struct xroce_reth))
#define XR_ICRC_PSN_ATOMIC	(sizeof(__be32) + sizeof(struct xroce_atomiceth))
#define XR_ICRC_PSN_ACK		(sizeof(__be32) + sizeof(struct xroce_aeth))
#define XR_ICRC_PSN_RESULT	(XR_ICRC_PSN_ACK + sizeof(struct xroce_atomicacketh))
/*
 * [IPv6][words of payload]: difference (XOR) between the invariant CRC of an acknowledgement
 * and the state after the headers of a READ response with the same PSN and AETH.
 */
extern u32 xr_icrc_read[2][XROCE_READ_SHORT / 4 + 1];
/*
 * [FETCH_ADD]: contribution of the difference between the headers of a CMP_SWAP or FETCH_ADD and
 * those of a READ request.
 */
extern u32 xr_icrc_atomic[2];

void xr_icrc_init(void);
u32 xr_icrc_zeros(const void *l3, bool ipv6, u32 n);
u32 xr_icrc_expected(const struct xroce_qp *q, u8 opcode, u32 n);
int xr_icrc(struct xdp_buff *xdp, u32 l3, u32 end, u32 *crc);
int xr_icrc_check_any(struct xdp_buff *xdp, u32 l3, u32 end);
int xr_icrc_put_any(struct xdp_buff *xdp, u32 l3, u32 end);

/* CRC of a number in network byte order, from state 0. */
static __always_inline u32 xr_icrc_of(u64 x)
{
	return xr_icrc_table[7][x >> 56] ^ xr_icrc_table[6][x >> 48 & 0xff] ^
	       xr_icrc_table[5][x >> 40 & 0xff] ^ xr_icrc_table[4][x >> 32 & 0xff] ^
	       xr_icrc_table[3][x >> 24 & 0xff] ^ xr_icrc_table[2][x >> 16 & 0xff] ^
	       xr_icrc_table[1][x >> 8 & 0xff] ^ xr_icrc_table[0][x & 0xff];
}

/* Return: bytes of IP header, UDP header and BTH. */
static __always_inline u32 xr_icrc_headers_len(bool ipv6)
{
	return ipv6 ? sizeof(struct xr_headers6) : sizeof(struct xr_headers4);
}

static __always_inline bool xr_icrc_ipv6(const void *l3)
{
	return *(const u8 *)l3 >> 4 == 6;
}

#ifdef CONFIG_X86_64
/*
 * Compute the invariant CRC of @len bytes from the IP header on: a multiple of four, and at
 * least the headers. In a vector section.
 */
static __always_inline u32 xr_icrc_sum(const void *l3, u32 len, bool ipv6)
{
	/* IPv6 first, so that the compiler merges this branch with that of the caller. */
	if (unlikely(ipv6))
		return xr_clmul_wide(len) ? ~xr_clmul_wide_sum(l3, len, true) :
					    ~xr_clmul_ipv6(l3, len);
	return xr_clmul_wide(len) ? ~xr_clmul_wide_sum(l3, len, false) : ~xr_clmul_ipv4(l3, len);
}

/*
 * Copy a payload behind its headers, and compute the invariant CRC of both: see
 * xr_clmul_copy_ipv4(). In a vector section.
 */
static __always_inline u32 xr_icrc_copy(const void *l3, void *to, const void *from,
					u32 len, bool ipv6)
{
	if (xr_clmul_wide(len))
		return ~xr_clmul_wide_copy(l3, to, from, len, ipv6);
	return likely(!ipv6) ? ~xr_clmul_copy_ipv4(l3, to, from, len) :
			       ~xr_clmul_copy_ipv6(l3, to, from, len);
}

/*
 * Compute the invariant CRC of a packet in the first buffer. In a vector section. Return:
 * false: the length is not a multiple of four, as it is for nearly all packets, or the
 * headers do not fit.
 */
static __always_inline bool xr_icrc_whole(const struct xdp_buff *xdp, u32 l3, u32 end,
					  u32 *crc)
{
	const void *p = xdp->data + l3;
	u32 len = end - l3;
	bool ipv6;

	if (unlikely(l3 < ETH_HLEN || l3 >= end || len % 4))
		return false;
	ipv6 = xr_icrc_ipv6(p);
	if (unlikely(len < xr_icrc_headers_len(ipv6)))
		return false;
	*crc = xr_icrc_sum(p, len, ipv6);
	return true;
}
#else
/* Never called: xr_vector_begin() returns false. */
static inline u32 xr_icrc_sum(const void *l3, u32 len, bool ipv6)
{
	return 0;
}

static inline u32 xr_icrc_copy(const void *l3, void *to, const void *from, u32 len,
			       bool ipv6)
{
	return 0;
}

static inline bool xr_icrc_whole(const struct xdp_buff *xdp, u32 l3, u32 end, u32 *crc)
{
	return false;
}
#endif

/*
 * True if the invariant CRC of a packet over IPv4 is right, which is in the first buffer, and whose
 * length is a multiple of four. In a vector section.
 */
static __always_inline bool xr_icrc_right4(const struct xdp_buff *xdp, u32 l3, u32 end)
{
	u32 len = end - l3;

	return likely(l3 >= ETH_HLEN && l3 < end && len >= sizeof(struct xr_headers4) &&
		      !(len % 4)) &&
	       get_unaligned_le32(xdp->data + end) == xr_icrc_sum(xdp->data + l3, len, false);
}

/*
 * Verify the invariant CRC of a packet, most often in the first buffer. Return: 0 or
 * XROCE_FRAME_*: it is right; -EBADMSG: it is wrong; -EINVAL: wrong offsets.
 */
static __always_inline int xr_icrc_check(struct xdp_buff *xdp, u32 l3, u32 end)
{
	int ret = 1;
	u32 crc;

	/* For other packets, xr_icrc_check_any() begins a vector section. */
	if (likely(xr_frame_linear(xdp, end, XROCE_ICRC_LEN)) &&
	    likely(xr_vector_begin_alone())) {
		if (likely(xr_icrc_whole(xdp, l3, end, &crc)))
			ret = get_unaligned_le32(xdp->data + end) == crc ?
			      0 : -EBADMSG;
		xr_vector_end_alone();
	}
	if (unlikely(ret > 0))
		ret = xr_icrc_check_any(xdp, l3, end);
	if (unlikely(ret))
		return ret;
	return xr_frame_flags(xdp);
}

/* Contribution (XOR) of byte @i of @len bytes, from the IP header on, to their invariant CRC. */
#define XR_ICRC_BYTE(p, i, len)	xr_icrc_table[(len) - 1 - (i)][(p)[i]]

/* Contribution of all of the last @n bytes before the invariant CRC, at @p. @n is a constant. */
static __always_inline u32 xr_icrc_last(const u8 *p, u32 n)
{
	u32 crc = 0, i;

#pragma GCC unroll 32
	for (i = 0; i < n; i++)
		crc ^= XR_ICRC_BYTE(p, i, n);
	return crc;
}

/*
 * Compute the invariant CRC of a packet over IPv4 from @known, that of such a packet with zeros
 * where packets of a connection vary: xr_icrc_expected(). All other fields have been compared. @p:
 * IP header; @n: bytes from the PSN on, a constant. So few bytes are not worth a vector section.
 */
static __always_inline u32 xr_icrc_vary4(const u8 *p, u32 n, u32 known)
{
	u32 len = offsetof(struct xr_headers4, bth.apsn) + n;
	u32 id = offsetof(struct xr_headers4, ip.id);
	u32 port = offsetof(struct xr_headers4, udp.source);

	known ^= XR_ICRC_BYTE(p, id, len) ^ XR_ICRC_BYTE(p, id + 1, len);
	/* Only the byte with the flags: the packet is no fragment, so the offset is 0. */
	known ^= XR_ICRC_BYTE(p, offsetof(struct xr_headers4, ip.frag_off), len);
	known ^= XR_ICRC_BYTE(p, port, len) ^ XR_ICRC_BYTE(p, port + 1, len);
	known ^= XR_ICRC_BYTE(p, offsetof(struct xr_headers4, bth.flags), len);
	return known ^ xr_icrc_last(p + offsetof(struct xr_headers4, bth.apsn), n);
}

/*
 * Verify the invariant CRC of a request over IPv4 with @n bytes from the PSN on, a constant, of
 * which @known is the part that does not vary. Return: as xr_icrc_check().
 */
static __always_inline int xr_icrc_check_vary(struct xdp_buff *xdp, u32 l3, u32 n, u32 known)
{
	u32 linear = xdp->data_end - xdp->data, len = offsetof(struct xr_headers4, bth.apsn) + n;
	const u8 *p = xdp->data + l3;

	if (unlikely(l3 > linear || linear - l3 < len + XROCE_ICRC_LEN))
		return xr_icrc_check_any(xdp, l3, l3 + len) ?: xr_frame_flags(xdp);
	if (unlikely(get_unaligned_le32(p + len) != xr_icrc_vary4(p, n, known)))
		return -EBADMSG;
	return xr_frame_flags(xdp);
}

/* For a READ request: see xroce_icrc_check_read(). */
static __always_inline int xr_icrc_check_read(struct xdp_buff *xdp, u32 l3, u32 known)
{
	return xr_icrc_check_vary(xdp, l3, XR_ICRC_PSN_READ, known);
}

/*
 * Change the invariant CRC of a READ request with zeros from the PSN on to that of a CMP_SWAP or
 * FETCH_ADD: more zeros follow, and the headers differ.
 */
static __always_inline u32 xr_icrc_to_atomic(u32 read, bool add)
{
	u32 state = ~read;

	/* As many zeros as an AtomicETH is longer than a RETH. */
	static_assert(sizeof(struct xroce_atomiceth) - sizeof(struct xroce_reth) == 12);
	state = xr_icrc_table[11][state & 0xff] ^ xr_icrc_table[10][state >> 8 & 0xff] ^
		xr_icrc_table[9][state >> 16 & 0xff] ^ xr_icrc_table[8][state >> 24];
	return ~state ^ xr_icrc_atomic[add];
}

/* For a CMP_SWAP or FETCH_ADD: see xroce_icrc_check_atomic(). */
static __always_inline int xr_icrc_check_atomic(struct xdp_buff *xdp, u32 l3, u32 known, bool add)
{
	return xr_icrc_check_vary(xdp, l3, XR_ICRC_PSN_ATOMIC, xr_icrc_to_atomic(known, add));
}

/* Compute the invariant CRC and write it to the frame, at @end. Return: 0 or -EINVAL. */
static __always_inline int xr_icrc_put(struct xdp_buff *xdp, u32 l3, u32 end)
{
	bool done = false;
	u32 crc;

	if (likely(xr_frame_linear(xdp, end, XROCE_ICRC_LEN)) &&
	    likely(xr_vector_begin())) {
		done = xr_icrc_whole(xdp, l3, end, &crc);
		if (likely(done))
			put_unaligned_le32(crc, xdp->data + end);
		xr_vector_end();
	}
	return likely(done) ? 0 : xr_icrc_put_any(xdp, l3, end);
}

#endif
