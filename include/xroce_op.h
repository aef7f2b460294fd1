/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Opcodes: what a packet of each is and carries (IBTA table 35), and how a work request of each is
 * sent and completed (tables 65, 99). One table for the XDP program, the module and the tests.
 */
#ifndef _XROCE_OP_H
#define _XROCE_OP_H

#ifdef __KERNEL__
#include <linux/stddef.h>
#else
#include <stdbool.h>
#include <stddef.h>
#ifndef __bpf__			/* bpf_helpers.h has __always_inline */
#include <sys/cdefs.h>
#endif
#endif
#include <linux/types.h>

#include "uapi/xroce.h"
#include "xroce_wire.h"

enum xroce_op_flag {
	XROCE_OPF_RESPONSE	= 1 << 0,	/* for a requester, not for a responder */
	XROCE_OPF_SEND		= 1 << 1,
	XROCE_OPF_WRITE		= 1 << 2,
	XROCE_OPF_BEGIN		= 1 << 3,	/* first packet of a message */
	XROCE_OPF_END		= 1 << 4,	/* last packet of a message */
	XROCE_OPF_IMM		= 1 << 5,	/* carries immediate data */
	XROCE_OPF_INV		= 1 << 6,	/* carries a key to invalidate */
	XROCE_OPF_READ		= 1 << 7,
	XROCE_OPF_ATOMIC	= 1 << 8,	/* has an AtomicETH */
	XROCE_OPF_ATOMIC_WRITE	= 1 << 9,
	XROCE_OPF_FLUSH		= 1 << 10,
};

/* Requests whose response is more than an acknowledgement, and which are kept for replay. */
#define XROCE_OPF_REPLAY	(XROCE_OPF_READ | XROCE_OPF_ATOMIC | XROCE_OPF_ATOMIC_WRITE | \
				 XROCE_OPF_FLUSH)
#define XROCE_OPF_KNOWN		(XROCE_OPF_SEND | XROCE_OPF_WRITE | XROCE_OPF_REPLAY)

/* By operation, for all services. 0: a request that this responder does not support. */
static const __u16 xroce_ops[32] = {
	[XROCE_RC_SEND_FIRST]		= XROCE_OPF_SEND | XROCE_OPF_BEGIN,
	[XROCE_RC_SEND_MIDDLE]		= XROCE_OPF_SEND,
	[XROCE_RC_SEND_LAST]		= XROCE_OPF_SEND | XROCE_OPF_END,
	[XROCE_RC_SEND_LAST_IMM]	= XROCE_OPF_SEND | XROCE_OPF_END | XROCE_OPF_IMM,
	[XROCE_RC_SEND_ONLY]		= XROCE_OPF_SEND | XROCE_OPF_BEGIN | XROCE_OPF_END,
	[XROCE_RC_SEND_ONLY_IMM]	= XROCE_OPF_SEND | XROCE_OPF_BEGIN | XROCE_OPF_END |
					  XROCE_OPF_IMM,
	[XROCE_RC_WRITE_FIRST]		= XROCE_OPF_WRITE | XROCE_OPF_BEGIN,
	[XROCE_RC_WRITE_MIDDLE]		= XROCE_OPF_WRITE,
	[XROCE_RC_WRITE_LAST]		= XROCE_OPF_WRITE | XROCE_OPF_END,
	[XROCE_RC_WRITE_LAST_IMM]	= XROCE_OPF_WRITE | XROCE_OPF_END | XROCE_OPF_IMM,
	[XROCE_RC_WRITE_ONLY]		= XROCE_OPF_WRITE | XROCE_OPF_BEGIN | XROCE_OPF_END,
	[XROCE_RC_WRITE_ONLY_IMM]	= XROCE_OPF_WRITE | XROCE_OPF_BEGIN | XROCE_OPF_END |
					  XROCE_OPF_IMM,
	[XROCE_RC_READ_REQUEST]		= XROCE_OPF_READ | XROCE_OPF_BEGIN | XROCE_OPF_END,
	[XROCE_RC_CMP_SWAP]		= XROCE_OPF_ATOMIC | XROCE_OPF_BEGIN | XROCE_OPF_END,
	[XROCE_RC_FETCH_ADD]		= XROCE_OPF_ATOMIC | XROCE_OPF_BEGIN | XROCE_OPF_END,
	[XROCE_RC_ATOMIC_WRITE]		= XROCE_OPF_ATOMIC_WRITE | XROCE_OPF_BEGIN | XROCE_OPF_END,
	[XROCE_RC_FLUSH]		= XROCE_OPF_FLUSH | XROCE_OPF_BEGIN | XROCE_OPF_END,
	[XROCE_RC_READ_RESPONSE_FIRST]	= XROCE_OPF_RESPONSE,
	[XROCE_RC_READ_RESPONSE_MIDDLE]	= XROCE_OPF_RESPONSE,
	[XROCE_RC_READ_RESPONSE_LAST]	= XROCE_OPF_RESPONSE,
	[XROCE_RC_READ_RESPONSE_ONLY]	= XROCE_OPF_RESPONSE,
	[XROCE_RC_ACK]			= XROCE_OPF_RESPONSE,
	[XROCE_RC_ATOMIC_ACK]		= XROCE_OPF_RESPONSE,
	[XROCE_RC_SEND_LAST_INV]	= XROCE_OPF_SEND | XROCE_OPF_END | XROCE_OPF_INV,
	[XROCE_RC_SEND_ONLY_INV]	= XROCE_OPF_SEND | XROCE_OPF_BEGIN | XROCE_OPF_END |
					  XROCE_OPF_INV,
};

/* Return: XROCE_OPF_* of an opcode, of any service. */
static __always_inline __u32 xroce_op_flags(__u32 opcode)
{
	return xroce_ops[opcode & ~XROCE_OP_SERVICE];
}

/*
 * Of consumers in the kernel only: register a region. Opcode and completion have the values of
 * ib_core.
 */
#define XROCE_WR_REG_MR	0x20
#define XROCE_WC_REG_MR	10

/**
 * struct xroce_wr_op - how a work request is sent and completed
 * @first: opcode of its first packet, of several
 * @middle: of the packets between first and last
 * @last: of the last of several
 * @only: of a single packet
 * @wc: enum xroce_wc_opcode of its completion
 * @services: 1 << enum xroce_qp_type, for those that have it
 * @flags: XROCE_OPF_* of @only; 0: it sends no packet
 */
struct xroce_wr_op {
	__u8 first;
	__u8 middle;
	__u8 last;
	__u8 only;
	__u8 wc;
	__u8 services;
	__u16 flags;
};

#define XROCE_WR_RC	(1 << XROCE_QPT_RC)
#define XROCE_WR_RC_UC	(XROCE_WR_RC | 1 << XROCE_QPT_UC)
#define XROCE_WR_ALL	(XROCE_WR_RC_UC | 1 << XROCE_QPT_UD)

/* Messages of any length. @name: SEND or WRITE; @last_, @only_: opcodes; @flag: of these two. */
#define XROCE_WR_MESSAGE(name, last_, only_, flag, wc_, services_) {	\
	.first = XROCE_RC_##name##_FIRST,				\
	.middle = XROCE_RC_##name##_MIDDLE,				\
	.last = last_,							\
	.only = only_,							\
	.wc = wc_,							\
	.services = services_,						\
	.flags = XROCE_OPF_##name | XROCE_OPF_BEGIN | XROCE_OPF_END | (flag),	\
}

/* Requests of one packet. */
#define XROCE_WR_ONE(opcode, flag, wc_) {				\
	.first = opcode,						\
	.middle = opcode,						\
	.last = opcode,							\
	.only = opcode,							\
	.wc = wc_,							\
	.services = XROCE_WR_RC,					\
	.flags = (flag) | XROCE_OPF_BEGIN | XROCE_OPF_END,		\
}

/* By enum xroce_wr_opcode. No services: there is no such opcode. */
static const struct xroce_wr_op xroce_wr_ops[] = {
	[XROCE_WR_SEND] =
		XROCE_WR_MESSAGE(SEND, XROCE_RC_SEND_LAST, XROCE_RC_SEND_ONLY, 0,
				 XROCE_WC_SEND, XROCE_WR_ALL),
	[XROCE_WR_SEND_WITH_IMM] =
		XROCE_WR_MESSAGE(SEND, XROCE_RC_SEND_LAST_IMM, XROCE_RC_SEND_ONLY_IMM,
				 XROCE_OPF_IMM, XROCE_WC_SEND, XROCE_WR_ALL),
	[XROCE_WR_SEND_WITH_INV] =
		XROCE_WR_MESSAGE(SEND, XROCE_RC_SEND_LAST_INV, XROCE_RC_SEND_ONLY_INV,
				 XROCE_OPF_INV, XROCE_WC_SEND, XROCE_WR_RC),
	[XROCE_WR_RDMA_WRITE] =
		XROCE_WR_MESSAGE(WRITE, XROCE_RC_WRITE_LAST, XROCE_RC_WRITE_ONLY, 0,
				 XROCE_WC_RDMA_WRITE, XROCE_WR_RC_UC),
	[XROCE_WR_RDMA_WRITE_WITH_IMM] =
		XROCE_WR_MESSAGE(WRITE, XROCE_RC_WRITE_LAST_IMM, XROCE_RC_WRITE_ONLY_IMM,
				 XROCE_OPF_IMM, XROCE_WC_RDMA_WRITE, XROCE_WR_RC_UC),
	[XROCE_WR_RDMA_READ] =
		XROCE_WR_ONE(XROCE_RC_READ_REQUEST, XROCE_OPF_READ, XROCE_WC_RDMA_READ),
	[XROCE_WR_CMP_SWAP] =
		XROCE_WR_ONE(XROCE_RC_CMP_SWAP, XROCE_OPF_ATOMIC, XROCE_WC_COMP_SWAP),
	[XROCE_WR_FETCH_ADD] =
		XROCE_WR_ONE(XROCE_RC_FETCH_ADD, XROCE_OPF_ATOMIC, XROCE_WC_FETCH_ADD),
	[XROCE_WR_FLUSH] = XROCE_WR_ONE(XROCE_RC_FLUSH, XROCE_OPF_FLUSH, XROCE_WC_FLUSH),
	[XROCE_WR_ATOMIC_WRITE] =
		XROCE_WR_ONE(XROCE_RC_ATOMIC_WRITE, XROCE_OPF_ATOMIC_WRITE, XROCE_WC_ATOMIC_WRITE),
	[XROCE_WR_LOCAL_INV] = { .wc = XROCE_WC_LOCAL_INV, .services = XROCE_WR_RC_UC },
	[XROCE_WR_BIND_MW] = { .wc = XROCE_WC_BIND_MW, .services = XROCE_WR_RC_UC },
	[XROCE_WR_REG_MR] = { .wc = XROCE_WC_REG_MR, .services = XROCE_WR_RC },
};

#define XROCE_WR_OPS	(sizeof(xroce_wr_ops) / sizeof(xroce_wr_ops[0]))

/* Return: the entry of an opcode below XROCE_WR_OPS; NULL: there is no such opcode. */
static __always_inline const struct xroce_wr_op *xroce_wr_op(__u32 opcode)
{
	return xroce_wr_ops[opcode].services ? &xroce_wr_ops[opcode] : NULL;
}

/* True if the packet of a request has an RETH. */
static __always_inline bool xroce_op_has_reth(__u32 flags)
{
	return flags & (XROCE_OPF_READ | XROCE_OPF_ATOMIC_WRITE | XROCE_OPF_FLUSH) ||
	       (flags & XROCE_OPF_WRITE && flags & XROCE_OPF_BEGIN);
}

/* Return: bytes of the headers after the BTH of a request on a reliable connection. */
static __always_inline __u32 xroce_op_headers(__u32 flags)
{
	__u32 len = 0;

	if (flags & XROCE_OPF_ATOMIC)
		return sizeof(struct xroce_atomiceth);
	if (flags & XROCE_OPF_FLUSH)
		len += sizeof(struct xroce_feth);
	if (xroce_op_has_reth(flags))
		len += sizeof(struct xroce_reth);
	if (flags & (XROCE_OPF_IMM | XROCE_OPF_INV))
		len += sizeof(__be32);
	return len;
}

/* Return: opcode of the response to a request that has been executed. */
static __always_inline __u32 xroce_op_response(__u32 flags)
{
	if (flags & XROCE_OPF_ATOMIC)
		return XROCE_RC_ATOMIC_ACK;
	return flags & XROCE_OPF_REPLAY ? XROCE_RC_READ_RESPONSE_ONLY : XROCE_RC_ACK;
}

/* True if the unreliable connected service has the operation. */
static __always_inline bool xroce_op_uc(__u32 flags)
{
	return flags & (XROCE_OPF_SEND | XROCE_OPF_WRITE) && !(flags & XROCE_OPF_INV);
}

/* True if the unreliable datagram service has the operation. */
static __always_inline bool xroce_op_ud(__u32 flags)
{
	return flags & XROCE_OPF_SEND && flags & XROCE_OPF_BEGIN && flags & XROCE_OPF_END &&
	       !(flags & XROCE_OPF_INV);
}

#endif
