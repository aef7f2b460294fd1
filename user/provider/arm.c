// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Completion queues: arming, by a word in the ring, and without a lock: programs arm a queue, and
 * post binds, also between ibv_start_poll() and ibv_end_poll().
 */
#include "context.h"
#include "cq.h"
#include "local.h"

/* Arm the queue as @arm says, or leave it armed for more. */
static void set_arm(struct xroce_cq_header *header, uint32_t arm)
{
	uint32_t old = __atomic_load_n(&header->arm, __ATOMIC_RELAXED);

	/*
	 * An arm for any completion stays. If the word is what it must be, and the module sets it
	 * to 0 at this moment, there is an event all the same, which is not read yet.
	 */
	while (old != XROCE_CQ_ARM_NEXT && old != arm &&
	       !__atomic_compare_exchange_n(&header->arm, &old, arm, false, __ATOMIC_SEQ_CST,
					    __ATOMIC_RELAXED))
		;
}

int xp_req_notify_cq(struct ibv_cq *ibcq, int solicited)
{
	uint32_t arm = solicited ? XROCE_CQ_ARM_SOLICITED : XROCE_CQ_ARM_NEXT;
	struct xroce_cq_header *header, *now;
	struct xp_cq *cq = to_xp_cq(ibcq);

	header = __atomic_load_n(&cq->header, __ATOMIC_SEQ_CST);
	set_arm(header, arm);
	/*
	 * A completion from before the arm makes no event: the program looks for one now. The fence
	 * pairs with smp_mb() of the module between the tail and the word, and with that of
	 * xp_local_posted().
	 */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	/* Where xp_cq_arm_moved() has not seen the word, this sees the new ring. */
	now = __atomic_load_n(&cq->header, __ATOMIC_SEQ_CST);
	if (now != header)
		set_arm(now, arm);
	xp_local_execute(to_xp_context(ibcq->context));
	return 0;
}

void xp_cq_arm_moved(struct xp_cq *cq, struct xroce_cq_header *old)
{
	uint32_t arm = __atomic_exchange_n(&old->arm, 0, __ATOMIC_SEQ_CST);

	/* The module has copied it, too, if it was set before: then there may be an event more. */
	if (arm)
		set_arm(cq->header, arm);
}

bool xp_cq_armed(struct xp_cq *cq)
{
	return __atomic_load_n(&__atomic_load_n(&cq->header, __ATOMIC_SEQ_CST)->arm,
			       __ATOMIC_RELAXED);
}
