// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Memory windows, by system call; sq.c binds them without one. */
#include "priv.h"

int xroce_mw_add(struct xroce *x, struct xroce_mw_add *add)
{
	add->size = sizeof(*add);
	return xroce_command(x->fd, XROCE_CMD_MW_ADD, add);
}

int xroce_mw_del(struct xroce *x, __u32 mw)
{
	struct xroce_mw_del del = { .size = sizeof(del), .mw = mw };

	return xroce_command(x->fd, XROCE_CMD_MW_DEL, &del);
}

int xroce_mw_query(struct xroce *x, struct xroce_mw_query *query)
{
	query->size = sizeof(*query);
	return xroce_command(x->fd, XROCE_CMD_MW_QUERY, query);
}

int xroce_mw_bind(struct xroce *x, struct xroce_mw_bind *bind)
{
	bind->size = sizeof(*bind);
	return xroce_command(x->fd, XROCE_CMD_MW_BIND, bind);
}

int xroce_mw_inval(struct xroce *x, __u32 rkey, __u32 qpn)
{
	struct xroce_mw_inval inval = {
		.size = sizeof(inval),
		.rkey = rkey,
		.qpn = qpn,
	};

	return xroce_command(x->fd, XROCE_CMD_MW_INVAL, &inval);
}
