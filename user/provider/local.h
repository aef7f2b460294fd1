/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef XP_LOCAL_H
#define XP_LOCAL_H

#include "qp.h"

/*
 * Binds and invalidations have been published, and nothing else. Return: 0 or an errno of the
 * doorbell.
 */
int xp_local_posted(struct xp_qp *qp);
/* Have all of them executed that no doorbell has told of. */
void xp_local_execute(struct xp_context *ctx);

#endif
