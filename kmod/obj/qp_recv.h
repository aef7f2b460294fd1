/* SPDX-License-Identifier: GPL-2.0-only */
/* What a queue pair receives with: see recv_queue.h. */
#ifndef _XR_QP_RECV_H
#define _XR_QP_RECV_H

#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "own/event.h"

#include "rq.h"

struct xr_cq;
struct xr_srq;

/**
 * struct xr_recv - what a queue pair receives with
 * @lock: for what follows; bottom halves off
 * @on: it may receive: not in RESET, not in error, not going
 * @busy: @wqe has been taken and not been completed
 * @cq: where completions go; NULL: it has no receive queue
 * @srq: where work requests come from; NULL: from @rq
 * @rq: its own queue
 * @wqe: work request of the message in progress, or of one that was given up
 * @done: bytes of the message that have come
 * @sge: element of @wqe where the next byte goes
 * @in_sge: place in there
 * @flush: entries of @rq that are still to be completed as flushed
 * @flusher: completes them, where they are too many for softirq
 * @fatal: XROCE_EVENT_QP_FATAL
 *
 * @cq and @srq do not change as long as the queue pair lives.
 */
struct xr_recv {
	spinlock_t lock;
	bool on;
	bool busy;
	struct xr_cq *cq;
	struct xr_srq *srq;
	struct xr_rq rq;
	struct xr_wqe wqe;
	u32 done;
	u32 sge;
	u32 in_sge;
	u32 flush;
	struct work_struct flusher;
	struct xr_event fatal;
};

#endif
