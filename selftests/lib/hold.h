/* SPDX-License-Identifier: GPL-2.0-only */
/* What hold.bpf.c and its test tell each other. */
#ifndef XROCE_HOLD_H
#define XROCE_HOLD_H

#include <linux/types.h>

/* Each follows the one before it, and a round ends with the last. */
enum hold_step {
	HOLD_NOTHING,
	HOLD_RUN,	/* written by the test: hold the next run of a queue's end */
	HOLD_HELD,	/* it is held, until a poll is */
	HOLD_POLL,	/* a poll is held: another run has a while to come */
	HOLD_DONE,
};

/**
 * struct hold - steps of a round
 * @step: enum hold_step
 * @runs: that ended while a poll was held
 */
struct hold {
	__u32 step;
	__u32 runs;
};

#endif /* XROCE_HOLD_H */
