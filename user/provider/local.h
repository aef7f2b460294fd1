/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Local work requests: binds and invalidations of windows, which send nothing. They are posted
 * without a doorbell as long as no thread waits for their completions, see local.c. A local work
 * request is pending from its posting until a doorbell of its queue pair: xp_sq::posted,
 * xp_context::posted.
 */
#ifndef XP_LOCAL_H
#define XP_LOCAL_H

#include "qp.h"

/*
 * Note that only local work requests have been published to the queue pair. They become pending; if
 * its completion queue is armed, ring the doorbell instead. xp_sq::lock is held. Return: 0 or an
 * errno of the doorbell.
 */
int xp_local_posted(struct xp_qp *qp);
/*
 * Ring the doorbell of a queue pair, unless a thread polls: the module executes all work requests
 * that have been published, of any kind, and none is pending any more. xp_sq::lock is held.
 * Return: 0 or an errno of the doorbell.
 */
int xp_local_ring(struct xp_qp *qp);
/*
 * Have the pending work requests of all queue pairs of the context executed. This may return
 * before another thread that is about to do the same has done so.
 */
void xp_local_execute(struct xp_context *ctx);
/* Likewise, but wait for such a thread: when this returns, they have been executed. */
void xp_local_finish(struct xp_context *ctx);

#endif
