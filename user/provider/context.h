/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* An open device. */
#ifndef XP_CONTEXT_H
#define XP_CONTEXT_H

#include <pthread.h>
#include <stdbool.h>

#include <ccan/list.h>
#include <infiniband/driver.h>

#include "ring.h"

/**
 * struct xp_context - an open device
 * @vctx: the context of libibverbs
 * @doorbell: descriptor for XROCE_DOORBELL_SEND
 * @poller: struct xroce_poll_header of the thread that polls; @poller.mem is NULL if there is none
 * @posted: some queue pair has work requests that no doorbell has told of: see local.c
 * @lock: of the list of queue pairs
 * @qps: all queue pairs
 * @qpn_lock: serialises making and destroying queue pairs: the completions of a number are removed
 *	before another queue pair can have it
 */
struct xp_context {
	struct verbs_context vctx;
	int doorbell;
	struct xp_ring poller;
	bool posted;
	pthread_mutex_t lock;
	struct list_head qps;
	pthread_mutex_t qpn_lock;
};

static inline struct xp_context *to_xp_context(struct ibv_context *ibctx)
{
	return container_of(ibctx, struct xp_context, vctx.context);
}

#endif
