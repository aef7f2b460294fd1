// SPDX-License-Identifier: GPL-2.0-only
/* /dev/xroce: commands on memory regions. */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "ctl/mr_reg.h"
#include "mem/phys.h"

#include "chardev.h"

/*
 * Copy a list of physical pages from user space, for xr_phys_free(). Return: 0; -EPERM: no
 * CAP_SYS_RAWIO; -EINVAL: an empty list; -E2BIG: a list that is too long; -EFAULT; -ENOMEM.
 */
static int xr_phys_copy(struct xr_phys *phys, u64 user, u32 npages)
{
	u64 *pages;

	if (!capable(CAP_SYS_RAWIO))
		return -EPERM;
	if (!npages)
		return -EINVAL;
	if (npages > XROCE_PHYS_PAGES_MAX)
		return -E2BIG;
	pages = vmemdup_user(u64_to_user_ptr(user), npages * sizeof(*pages));
	if (IS_ERR(pages))
		return PTR_ERR(pages);
	phys->pages = pages;
	phys->npages = npages;
	return 0;
}

static void xr_phys_free(struct xr_phys *phys)
{
	kvfree(phys->pages);
}

int xr_do_mr_reg(struct xr_ctx *ctx, struct xr_link *link, union xroce_cmd *arg)
{
	struct xr_owner *owner = xr_new_owner(ctx, link, arg->mr_reg.flags);

	if (arg->mr_reg.reserved[0] || arg->mr_reg.reserved[1] ||
	    (arg->mr_reg.pid && !(arg->mr_reg.flags & XROCE_F_PID)))
		return -EINVAL;
	if (IS_ERR(owner))
		return PTR_ERR(owner);
	return xr_mr_reg(link, &ctx->own, owner, &arg->mr_reg);
}

int xr_do_mr_dereg(struct xr_ctx *ctx, struct xr_link *link,
		   union xroce_cmd *arg)
{
	if (arg->mr_dereg.reserved)
		return -EINVAL;
	return xr_mr_dereg(link, &ctx->own, arg->mr_dereg.mr);
}

int xr_do_mr_query(struct xr_ctx *ctx, struct xr_link *link,
		   union xroce_cmd *arg)
{
	return xr_mr_query(link, &ctx->own, &arg->mr_query);
}

int xr_do_mr_reg_phys(struct xr_ctx *ctx, struct xr_link *link,
		      union xroce_cmd *arg)
{
	struct xroce_mr_reg_phys *a = &arg->mr_reg_phys;
	struct xr_owner *owner = xr_new_owner(ctx, link, a->flags);
	struct xr_phys phys = {
		.page_shift = a->page_shift,
		.offset = a->offset,
		.length = a->length,
	};
	int ret;

	if (a->reserved)
		return -EINVAL;
	if (IS_ERR(owner))
		return PTR_ERR(owner);
	ret = xr_phys_copy(&phys, a->pages, a->npages);
	if (ret)
		return ret;
	ret = xr_mr_reg_phys(link, &ctx->own, owner, &phys, a);
	xr_phys_free(&phys);
	return ret;
}

int xr_do_mr_reg_shared(struct xr_ctx *ctx, struct xr_link *link,
			union xroce_cmd *arg)
{
	struct xroce_mr_reg_shared *a = &arg->mr_reg_shared;
	struct xr_owner *owner = xr_new_owner(ctx, link, a->flags);

	if (IS_ERR(owner))
		return PTR_ERR(owner);
	return xr_mr_reg_shared(link, &ctx->own, owner, a);
}

int xr_do_mr_rereg(struct xr_ctx *ctx, struct xr_link *link,
		   union xroce_cmd *arg)
{
	struct xroce_mr_rereg *a = &arg->mr_rereg;
	struct xr_phys phys = {
		.page_shift = a->page_shift,
		.offset = a->offset,
		.length = a->length,
	};
	int ret;

	if (a->reserved)
		return -EINVAL;
	if (a->flags && (!(a->mask & XROCE_REREG_TRANSLATION) ||
			 a->flags == (XROCE_F_PID | XROCE_F_PHYS)))
		return -EINVAL;
	if (!(a->flags & XROCE_F_PHYS))
		return xr_mr_rereg(link, &ctx->own, NULL, a);
	ret = xr_phys_copy(&phys, a->pages, a->npages);
	if (ret)
		return ret;
	ret = xr_mr_rereg(link, &ctx->own, &phys, a);
	xr_phys_free(&phys);
	return ret;
}

int xr_do_mr_advise(struct xr_ctx *ctx, struct xr_link *link,
		    union xroce_cmd *arg)
{
	return xr_mr_advise(link, &ctx->own, &arg->mr_advise);
}
