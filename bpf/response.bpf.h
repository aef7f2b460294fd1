/* SPDX-License-Identifier: GPL-2.0-only */
/* The contents of a response. respond.bpf.h writes it into the frame. */
#ifndef _XROCE_RESPONSE_BPF_H
#define _XROCE_RESPONSE_BPF_H

/* Results of execution that are no enum xroce_cause. */
#define NOT_READY	(-1)	/* no receive work request */
#define NO_RESPONSE	(-2)	/* no response is possible now: drop the packet */
#define NOT_THERE	(-3)	/* on-demand memory is not resident, a fault is requested */
#define DEFERRED	(-4)	/* the same, and the frame has been deferred */
#define SILENT		(-5)	/* executed, but not answered now: not asked for, or queued */
#define OUT_OF_ORDER	(-6)	/* not the expected PSN */

/* Convert an error of a kfunc that accesses memory. @cause: for any other error. */
static __always_inline int missed(int err, int cause)
{
	return err == -EINPROGRESS ? DEFERRED :
	       err == -EAGAIN ? NOT_THERE :
	       err == -EIO ? XROCE_CAUSE_OP_MEMORY : cause;
}

/**
 * struct response - the response to a request
 * @psn: packet sequence number of the first packet
 * @msn: message sequence number
 * @syndrome: XROCE_SYN_*
 * @opcode: XROCE_RC_ACK, XROCE_RC_ATOMIC_ACK or XROCE_RC_READ_RESPONSE_ONLY
 * @result: ATOMIC_ACK: original value
 * @va: READ response: address of the first byte
 * @key: READ response: R_Key
 * @len: READ response: bytes
 * @packets: number of PSNs that the request takes
 * @crc: ATOMIC_ACK: contribution of @result to the invariant CRC, see struct xroce_atomic
 * @aeth: contribution of PSN and AETH to the invariant CRC, see response_crc()
 * @behind: see struct xroce_response
 * @again: likewise
 * @queued: the module sends the response
 * @made: READ response: the frame already is the response
 *
 * @va, @key and @len are set for other requests, too: a refusal's event has them.
 */
struct response {
	__u32 psn;
	__u32 msn;
	__u32 syndrome;
	__u32 opcode;
	__u64 result;
	__u64 va;
	__u32 key;
	__u32 len;
	__u32 packets;
	__u32 crc;
	__u32 aeth;
	bool behind;
	bool again;
	bool queued;
	bool made;
};

#endif
