// SPDX-License-Identifier: GPL-2.0-only
/* /dev/xroce: commands on limits. */
#include <linux/capability.h>

#include "chardev.h"

static int xr_set(struct xr_link *link, void *arg)
{
	return xr_limit_set(&link->limits, arg);
}

static int xr_query(struct xr_link *link, void *arg)
{
	return xr_limit_query(&link->limits, arg);
}

int xr_do_limit_set(struct xr_ctx *ctx, struct xr_link *unused,
		    union xroce_cmd *arg)
{
	if (!capable(CAP_NET_ADMIN))
		return -EPERM;
	return xr_link_do(arg->limit_set.link, xr_set, &arg->limit_set);
}

int xr_do_limit_query(struct xr_ctx *ctx, struct xr_link *unused,
		      union xroce_cmd *arg)
{
	return xr_link_do(arg->limit_query.link, xr_query, &arg->limit_query);
}
