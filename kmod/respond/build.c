// SPDX-License-Identifier: GPL-2.0-only
/*
 * Building the packets that the module sends as a responder: segments of READs at their pace, NAKs
 * of READs that fail, selective acknowledgements, congestion notifications. The XDP program builds
 * responses of one packet in the frame of the request, and numbers them: execute() of xroce.bpf.c.
 */
#include <linux/minmax.h>
#include <net/xdp.h>

#include "xroce_map.h"
#include "xroce_wire.h"

#include "bytes/vector.h"
#include "defer/gap.h"
#include "frame/tx.h"
#include "obj/link.h"
#include "qp/error.h"
#include "qp/qp.h"

#include "pace.h"
#include "queue.h"
#include "trace.h"

static u8 xr_read_opcode(const struct xr_response *r, u32 len)
{
	bool last = len == r->left;

	if (!r->begun)
		return last ? XROCE_RC_READ_RESPONSE_ONLY :
			      XROCE_RC_READ_RESPONSE_FIRST;
	return last ? XROCE_RC_READ_RESPONSE_LAST :
		      XROCE_RC_READ_RESPONSE_MIDDLE;
}

/* The first response of the queue is complete, or is not sent any further. */
static void xr_response_pop(struct xr_responses *rs)
{
	const struct xr_response *r = xr_response_at(rs, 0);

	rs->reads -= r->opcode == XROCE_RC_READ_RESPONSE_ONLY;
	rs->head = (rs->head + 1) % XR_RESPONSE_MAX;
	rs->count--;
}

/*
 * Count a NAK that the XDP program knows nothing of, and tell its cause to QP_QUERY, unless it
 * replaces one of the program.
 */
static void xr_response_failed(struct xr_qp *qp, u8 cause)
{
	struct xr_responses *rs = &qp->responses;
	struct xroce_stat __percpu *stat = rs->batch.stat;

	if (cmpxchg(&qp->map->error, XROCE_CAUSE_NONE, cause) != XROCE_CAUSE_NONE)
		return;
	rs->naks++;
	if (cause == XROCE_CAUSE_OP_MEMORY) {
		this_cpu_inc(stat->op_memory);
		this_cpu_inc(stat->nak_op);
	} else {
		this_cpu_inc(stat->acc_module);
		this_cpu_inc(stat->nak_acc);
	}
}

/*
 * A response cannot be built: the region is no longer accessible, or with -EIO on-demand
 * memory could not be brought in. Replace the whole queue by a NAK, and move the queue pair
 * to ERR. The queue's lock is held.
 */
static void xr_response_fail(struct xr_qp *qp, struct xr_response *r, int error)
{
	struct xr_responses *rs = &qp->responses;
	bool memory = error == -EIO;

	r->opcode = XROCE_RC_ACK;
	r->syndrome = memory ? XROCE_SYN_NAK_OP : XROCE_SYN_NAK_ACC;
	/* The READ was counted when it was accepted. */
	r->msn = (r->msn - 1) & XROCE_PSN_MASK;
	r->left = 0;
	rs->reads = 0;
	rs->count = 1;
	rs->failed = true;
	trace_xroce_nak_sent(qp->link->id, qp->qpn, r->psn, r->syndrome);
	xr_response_failed(qp, memory ? XROCE_CAUSE_OP_MEMORY : XROCE_CAUSE_ACC_MODULE);
	xr_qp_end(qp);
}

/*
 * Build the next packet of the first response. @last: out: it is the last one of the
 * response. Return: as xr_tx_build().
 */
static int xr_response_packet(struct xr_qp *qp, struct xr_response *r, bool *last)
{
	struct xr_responses *rs = &qp->responses;
	u32 len = min(r->left, qp->mtu);
	/* All members, so that none is cleared first. */
	struct xr_tx_packet p = {
		.l2 = rs->l2,
		.l2_len = rs->l2_len,
		.opcode = r->opcode,
		.syndrome = r->opcode == XROCE_RC_ACK ? r->syndrome :
							XROCE_SYN_ACK,
		.psn = r->psn,
		.msn = r->msn,
		.result = r->result,
		.key = r->key,
		.va = r->va,
		.len = len,
		.ahead = r->left - len,
		.begin = !r->begun,
		.sack = NULL,
	};
	int ret;

	*last = !p.ahead;
	if (r->opcode == XROCE_RC_READ_RESPONSE_ONLY)
		p.opcode = xr_read_opcode(r, p.len);
	ret = xr_tx_build(&rs->batch, qp, &p);
	if (ret)
		return ret;
	r->begun = true;
	r->va += p.len;
	r->left -= p.len;
	r->psn = (r->psn + 1) & XROCE_PSN_MASK;
	return 0;
}

/*
 * Build the pending congestion notification. The queue's lock is held, and there is room in
 * the batch. Return: 0 or -ENOMEM.
 */
static int xr_response_cnp(struct xr_qp *qp)
{
	struct xr_responses *rs = &qp->responses;
	struct xr_tx_packet p = {
		.l2 = rs->l2,
		.l2_len = rs->l2_len,
		.opcode = XROCE_OP_CNP,
	};
	int ret = xr_tx_build(&rs->batch, qp, &p);

	if (!ret)
		rs->cnp = false;
	return ret;
}

/*
 * Build the selective acknowledgement that waits, unless there is no hole any more. The lock of the
 * queue is held, and there is room in the batch. Return: 0 or -ENOMEM.
 */
static int xr_response_sack(struct xr_qp *qp)
{
	struct xr_responses *rs = &qp->responses;
	struct xroce_sack sack;
	struct xr_tx_packet p = {
		.l2 = rs->l2,
		.l2_len = rs->l2_len,
		.opcode = XROCE_OP_SACK,
		.syndrome = XROCE_SYN_NAK_SEQ,
		.sack = &sack,
	};
	int ret = 0;

	if (xr_gap_sack(qp, &sack, &p.psn, &p.msn))
		ret = xr_tx_build(&rs->batch, qp, &p);
	if (!ret)
		rs->sack = false;
	return ret;
}

/* Return: nanoseconds until the next packet may be built; 0: there is none, or it may be now. */
u64 xr_responses_wait(struct xr_responses *rs)
{
	const struct xr_response *r = rs->count ? xr_response_at(rs, 0) : NULL;
	u64 pace, repeat;

	if (!r || r->opcode != XROCE_RC_READ_RESPONSE_ONLY)
		return 0;
	pace = rs->pace ? xr_cc_wait(&rs->pace->cc) : 0;
	repeat = r->again ? xr_repeat_wait(&rs->repeat) : 0;
	return max(pace, repeat);
}

/* A packet of @r has been built. */
static noinline void xr_response_paced(struct xr_responses *rs, const struct xr_response *r)
{
	if (r->opcode != XROCE_RC_READ_RESPONSE_ONLY)
		return;
	if (rs->pace)
		xr_pace_sent(rs->pace, rs->batch.frame[rs->batch.count - 1]->len);
	if (r->again)
		xr_repeat_sent(&rs->repeat);
}

/*
 * Build packets until the batch is full, @room packets are built, or the next one has to wait.
 * Return: packets built; if none could be built, -ENOMEM, or -EAGAIN: on-demand memory is being
 * brought in.
 */
int xr_responses_build(struct xr_qp *qp, int room)
{
	struct xr_responses *rs = &qp->responses;
	struct xr_response *r;
	int built = 0, ret;
	bool last, paced;

	if (unlikely(rs->pace))
		xr_pace_update(qp);
	paced = rs->pace || rs->repeat.gap;
	if (rs->cnp && rs->batch.count < XR_TX_BATCH) {
		ret = xr_response_cnp(qp);
		if (ret)
			return ret;
		built++;
	}
	if (rs->sack && rs->batch.count < XR_TX_BATCH) {
		ret = xr_response_sack(qp);
		if (ret)
			return ret;
		built++;
	}
	while (rs->count && rs->batch.count < XR_TX_BATCH && built < room) {
		if (unlikely(paced) && xr_responses_wait(rs))
			break;
		r = xr_response_at(rs, 0);
		/* One section for all packets behind the first one. */
		if (built)
			xr_vector_hold();
		ret = xr_response_packet(qp, r, &last);
		if (ret == -ENOMEM || ret == -EAGAIN)
			return built ? built : ret;
		/* If its own requests have failed, a queue pair in ERR sends nothing any more. */
		if (ret && !r->again &&
		    (xr_qp_state(qp) != XROCE_QPS_ERR || READ_ONCE(qp->map->error))) {
			xr_response_fail(qp, r, ret);
			continue;
		}
		built += !ret;
		if (unlikely(paced) && !ret)
			xr_response_paced(rs, r);
		if (ret || last)
			xr_response_pop(rs);
	}
	return built;
}
