/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * What a RoCEv2 packet looks like: Ethernet, IPv4 or IPv6, UDP, then the
 * headers below, the payload with its pad, and the invariant CRC (IBTA volume 1
 * chapter 9, annex A17). All fields are big-endian.
 */
#ifndef _XROCE_WIRE_H
#define _XROCE_WIRE_H

#include <linux/types.h>

#define XROCE_UDP_PORT		4791
#define XROCE_PSN_MASK		0xffffffu
#define XROCE_QPN_MASK		0xffffffu
#define XROCE_ICRC_LEN		4u
#define XROCE_MAX_MSG		0x80000000u	/* bytes (IBTA 9.3.3) */

/* Base transport header (IBTA 9.2). */
struct xroce_bth {
	__u8	opcode;
	__u8	flags;		/* XROCE_BTH_* */
	__be16	pkey;
	__be32	dqpn;		/* FECN, BECN, 6 bits reserved, 24 bits QPN */
	__be32	apsn;		/* AckReq, 7 bits reserved, 24 bits PSN */
};

#define XROCE_BTH_SE		0x80	/* solicited event */
#define XROCE_BTH_MIGREQ	0x40
#define XROCE_BTH_PAD_MASK	0x30	/* pad bytes after the payload */
#define XROCE_BTH_PAD_SHIFT	4
#define XROCE_BTH_TVER_MASK	0x0f	/* transport header version: 0 */
#define XROCE_BTH_ACKREQ	0x80000000u
/*
 * A reserved bit of xroce_bth::dqpn: the requester understands XROCE_OP_SACK. Others ignore it, and
 * the invariant CRC does not cover it.
 */
#define XROCE_BTH_SACK		0x01000000u
/* Likewise, with XROCE_BTH_SACK: the packet fills a hole, and has been sent before. */
#define XROCE_BTH_AGAIN		0x02000000u

/* RDMA extended transport header (IBTA 9.3.3). */
struct xroce_reth {
	__be32	va_hi;		/* split, as it is 4 byte aligned only */
	__be32	va_lo;
	__be32	rkey;
	__be32	len;		/* of the whole message, bytes */
};

/* Atomic extended transport header (IBTA 9.3.4). */
struct xroce_atomiceth {
	__be32	va_hi;
	__be32	va_lo;
	__be32	rkey;
	__be32	swap_hi;	/* to store, or to add */
	__be32	swap_lo;
	__be32	cmp_hi;		/* to compare with */
	__be32	cmp_lo;
};

/* Flush extended transport header (IBTA A19.4). */
struct xroce_feth {
	__be32	what;		/* XROCE_FLUSH_* */
};

#define XROCE_FLUSH_GLOBAL	0x1u	/* placement: global visibility */
#define XROCE_FLUSH_PERSISTENT	0x2u	/* placement: persistence */
#define XROCE_FLUSH_SEL_SHIFT	4
#define XROCE_FLUSH_SEL_MASK	0x3u
#define XROCE_FLUSH_SEL_RANGE	0u	/* the RETH's range */
#define XROCE_FLUSH_SEL_MR	1u	/* the whole region */

/* Immediate data (IBTA 9.3.6). */
struct xroce_immdt {
	__be32	imm;
};

/* Acknowledge extended transport header (IBTA 9.3.5). */
struct xroce_aeth {
	__be32	smsn;		/* 8 bits syndrome, 24 bits MSN */
};

/* Atomic acknowledge extended transport header (IBTA 9.5.3). */
struct xroce_atomicacketh {
	__be32	orig_hi;
	__be32	orig_lo;
};

/* Invalidate extended transport header (IBTA 9.3.7). */
struct xroce_ieth {
	__be32	rkey;
};

/* Datagram extended transport header (IBTA 9.3.2). */
struct xroce_deth {
	__be32	qkey;
	__be32	sqpn;		/* 8 bits reserved, 24 bits QPN */
};

/* AETH syndromes (IBTA 9.7.5.2). */
#define XROCE_SYN_ACK		0x1fu	/* credit count invalid: no limit */
#define XROCE_SYN_RNR		0x20u	/* | timer code */
#define XROCE_RNR_FAULT		7	/* 0.12 ms: about what a page fault takes */
#define XROCE_SYN_NAK_SEQ	0x60u	/* PSN sequence error */
#define XROCE_SYN_NAK_INV	0x61u	/* invalid request */
#define XROCE_SYN_NAK_ACC	0x62u	/* remote access error */
#define XROCE_SYN_NAK_OP	0x63u	/* remote operational error */

/* Opcode: three bits of service, five of operation (IBTA 9.2.1, table 35). */
#define XROCE_OP_SERVICE	0xe0
#define XROCE_OP_RC		0x00
#define XROCE_OP_UC		0x20
#define XROCE_OP_RD		0x40
#define XROCE_OP_UD		0x60

enum xroce_rc_opcode {
	XROCE_RC_SEND_FIRST		= 0x00,
	XROCE_RC_SEND_MIDDLE		= 0x01,
	XROCE_RC_SEND_LAST		= 0x02,
	XROCE_RC_SEND_LAST_IMM		= 0x03,
	XROCE_RC_SEND_ONLY		= 0x04,
	XROCE_RC_SEND_ONLY_IMM		= 0x05,
	XROCE_RC_WRITE_FIRST		= 0x06,
	XROCE_RC_WRITE_MIDDLE		= 0x07,
	XROCE_RC_WRITE_LAST		= 0x08,
	XROCE_RC_WRITE_LAST_IMM		= 0x09,
	XROCE_RC_WRITE_ONLY		= 0x0a,
	XROCE_RC_WRITE_ONLY_IMM		= 0x0b,
	XROCE_RC_READ_REQUEST		= 0x0c,
	XROCE_RC_READ_RESPONSE_FIRST	= 0x0d,
	XROCE_RC_READ_RESPONSE_MIDDLE	= 0x0e,
	XROCE_RC_READ_RESPONSE_LAST	= 0x0f,
	XROCE_RC_READ_RESPONSE_ONLY	= 0x10,
	XROCE_RC_ACK			= 0x11,
	XROCE_RC_ATOMIC_ACK		= 0x12,
	XROCE_RC_CMP_SWAP		= 0x13,
	XROCE_RC_FETCH_ADD		= 0x14,
	XROCE_RC_SEND_LAST_INV		= 0x16,
	XROCE_RC_SEND_ONLY_INV		= 0x17,
	XROCE_RC_FLUSH			= 0x1c,
	XROCE_RC_ATOMIC_WRITE		= 0x1d,
};

/*
 * Congestion (A17.9): switches mark packets in the ECN field of the IP header,
 * the low two bits of TOS or traffic class, and who receives one says so to the
 * sender with a congestion notification packet (CNP): BECN, PSN 0, and reserved
 * bytes for payload.
 */
#define XROCE_OP_CNP		0x81
#define XROCE_CNP_LEN		16u
#define XROCE_BTH_BECN		0x40000000u	/* of xroce_bth::dqpn */
#define XROCE_ECN_MASK		0x03
#define XROCE_ECN_ECT0		0x02	/* ECN-capable: a congested switch may mark it */
#define XROCE_ECN_CE		0x03	/* congestion experienced (RFC 3168) */

/*
 * A selective acknowledgement, in place of a NAK for a sequence error, to a requester that has set
 * XROCE_BTH_SACK. The opcode is one of those that are left to manufacturers (IBTA table 35). AETH
 * and struct xroce_sack follow the BTH, whose PSN is the one that the responder expects: packets
 * before it have been executed. Syndrome and MSN of the AETH are those of the NAK.
 */
#define XROCE_OP_SACK		0xc1
#define XROCE_SACK_BITS		1024u

/**
 * struct xroce_sack - the packets that a responder keeps
 * @lost: packets from the expected one on of which those that are missing count as lost, 0 to
 *	XROCE_SACK_BITS
 * @bits: bit n % 32 of word n / 32, counted from the lowest one, is set if the request packet with
 *	the expected PSN + n is kept. The bit of a READ, say, is that of its first PSN
 */
struct xroce_sack {
	__be32	lost;
	__be32	bits[XROCE_SACK_BITS / 32];
};

#endif /* _XROCE_WIRE_H */
