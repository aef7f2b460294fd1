// SPDX-License-Identifier: GPL-2.0-only
/* Receive queues, of a queue pair or shared. */
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/log2.h>
#include <linux/overflow.h>
#include <linux/string.h>

#include "rq.h"

/**
 * xr_rq_init() - make a receive queue
 * @rq: the queue, zeroed
 * @format: its layout
 * @entries: number of entries, a power of two up to XROCE_RQ_MAX
 * @max_sge: elements in an entry, 1 to XROCE_RQ_SGE_MAX
 *
 * Return: 0, and xr_ring_free() undoes it; -EINVAL: @entries or @max_sge; -ENOMEM.
 */
int xr_rq_init(struct xr_rq *rq, enum xr_format format, u32 entries, u32 max_sge)
{
	if (!is_power_of_2(entries) || entries > XROCE_RQ_MAX || !max_sge ||
	    max_sge > XROCE_RQ_SGE_MAX)
		return -EINVAL;
	raw_spin_lock_init(&rq->post_lock);
	rq->mask = entries - 1;
	rq->max_sge = max_sge;
	rq->format = format;
	rq->stride = format == XR_FORMAT_RXE ?
		     roundup_pow_of_two(struct_size_t(struct rxe_recv_wqe, dma.sge, max_sge)) :
		     struct_size_t(struct xroce_rq_wqe, sge, max_sge);
	return xr_ring_alloc(&rq->ring, format, entries, rq->stride);
}

/* Discard all posted work requests. */
void xr_rq_forget(struct xr_rq *rq)
{
	/* Pairs as in xr_rq_taken(). */
	if (rq->format == XR_FORMAT_RXE) {
		rq->head = READ_ONCE(xr_rq_rxe(rq)->producer_index);
		smp_store_release(&xr_rq_rxe(rq)->consumer_index, rq->head & rq->mask);
	} else {
		rq->head = READ_ONCE(xr_rq_header(rq)->tail);
		smp_store_release(&xr_rq_header(rq)->head, rq->head);
	}
}

/*
 * Give a queue the ring of @other, which has the same layout and entries of the same size, and copy
 * the posted work requests. Then @other has the previous ring. The lock of @rq->head is held, and
 * the link's lock. Return: 0; -EINVAL: more are posted than fit, and nothing has changed.
 */
int xr_rq_replace(struct xr_rq *rq, struct xr_rq *other)
{
	/* The indices of XR_FORMAT_OWN go on. Of XR_FORMAT_RXE one entry is always empty. */
	bool own = rq->format == XR_FORMAT_OWN;
	void *to = xr_ring_entries(&other->ring, rq->format);
	u32 n = xr_rq_count(rq, rq->format), first = own ? rq->head : 0, i;

	if (n > other->mask + own)
		return -EINVAL;
	for (i = 0; i < n; i++, rq->head++)
		memcpy(to + (u64)((first + i) & other->mask) * rq->stride,
		       xr_rq_next(rq, rq->format), rq->stride);
	if (own) {
		xr_rq_header(other)->head = first;
		xr_rq_header(other)->tail = first + n;
	} else {
		xr_rq_rxe(other)->producer_index = n;
	}
	rq->head = first;
	rq->mask = other->mask;
	xr_ring_replace(&rq->ring, &other->ring);
	return 0;
}

/**
 * xr_rq_post() - post a work request for a consumer in the kernel
 * @rq: the queue, of XR_FORMAT_RXE; its @post_lock is held
 * @wr_id: for the completion
 * @sge: where to write the message
 * @n: number of elements
 *
 * Return: 0; -EINVAL: too many elements; -ENOMEM: the queue is full.
 */
int xr_rq_post(struct xr_rq *rq, u64 wr_id, const struct xroce_sge_local *sge, u32 n)
{
	struct rxe_queue_buf *header = xr_rq_rxe(rq);
	u32 at = header->producer_index & rq->mask, next = (at + 1) & rq->mask;
	struct rxe_recv_wqe *w;

	if (n > rq->max_sge)
		return -EINVAL;
	/* Pairs with xr_rq_taken(): the entry has been read. */
	if (next == smp_load_acquire(&header->consumer_index))
		return -ENOMEM;
	w = xr_ring_entries(&rq->ring, XR_FORMAT_RXE) + (u64)at * rq->stride;
	w->wr_id = wr_id;
	w->dma.num_sge = n;
	memcpy(w->dma.sge, sge, n * sizeof(*sge));
	/* Pairs with xr_rq_count(). */
	smp_store_release(&header->producer_index, next);
	return 0;
}
EXPORT_SYMBOL_GPL(xr_rq_post);
