// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Posting receives to a queue pair of its own receive queue. */
#include <errno.h>

#include "doorbell.h"
#include "qp.h"

int xp_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct xp_qp *qp = to_xp_qp(ibqp);
	const struct xroce_rq_header *header = qp->rq.ring.mem;
	int err;

	if (!header || ibqp->state == IBV_QPS_RESET) {
		*bad = wr;
		return EINVAL;
	}
	err = xp_rq_post(&qp->rq, wr, bad);
	/*
	 * In ERR nothing else flushes them. The barrier pairs with the module's between writing
	 * @ended and reading the tail: one of both sees the other.
	 */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (__atomic_load_n(&header->ended, __ATOMIC_RELAXED))
		xp_doorbell(xp_qp_context(qp), ibqp->qp_num);
	return err;
}
