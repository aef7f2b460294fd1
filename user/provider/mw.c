// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Memory windows. The upper 24 bits of a key are the window's index, its low byte changes with each
 * bind: that of type 2 the program chooses, that of type 1 is the next one. So the program knows
 * the key before the bind is executed.
 */
#include <errno.h>
#include <stdlib.h>

#include "local.h"
#include "mw.h"
#include "qp.h"

struct ibv_mw *xp_alloc_mw(struct ibv_pd *ibpd, enum ibv_mw_type type)
{
	struct ib_uverbs_alloc_mw_resp resp;
	struct ibv_alloc_mw cmd = {};
	struct ibv_mw *mw = calloc(1, sizeof(*mw));
	int err;

	if (!mw)
		return NULL;
	err = ibv_cmd_alloc_mw(ibpd, type, mw, &cmd, sizeof(cmd), &resp, sizeof(resp));
	if (!err)
		return mw;
	free(mw);
	errno = err;
	return NULL;
}

int xp_dealloc_mw(struct ibv_mw *mw)
{
	int err;

	xp_local_finish(to_xp_context(mw->context));
	err = ibv_cmd_dealloc_mw(mw);
	if (!err)
		free(mw);
	return err;
}

int xp_mw_fill(struct xroce_send_wqe *wqe, const struct ibv_qp *ibqp, const struct ibv_mw *mw,
	       uint32_t rkey, const struct ibv_mw_bind_info *info)
{
	if (mw->pd->handle != ibqp->pd->handle || (rkey ^ mw->rkey) >> 8)
		return EINVAL;
	if (info->mw_access_flags & IBV_ACCESS_ZERO_BASED)
		return EOPNOTSUPP;
	/* Without a length, type 1 is unbound. */
	if (!info->mr && (info->length || mw->type != IBV_MW_TYPE_1))
		return EINVAL;
	wqe->imm_or_key = rkey;
	wqe->rkey = info->mr ? info->mr->lkey : 0;
	wqe->addr = info->addr;
	wqe->length = info->length;
	/* Programs give local write, too, which is no right of a window. */
	wqe->access = info->mw_access_flags & ~(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_OPTIONAL_RANGE);
	return 0;
}

int xp_bind_mw(struct ibv_qp *ibqp, struct ibv_mw *mw, struct ibv_mw_bind *bind)
{
	uint32_t rkey = ibv_inc_rkey(mw->rkey);
	struct ibv_send_wr *bad, wr = {
		.wr_id = bind->wr_id,
		.opcode = IBV_WR_BIND_MW,
		.send_flags = bind->send_flags,
		.bind_mw = { .mw = mw, .rkey = rkey, .bind_info = bind->bind_info },
	};

	return xp_post_binds(ibqp, &wr, &bad, IBV_MW_TYPE_1);
}
