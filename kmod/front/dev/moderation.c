// SPDX-License-Identifier: GPL-2.0-only
/* /dev/xroce: commands on the moderation of completion events. */
#include <linux/capability.h>
#include <linux/errno.h>
#include <linux/mutex.h>

#include "obj/cq.h"
#include "obj/link.h"
#include "obj/moderation.h"

#include "chardev.h"

static int xr_moderate(struct xr_link *link, void *arg)
{
	const struct xroce_link_moderate *a = arg;

	return xr_cq_moderate_all(link, a->count, a->usec);
}

int xr_do_link_moderate(struct xr_ctx *ctx, struct xr_link *unused, union xroce_cmd *arg)
{
	struct xroce_link_moderate *a = &arg->link_moderate;

	if (a->reserved)
		return -EINVAL;
	if (!capable(CAP_NET_ADMIN))
		return -EPERM;
	return xr_link_do(a->link, xr_moderate, a);
}

int xr_do_cq_moderate(struct xr_ctx *ctx, struct xr_link *link, union xroce_cmd *arg)
{
	const struct xroce_cq_moderate *a = &arg->cq_moderate;
	struct xr_cq *cq;
	int ret;

	if (a->reserved || !xr_moderation_ok(a->count, a->usec))
		return -EINVAL;
	mutex_lock(&link->lock);
	cq = xr_cq_find(link, &ctx->own, a->cq);
	ret = cq ? xr_cq_moderate(cq, a->count, a->usec) : -ENOENT;
	mutex_unlock(&link->lock);
	return ret;
}
