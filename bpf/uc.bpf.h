/* SPDX-License-Identifier: GPL-2.0-only */
/* The unreliable connected service (IBTA 9.8.2). */
#ifndef _XROCE_UC_BPF_H
#define _XROCE_UC_BPF_H

/*
 * There are no acknowledgements: what cannot be executed is dropped, and the
 * rest of its message with it (IBTA 9.8.2.2, 9.8.3). The queue pair is ended by an
 * error in a receive work request, and by a peer that guesses keys.
 */
static __always_inline void uc_refuse(const struct request *req,
				      struct xroce_qp *q, struct xroce_stat *st,
				      int cause, struct response *resp)
{
	q->op = XROCE_QP_OP_NONE;
	if (cause < 0) {
		resp->drop = XROCE_DROP_RECV;
		return;
	}
	stat_cause(st, cause);
	mpt_refused(cause, resp->key);
	/* Memory that is not there, or a key gone just now, is nobody's guess. */
	if (cause < XROCE_CAUSE_ACC_KEY || cause == XROCE_CAUSE_ACC_MODULE ||
	    cause == XROCE_CAUSE_OP_MEMORY)
		return;
	if (cause < XROCE_CAUSE_OP_WQE && ++q->misses < XROCE_UC_MISSES)
		return;
	event_refused(req, q, st, cause, resp);
	q->error = cause;
	if (xroce_kfuncs)
		xroce_fail(xroce_link, q->qpn);
}

/**
 * uc_execute() - check a packet and carry it out
 * @ctx: the frame
 * @req: the packet
 * @q: its queue pair, claimed
 * @st: counters
 * @resp: room for what a WRITE names
 */
static __always_inline void uc_execute(struct xdp_md *ctx, struct request *req,
				       struct xroce_qp *q,
				       struct xroce_stat *st,
				       struct response *resp)
{
	bool begin = req->flags & OP_BEGIN;
	int cause;

	/* After a gap a message goes on no more (IBTA 9.8.2.2.2). */
	if (req->psn != q->epsn)
		q->op = XROCE_QP_OP_NONE;
	q->epsn = (req->psn + 1) & XROCE_PSN_MASK;
	/* A message that begins puts an end to one before it. */
	if (!begin && !op_continues(q, req)) {
		uc_refuse(req, q, st, XROCE_CAUSE_INV_ORDER, resp);
		return;
	}

	if (req->flags & OP_SEND)
		cause = send_execute(ctx, req, q, st, resp);
	else if (!(q->access & XROCE_ACCESS_REMOTE_WRITE))
		cause = XROCE_CAUSE_INV_QP_ACCESS;
	else
		cause = write_execute(ctx, req, q, st, resp);
	if (cause == DEFERRED) {
		q->epsn = req->psn;
		stat_deferred(st, req);
		return;
	}
	if (cause) {
		uc_refuse(req, q, st, cause, resp);
		return;
	}
	if (begin)
		q->op = req->opcode & ~XROCE_OP_SERVICE;
	if (req->flags & OP_END) {
		q->op = XROCE_QP_OP_NONE;
		q->msn = (q->msn + 1) & XROCE_PSN_MASK;
	}
	q->packets++;
}

#endif
