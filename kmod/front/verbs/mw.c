// SPDX-License-Identifier: GPL-2.0-only
/* Verbs: memory windows. send.c binds them. */
#include "uapi/xroce.h"

#include "obj/mw.h"

#include "verbs.h"

int xr_ib_alloc_mw(struct ib_mw *ib, struct ib_udata *udata)
{
	struct xroce_mw_add a = { .pd = to_xr_ibpd(ib->pd)->id };
	struct xr_ibctx *ctx = xr_ib_udata_ctx(udata);
	int ret;

	if (!ctx)
		return -EOPNOTSUPP;
	switch (ib->type) {
	case IB_MW_TYPE_1:
		a.type = XROCE_MW_TYPE_1;
		break;
	case IB_MW_TYPE_2:
		a.type = XROCE_MW_TYPE_2B;
		break;
	default:
		return -EINVAL;
	}
	ret = xr_mw_create(ctx->link, &ctx->own, &ctx->own, &a);
	if (ret)
		return xr_ib_errno(ret);
	to_xr_ibmw(ib)->index = a.mw;
	ib->rkey = a.rkey;
	return 0;
}

int xr_ib_dealloc_mw(struct ib_mw *ib)
{
	struct xr_ibctx *ctx = xr_ib_uobject_ctx(ib->pd->uobject);

	return xr_mw_delete(ctx->link, &ctx->own, to_xr_ibmw(ib)->index);
}
