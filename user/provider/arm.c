// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Completion queues: arming, by a word in the ring. */
#include "context.h"
#include "cq.h"
#include "local.h"

int xp_req_notify_cq(struct ibv_cq *ibcq, int solicited)
{
	uint32_t arm = solicited ? XROCE_CQ_ARM_SOLICITED : XROCE_CQ_ARM_NEXT;
	struct xp_cq *cq = to_xp_cq(ibcq);
	uint32_t *word, old;

	/* A resize replaces the ring. */
	xp_lock(&cq->lock);
	word = &xp_cq_header(cq)->arm;
	old = __atomic_load_n(word, __ATOMIC_RELAXED);
	/*
	 * An arm for any completion stays. If the word is what it must be, and the module sets it
	 * to 0 at this moment, there is an event all the same, which is not read yet.
	 */
	while (old != XROCE_CQ_ARM_NEXT && old != arm &&
	       !__atomic_compare_exchange_n(word, &old, arm, false, __ATOMIC_SEQ_CST,
					    __ATOMIC_RELAXED))
		;
	xp_unlock(&cq->lock);
	/*
	 * A completion from before the arm makes no event: the program looks for one now. The fence
	 * pairs with smp_mb() of the module between the tail and the word, and with that of
	 * xp_local_posted().
	 */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	xp_local_execute(to_xp_context(ibcq->context));
	return 0;
}

bool xp_cq_armed(struct xp_cq *cq)
{
	bool armed;

	xp_lock(&cq->lock);
	armed = __atomic_load_n(&xp_cq_header(cq)->arm, __ATOMIC_RELAXED);
	xp_unlock(&cq->lock);
	return armed;
}
