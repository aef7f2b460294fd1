// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Receive queues. The program writes entries and then the tail, with a release store; the module
 * copies the entries and then writes the head, likewise.
 */
#include <errno.h>
#include <string.h>

#include "rq.h"

static_assert(sizeof(struct ibv_sge) == sizeof(struct xroce_sge_local), "size");
static_assert(offsetof(struct ibv_sge, length) == offsetof(struct xroce_sge_local, length), "length");
static_assert(offsetof(struct ibv_sge, lkey) == offsetof(struct xroce_sge_local, lkey), "lkey");

static struct xroce_rq_header *header(const struct xp_rq *rq)
{
	return rq->ring.mem;
}

static bool is_full(struct xp_rq *rq)
{
	if (rq->tail - rq->head <= rq->ring.mask)
		return false;
	rq->head = __atomic_load_n(&header(rq)->head, __ATOMIC_ACQUIRE);
	return rq->tail - rq->head > rq->ring.mask;
}

static int post_one(struct xp_rq *rq, const struct ibv_recv_wr *wr)
{
	struct xroce_rq_wqe *wqe;

	if (wr->num_sge < 0 || (uint32_t)wr->num_sge > rq->max_sge)
		return EINVAL;
	if (is_full(rq))
		return ENOMEM;
	wqe = xp_ring_entry(&rq->ring, rq->tail);
	wqe->wr_id = wr->wr_id;
	wqe->num_sge = wr->num_sge;
	wqe->reserved = 0;
	if (wr->num_sge)
		memcpy(wqe->sge, wr->sg_list, wr->num_sge * sizeof(*wr->sg_list));
	rq->tail++;
	return 0;
}

int xp_rq_post(struct xp_rq *rq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	int err = 0;

	xp_lock(&rq->lock);
	for (; wr; wr = wr->next) {
		err = post_one(rq, wr);
		if (err) {
			*bad = wr;
			break;
		}
	}
	/* Publish the entries. Pairs with the module's smp_load_acquire() of the tail. */
	__atomic_store_n(&header(rq)->tail, rq->tail, __ATOMIC_RELEASE);
	xp_unlock(&rq->lock);
	return err;
}

void xp_rq_reset(struct xp_rq *rq)
{
	if (!rq->ring.mem)
		return;
	xp_lock(&rq->lock);
	rq->tail = __atomic_load_n(&header(rq)->tail, __ATOMIC_RELAXED);
	rq->head = __atomic_load_n(&header(rq)->head, __ATOMIC_ACQUIRE);
	xp_unlock(&rq->lock);
}
