// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Memory windows, by system call; send.c binds them without one. */
#include "priv.h"

int xroce_mw_add_sized(struct xroce *x, struct xroce_mw_add *add, size_t size)
{
	return xroce_command_sized(x->fd, XROCE_CMD_MW_ADD, add, size);
}

int xroce_mw_del(struct xroce *x, __u32 mw)
{
	struct xroce_mw_del del = { .size = sizeof(del), .mw = mw };

	return xroce_command(x->fd, XROCE_CMD_MW_DEL, &del);
}

int xroce_mw_query_sized(struct xroce *x, struct xroce_mw_query *query, size_t size)
{
	return xroce_command_sized(x->fd, XROCE_CMD_MW_QUERY, query, size);
}

int xroce_mw_bind_sized(struct xroce *x, struct xroce_mw_bind *bind, size_t size)
{
	return xroce_command_sized(x->fd, XROCE_CMD_MW_BIND, bind, size);
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
