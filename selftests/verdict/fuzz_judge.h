/* SPDX-License-Identifier: GPL-2.0-only */
/* What must hold for any packet, in any state. */
#ifndef XROCE_FUZZ_JUDGE_H
#define XROCE_FUZZ_JUDGE_H

#include "native.h"
#include "packet.h"

/**
 * struct trial - a packet, and all that it may have changed
 * @frame: the packet
 * @run: what the program made of it
 * @was: the queue pair before
 * @is: after
 * @rd_was: its responder resources before
 * @rd_is: after
 * @events: how many it made
 * @event: the last of them
 * @delta: by how much each counter moved
 * @mpts: the whole table
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

/* READ, atomics, ATOMIC WRITE and FLUSH, by the opcode of the frame. */
bool fuzz_is_kept(const struct frame *frame);

/* Fails the test unless all of it holds. */
void fuzz_judge(const struct trial *t);

#endif /* XROCE_FUZZ_JUDGE_H */
