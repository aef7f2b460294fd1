/* SPDX-License-Identifier: GPL-2.0-only */
/* Structures of deferred frames; defer.h says what these are for. Their limits: limit.h. */
#ifndef _XR_DEFER_DEFERRED_H
#define _XR_DEFER_DEFERRED_H

#include <linux/hrtimer.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "odp/wait.h"

#include "hole.h"

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
