/* SPDX-License-Identifier: GPL-2.0-only */
/* A queue pair's frames that have been deferred: see defer.h. */
#ifndef _XR_QP_DEFER_H
#define _XR_QP_DEFER_H

#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

#include "odp/wait.h"

/* Frames of a queue pair; Soft-RoCE has half as many on the way. A power of two. */
#define XR_DEFER_MAX	256u

struct task_struct;
struct xdp_frame;

/**
 * struct xr_defer - frames of a queue pair that have been deferred
 * @lock: for all but @waiter, @stay, @again and @told; taken in softirq, by processes
 *	with bottom halves off
 * @frame: a ring of XR_DEFER_MAX; NULL until the first one is kept
 * @head: place of the first
 * @count: how many there are
 * @open: the queue pair is ready to receive
 * @lost: some behind the last one, or it itself, have been dropped
 * @refuse: they have waited for too long: keep no more, tell the peer
 * @since: jiffies: the first one has waited since then
 * @stay: the work item is on the first one, and memory is missing again, or
 *	another CPU is on the queue pair
 * @again: the latter
 * @told: the peer of the first one is told to come again
 * @waiter: for the memory that the first one needs
 * @runner: task that the softirq which carries out the first one is in; NULL: none.
 *	Not its CPU: with PREEMPT_RT another softirq may preempt it there
 * @work: carries them out
 * @timer: runs while there are any
 */
struct xr_defer {
	spinlock_t lock;
	struct xdp_frame **frame;
	u32 head;
	u32 count;
	bool open;
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
