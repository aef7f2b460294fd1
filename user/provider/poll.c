// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Completion queues: ibv_poll_cq(). The module writes entries and then the tail, with a release
 * store; the program reads the entries and then writes the head, with a release store.
 */
#include <errno.h>

#include "cq.h"
#include "local.h"

/*
 * After so many polls the program may wait for a bind, while others find what they look for: they
 * cost about as much as the doorbell.
 */
#define PATIENCE	100

#define WC_FLAGS	(XROCE_WC_GRH | XROCE_WC_WITH_IMM | XROCE_WC_WITH_INV)

static_assert((int)IBV_WC_SUCCESS == (int)XROCE_WC_SUCCESS, "status");
static_assert((int)IBV_WC_LOC_LEN_ERR == (int)XROCE_WC_LOC_LEN_ERR, "status");
static_assert((int)IBV_WC_MW_BIND_ERR == (int)XROCE_WC_MW_BIND_ERR, "status");
static_assert((int)IBV_WC_RNR_RETRY_EXC_ERR == (int)XROCE_WC_RNR_RETRY_EXC_ERR, "status");
static_assert((int)IBV_WC_SEND == (int)XROCE_WC_SEND, "opcode");
static_assert((int)IBV_WC_LOCAL_INV == (int)XROCE_WC_LOCAL_INV, "opcode");
static_assert((int)IBV_WC_FLUSH == (int)XROCE_WC_FLUSH, "opcode");
static_assert((int)IBV_WC_ATOMIC_WRITE == (int)XROCE_WC_ATOMIC_WRITE, "opcode");
static_assert((int)IBV_WC_RECV == (int)XROCE_WC_RECV, "opcode");
static_assert((int)IBV_WC_RECV_RDMA_WITH_IMM == (int)XROCE_WC_RECV_RDMA_WITH_IMM, "opcode");
static_assert((int)IBV_WC_GRH == (int)XROCE_WC_GRH, "flags");
static_assert((int)IBV_WC_WITH_IMM == (int)XROCE_WC_WITH_IMM, "flags");
static_assert((int)IBV_WC_WITH_INV == (int)XROCE_WC_WITH_INV, "flags");

bool xp_poll_due(struct xp_cq *cq)
{
	if (++cq->polls < PATIENCE)
		return false;
	cq->polls = 0;
	return true;
}

static void fill(struct ibv_wc *wc, const struct xroce_cqe *cqe)
{
	wc->wr_id = cqe->wr_id;
	wc->status = cqe->status;
	wc->opcode = cqe->opcode;
	wc->vendor_err = 0;
	wc->byte_len = cqe->byte_len;
	wc->imm_data = cqe->imm_or_key;
	wc->qp_num = cqe->qpn;
	wc->src_qp = cqe->src_qpn;
	wc->wc_flags = cqe->flags & WC_FLAGS;
	/* The partition of all packets is the first one of the table. */
	wc->pkey_index = 0;
	wc->slid = 0;
	wc->sl = xp_cqe_sl(cqe);
	wc->dlid_path_bits = 0;
}

int xp_poll_cq(struct ibv_cq *ibcq, int n, struct ibv_wc *wc)
{
	struct xp_cq *cq = to_xp_cq(ibcq);
	const struct xroce_cqe *cqe;
	bool due;
	int i;

	xp_lock(&cq->lock);
	for (i = 0; i < n; i++) {
		cqe = xp_cq_next(cq);
		if (!cqe)
			break;
		fill(&wc[i], cqe);
		cq->head++;
	}
	if (i)
		xp_cq_take(cq);
	due = xp_poll_due(cq);
	xp_unlock(&cq->lock);
	if (due)
		xp_local_execute(to_xp_context(ibcq->context));
	return i;
}
