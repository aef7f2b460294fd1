// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Protection domains: the ioctls. */
#include "priv.h"

int xroce_pd_add(struct xroce *x, __u32 flags, __u32 *pd)
{
	struct xroce_pd_add add = { .size = sizeof(add), .flags = flags };
	int err = xroce_command(x->fd, XROCE_CMD_PD_ADD, &add);

	if (!err)
		*pd = add.pd;
	return err;
}

int xroce_pd_del(struct xroce *x, __u32 pd)
{
	struct xroce_pd_del del = { .size = sizeof(del), .pd = pd };

	return xroce_command(x->fd, XROCE_CMD_PD_DEL, &del);
}

int xroce_pd_query_sized(struct xroce *x, struct xroce_pd_query *query, size_t size)
{
	return xroce_command_sized(x->fd, XROCE_CMD_PD_QUERY, query, size);
}
