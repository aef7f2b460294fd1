/* SPDX-License-Identifier: GPL-2.0-only */
/* The receive side of a queue pair: see recv/queue.h and recv/message.h. */
#ifndef _XR_RECV_H
#define _XR_RECV_H

#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "own/event.h"

#include "rq.h"

struct xr_cq;
struct xr_pd;
struct xr_srq;

/**
 * struct xr_recv - the receive side of a queue pair
 * @lock: protects the fields below; taken with bottom halves off
 * @active: it may receive: it is not in RESET or ERR and is not being destroyed
 * @busy: @wqe was taken from the queue and has not been completed
 * @ended: it is counted in xr_cq::ended
 * @cq: completion queue; NULL: it has no receive queue
 * @srq: shared receive queue; NULL: it receives from @rq
 * @pd: protection domain of @srq, or of the queue pair: of the regions that are received into
 * @rq: its own receive queue; without memory if there is no @cq, or if there is an @srq
 * @wqe: copy of the work request of the message in progress, or of a message that was
 *	abandoned
 * @done: bytes of the message that have been received
 * @format: layout of @rq, of the ring of @srq, and of the ring of @cq
 * @sge: element of @wqe that the next byte is written to
 * @in_sge: offset of the next byte in that element
 * @vlan_tci: of a datagram: its VLAN tag, or 0
 * @ipv6: of a datagram: its IP header is one of IPv6
 * @group: the packet is for a group: the frame is not deferred
 * @flush: number of entries of @rq that have yet to be completed as flushed
 * @flusher: work item that completes them if they are too many for softirq
 * @fatal: XROCE_EVENT_QP_FATAL
 * @last: XROCE_EVENT_QP_LAST_WQE
 *
 * @format, @cq, @srq and @pd do not change while the queue pair exists.
 */
struct xr_recv {
	spinlock_t lock;
	bool active;
	bool busy;
	bool ended;
	u8 format;
	struct xr_cq *cq;
	struct xr_srq *srq;
	const struct xr_pd *pd;
	struct xr_rq rq;
	struct xr_wqe wqe;
	u32 done;
	u32 sge;
	u32 in_sge;
	u16 vlan_tci;
	bool ipv6;
	bool group;
	u32 flush;
	struct work_struct flusher;
	struct xr_event fatal;
	struct xr_event last;
};

#endif
