/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The invariant CRC of requests, which the module verifies, and of short responses, which is
 * computed here. CRCs are linear: the CRC of a packet is the XOR of the CRC of another packet
 * of the same length and, for each byte that differs, the CRC of the difference followed by
 * as many zeros as there are bytes behind it. The module provides the CRC of an
 * acknowledgement with zeros from the PSN on, the loader a table for single bytes.
 */
#ifndef _XROCE_ICRC_BPF_H
#define _XROCE_ICRC_BPF_H

/* Contribution of the low byte of @x, if @behind bytes follow it. */
#define ICRC_OF(behind, x)	xroce_crc[behind][(x) & 0xff]

#define ICRC_LOW	0x000000ff000000ffull	/* low bytes of PSN and MSN */
#define ICRC_VALID	1			/* xroce_qp::icrc_for is valid; a bit of ICRC_LOW */

/* Bytes of a READ request from the UDP header on. */
#define READ_UDP_LEN	(sizeof(struct udphdr) + sizeof(struct xroce_bth) + \
			 sizeof(struct xroce_reth) + XROCE_ICRC_LEN)

/* Bytes that an AtomicETH has more than a RETH. */
#define ATOMIC_MORE	(sizeof(struct xroce_atomiceth) - sizeof(struct xroce_reth))

/*
 * Verify the invariant CRC of a request whose lengths, addresses, queue pair number and
 * partition key have been checked. Return: as xroce_icrc_check().
 */
static __always_inline int icrc_check(struct xdp_md *ctx, const struct request *req,
				      const struct xroce_qp *q, __be16 pkey)
{
	bool atomic = req->opcode == XROCE_RC_FETCH_ADD || req->opcode == XROCE_RC_CMP_SWAP;

	if (req->plain && req->opcode == XROCE_RC_READ_REQUEST &&
	    likely(req->udp_len == READ_UDP_LEN && q->pkey_full == (__u16)pkey))
		return xroce_icrc_check_read(ctx, req->l3, q->read_icrc);
	if (req->plain && atomic &&
	    likely(req->udp_len == READ_UDP_LEN + ATOMIC_MORE && q->pkey_full == (__u16)pkey))
		return xroce_icrc_check_atomic(ctx, req->l3, q->read_icrc, req->opcode);
	return xroce_icrc_check(ctx, req->l3, req->end);
}

/*
 * Contribution of PSN and AETH if @behind bytes follow them: 0 or 8. From one response to the
 * next, usually only the low bytes of PSN and MSN differ, so the contribution of the other
 * bytes is kept in @q.
 */
static __always_inline __u32 icrc_aeth(struct xroce_qp *q,
				       const struct response *resp, int behind)
{
	__u64 all = (__u64)resp->psn << 32 | resp->syndrome << 24 | resp->msn;
	__u64 high = (all & ~ICRC_LOW) | ICRC_VALID;
	int of = behind / 8;

	if (unlikely(q->icrc_for[of] != high)) {
		__u32 psn = resp->psn, msn = resp->msn;

		/* Keeps the masks: the verifier does not know that both have 24 bits. */
		barrier_var(psn);
		barrier_var(msn);
		q->icrc_part[of] = ICRC_OF(behind + 6, psn >> 16) ^
				   ICRC_OF(behind + 5, psn >> 8) ^
				   ICRC_OF(behind + 3, resp->syndrome) ^
				   ICRC_OF(behind + 2, msn >> 16) ^
				   ICRC_OF(behind + 1, msn >> 8);
		q->icrc_for[of] = high;
	}
	return q->icrc_part[of] ^ ICRC_OF(behind + 4, resp->psn) ^
	       ICRC_OF(behind, resp->msn);
}

/* A CRC as it is sent: least significant byte first. */
static __always_inline __be32 icrc_wire(__u32 crc)
{
	return bpf_htonl(__builtin_bswap32(crc));
}

static __always_inline __u32 icrc_ack(struct xroce_qp *q, const struct response *resp)
{
	return q->ack_icrc ^ icrc_aeth(q, resp, 0);
}

/* Contribution of the result of a replayed atomic; xroce_atomic() returns that of a new one. */
static __always_inline __u32 icrc_result(__u64 result)
{
	__u32 hi = result >> 32, lo = result;

	return ICRC_OF(7, hi >> 24) ^ ICRC_OF(6, hi >> 16) ^ ICRC_OF(5, hi >> 8) ^
	       ICRC_OF(4, hi) ^ ICRC_OF(3, lo >> 24) ^ ICRC_OF(2, lo >> 16) ^
	       ICRC_OF(1, lo >> 8) ^ ICRC_OF(0, lo);
}

#endif
