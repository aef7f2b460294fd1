/* SPDX-License-Identifier: GPL-2.0-only */
/* What stall.bpf.c and its test tell each other. */
#ifndef XROCE_STALL_H
#define XROCE_STALL_H

#include <linux/types.h>

/* Each follows the one before it, and a round ends with the last. */
enum stall_step {
	STALL_NOTHING,
	STALL_RUN,	/* written by the test: stall the next run of a queue's end */
	STALL_STALLED,	/* it is stalled, until a poll is */
	STALL_POLL,	/* a poll is stalled: another run has a while to come */
	STALL_DONE,
};

/**
 * struct stall - steps of a round
 * @step: enum stall_step
 * @runs: that ended while a poll was stalled
 */
struct stall {
	__u32 step;
	__u32 runs;
};

#endif /* XROCE_STALL_H */
