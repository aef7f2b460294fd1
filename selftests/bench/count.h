/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The responses that the generator has got: the value of the map "count", which
 * count.bpf.c and the generator share.
 */
#ifndef XROCE_BENCH_COUNT_H
#define XROCE_BENCH_COUNT_H

#include <linux/types.h>

/* What an opcode is to the operation that is measured; 0: not its response. */
#define COUNT_DONE	(1u << 0)	/* the last packet, or the only one */
#define COUNT_PART	(1u << 1)	/* another packet of the response */
#define COUNT_AETH	(1u << 2)	/* it has one, which must say ACK */

/**
 * struct count - responses
 * @kind: COUNT_* by opcode; written by the generator, as are @qpn, @step, and
 *	@psn at the start
 * @qpn: destination of the responses
 * @psn: of the next response
 * @step: from the sequence number of a response to the next one's
 * @done: operations answered in full, in order
 * @bytes: of all responses that were right, from the IP header on
 * @bad: RoCEv2 packets that were not the response expected next
 * @bad_opcode: of the first of them
 * @bad_syndrome: its AETH's, if it has one
 * @bad_psn: its sequence number
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
