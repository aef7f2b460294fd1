/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by stall.bpf.c and its test. */
#ifndef XROCE_STALL_H
#define XROCE_STALL_H

#include <linux/types.h>

/* The steps of a round, in order. */
enum stall_step {
	STALL_NOTHING,
	STALL_RUN,	/* set by the test: stall the next run of the queue at its end */
	STALL_STALLED,	/* a run is stalled, until a poll is */
	STALL_POLL,	/* a poll is stalled, so that another run could end meanwhile */
	STALL_DONE,
};

/**
 * struct stall - the state of a round
 * @step: enum stall_step
 * @runs: 1: a run has ended while the poll was stalled
 */
struct stall {
	__u32 step;
	__u32 runs;
};

#endif /* XROCE_STALL_H */
