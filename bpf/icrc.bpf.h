/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The invariant CRC of short replies. A CRC is linear: that of a packet is that
 * of another of the same length, and those of the bytes in which they differ,
 * each with as many zeros behind it. The module knows that of the packet whose
 * PSN and what follows are zero; the loader has made a table for the rest.
 */
#ifndef _XROCE_ICRC_BPF_H
#define _XROCE_ICRC_BPF_H

/* The low byte of @x, with @behind bytes after it. */
#define ICRC_OF(behind, x)	xroce_crc[behind][(x) & 0xff]

/* PSN and AETH, with @behind bytes after them. */
static __always_inline __u32 icrc_aeth(const struct answer *ans, int behind)
{
	return ICRC_OF(behind + 6, ans->psn >> 16) ^
	       ICRC_OF(behind + 5, ans->psn >> 8) ^
	       ICRC_OF(behind + 4, ans->psn) ^
	       ICRC_OF(behind + 3, ans->syndrome) ^
	       ICRC_OF(behind + 2, ans->msn >> 16) ^
	       ICRC_OF(behind + 1, ans->msn >> 8) ^
	       ICRC_OF(behind, ans->msn);
}

/* Least significant byte first. */
static __always_inline __be32 icrc_wire(__u32 crc)
{
	return bpf_htonl(__builtin_bswap32(crc));
}

static __always_inline __be32 icrc_ack(const struct xroce_qp *q,
				       const struct answer *ans)
{
	return icrc_wire(q->ack_icrc ^ icrc_aeth(ans, 0));
}

static __always_inline __be32 icrc_atomic(const struct xroce_qp *q,
					  const struct answer *ans)
{
	__u32 hi = ans->result >> 32, lo = ans->result;

	return icrc_wire(q->atomic_icrc ^ icrc_aeth(ans, 8) ^
			 ICRC_OF(7, hi >> 24) ^ ICRC_OF(6, hi >> 16) ^
			 ICRC_OF(5, hi >> 8) ^ ICRC_OF(4, hi) ^
			 ICRC_OF(3, lo >> 24) ^ ICRC_OF(2, lo >> 16) ^
			 ICRC_OF(1, lo >> 8) ^ ICRC_OF(0, lo));
}

#endif
