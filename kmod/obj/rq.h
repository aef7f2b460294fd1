/* SPDX-License-Identifier: GPL-2.0-only */
/* Receive queues: rings that programs write and the module reads. */
#ifndef _XR_RQ_H
#define _XR_RQ_H

#include <linux/errno.h>
#include <linux/types.h>

#include "uapi/xroce.h"

#include "ring.h"

/**
 * struct xr_wqe - a copy of a receive work request, which the program cannot change
 * @wr_id: chosen by the program, for the completion
 * @num_sge: number of valid elements in @sge
 * @room: sum of their lengths in bytes
 * @sge: where to write the message
 */
struct xr_wqe {
	u64 wr_id;
	u32 num_sge;
	u64 room;
	struct xroce_sge_local sge[XROCE_RQ_SGE_MAX];
};

/**
 * struct xr_rq - receive queue
 * @mask: number of entries - 1
 * @max_sge: elements in an entry
 * @stride: size of an entry in bytes
 * @head: index of the next entry to take
 * @ring: the entries; without memory there is no queue
 *
 * @head is under xr_recv::lock or xr_srq::lock. The other fields do not change.
 */
struct xr_rq {
	u32 mask;
	u32 max_sge;
	u32 stride;
	u32 head;
	struct xr_ring ring;
};

int xr_rq_init(struct xr_rq *rq, u32 entries, u32 max_sge);
void xr_rq_forget(struct xr_rq *rq);

static inline struct xroce_rq_header *xr_rq_header(const struct xr_rq *rq)
{
	return rq->ring.mem;
}

/* The number of posted work requests; 0 if the program's tail is impossible. */
static inline u32 xr_rq_count(const struct xr_rq *rq)
{
	/* Pairs with the program's release store of the tail (xroce_post_recv()). */
	u32 n = smp_load_acquire(&xr_rq_header(rq)->tail) - rq->head;

	return likely(n - 1 <= rq->mask) ? n : 0;
}

/* The oldest work request. At least one must be posted. */
static inline const struct xroce_rq_wqe *xr_rq_next(const struct xr_rq *rq)
{
	return xr_ring_entries(&rq->ring) + (u64)(rq->head & rq->mask) * rq->stride;
}

/* Return the oldest entry to the program, which may then write to it again. */
static inline void xr_rq_taken(struct xr_rq *rq)
{
	/* The entry has been read. Pairs with the program's acquire load of the head. */
	smp_store_release(&xr_rq_header(rq)->head, ++rq->head);
}

/**
 * xr_rq_take() - take the oldest work request
 * @rq: the queue
 * @wqe: out: a copy of the work request
 *
 * Return: 0; -EAGAIN: none is posted; -EINVAL: it has too many elements, but was taken, and
 * @wqe->wr_id is valid.
 */
static inline int xr_rq_take(struct xr_rq *rq, struct xr_wqe *wqe)
{
	const struct xroce_rq_wqe *w;
	u32 i, num_sge, n;
	u64 room = 0;

	if (!xr_rq_count(rq))
		return -EAGAIN;
	w = xr_rq_next(rq);
	wqe->wr_id = READ_ONCE(w->wr_id);
	num_sge = READ_ONCE(w->num_sge);
	n = unlikely(num_sge > rq->max_sge) ? 0 : num_sge;
	wqe->num_sge = n;
	for (i = 0; i < n; i++) {
		wqe->sge[i].addr = READ_ONCE(w->sge[i].addr);
		wqe->sge[i].length = READ_ONCE(w->sge[i].length);
		wqe->sge[i].lkey = READ_ONCE(w->sge[i].lkey);
		room += wqe->sge[i].length;
	}
	wqe->room = room;
	xr_rq_taken(rq);
	return likely(n == num_sge) ? 0 : -EINVAL;
}

#endif
