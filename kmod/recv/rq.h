/* SPDX-License-Identifier: GPL-2.0-only */
/* Receive queues: rings that programs write and the module reads. */
#ifndef _XR_RECV_RQ_H
#define _XR_RECV_RQ_H

#include <linux/errno.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "uapi/xroce.h"

#include "obj/ring.h"

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
 * @format: layout of @ring
 * @ring: the entries; without memory there is no queue
 * @post_lock: serialises xr_rq_post(), and protects @dying; taken with interrupts off, and no
 *	lock under it
 * @dying: the queue pair is being destroyed
 *
 * @head is under xr_recv::lock or xr_srq::lock, and so are @mask and @ring if they change
 * (xr_rq_replace()). @max_sge, @stride and @format do not change.
 */
struct xr_rq {
	u32 mask;
	u32 max_sge;
	u32 stride;
	u32 head;
	enum xr_format format;
	struct xr_ring ring;
	raw_spinlock_t post_lock;
	bool dying;
};

int xr_rq_init(struct xr_rq *rq, enum xr_format format, u32 entries, u32 max_sge);
void xr_rq_forget(struct xr_rq *rq);
int xr_rq_replace(struct xr_rq *rq, struct xr_rq *other);
int xr_rq_post(struct xr_rq *rq, u64 wr_id, const struct xroce_sge_local *sge, u32 n);

static inline struct xroce_rq_header *xr_rq_header(const struct xr_rq *rq)
{
	return rq->ring.mem;
}

static inline struct rxe_queue_buf *xr_rq_rxe(const struct xr_rq *rq)
{
	return rq->ring.mem;
}

/*
 * The number of posted work requests; 0 if the program's index is impossible. @format is that
 * of @rq, here and below.
 */
static __always_inline u32 xr_rq_count(const struct xr_rq *rq, enum xr_format format)
{
	u32 n;

	/* Pairs with the program's release store of its index (xroce_post_recv()). */
	if (format == XR_FORMAT_RXE)
		return (smp_load_acquire(&xr_rq_rxe(rq)->producer_index) - rq->head) & rq->mask;
	n = smp_load_acquire(&xr_rq_header(rq)->tail) - rq->head;
	return likely(n - 1 <= rq->mask) ? n : 0;
}

/* The oldest work request. At least one must be posted. */
static __always_inline const void *xr_rq_next(const struct xr_rq *rq, enum xr_format format)
{
	return xr_ring_entries(&rq->ring, format) + (u64)(rq->head & rq->mask) * rq->stride;
}

/* Both layouts begin an entry with the number that the program has chosen. */
static __always_inline u64 xr_rq_wr_id(const void *entry)
{
	return READ_ONCE(*(const u64 *)entry);
}

static __always_inline u32 xr_rq_num_sge(const void *entry, enum xr_format format)
{
	if (format == XR_FORMAT_RXE)
		return READ_ONCE(((const struct rxe_recv_wqe *)entry)->dma.num_sge);
	return READ_ONCE(((const struct xroce_rq_wqe *)entry)->num_sge);
}

static __always_inline const struct xroce_sge_local *xr_rq_sge(const void *entry,
							       enum xr_format format)
{
	static_assert(sizeof(struct rxe_sge) == sizeof(struct xroce_sge_local) &&
		      offsetof(struct rxe_sge, length) ==
		      offsetof(struct xroce_sge_local, length) &&
		      offsetof(struct rxe_sge, lkey) == offsetof(struct xroce_sge_local, lkey));
	return entry + (format == XR_FORMAT_RXE ? offsetof(struct rxe_recv_wqe, dma.sge) :
						  offsetof(struct xroce_rq_wqe, sge));
}

/* Return the oldest entry to the program, which may then write to it again. */
static __always_inline void xr_rq_taken(struct xr_rq *rq, enum xr_format format)
{
	rq->head++;
	/* The entry has been read. Pairs with the program's acquire load of the index. */
	if (format == XR_FORMAT_RXE)
		smp_store_release(&xr_rq_rxe(rq)->consumer_index, rq->head & rq->mask);
	else
		smp_store_release(&xr_rq_header(rq)->head, rq->head);
}

/**
 * xr_rq_take() - take the oldest work request
 * @rq: the queue
 * @format: its layout
 * @wqe: out: a copy of the work request
 *
 * Return: 0; -EAGAIN: none is posted; -EINVAL: it has too many elements, but was taken, and
 * @wqe->wr_id is valid.
 */
static __always_inline int xr_rq_take(struct xr_rq *rq, enum xr_format format,
				      struct xr_wqe *wqe)
{
	const struct xroce_sge_local *sge;
	u32 i, num_sge, n;
	const void *w;
	u64 room = 0;

	if (!xr_rq_count(rq, format))
		return -EAGAIN;
	w = xr_rq_next(rq, format);
	wqe->wr_id = xr_rq_wr_id(w);
	num_sge = xr_rq_num_sge(w, format);
	n = unlikely(num_sge > rq->max_sge) ? 0 : num_sge;
	wqe->num_sge = n;
	sge = xr_rq_sge(w, format);
	for (i = 0; i < n; i++) {
		wqe->sge[i].addr = READ_ONCE(sge[i].addr);
		wqe->sge[i].length = READ_ONCE(sge[i].length);
		wqe->sge[i].lkey = READ_ONCE(sge[i].lkey);
		room += wqe->sge[i].length;
	}
	wqe->room = room;
	xr_rq_taken(rq, format);
	return likely(n == num_sge) ? 0 : -EINVAL;
}

#endif
