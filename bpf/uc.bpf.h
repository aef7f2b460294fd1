/* SPDX-License-Identifier: GPL-2.0-only */
/* The unreliable connected service (IBTA 9.8.2). */
#ifndef _XROCE_UC_BPF_H
#define _XROCE_UC_BPF_H

/*
 * There are no acknowledgements: what cannot be executed is dropped, and the
 * rest of its message with it (IBTA 9.8.2.2, 9.8.3). The queue pair is ended by an
 * error in a receive work request, and by a peer that guesses keys.
 */
static __always_inline void uc_refuse(const struct request *rq,
				      struct xroce_qp *q, struct xroce_stat *st,
				      int cause, struct answer *ans)
{
	q->op = XROCE_QP_OP_NONE;
	if (cause < 0) {
		ans->drop = XROCE_DROP_RECV;
		return;
	}
	stat_cause(st, cause);
	mpt_refused(cause, ans->key);
	/* Memory that is not there, or a key gone just now, is nobody's guess. */
	if (cause < XROCE_CAUSE_ACC_KEY || cause == XROCE_CAUSE_ACC_MODULE ||
	    cause == XROCE_CAUSE_OP_MEMORY)
		return;
	if (cause < XROCE_CAUSE_OP_WQE && ++q->misses < XROCE_UC_MISSES)
		return;
	event_refused(rq, q, st, cause, ans);
	q->error = cause;
	if (xroce_kfuncs)
		xroce_fail(xroce_link, q->qpn);
}

/**
 * uc_execute() - check a packet and carry it out
 * @ctx: the frame
 * @rq: the packet
 * @q: its queue pair, claimed
 * @st: counters
 * @ans: room for what a WRITE names
 */
static __always_inline void uc_execute(struct xdp_md *ctx, struct request *rq,
				       struct xroce_qp *q,
				       struct xroce_stat *st,
				       struct answer *ans)
{
	bool begin = rq->flags & OP_BEGIN;
	int cause;

	/* After a gap a message goes on no more (IBTA 9.8.2.2.2). */
	if (rq->psn != q->epsn)
		q->op = XROCE_QP_OP_NONE;
	q->epsn = (rq->psn + 1) & XROCE_PSN_MASK;
	/* A message that begins puts an end to one before it. */
	if (!begin && !op_continues(q, rq)) {
		uc_refuse(rq, q, st, XROCE_CAUSE_INV_ORDER, ans);
		return;
	}

	if (rq->flags & OP_SEND)
		cause = send_execute(ctx, rq, q, st, ans);
	else if (!(q->access & XROCE_ACCESS_REMOTE_WRITE))
		cause = XROCE_CAUSE_INV_QP_ACCESS;
	else
		cause = write_execute(ctx, rq, q, st, ans);
	if (cause == PUT_ASIDE) {
		q->epsn = rq->psn;
		stat_kept(st, rq);
		return;
	}
	if (cause) {
		uc_refuse(rq, q, st, cause, ans);
		return;
	}
	if (begin)
		q->op = rq->opcode & ~XROCE_OP_SERVICE;
	if (rq->flags & OP_END) {
		q->op = XROCE_QP_OP_NONE;
		q->msn = (q->msn + 1) & XROCE_PSN_MASK;
	}
	q->packets++;
}

#endif
