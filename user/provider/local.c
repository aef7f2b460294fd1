// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Binds and invalidations of windows, which send nothing. The module executes them before the next
 * packet for the queue pair, so that they need no doorbell. Somebody who waits for their
 * completions needs one: a thread that polls for a while, that arms the completion queue or has
 * armed it, or that destroys what they name.
 */
#include "cq.h"
#include "doorbell.h"
#include "local.h"
#include "poller.h"

int xp_local_posted(struct xp_qp *qp)
{
	struct xp_context *ctx = xp_qp_context(qp);

	__atomic_store_n(&qp->sq.posted, true, __ATOMIC_RELEASE);
	__atomic_store_n(&ctx->posted, true, __ATOMIC_RELEASE);
	/* Pairs with that of xp_req_notify_cq(): it finds the flag, or the queue is armed here. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (!xp_cq_armed(to_xp_cq(qp->vqp.qp.send_cq)))
		return 0;
	return xp_local_ring(qp);
}

int xp_local_ring(struct xp_qp *qp)
{
	const struct xp_context *ctx = xp_qp_context(qp);
	int err;

	if (xp_poller_awake(ctx))
		return 0;
	err = xp_doorbell(ctx, qp->vqp.qp.qp_num);
	/*
	 * After the doorbell, because a thread that finds it cleared rings none. Under
	 * xp_sq::lock no other thread sets it meanwhile.
	 */
	__atomic_store_n(&qp->sq.posted, false, __ATOMIC_RELEASE);
	return err;
}

/* xp_context::lock is held until all are executed: its next holder finds none pending. */
void xp_local_finish(struct xp_context *ctx)
{
	struct xp_qp *qp;

	pthread_mutex_lock(&ctx->lock);
	if (__atomic_exchange_n(&ctx->posted, false, __ATOMIC_ACQUIRE))
		list_for_each(&ctx->qps, qp, node)
			if (__atomic_exchange_n(&qp->sq.posted, false, __ATOMIC_ACQUIRE) &&
			    xp_sq_busy(&qp->sq))
				xp_doorbell(ctx, qp->vqp.qp.qp_num);
	pthread_mutex_unlock(&ctx->lock);
}

void xp_local_execute(struct xp_context *ctx)
{
	if (__atomic_load_n(&ctx->posted, __ATOMIC_RELAXED))
		xp_local_finish(ctx);
}
