/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Queue pairs, for those who go through all of them. */
#ifndef _XROCE_QP_H
#define _XROCE_QP_H

#include "libxroce.h"

/**
 * qp_next() - look at the next queue pair of a link
 * @x: the handle
 * @entries: of the link's queue pair table
 * @place: in it; 0 at first, then what the call before left
 * @q: out
 *
 * Return: 0, -ENOENT after the last one, or another negative errno.
 */
int qp_next(struct xroce *x, __u32 entries, __u32 *place,
	    struct xroce_qp_query *q);

/* Causes in xroce_qp_query::drops. */
#define QP_DROPS	(XROCE_QP_DROPS + 1)

/* Packets of a queue pair that were dropped, for whatever cause. */
__u64 qp_drops(const struct xroce_qp_query *q);

/* The verb; in a file of its own. */
int qp_modify(int argc, char **argv);

#endif /* _XROCE_QP_H */
