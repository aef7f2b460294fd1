/* SPDX-License-Identifier: GPL-2.0-only */
/* What the program says to a request. */
#ifndef _XROCE_RESPONSE_BPF_H
#define _XROCE_RESPONSE_BPF_H

/* In place of an enum xroce_cause. */
#define NOT_READY	(-1)	/* there is no receive work request */
#define NO_RESPONSE	(-2)	/* there is no way to answer now: drop it */
#define NOT_THERE	(-3)	/* on-demand memory that has been sent for */
#define DEFERRED	(-4)	/* the same, and the packet comes again */

/* What an error of a kfunc means that may be on-demand memory's. */
static __always_inline int missed(int err, int cause)
{
	return err == -EINPROGRESS ? DEFERRED :
	       err == -EAGAIN ? NOT_THERE :
	       err == -EIO ? XROCE_CAUSE_OP_MEMORY : cause;
}

/**
 * struct response - what to say
 * @psn: packet sequence number of the first packet
 * @msn: message sequence number
 * @syndrome: XROCE_SYN_*
 * @opcode: XROCE_RC_ACK, XROCE_RC_ATOMIC_ACK or XROCE_RC_READ_RESPONSE_ONLY
 * @result: ATOMIC_ACK: what was there
 * @crc: ATOMIC_ACK: what that adds to the invariant CRC, see struct xroce_atomic
 * @va: READ response: first byte
 * @key: READ response: R_Key
 * @len: READ response: bytes
 * @packets: PSNs that the request took
 * @behind: see struct xroce_response
 * @queued: the module sends it
 * @made: READ response: the frame is one
 * @drop: XROCE_DROP_*: there is no response, as the packet is dropped; 0: it is not
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
	bool behind;
	bool queued;
	bool made;
	__u8 drop;
};

#endif
