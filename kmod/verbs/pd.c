// SPDX-License-Identifier: GPL-2.0-only
/* Verbs: protection domains. */
#include "obj/pd.h"

#include "verbs.h"

int xr_ib_alloc_pd(struct ib_pd *ib, struct ib_udata *udata)
{
	struct xr_ibctx *ctx = xr_ib_udata_ctx(udata);

	if (!ctx)
		return -EOPNOTSUPP;
	return xr_pd_create(ctx->link, &ctx->own, &to_xr_ibpd(ib)->id);
}

int xr_ib_dealloc_pd(struct ib_pd *ib, struct ib_udata *udata)
{
	struct xr_ibctx *ctx = xr_ib_udata_ctx(udata);

	return xr_pd_delete(ctx->link, &ctx->own, to_xr_ibpd(ib)->id);
}
