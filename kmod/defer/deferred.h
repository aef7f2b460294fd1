/* SPDX-License-Identifier: GPL-2.0-only */
/* Structures and limits of deferred frames; defer.h says what these are for. */
#ifndef _XR_DEFER_DEFERRED_H
#define _XR_DEFER_DEFERRED_H

#include <linux/hrtimer.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "odp/wait.h"

/*
 * Maximum number of frames of a queue pair that wait for on-demand memory. Soft-RoCE has at most
 * half as many packets outstanding.
 */
#define XR_QP_DEFERRED_MAX	256u

/* Maximum number of frames behind a hole, and limit of the distance of their PSNs from it. */
#define XR_QP_EARLY_MAX		1024u
#define XR_EARLY_PSNS		8192u

/* Holes that were filled last, whose packets may come once more. */
#define XR_EARLY_FILLED		16u

struct task_struct;
struct xdp_buff;
struct xdp_frame;
struct xr_qp;

/**
 * struct xr_deferred - a deferred frame; it stands before the frame, in the same memory
 * @node: in xr_defer::frames, unless it is being executed
 * @frame: the frame
 * @at: when it arrived, in nanoseconds of CLOCK_MONOTONIC
 * @psn: RC: its PSN
 * @bth: offset of its base transport header
 * @opcode: its opcode
 */
struct xr_deferred {
	struct rb_node node;
	struct xdp_frame *frame;
	u64 at;
	u32 psn;
	u16 bth;
	u8 opcode;
};

/**
 * struct xr_early - what is known of holes among the packets of a peer (RC)
 * @sack: the peer understands selective acknowledgements
 * @ask: it is to get one
 * @sure: the last hole that was filled had been a loss, and its packet was not late only
 * @silent: the last frame was executed without a response
 * @done: PSN behind it
 * @rnr: PSN of the last RNR NAK | XR_EARLY_RNR; written under the claim
 * @nak: PSN of the last sequence NAK; likewise
 * @told: PSN behind the hole for which the last NAK was sent
 * @lost: holes before this PSN count as lost, if it is after the expected PSN
 * @until: PSN behind the frames that were there at @since
 * @since: when the first hole that does not count as lost was noticed, in nanoseconds of
 *	CLOCK_MONOTONIC; 0: there is none
 * @reorder: time after which a hole counts as lost, in nanoseconds; measured, see early.c
 * @filled: the last holes that had counted as lost and were filled: PSN, and how long they existed.
 *	A ring; @filled.ns is 0 if there is none
 * @filled.since: it was filled by a packet that was sent again: when it had appeared, in
 *	nanoseconds of CLOCK_MONOTONIC; 0: that is not known
 * @fills: position of the next one in it
 * @port: UDP source port of the last packet that was kept, and not sent again, as in the packet
 * @ports: these have had several
 */
struct xr_early {
	bool sack;
	bool ask;
	bool sure;
	bool silent;
	u32 done;
	u32 rnr;
	u32 nak;
	u32 told;
	u32 lost;
	u32 until;
	u64 since;
	u32 reorder;
	struct {
		u32 psn;
		u32 ns;
		u64 since;
	} filled[XR_EARLY_FILLED];
	u8 fills;
	bool ports;
	__be16 port;
};

/**
 * struct xr_defer - the deferred frames of a queue pair
 * @lock: protects @frames, @count, @active, @lost, @refuse, @since and @early; taken in softirq,
 *	and by processes with bottom halves off
 * @frames: struct xr_deferred
 * @count: number of frames, with the one that is being executed
 * @active: frames may be deferred: the queue pair is ready to receive
 * @lost: a frame after the last one was dropped for lack of room, or the first one because
 *	the claim remained taken; no more are deferred until none is left
 * @refuse: the first frame has waited for too long: if its memory is still missing, it gets
 *	an RNR NAK; meanwhile no more are deferred
 * @since: when the present first frame became the first, in nanoseconds of CLOCK_MONOTONIC
 * @stay: the first frame was executed and stays first, because memory is missing again or
 *	another CPU has the claim
 * @again: @stay is set because another CPU has the claim; @work runs again
 * @told: the first frame was executed, and the peer gets an RNR NAK for it
 * @waiter: waits for the memory that the first frame needs; see odp/wait.h for its lock
 * @runner: task in whose context a softirq executes the first frame; NULL: none. The task
 *	and not the CPU, because with PREEMPT_RT another softirq may preempt this one there
 * @work: executes the frames, in softirq
 * @timer: expires when the first frame has waited for too long, and sets @refuse; or when a hole
 *	counts as lost
 * @early: RC: holes before the frames
 *
 * @stay, @again, @told and @runner are written only by @work, and by the packet that it
 * executes.
 */
struct xr_defer {
	spinlock_t lock;
	struct rb_root_cached frames;
	u32 count;
	bool active;
	bool lost;
	bool refuse;
	u64 since;
	bool stay;
	bool again;
	bool told;
	struct xr_odp_waiter waiter;
	struct task_struct *runner;
	struct work_struct work;
	struct hrtimer timer;
	struct xr_early early;
};

#endif
