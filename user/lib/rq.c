// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Receive queues, of a queue pair or shared. The program writes entries and then the tail,
 * with a release store; the module copies the entries and then writes the head, likewise.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "priv.h"

struct xroce_rq {
	struct xroce *x;
	struct xroce_ring map;
	struct xroce_rq_header *ring;
	__u32 qpn;
	__u32 srq;
	__u32 entries;
	__u32 max_sge;
	__u32 tail;
};

static struct xroce_rq *rq_map(struct xroce *x, __u64 offset, __u64 bytes)
{
	struct xroce_rq *rq = calloc(1, sizeof(*rq));
	int err;

	if (!rq)
		return NULL;
	rq->x = x;
	err = xroce_ring_map(x, offset, bytes, &rq->map);
	rq->ring = rq->map.mem;
	if (!err)
		return rq;
	free(rq);
	errno = -err;
	return NULL;
}

int xroce_qp_create_sized(struct xroce *x, struct xroce_qp_add *add, struct xroce_rq **rq,
			  size_t size)
{
	bool own;
	int err;

	if (!XROCE_HAS(size, struct xroce_qp_add, rq_bytes))
		return -EINVAL;
	own = add->recv_cq && !add->srq;
	if (own && !rq)
		return -EINVAL;
	if (rq)
		*rq = NULL;
	err = xroce_command_sized(x->fd, XROCE_CMD_QP_ADD, add, size);
	if (err || !own)
		return err;
	*rq = rq_map(x, add->rq_offset, add->rq_bytes);
	if (!*rq) {
		err = -errno;
		xroce_qp_del(x, add->qpn);
		return err;
	}
	(*rq)->qpn = add->qpn;
	(*rq)->entries = add->rq_entries;
	(*rq)->max_sge = add->rq_max_sge;
	return 0;
}

struct xroce_rq *xroce_srq_add(struct xroce *x, __u32 pd, __u32 entries,
			       __u32 max_sge)
{
	struct xroce_srq_add add = {
		.size = sizeof(add),
		.pd = pd,
		.entries = entries,
		.max_sge = max_sge,
	};
	struct xroce_srq_del del = { .size = sizeof(del) };
	struct xroce_rq *rq;
	int err = xroce_command(x->fd, XROCE_CMD_SRQ_ADD, &add);

	if (err) {
		errno = -err;
		return NULL;
	}
	rq = rq_map(x, add.offset, add.bytes);
	if (!rq) {
		err = errno;
		del.srq = add.srq;
		xroce_command(x->fd, XROCE_CMD_SRQ_DEL, &del);
		errno = err;
		return NULL;
	}
	rq->srq = add.srq;
	rq->entries = entries;
	rq->max_sge = max_sge;
	return rq;
}

int xroce_srq_limit(struct xroce_rq *rq, __u32 limit)
{
	struct xroce_srq_modify modify = {
		.size = sizeof(modify),
		.srq = rq->srq,
		.limit = limit,
	};

	return xroce_command(rq->x->fd, XROCE_CMD_SRQ_MODIFY, &modify);
}

int xroce_srq_query_sized(struct xroce_rq *rq, struct xroce_srq_query *query, size_t size)
{
	if (!XROCE_HAS(size, struct xroce_srq_query, srq))
		return -EINVAL;
	query->flags = 0;
	query->srq = rq->srq;
	return xroce_command_sized(rq->x->fd, XROCE_CMD_SRQ_QUERY, query, size);
}

/* Delete the object of a queue, then free the queue; -ENOENT: the object has been deleted. */
static int rq_del(struct xroce_rq *rq, unsigned long command, void *arg)
{
	int err = xroce_queue_del(rq->x, command, arg);

	if (err && err != -ENOENT)
		return err;
	xroce_ring_unmap(&rq->map);
	free(rq);
	return 0;
}

int xroce_srq_del(struct xroce_rq *rq)
{
	struct xroce_srq_del del = { .size = sizeof(del), .srq = rq->srq };

	return rq->srq ? rq_del(rq, XROCE_CMD_SRQ_DEL, &del) : -EINVAL;
}

int xroce_qp_destroy(struct xroce_rq *rq)
{
	struct xroce_qp_del del = { .size = sizeof(del), .qpn = rq->qpn };

	return rq->srq ? -EINVAL : rq_del(rq, XROCE_CMD_QP_DEL, &del);
}

__u32 xroce_srq_id(const struct xroce_rq *rq)
{
	return rq->srq;
}

struct xroce_rq_header *xroce_rq_ring(const struct xroce_rq *rq)
{
	return rq->ring;
}

int xroce_post_recv(struct xroce_rq *rq, __u64 wr_id,
		    const struct xroce_sge_local *sge, __u32 num_sge)
{
	__u32 head = __atomic_load_n(&rq->ring->head, __ATOMIC_ACQUIRE);
	size_t size = sizeof(struct xroce_rq_wqe) + rq->max_sge * sizeof(*sge);
	struct xroce_rq_wqe *wqe;

	if (num_sge > rq->max_sge)
		return -EINVAL;
	if (rq->tail - head >= rq->entries)
		return -ENOSPC;
	wqe = (void *)((char *)rq->ring + XROCE_RING_HEADER +
		       (rq->tail & (rq->entries - 1)) * size);
	wqe->wr_id = wr_id;
	wqe->num_sge = num_sge;
	wqe->reserved = 0;
	memcpy(wqe->sge, sge, num_sge * sizeof(*sge));
	/* Publish the entry. Pairs with the module's smp_load_acquire() of the tail. */
	__atomic_store_n(&rq->ring->tail, ++rq->tail, __ATOMIC_RELEASE);
	return 0;
}
