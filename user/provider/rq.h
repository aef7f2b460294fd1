/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Receive queues, of a queue pair or shared. */
#ifndef XP_RQ_H
#define XP_RQ_H

#include <infiniband/driver.h>

#include "lock.h"
#include "ring.h"

/**
 * struct xp_rq - a receive queue
 * @lock: of the fields below
 * @ring: its ring, entries of struct xroce_rq_wqe
 * @max_sge: elements of a work request
 * @tail: index of the next entry to post
 * @head: index of the next entry that the module takes, as it was last read
 */
struct xp_rq {
	struct xp_lock lock;
	struct xp_ring ring;
	uint32_t max_sge;
	uint32_t tail;
	uint32_t head;
};

/* Post a list. Return: 0 or an errno, with @bad. What is before @bad has been posted. */
int xp_rq_post(struct xp_rq *rq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
/* Take the indices from the ring. */
void xp_rq_reset(struct xp_rq *rq);

/* recv.c: ibv_post_recv() */
int xp_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);

#endif
