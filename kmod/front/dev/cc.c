// SPDX-License-Identifier: GPL-2.0-only
/* /dev/xroce: commands on algorithms of congestion control. */
#include <linux/capability.h>
#include <linux/errno.h>
#include <linux/string.h>

#include "obj/link.h"
#include "send/cc_change.h"
#include "send/cc_list.h"

#include "chardev.h"

/* True if @name, of @size bytes, ends. */
static bool xr_cc_name_ok(const char *name, size_t size)
{
	return strnlen(name, size) < size;
}

static int xr_choose(struct xr_link *link, void *arg)
{
	return xr_cc_choose(&link->cc, arg) ? -ESRCH : 0;
}

int xr_do_link_cc(struct xr_ctx *ctx, struct xr_link *unused, union xroce_cmd *arg)
{
	struct xroce_link_cc *a = &arg->link_cc;

	if (a->reserved || !xr_cc_name_ok(a->name, sizeof(a->name)))
		return -EINVAL;
	if (!capable(CAP_NET_ADMIN))
		return -EPERM;
	return xr_link_do(a->link, xr_choose, a->name);
}

int xr_do_qp_cc(struct xr_ctx *ctx, struct xr_link *link, union xroce_cmd *arg)
{
	const struct xroce_qp_cc *a = &arg->qp_cc;

	if (a->reserved || !*a->name || !xr_cc_name_ok(a->name, sizeof(a->name)))
		return -EINVAL;
	return xr_cc_change(link, &ctx->own, a->qpn, a->name);
}

int xr_do_cc_query(struct xr_ctx *ctx, struct xr_link *unused, union xroce_cmd *arg)
{
	arg->cc_query.reserved = 0;
	return xr_cc_query(&arg->cc_query);
}
