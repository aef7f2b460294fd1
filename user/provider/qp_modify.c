// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Queue pairs: attributes and state. */
#include "cq.h"
#include "qp.h"

int xp_query_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int mask,
		struct ibv_qp_init_attr *init)
{
	struct ibv_query_qp cmd = {};

	return ibv_cmd_query_qp(ibqp, attr, mask, init, &cmd, sizeof(cmd));
}

void xp_qp_clean(struct xp_qp *qp)
{
	struct ibv_qp *ibqp = &qp->vqp.qp;

	xp_cq_clean(to_xp_cq(ibqp->send_cq), ibqp->qp_num);
	if (ibqp->recv_cq != ibqp->send_cq)
		xp_cq_clean(to_xp_cq(ibqp->recv_cq), ibqp->qp_num);
}

/* It is in RESET, where nothing is posted. */
static void reset(struct xp_qp *qp)
{
	struct xp_sq *sq = &qp->sq;

	if (sq->ring.mem) {
		xp_lock(&sq->lock);
		sq->tail = __atomic_load_n(&xp_sq_header(sq)->tail, __ATOMIC_RELAXED);
		sq->head = __atomic_load_n(&xp_sq_header(sq)->head, __ATOMIC_ACQUIRE);
		sq->next = sq->tail;
		__atomic_store_n(&sq->posted, false, __ATOMIC_RELAXED);
		xp_unlock(&sq->lock);
	}
	xp_rq_reset(&qp->rq);
	xp_qp_clean(qp);
}

int xp_modify_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int mask)
{
	struct ibv_modify_qp cmd = {};
	int err = ibv_cmd_modify_qp(ibqp, attr, mask, &cmd, sizeof(cmd));

	if (!err && mask & IBV_QP_STATE && attr->qp_state == IBV_QPS_RESET)
		reset(to_xp_qp(ibqp));
	return err;
}
