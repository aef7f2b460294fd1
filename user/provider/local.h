/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef XP_LOCAL_H
#define XP_LOCAL_H

#include "qp.h"

/*
 * Binds and invalidations have been published, and nothing else. Return: 0 or an errno of the
 * doorbell.
 */
int xp_local_posted(struct xp_qp *qp);
/*
 * Ring the doorbell of a queue pair, whatever has been published. xp_sq::lock is held. Return: 0 or
 * an errno of the doorbell.
 */
int xp_local_ring(struct xp_qp *qp);
/* Have all of them executed that no doorbell has told of, by this thread or another one. */
void xp_local_execute(struct xp_context *ctx);
/* The same; they have been executed when it returns. */
void xp_local_finish(struct xp_context *ctx);

#endif
