/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Responses that the generator has received: value of the map "count", shared by
 * count.bpf.c and the generator.
 */
#ifndef XROCE_BENCH_COUNT_H
#define XROCE_BENCH_COUNT_H

#include <linux/types.h>

/* Role of an opcode in the responses to the measured operation; 0: not a response. */
#define COUNT_DONE	(1u << 0)	/* last or only packet */
#define COUNT_PART	(1u << 1)	/* another packet of the response */
#define COUNT_AETH	(1u << 2)	/* has an AETH, which must be an ACK */

/**
 * struct count - responses
 * @kind: COUNT_* by opcode; the generator writes this, @qpn, @step, and the initial @psn
 * @qpn: destination of the responses
 * @psn: PSN of the next response
 * @step: increment of the PSN from one response to the next
 * @done: operations completely answered, in order
 * @bytes: bytes of all correct responses, from the IP header on
 * @bad: RoCEv2 packets that were not the expected response
 * @bad_opcode: opcode of the first of them
 * @bad_syndrome: its syndrome, if it has an AETH
 * @bad_psn: its PSN
 */
struct count {
	__u8 kind[256];
	__u32 qpn;
	__u32 psn;
	__u64 done;
	__u64 bytes;
	__u64 bad;
	__u32 bad_opcode;
	__u32 bad_syndrome;
	__u32 bad_psn;
	__u32 step;
};

#endif /* XROCE_BENCH_COUNT_H */
