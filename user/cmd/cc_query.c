// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The algorithms of congestion control that the module has: see cc_query.h. */
#include <string.h>

#include "cc_query.h"

int cc_query_next(__u32 id, struct xroce_cc_query *q)
{
	*q = (struct xroce_cc_query){ .flags = XROCE_F_NEXT, .id = id };
	return xroce_cc_query(q);
}

int cc_query_find(const char *name, struct xroce_cc_query *q)
{
	int err = cc_query_next(0, q);

	while (!err && strcmp(name, q->name))
		err = cc_query_next(q->id + 1, q);
	return err;
}
