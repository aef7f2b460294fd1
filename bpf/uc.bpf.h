/* SPDX-License-Identifier: GPL-2.0-only */
/* The unreliable connected service (IBTA 9.8.2). */
#ifndef _XROCE_UC_BPF_H
#define _XROCE_UC_BPF_H

/*
 * Refuse a packet on UC or UD, which have no acknowledgements: a packet that cannot be executed
 * is dropped, and so is the rest of its message (IBTA 9.8.2.2, 9.8.3). An error in a receive
 * work request moves the queue pair to ERR, and so do XROCE_UC_MISSES refused keys. Return: SILENT,
 * or XROCE_DROP_*.
 */
static __always_inline int uc_not_done(const struct request *req,
				       struct xroce_qp *q, struct xroce_stat *st,
				       int cause, struct response *resp)
{
	if (cause == DEFERRED) {
		if (q->type == XROCE_QPT_UC)
			q->epsn = req->psn;
		stat_deferred(st, req);
		return SILENT;
	}
	q->op = XROCE_QP_OP_NONE;
	if (cause < 0)
		return cause == NOT_THERE ? XROCE_DROP_DEFER : XROCE_DROP_RECV;
	stat_cause(st, cause);
	mpt_refused(cause, resp->key);
	/*
	 * A malformed request, a key that was invalidated just now, and lack of memory are no
	 * guesses of a key: do not count them in xroce_qp::misses.
	 */
	if (cause < XROCE_CAUSE_ACC_KEY || cause == XROCE_CAUSE_ACC_MODULE ||
	    cause == XROCE_CAUSE_OP_MEMORY)
		return SILENT;
	if (cause < XROCE_CAUSE_OP_WQE && ++q->misses < XROCE_UC_MISSES)
		return SILENT;
	q->error = cause;
	if (xroce_kfuncs)
		xroce_fail(xroce_link, q->qpn);
	return SILENT;
}

/**
 * uc_execute() - check and execute a packet on UC
 * @ctx: the frame
 * @req: the packet
 * @q: its queue pair, claimed
 * @st: counters
 * @resp: out: fields of a refused request for its event
 *
 * Return: SILENT: it has been executed; otherwise as write_execute().
 */
static __always_inline int uc_execute(struct xdp_md *ctx, struct request *req,
				      struct xroce_qp *q, struct xroce_stat *st,
				      struct response *resp)
{
	__u32 flags;
	int cause;

	/* A gap ends the message in progress (IBTA 9.8.2.2.2). */
	if (req->psn != q->epsn)
		q->op = XROCE_QP_OP_NONE;
	q->epsn = (req->psn + 1) & XROCE_PSN_MASK;
	/* The first packet of a message ends a message in progress. */
	if (!(req->flags & XROCE_OPF_BEGIN) && !op_continues(q, req))
		return XROCE_CAUSE_INV_ORDER;

	if (req->flags & XROCE_OPF_SEND)
		cause = send_execute(ctx, req, q, st, resp);
	else if (!(q->access & XROCE_ACCESS_REMOTE_WRITE))
		cause = XROCE_CAUSE_INV_QP_ACCESS;
	else
		cause = write_execute(ctx, req, q, st, resp);
	if (cause)
		return cause;
	flags = flags_again(req);
	if (flags & XROCE_OPF_BEGIN)
		q->op = flags & XROCE_OPF_SEND ? XROCE_RC_SEND_FIRST : XROCE_RC_WRITE_FIRST;
	if (flags & XROCE_OPF_END) {
		q->op = XROCE_QP_OP_NONE;
		q->msn = (q->msn + 1) & XROCE_PSN_MASK;
	}
	q->packets++;
	return SILENT;
}

#endif
