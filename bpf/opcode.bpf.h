/* SPDX-License-Identifier: GPL-2.0-only */
/* Properties of opcodes (IBTA table 35). */
#ifndef _XROCE_OPCODE_BPF_H
#define _XROCE_OPCODE_BPF_H

enum op_flag {
	OP_RESPONSE	= 1 << 0,	/* for a requester, not for a responder */
	OP_SEND		= 1 << 1,
	OP_WRITE	= 1 << 2,
	OP_BEGIN	= 1 << 3,	/* first packet of a message */
	OP_END		= 1 << 4,	/* last packet of a message */
	OP_IMM		= 1 << 5,	/* carries immediate data */
	OP_INV		= 1 << 6,	/* carries a key to invalidate */
	OP_READ		= 1 << 7,
	OP_ATOMIC	= 1 << 8,	/* has an AtomicETH */
	OP_ATOMIC_WRITE	= 1 << 9,
	OP_FLUSH	= 1 << 10,
};

/* Requests whose response is more than an acknowledgement, and which are kept for replay. */
#define OP_REPLAY	(OP_READ | OP_ATOMIC | OP_ATOMIC_WRITE | OP_FLUSH)
#define OP_KNOWN	(OP_SEND | OP_WRITE | OP_REPLAY)

/* By operation, for all services. 0: a request that this responder does not support. */
static const __u16 rc_ops[32] = {
	[XROCE_RC_SEND_FIRST]		= OP_SEND | OP_BEGIN,
	[XROCE_RC_SEND_MIDDLE]		= OP_SEND,
	[XROCE_RC_SEND_LAST]		= OP_SEND | OP_END,
	[XROCE_RC_SEND_LAST_IMM]	= OP_SEND | OP_END | OP_IMM,
	[XROCE_RC_SEND_ONLY]		= OP_SEND | OP_BEGIN | OP_END,
	[XROCE_RC_SEND_ONLY_IMM]	= OP_SEND | OP_BEGIN | OP_END | OP_IMM,
	[XROCE_RC_WRITE_FIRST]		= OP_WRITE | OP_BEGIN,
	[XROCE_RC_WRITE_MIDDLE]		= OP_WRITE,
	[XROCE_RC_WRITE_LAST]		= OP_WRITE | OP_END,
	[XROCE_RC_WRITE_LAST_IMM]	= OP_WRITE | OP_END | OP_IMM,
	[XROCE_RC_WRITE_ONLY]		= OP_WRITE | OP_BEGIN | OP_END,
	[XROCE_RC_WRITE_ONLY_IMM]	= OP_WRITE | OP_BEGIN | OP_END | OP_IMM,
	[XROCE_RC_READ_REQUEST]		= OP_READ | OP_BEGIN | OP_END,
	[XROCE_RC_CMP_SWAP]		= OP_ATOMIC | OP_BEGIN | OP_END,
	[XROCE_RC_FETCH_ADD]		= OP_ATOMIC | OP_BEGIN | OP_END,
	[XROCE_RC_ATOMIC_WRITE]		= OP_ATOMIC_WRITE | OP_BEGIN | OP_END,
	[XROCE_RC_FLUSH]		= OP_FLUSH | OP_BEGIN | OP_END,
	[XROCE_RC_READ_RESPONSE_FIRST]	= OP_RESPONSE,
	[XROCE_RC_READ_RESPONSE_MIDDLE]	= OP_RESPONSE,
	[XROCE_RC_READ_RESPONSE_LAST]	= OP_RESPONSE,
	[XROCE_RC_READ_RESPONSE_ONLY]	= OP_RESPONSE,
	[XROCE_RC_ACK]			= OP_RESPONSE,
	[XROCE_RC_ATOMIC_ACK]		= OP_RESPONSE,
	[XROCE_RC_SEND_LAST_INV]	= OP_SEND | OP_END | OP_INV,
	[XROCE_RC_SEND_ONLY_INV]	= OP_SEND | OP_BEGIN | OP_END | OP_INV,
};

/* Return: bytes of the headers after the BTH of a request on a reliable connection. */
static __always_inline __u32 op_headers(__u32 flags)
{
	__u32 len = 0;

	if (flags & OP_ATOMIC)
		return sizeof(struct xroce_atomiceth);
	if (flags & OP_FLUSH)
		len += sizeof(struct xroce_feth);
	if (flags & (OP_READ | OP_ATOMIC_WRITE | OP_FLUSH) ||
	    (flags & OP_WRITE && flags & OP_BEGIN))
		len += sizeof(struct xroce_reth);
	if (flags & (OP_IMM | OP_INV))
		len += sizeof(__be32);
	return len;
}

/* Return: opcode of the response to a request that has been executed. */
static __always_inline __u32 op_response(__u32 flags)
{
	if (flags & OP_ATOMIC)
		return XROCE_RC_ATOMIC_ACK;
	return flags & OP_REPLAY ? XROCE_RC_READ_RESPONSE_ONLY : XROCE_RC_ACK;
}

/* Return: whether the unreliable connected service has the operation. */
static __always_inline bool uc_has(__u32 flags)
{
	return flags & (OP_SEND | OP_WRITE) && !(flags & OP_INV);
}

/* Return: whether the unreliable datagram service has the operation. */
static __always_inline bool ud_has(__u32 flags)
{
	return flags & OP_SEND && flags & OP_BEGIN && flags & OP_END &&
	       !(flags & OP_INV);
}

#endif
