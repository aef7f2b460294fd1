// SPDX-License-Identifier: GPL-2.0-only
/* Local operations: work requests that send no packets. See local.h. */
#include "uapi/xroce.h"

#include "obj/fast.h"
#include "obj/mw.h"
#include "qp/qp.h"

#include "local.h"
#include "queue.h"

/* Execute a local operation. Return: enum xroce_wc_status. */
u32 xr_local_execute(struct xr_qp *qp, const struct xr_swqe *w)
{
	int ret;

	if (w->opcode == XROCE_WR_LOCAL_INV)
		ret = xr_invalidate(qp, w->imm_or_key, false);
	else if (w->opcode == XROCE_WR_REG_MR)
		ret = xr_fast_register(qp, w->imm_or_key, w->va, w->access);
	else
		ret = xr_mw_post_bind(qp->link, qp, &w->bind);
	return ret ? XROCE_WC_MW_BIND_ERR : XROCE_WC_SUCCESS;
}

/*
 * True if a local operation must wait until all requests before it are acknowledged: they may have
 * to be sent again out of the region that it invalidates.
 */
bool xr_local_waits(const struct xr_qp *qp, const struct xr_swqe *w)
{
	return w->opcode == XROCE_WR_LOCAL_INV && qp->send.una != qp->send.psn &&
	       xr_fast_is(qp->link, w->imm_or_key);
}
