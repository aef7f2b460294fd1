/* SPDX-License-Identifier: GPL-2.0-only */
/* The deferred frames of a queue pair: see odp/defer.h. */
#ifndef _XR_ODP_DEFER_FRAMES_H
#define _XR_ODP_DEFER_FRAMES_H

#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

#include "wait.h"

/*
 * Maximum number of deferred frames of a queue pair, a power of two. Soft-RoCE sends at most
 * half as many without an acknowledgement.
 */
#define XR_QP_DEFERRED_MAX	256u

struct task_struct;
struct xdp_frame;

/**
 * struct xr_defer - the deferred frames of a queue pair, in order
 * @lock: protects @frame, @head, @count, @active, @lost, @refuse and @since; taken in softirq,
 *	and by processes with bottom halves off
 * @frame: ring of XR_QP_DEFERRED_MAX frames; NULL until the first frame is deferred
 * @head: position of the first frame in @frame
 * @count: number of frames
 * @active: frames may be deferred: the queue pair is ready to receive
 * @lost: a frame after the last one was dropped for lack of room, or the first one because
 *	the claim remained taken; no more are deferred until none is left
 * @refuse: the first frame has waited for too long: if its memory is still missing, it gets
 *	an RNR NAK; meanwhile no more are deferred
 * @since: jiffies when the present first frame became the first
 * @stay: the first frame was executed and stays first, because memory is missing again or
 *	another CPU has the claim
 * @again: @stay is set because another CPU has the claim; @work runs again
 * @told: the first frame was executed, and the peer gets an RNR NAK for it
 * @waiter: waits for the memory that the first frame needs; see odp/wait.h for its lock
 * @runner: task in whose context a softirq executes the first frame; NULL: none. The task
 *	and not the CPU, because with PREEMPT_RT another softirq may preempt this one there
 * @work: executes the frames, in softirq
 * @timer: expires when the first frame has waited for too long, and sets @refuse
 *
 * @stay, @again, @told and @runner are written only by @work, and by the packet that it
 * executes.
 */
struct xr_defer {
	spinlock_t lock;
	struct xdp_frame **frame;
	u32 head;
	u32 count;
	bool active;
	bool lost;
	bool refuse;
	unsigned long since;
	bool stay;
	bool again;
	bool told;
	struct xr_odp_waiter waiter;
	struct task_struct *runner;
	struct work_struct work;
	struct timer_list timer;
};

#endif
