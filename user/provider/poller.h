/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The thread of the kernel that polls the send queues of a context, which then need no doorbell:
 * see uapi/rdma/xroce-abi.h. $XROCE_POLL asks for it.
 */
#ifndef XP_POLLER_H
#define XP_POLLER_H

#include <stdbool.h>

#include "uapi/rdma/xroce-abi.h"

#include "context.h"

/* Microseconds for struct xroce_alloc_ucontext_cmd; 0: none is wanted. */
uint32_t xp_poller_wanted(void);
/* The context has been opened with one, or the response says why not. */
void xp_poller_open(struct xp_context *ctx, const struct xroce_alloc_ucontext_resp *resp);

/* True if the thread will find what has been published before. */
static inline bool xp_poller_awake(const struct xp_context *ctx)
{
	const struct xroce_poll_header *header = ctx->poller.mem;

	if (!header)
		return false;
	/* The tail before the word. Pairs with the module's barrier between the word and tails. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return !__atomic_load_n(&header->wake, __ATOMIC_RELAXED);
}

#endif
