/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The algorithms of congestion control that the module has. */
#ifndef _XROCE_CC_QUERY_H
#define _XROCE_CC_QUERY_H

#include "libxroce.h"

/* Query the algorithm with the number @id, or the next higher one. Return: 0 or -errno. */
int cc_query_next(__u32 id, struct xroce_cc_query *q);

/* Find an algorithm by its name. Return: 0, -ENOENT or another -errno. */
int cc_query_find(const char *name, struct xroce_cc_query *q);

#endif /* _XROCE_CC_QUERY_H */
