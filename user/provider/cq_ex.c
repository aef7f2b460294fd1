// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Completion queues: ibv_start_poll() and what reads the fields of a completion. */
#include <errno.h>

#include "clock.h"
#include "cq.h"
#include "local.h"

static struct xp_cq *of(struct ibv_cq_ex *cq)
{
	return container_of(cq, struct xp_cq, vcq.cq_ex);
}

/* Take the next completion. Return: 0 or ENOENT. */
static int take(struct xp_cq *cq)
{
	const struct xroce_cqe *cqe = xp_cq_next(cq);

	if (!cqe)
		return ENOENT;
	cq->head++;
	cq->cur = cqe;
	cq->vcq.cq_ex.wr_id = cqe->wr_id;
	cq->vcq.cq_ex.status = cqe->status;
	return 0;
}

/* If there is no completion, ibv_end_poll() must not be called. */
static int start_poll(struct ibv_cq_ex *ex, struct ibv_poll_cq_attr *attr)
{
	struct xp_cq *cq = of(ex);
	bool due;

	if (attr->comp_mask)
		return EINVAL;
	xp_lock(&cq->lock);
	if (!take(cq))
		return 0;
	due = xp_poll_due(cq);
	xp_unlock(&cq->lock);
	if (due)
		xp_local_execute(to_xp_context(ex->context));
	return ENOENT;
}

static int next_poll(struct ibv_cq_ex *ex)
{
	return take(of(ex));
}

static void end_poll(struct ibv_cq_ex *ex)
{
	struct xp_cq *cq = of(ex);
	bool due;

	xp_cq_take(cq);
	due = xp_poll_due(cq);
	xp_unlock(&cq->lock);
	if (due)
		xp_local_execute(to_xp_context(ex->context));
}

static enum ibv_wc_opcode read_opcode(struct ibv_cq_ex *ex)
{
	return of(ex)->cur->opcode;
}

static uint32_t read_vendor_err(struct ibv_cq_ex *ex __attribute__((unused)))
{
	return 0;
}

static uint32_t read_byte_len(struct ibv_cq_ex *ex)
{
	return of(ex)->cur->byte_len;
}

static __be32 read_imm_data(struct ibv_cq_ex *ex)
{
	return of(ex)->cur->imm_or_key;
}

static uint32_t read_qp_num(struct ibv_cq_ex *ex)
{
	return of(ex)->cur->qpn;
}

static uint32_t read_src_qp(struct ibv_cq_ex *ex)
{
	return of(ex)->cur->src_qpn;
}

static unsigned int read_wc_flags(struct ibv_cq_ex *ex)
{
	return of(ex)->cur->flags & (XROCE_WC_GRH | XROCE_WC_WITH_IMM | XROCE_WC_WITH_INV);
}

static uint8_t read_sl(struct ibv_cq_ex *ex)
{
	return xp_cqe_sl(of(ex)->cur);
}

static uint16_t read_cvlan(struct ibv_cq_ex *ex)
{
	return of(ex)->cur->vlan_tci;
}

static uint64_t read_completion_ts(struct ibv_cq_ex *ex)
{
	return of(ex)->cur->timestamp;
}

/* As the wall clock is set now. */
static uint64_t read_wallclock_ns(struct ibv_cq_ex *ex)
{
	return of(ex)->cur->timestamp + xp_clock_ns(CLOCK_REALTIME) - xp_clock_ns(CLOCK_MONOTONIC);
}

/* LIDs, which RoCE does not have. */
static uint32_t read_slid(struct ibv_cq_ex *ex __attribute__((unused)))
{
	return 0;
}

static uint8_t read_dlid_path_bits(struct ibv_cq_ex *ex __attribute__((unused)))
{
	return 0;
}

void xp_cq_ex_open(struct ibv_cq_ex *ex)
{
	ex->start_poll = start_poll;
	ex->next_poll = next_poll;
	ex->end_poll = end_poll;
	ex->read_opcode = read_opcode;
	ex->read_vendor_err = read_vendor_err;
	ex->read_byte_len = read_byte_len;
	ex->read_imm_data = read_imm_data;
	ex->read_qp_num = read_qp_num;
	ex->read_src_qp = read_src_qp;
	ex->read_wc_flags = read_wc_flags;
	ex->read_slid = read_slid;
	ex->read_sl = read_sl;
	ex->read_dlid_path_bits = read_dlid_path_bits;
	ex->read_cvlan = read_cvlan;
	ex->read_completion_ts = read_completion_ts;
	ex->read_completion_wallclock_ns = read_wallclock_ns;
}
