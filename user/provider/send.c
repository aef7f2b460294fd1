// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* ibv_post_send(). One doorbell for a list. */
#include <errno.h>

#include "ah.h"
#include "mw.h"
#include "op.h"
#include "qp.h"
#include "wqe.h"

/* Write the elements, or the message itself. Return: 0 or EINVAL. */
static int fill_data(const struct xp_sq *sq, struct xroce_send_wqe *wqe,
		     const struct ibv_send_wr *wr)
{
	if (wr->num_sge < 0)
		return EINVAL;
	if (wr->send_flags & IBV_SEND_INLINE)
		return xp_wqe_inline(sq, wqe, wr->sg_list, wr->num_sge);
	return xp_wqe_sges(sq, wqe, wr->sg_list, wr->num_sge);
}

static int fill_datagram(struct xroce_send_wqe *wqe, const struct ibv_send_wr *wr)
{
	if (!wr->wr.ud.ah)
		return EINVAL;
	xp_wqe_ud(wqe, to_xp_ah(wr->wr.ud.ah)->num, wr->wr.ud.remote_qpn, wr->wr.ud.remote_qkey);
	return 0;
}

static int fill_atomic(struct xroce_send_wqe *wqe, const struct ibv_send_wr *wr)
{
	wqe->addr = wr->wr.atomic.remote_addr;
	wqe->rkey = wr->wr.atomic.rkey;
	if (wr->opcode == IBV_WR_ATOMIC_CMP_AND_SWP) {
		wqe->compare = wr->wr.atomic.compare_add;
		wqe->swap_add = wr->wr.atomic.swap;
	} else {
		wqe->swap_add = wr->wr.atomic.compare_add;
	}
	return 0;
}

/* The eight bytes are in the one element. */
static int fill_atomic_write(struct xroce_send_wqe *wqe, const struct ibv_send_wr *wr)
{
	if (!(wr->send_flags & IBV_SEND_INLINE) || wr->num_sge != 1 ||
	    wr->sg_list[0].length != sizeof(wqe->swap_add))
		return EINVAL;
	memcpy(&wqe->swap_add, (const void *)(uintptr_t)wr->sg_list[0].addr, sizeof(wqe->swap_add));
	wqe->flags &= ~IBV_SEND_INLINE;
	wqe->addr = wr->wr.rdma.remote_addr;
	wqe->rkey = wr->wr.rdma.rkey;
	return 0;
}

/* What the operation has besides memory. Return: 0 or an errno. */
static int fill_op(const struct ibv_qp *ibqp, struct xroce_send_wqe *wqe,
		   const struct ibv_send_wr *wr)
{
	if (ibqp->qp_type == IBV_QPT_UD)
		return fill_datagram(wqe, wr);
	switch (wr->opcode) {
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
	case IBV_WR_RDMA_READ:
		wqe->addr = wr->wr.rdma.remote_addr;
		wqe->rkey = wr->wr.rdma.rkey;
		return 0;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		return fill_atomic(wqe, wr);
	case IBV_WR_ATOMIC_WRITE:
		return fill_atomic_write(wqe, wr);
	case IBV_WR_BIND_MW:
		return xp_mw_fill(wqe, ibqp, wr->bind_mw.mw, wr->bind_mw.rkey,
				  &wr->bind_mw.bind_info);
	default:
		return 0;
	}
}

/* Write one entry. Return: 0 or an errno; then the entry is free as before. */
static int write_one(struct xp_qp *qp, const struct ibv_send_wr *wr)
{
	const struct ibv_qp *ibqp = &qp->vqp.qp;
	struct xp_sq *sq = &qp->sq;
	struct xroce_send_wqe *wqe;
	int err;

	if (!xp_op_has(ibqp->qp_type, wr->opcode) || wr->send_flags & ~XP_WQE_FLAGS ||
	    (wr->send_flags & IBV_SEND_INLINE && !xp_op_inline(wr->opcode)))
		return EINVAL;
	wqe = xp_sq_slot(sq);
	if (!wqe)
		return ENOMEM;
	xp_wqe_init(sq, wqe, wr->wr_id, wr->opcode, wr->send_flags);
	wqe->imm_or_key = wr->imm_data;
	err = fill_op(ibqp, wqe, wr);
	if (!err && xp_op_data(wr->opcode))
		err = fill_data(sq, wqe, wr);
	if (err)
		return err;
	sq->next++;
	sq->doorbell |= !xp_op_local(wr->opcode);
	return 0;
}

/* Windows of type 1 are bound by ibv_bind_mw() only. */
static bool is_bind_of(const struct ibv_send_wr *wr, enum ibv_mw_type type)
{
	return wr->opcode != IBV_WR_BIND_MW || (wr->bind_mw.mw && wr->bind_mw.mw->type == type);
}

int xp_post_binds(struct ibv_qp *ibqp, struct ibv_send_wr *wr, struct ibv_send_wr **bad,
		  enum ibv_mw_type type)
{
	struct xp_qp *qp = to_xp_qp(ibqp);
	struct ibv_send_wr *first = wr;
	int ret = 0, err;

	if (ibqp->state < IBV_QPS_RTS || !qp->sq.ring.mem) {
		*bad = wr;
		return EINVAL;
	}
	xp_lock(&qp->sq.lock);
	for (; wr; wr = wr->next) {
		ret = is_bind_of(wr, type) ? write_one(qp, wr) : EINVAL;
		if (ret) {
			*bad = wr;
			break;
		}
		if (wr->opcode == IBV_WR_BIND_MW)
			wr->bind_mw.mw->rkey = wr->bind_mw.rkey;
	}
	err = xp_sq_publish(qp);
	xp_unlock(&qp->sq.lock);
	if (err && !ret)
		*bad = first;
	return ret ? ret : err;
}

int xp_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	return xp_post_binds(ibqp, wr, bad, IBV_MW_TYPE_2);
}
