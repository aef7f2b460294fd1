// SPDX-License-Identifier: GPL-2.0-only
/* Receive queues. */
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/overflow.h>

#include "rq.h"

static struct xroce_rq_header *xr_rq_header(const struct xr_rq *rq)
{
	return rq->ring.mem;
}

static u64 xr_wqe_size(const struct xr_rq *rq)
{
	return struct_size_t(struct xroce_rq_wqe, sge, rq->max_sge);
}

/**
 * xr_rq_init() - make a receive queue
 * @rq: zeroed
 * @entries: a power of two up to XROCE_RQ_MAX
 * @max_sge: 1 to XROCE_RQ_SGE_MAX
 *
 * Return: 0, -EINVAL or -ENOMEM; xr_ring_free() undoes it.
 */
int xr_rq_init(struct xr_rq *rq, u32 entries, u32 max_sge)
{
	if (!is_power_of_2(entries) || entries > XROCE_RQ_MAX || !max_sge ||
	    max_sge > XROCE_RQ_SGE_MAX)
		return -EINVAL;
	rq->mask = entries - 1;
	rq->max_sge = max_sge;
	return xr_ring_alloc(&rq->ring, entries * xr_wqe_size(rq));
}

/* Work requests posted; none when what the program says cannot be. */
u32 xr_rq_count(const struct xr_rq *rq)
{
	/* The entries are there for who sees the tail. */
	u32 n = smp_load_acquire(&xr_rq_header(rq)->tail) - rq->head;

	return n > rq->mask + 1 ? 0 : n;
}

/**
 * xr_rq_take() - take the oldest work request
 * @rq: the queue
 * @wqe: out: a copy
 *
 * Return: 0; -EAGAIN: there is none; -EINVAL: it is malformed; it has been taken
 * all the same, and its @wr_id is right.
 */
int xr_rq_take(struct xr_rq *rq, struct xr_wqe *wqe)
{
	const struct xroce_rq_wqe *w;
	u32 i, num_sge;

	if (!xr_rq_count(rq))
		return -EAGAIN;
	w = xr_ring_entries(&rq->ring) +
	    (rq->head & rq->mask) * xr_wqe_size(rq);
	wqe->wr_id = READ_ONCE(w->wr_id);
	num_sge = READ_ONCE(w->num_sge);
	wqe->num_sge = num_sge > rq->max_sge ? 0 : num_sge;
	for (i = 0; i < wqe->num_sge; i++) {
		wqe->sge[i].addr = READ_ONCE(w->sge[i].addr);
		wqe->sge[i].length = READ_ONCE(w->sge[i].length);
		wqe->sge[i].lkey = READ_ONCE(w->sge[i].lkey);
	}
	/* The program may write there again. */
	smp_store_release(&xr_rq_header(rq)->head, ++rq->head);
	return wqe->num_sge == num_sge ? 0 : -EINVAL;
}

/* Drop what is posted. */
void xr_rq_forget(struct xr_rq *rq)
{
	rq->head = READ_ONCE(xr_rq_header(rq)->tail);
	/* As in xr_rq_take(). */
	smp_store_release(&xr_rq_header(rq)->head, rq->head);
}
