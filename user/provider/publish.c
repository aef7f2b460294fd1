// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Send queues: the tail. The program writes entries and then the tail, with a release store, and
 * rings the doorbell, unless a thread polls (poller.h); the module copies and executes the entries,
 * and writes the head once they are complete.
 */
#include "local.h"
#include "qp.h"

int xp_sq_publish(struct xp_qp *qp)
{
	struct xp_sq *sq = &qp->sq;

	if (sq->next == sq->tail)
		return 0;
	sq->tail = sq->next;
	/* Publish the entries. Pairs with the module's smp_load_acquire() of the tail. */
	__atomic_store_n(&xp_sq_header(sq)->tail, sq->tail, __ATOMIC_RELEASE);
	if (!sq->doorbell)
		return xp_local_posted(qp);
	sq->doorbell = false;
	return xp_local_ring(qp);
}
