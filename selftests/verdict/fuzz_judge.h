/* SPDX-License-Identifier: GPL-2.0-only */
/* Rules that hold for any packet in any state. */
#ifndef XROCE_FUZZ_JUDGE_H
#define XROCE_FUZZ_JUDGE_H

#include "native.h"
#include "packet.h"

/**
 * struct trial - a packet, and everything that it may have changed
 * @frame: the packet
 * @run: the result of the program
 * @was: the queue pair before
 * @is: the queue pair after
 * @rd_was: its responder resources before
 * @rd_is: its responder resources after
 * @delta: the difference of each counter
 * @events: number of events
 * @event: the last event
 * @mpts: the whole MPT
 */
struct trial {
	const struct frame *frame;
	struct native_run run;
	struct xroce_qp was;
	struct xroce_qp is;
	struct xroce_rd_ring rd_was;
	struct xroce_rd_ring rd_is;
	struct xroce_stat delta;
	uint32_t events;
	struct xroce_event event;
	const struct xroce_mpt *mpts;
};

/* Whether the opcode of the frame is READ, atomic, ATOMIC WRITE or FLUSH of RC. */
bool fuzz_is_kept(const struct frame *frame);

/* Check all rules. The test fails if one does not hold. */
void fuzz_judge(const struct trial *t);

#endif /* XROCE_FUZZ_JUDGE_H */
