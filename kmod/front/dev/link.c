// SPDX-License-Identifier: GPL-2.0-only
/* /dev/xroce: commands on links. */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/mutex.h>

#include "ctl/teardown.h"
#include "frame/xdp_tx.h"

#include "chardev.h"

int xr_do_link_add(struct xr_ctx *ctx, struct xr_link *unused, union xroce_cmd *arg)
{
	int id;

	if (!capable(CAP_NET_ADMIN))
		return -EPERM;
	id = xr_link_add(ctx, arg->link_add.ifindex);
	if (id < 0)
		return id;
	arg->link_add.link = id;
	return 0;
}

int xr_do_link_maps(struct xr_ctx *ctx, struct xr_link *unused, union xroce_cmd *arg)
{
	int ret;

	if (arg->link_maps.paths > XROCE_PATHS_MAX)
		return -EINVAL;
	if (!capable(CAP_NET_ADMIN))
		return -EPERM;
	ret = xr_link_maps(ctx, &arg->link_maps);
	/* It fails only if the link has been deleted meanwhile. */
	if (!ret)
		xr_link_do(arg->link_maps.link, xr_xdp_tx_update, NULL);
	return ret;
}

int xr_do_link_del(struct xr_ctx *ctx, struct xr_link *unused, union xroce_cmd *arg)
{
	struct xroce_link_del *a = &arg->link_del;

	if (a->reserved)
		return -EINVAL;
	if (!capable(CAP_NET_ADMIN))
		return -EPERM;
	return xr_teardown_link(a->link, a->flags & XROCE_F_FORCE);
}

int xr_do_link_query(struct xr_ctx *ctx, struct xr_link *unused, union xroce_cmd *arg)
{
	return xr_link_query(&arg->link_query);
}

int xr_do_link_use(struct xr_ctx *ctx, struct xr_link *unused, union xroce_cmd *arg)
{
	struct xr_link *link;
	int ret = 0;

	mutex_lock(&ctx->lock);
	if (ctx->link) {
		ret = -EBUSY;
		goto out;
	}
	link = xr_link_use(arg->link_use.ifindex);
	if (IS_ERR(link)) {
		ret = PTR_ERR(link);
		goto out;
	}
	ret = xr_limits_join(&link->limits, &ctx->own);
	if (ret) {
		xr_link_unuse(link);
		goto out;
	}
	arg->link_use.link = link->id;
	/* Pairs with xr_ioctl(), xr_mmap() and xr_poll(). */
	smp_store_release(&ctx->link, link);
out:
	mutex_unlock(&ctx->lock);
	return ret;
}

int xr_do_link_prog(struct xr_ctx *ctx, struct xr_link *unused, union xroce_cmd *arg)
{
	if (!capable(CAP_NET_ADMIN))
		return -EPERM;
	return xr_link_prog(arg->link_prog.link, arg->link_prog.prog_fd);
}
