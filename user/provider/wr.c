// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * ibv_wr_*(): each call writes a part of an entry. The first that is wrong is remembered, and
 * ibv_wr_complete() then posts none of them; else it rings one doorbell.
 */
#include <errno.h>

#include "ah.h"
#include "mw.h"
#include "op.h"
#include "qp.h"
#include "wqe.h"

#define OPS_UD	(IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM)
#define OPS_UC	(OPS_UD | IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | \
		 IBV_QP_EX_WITH_LOCAL_INV | IBV_QP_EX_WITH_BIND_MW)
#define OPS_RC	(OPS_UC | IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | \
		 IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD | IBV_QP_EX_WITH_SEND_WITH_INV | \
		 IBV_QP_EX_WITH_FLUSH | IBV_QP_EX_WITH_ATOMIC_WRITE)

static_assert(offsetof(struct verbs_qp, comp_mask) ==
	      offsetof(struct ibv_qp_ex, wr_flush) + sizeof(void (*)(void)), "comp_mask");

static struct xp_qp *of(struct ibv_qp_ex *ex)
{
	return container_of(ex, struct xp_qp, vqp.qp_ex);
}

static void fail(struct xp_sq *sq, int err)
{
	if (err && !sq->err)
		sq->err = err;
}

static void start(struct ibv_qp_ex *ex)
{
	struct xp_qp *qp = of(ex);

	xp_lock(&qp->sq.lock);
	qp->sq.wqe = NULL;
	qp->sq.err = ex->qp_base.state < IBV_QPS_RTS || !qp->sq.ring.mem ? EINVAL : 0;
}

/* Begin an entry. Return: it; NULL: nothing more can be posted. */
static struct xroce_send_wqe *begin(struct xp_qp *qp, uint32_t opcode)
{
	struct ibv_qp_ex *ex = &qp->vqp.qp_ex;
	struct xp_sq *sq = &qp->sq;

	if (ex->wr_flags & ~(unsigned int)XP_WQE_FLAGS ||
	    (ex->wr_flags & IBV_SEND_INLINE && !xp_op_inline(opcode)))
		fail(sq, EINVAL);
	sq->wqe = sq->err ? NULL : xp_sq_slot(sq);
	if (!sq->wqe) {
		fail(sq, ENOMEM);
		return NULL;
	}
	/* A setter says if the message is in the entry. */
	xp_wqe_init(sq, sq->wqe, ex->wr_id, opcode, ex->wr_flags & ~IBV_SEND_INLINE);
	sq->next++;
	sq->doorbell |= !xp_op_local(opcode);
	return sq->wqe;
}

static struct xroce_send_wqe *begin_remote(struct ibv_qp_ex *ex, uint32_t opcode, uint32_t rkey,
					   uint64_t addr)
{
	struct xroce_send_wqe *wqe = begin(of(ex), opcode);

	if (wqe) {
		wqe->rkey = rkey;
		wqe->addr = addr;
	}
	return wqe;
}

static void begin_send(struct ibv_qp_ex *ex, uint32_t opcode, uint32_t imm_or_key)
{
	struct xroce_send_wqe *wqe = begin(of(ex), opcode);

	if (wqe)
		wqe->imm_or_key = imm_or_key;
}

static void send(struct ibv_qp_ex *ex)
{
	begin_send(ex, IBV_WR_SEND, 0);
}

static void send_imm(struct ibv_qp_ex *ex, __be32 imm)
{
	begin_send(ex, IBV_WR_SEND_WITH_IMM, imm);
}

static void send_inv(struct ibv_qp_ex *ex, uint32_t rkey)
{
	begin_send(ex, IBV_WR_SEND_WITH_INV, rkey);
}

static void local_inv(struct ibv_qp_ex *ex, uint32_t rkey)
{
	begin_send(ex, IBV_WR_LOCAL_INV, rkey);
}

static void rdma_write(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr)
{
	begin_remote(ex, IBV_WR_RDMA_WRITE, rkey, addr);
}

static void rdma_write_imm(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, __be32 imm)
{
	struct xroce_send_wqe *wqe = begin_remote(ex, IBV_WR_RDMA_WRITE_WITH_IMM, rkey, addr);

	if (wqe)
		wqe->imm_or_key = imm;
}

static void rdma_read(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr)
{
	begin_remote(ex, IBV_WR_RDMA_READ, rkey, addr);
}

static void cmp_swp(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, uint64_t compare,
		    uint64_t swap)
{
	struct xroce_send_wqe *wqe = begin_remote(ex, IBV_WR_ATOMIC_CMP_AND_SWP, rkey, addr);

	if (wqe) {
		wqe->compare = compare;
		wqe->swap_add = swap;
	}
}

static void fetch_add(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, uint64_t add)
{
	struct xroce_send_wqe *wqe = begin_remote(ex, IBV_WR_ATOMIC_FETCH_AND_ADD, rkey, addr);

	if (wqe)
		wqe->swap_add = add;
}

static void atomic_write(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, const void *data)
{
	struct xroce_send_wqe *wqe = begin_remote(ex, IBV_WR_ATOMIC_WRITE, rkey, addr);

	if (wqe)
		memcpy(&wqe->swap_add, data, sizeof(wqe->swap_add));
}

static void flush(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, size_t length, uint8_t type,
		  uint8_t level)
{
	struct xroce_send_wqe *wqe = begin_remote(ex, IBV_WR_FLUSH, rkey, addr);

	if (!wqe)
		return;
	wqe->length = length;
	wqe->imm_or_key = level;
	wqe->access = (type & IBV_FLUSH_GLOBAL ? XROCE_ACCESS_FLUSH_GLOBAL : 0) |
		      (type & IBV_FLUSH_PERSISTENT ? XROCE_ACCESS_FLUSH_PERSISTENT : 0);
}

static void bind_mw(struct ibv_qp_ex *ex, struct ibv_mw *mw, uint32_t rkey,
		    const struct ibv_mw_bind_info *info)
{
	struct xp_qp *qp = of(ex);
	struct xroce_send_wqe *wqe = begin(qp, IBV_WR_BIND_MW);
	int err;

	if (!wqe)
		return;
	err = mw->type == IBV_MW_TYPE_2 ? xp_mw_fill(wqe, &ex->qp_base, mw, rkey, info) : EINVAL;
	if (err) {
		fail(&qp->sq, err);
		return;
	}
	/* For roll_back(), in fields that a bind does not have. */
	wqe->swap_add = mw->rkey;
	wqe->compare = (uintptr_t)mw;
	mw->rkey = rkey;
}

static void set_sge_list(struct ibv_qp_ex *ex, size_t n, const struct ibv_sge *sge)
{
	struct xp_sq *sq = &of(ex)->sq;

	if (sq->wqe)
		fail(sq, xp_wqe_sges(sq, sq->wqe, sge, n));
}

static void set_sge(struct ibv_qp_ex *ex, uint32_t lkey, uint64_t addr, uint32_t length)
{
	struct ibv_sge sge = { .addr = addr, .length = length, .lkey = lkey };

	set_sge_list(ex, 1, &sge);
}

/* Return: the entry, whose message will be in it; NULL: there is none. */
static struct xroce_send_wqe *begin_inline(struct xp_sq *sq)
{
	struct xroce_send_wqe *wqe = sq->wqe;

	if (!wqe)
		return NULL;
	if (!xp_op_inline(wqe->opcode) || !xp_op_data(wqe->opcode)) {
		fail(sq, EINVAL);
		return NULL;
	}
	wqe->flags |= IBV_SEND_INLINE;
	wqe->length = 0;
	return wqe;
}

static void set_inline_data_list(struct ibv_qp_ex *ex, size_t n, const struct ibv_data_buf *buf)
{
	struct xp_sq *sq = &of(ex)->sq;
	struct xroce_send_wqe *wqe = begin_inline(sq);
	size_t i;

	for (i = 0; wqe && i < n; i++)
		fail(sq, xp_wqe_add(sq, wqe, buf[i].addr, buf[i].length));
}

static void set_inline_data(struct ibv_qp_ex *ex, void *addr, size_t length)
{
	struct ibv_data_buf buf = { .addr = addr, .length = length };

	set_inline_data_list(ex, 1, &buf);
}

static void set_ud_addr(struct ibv_qp_ex *ex, struct ibv_ah *ah, uint32_t qpn, uint32_t qkey)
{
	struct xp_sq *sq = &of(ex)->sq;

	if (sq->wqe)
		xp_wqe_ud(sq->wqe, to_xp_ah(ah)->num, qpn, qkey);
}

/* Forget what has been written since ibv_wr_start(); windows have the keys of before. */
static void roll_back(struct xp_sq *sq)
{
	const struct xroce_send_wqe *wqe;

	while (sq->next != sq->tail) {
		wqe = xp_ring_entry(&sq->ring, --sq->next);
		if (wqe->opcode == IBV_WR_BIND_MW && wqe->compare)
			((struct ibv_mw *)(uintptr_t)wqe->compare)->rkey = wqe->swap_add;
	}
	sq->doorbell = false;
}

static int complete(struct ibv_qp_ex *ex)
{
	struct xp_qp *qp = of(ex);
	int err = qp->sq.err;

	if (err)
		roll_back(&qp->sq);
	else
		err = xp_sq_publish(qp);
	xp_unlock(&qp->sq.lock);
	return err;
}

static void abort_wr(struct ibv_qp_ex *ex)
{
	struct xp_sq *sq = &of(ex)->sq;

	roll_back(sq);
	xp_unlock(&sq->lock);
}

int xp_wr_check(enum ibv_qp_type type, uint64_t ops)
{
	uint64_t known = type == IBV_QPT_RC ? OPS_RC : type == IBV_QPT_UC ? OPS_UC : OPS_UD;

	return ops & ~known ? EOPNOTSUPP : 0;
}

/*
 * struct ibv_qp_ex ends before wr_flush in libibverbs of Debian 12, and verbs_qp::comp_mask, which
 * follows it, is there. The command that makes a queue pair sets comp_mask to 0 where it is.
 */
static uint32_t *short_mask(struct xp_qp *qp)
{
	return (uint32_t *)&qp->vqp.qp_ex.wr_flush;
}

void xp_wr_prepare(struct xp_qp *qp)
{
	*short_mask(qp) = ~0u;
	qp->vqp.comp_mask = ~0u;
}

#define OPEN(op, call) do { if (ops & IBV_QP_EX_WITH_##op) call; } while (0)

void xp_wr_open(struct xp_qp *qp, uint64_t ops)
{
	struct ibv_qp_ex *ex = &qp->vqp.qp_ex;
	bool is_short = !*short_mask(qp);

	*short_mask(qp) = 0;
	qp->vqp.comp_mask = 0;
	if (!ops)
		return;

	ex->wr_start = start;
	ex->wr_complete = complete;
	ex->wr_abort = abort_wr;
	ex->wr_set_sge = set_sge;
	ex->wr_set_sge_list = set_sge_list;
	ex->wr_set_inline_data = set_inline_data;
	ex->wr_set_inline_data_list = set_inline_data_list;
	if (ex->qp_base.qp_type == IBV_QPT_UD)
		ex->wr_set_ud_addr = set_ud_addr;
	OPEN(SEND, ex->wr_send = send);
	OPEN(SEND_WITH_IMM, ex->wr_send_imm = send_imm);
	OPEN(SEND_WITH_INV, ex->wr_send_inv = send_inv);
	OPEN(RDMA_WRITE, ex->wr_rdma_write = rdma_write);
	OPEN(RDMA_WRITE_WITH_IMM, ex->wr_rdma_write_imm = rdma_write_imm);
	OPEN(RDMA_READ, ex->wr_rdma_read = rdma_read);
	OPEN(ATOMIC_CMP_AND_SWP, ex->wr_atomic_cmp_swp = cmp_swp);
	OPEN(ATOMIC_FETCH_AND_ADD, ex->wr_atomic_fetch_add = fetch_add);
	OPEN(LOCAL_INV, ex->wr_local_inv = local_inv);
	OPEN(BIND_MW, ex->wr_bind_mw = bind_mw);
	OPEN(ATOMIC_WRITE, ex->wr_atomic_write = atomic_write);
	if (!is_short)
		OPEN(FLUSH, ex->wr_flush = flush);
	*(is_short ? short_mask(qp) : &qp->vqp.comp_mask) |= VERBS_QP_EX;
}
