/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Iteration over queue pairs, and their counters of drops. */
#ifndef _XROCE_QP_H
#define _XROCE_QP_H

#include "libxroce.h"

/**
 * qp_next() - query the next queue pair of a link
 * @x: the handle
 * @entries: entries of the link's queue pair table
 * @place: position in the table: 0 at first, then the result of the previous call
 * @q: out
 *
 * Return: 0, -ENOENT after the last one, or another negative errno.
 */
int qp_next(struct xroce *x, __u32 entries, __u32 *place,
	    struct xroce_qp_query *q);

/* Number of causes in xroce_qp_query::drops. */
#define QP_DROPS	(XROCE_DROP_TX - XROCE_DROP_QKEY + 1)

/* Number of packets of a queue pair that were dropped, for any cause. */
__u64 qp_drops(const struct xroce_qp_query *q);

/* The verb modify, qp_modify.c. */
int qp_modify(int argc, char **argv);

#endif /* _XROCE_QP_H */
