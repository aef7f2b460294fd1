/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Payload, pad and invariant CRC of a READ response or request. The payload is read once by a copy
 * that also computes the CRC, or is copied and then read again in the same vector section.
 */
#ifndef _XR_RESPOND_READ_H
#define _XR_RESPOND_READ_H

#include "bytes/icrc.h"
#include "frame/payload.h"

/*
 * Write a short payload and its invariant CRC, without vector registers. @len is a multiple
 * of four, at most XROCE_READ_SHORT. @ack is the invariant CRC of an acknowledgement with
 * the same PSN and AETH.
 */
static __always_inline void xr_read_short(void *to, const void *from, u32 len,
					      bool ipv6, u32 ack)
{
	u32 crc = ack ^ xr_icrc_read[ipv6][len / 4];
	u64 word;

	for (; len >= sizeof(word); len -= sizeof(word)) {
		word = get_unaligned((const u64 *)from);
		put_unaligned(word, (u64 *)to);
		crc = xr_icrc_of(be64_to_cpu((__force __be64)(word ^ crc)));
		from += sizeof(word);
		to += sizeof(word);
	}
	if (len) {
		u32 half = get_unaligned((const u32 *)from);

		put_unaligned(half, (u32 *)to);
		crc = xr_icrc_of(be32_to_cpu((__force __be32)(half ^ crc)));
		to += sizeof(half);
	}
	put_unaligned_le32(~crc, to);
}

/**
 * struct xr_payload - where a payload belongs in a frame of final length, with all headers
 * @xdp: the frame, in one buffer
 * @l3: offset of the IP header
 * @ipv6: the IP header is IPv6; otherwise IPv4
 * @off: offset of the payload
 * @len: its bytes, not 0
 */
struct xr_payload {
	struct xdp_buff *xdp;
	u32 l3;
	bool ipv6;
	u32 off;
	u32 len;
};

/*
 * Write a payload whose length is a multiple of four, and the invariant CRC; in one pass if it
 * consists of whole blocks. In a vector section.
 */
static __always_inline void xr_read_vector(const struct xr_payload *p, const void *mem)
{
	const void *l3 = p->xdp->data + p->l3;
	void *to = p->xdp->data + p->off;
	u32 crc;

	if (!(p->len % XR_CLMUL_BLOCK)) {
		crc = xr_icrc_copy(l3, to, mem, p->len, p->ipv6);
	} else {
		xr_copy_vector(to, mem, p->len);
		crc = xr_icrc_sum(l3, p->off + p->len - p->l3, p->ipv6);
	}
	put_unaligned_le32(crc, to + p->len);
}

void xr_read_any(const struct xr_mr *mr, u64 at, struct xdp_buff *xdp, u32 l3, u32 off, u32 len);

/**
 * xr_read_fill() - write payload, pad and invariant CRC of a READ response or a request
 * @mr: region, held by the caller
 * @at: offset of the payload in the region, where it is resident
 * @p: where it belongs, up to XR_CLMUL_XTH bytes after the BTH
 */
static __always_inline void xr_read_fill(const struct xr_mr *mr, u64 at,
					 const struct xr_payload *p)
{
	const void *mem = xr_mr_whole(mr, at, p->len);

	if (unlikely(!mem || p->len % 4 || !xr_vector_begin())) {
		xr_read_any(mr, at, p->xdp, p->l3, p->off, p->len);
		return;
	}
	xr_read_vector(p, mem);
	xr_vector_end();
}

/**
 * xr_read_answer() - xr_read_fill() of a READ response in an XDP program
 * @mr: as there
 * @at: as there
 * @p: as there
 * @ack: the invariant CRC of an acknowledgement with the same PSN and AETH, for up to
 *	XROCE_READ_SHORT bytes
 */
static __always_inline void xr_read_answer(const struct xr_mr *mr, u64 at,
					   const struct xr_payload *p, u32 ack)
{
	const void *mem = xr_mr_whole(mr, at, p->len);

	if (unlikely(!mem || p->len % 4)) {
		xr_read_any(mr, at, p->xdp, p->l3, p->off, p->len);
	} else if (p->len <= XROCE_READ_SHORT) {
		xr_read_short(p->xdp->data + p->off, mem, p->len, p->ipv6, ack);
	} else if (unlikely(!xr_vector_begin_alone())) {
		xr_read_any(mr, at, p->xdp, p->l3, p->off, p->len);
	} else {
		xr_read_vector(p, mem);
		xr_vector_end_alone();
	}
}

#endif
