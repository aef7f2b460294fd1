// SPDX-License-Identifier: GPL-2.0-only
/* /dev/xroce: commands on memory windows. */
#include <linux/err.h>

#include "ctl/bind.h"
#include "obj/mw.h"

#include "chardev.h"

int xr_do_mw_add(struct xr_ctx *ctx, struct xr_link *link, union xroce_cmd *arg)
{
	struct xroce_mw_add *a = &arg->mw_add;
	struct xr_owner *owner = xr_new_owner(ctx, link, a->flags);

	if (a->reserved[0] || a->reserved[1])
		return -EINVAL;
	if (IS_ERR(owner))
		return PTR_ERR(owner);
	return xr_mw_create(link, &ctx->own, owner, a);
}

int xr_do_mw_del(struct xr_ctx *ctx, struct xr_link *link, union xroce_cmd *arg)
{
	if (arg->mw_del.reserved)
		return -EINVAL;
	return xr_mw_delete(link, &ctx->own, arg->mw_del.mw);
}

int xr_do_mw_query(struct xr_ctx *ctx, struct xr_link *link, union xroce_cmd *arg)
{
	if (arg->mw_query.reserved)
		return -EINVAL;
	return xr_mw_query(link, &ctx->own, &arg->mw_query);
}

int xr_do_mw_bind(struct xr_ctx *ctx, struct xr_link *link, union xroce_cmd *arg)
{
	if (arg->mw_bind.reserved)
		return -EINVAL;
	return xr_mw_do_bind(link, &ctx->own, &arg->mw_bind);
}

int xr_do_mw_inval(struct xr_ctx *ctx, struct xr_link *link, union xroce_cmd *arg)
{
	return xr_mw_do_inval(link, &ctx->own, &arg->mw_inval);
}
