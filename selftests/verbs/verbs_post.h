/* SPDX-License-Identifier: GPL-2.0-only */
/* The ways by which a queue pair gets requests. */
#ifndef XROCE_VERBS_POST_H
#define XROCE_VERBS_POST_H

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#include "verbs_request.h"
#include "verbs_ring.h"

/**
 * struct post_way - a queue pair
 * @qp: the queue pair
 * @ex: the same, for ibv_wr_start() and so on
 * @ring: its ring of requests; @at is NULL if nothing is written into it here
 * @mr: region of the sender's memory that windows are bound to
 * @own: address of that memory
 * @peer: address of the peer's memory
 */
struct post_way {
	struct ibv_qp *qp;
	struct ibv_qp_ex *ex;
	struct verbs_ring ring;
	struct ibv_mr *mr;
	uint64_t own;
	uint64_t peer;
};

/* Operations of ibv_create_qp_ex() that requests need. */
#define POST_OPS	(IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | \
			 IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM | \
			 IBV_QP_EX_WITH_SEND_WITH_INV | IBV_QP_EX_WITH_RDMA_READ | \
			 IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD | \
			 IBV_QP_EX_WITH_ATOMIC_WRITE | IBV_QP_EX_WITH_LOCAL_INV | \
			 IBV_QP_EX_WITH_BIND_MW)

/* Post a request. Return: false and a failed check on error. */
bool post_request(struct post_way *way, struct request_op *op);

#endif /* XROCE_VERBS_POST_H */
