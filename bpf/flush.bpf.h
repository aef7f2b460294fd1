/* SPDX-License-Identifier: GPL-2.0-only */
/* FLUSH (IBTA A19). */
#ifndef _XROCE_FLUSH_BPF_H
#define _XROCE_FLUSH_BPF_H

/* Return: XROCE_ACCESS_* that queue pair and region must have. @placement: XROCE_FLUSH_*. */
static __always_inline __u32 flush_rights(__u32 placement)
{
	return (placement & XROCE_FLUSH_GLOBAL ?
		XROCE_ACCESS_FLUSH_GLOBAL : 0) |
	       (placement & XROCE_FLUSH_PERSISTENT ?
		XROCE_ACCESS_FLUSH_PERSISTENT : 0);
}

/**
 * flush_execute() - check and execute a FLUSH
 * @ctx: the frame
 * @req: the packet, which is in order
 * @q: its queue pair, claimed; its rights are checked here
 * @st: counters
 * @resp: out: the response
 *
 * Return: enum xroce_cause; if it is not XROCE_CAUSE_NONE, the queue pair has not changed.
 */
static __always_inline int flush_execute(struct xdp_md *ctx, struct request *req,
					 struct xroce_qp *q,
					 struct xroce_stat *st,
					 struct response *resp)
{
	void *end = frame_end(ctx);
	struct xroce_feth *feth = frame_start(ctx) + req->pos;
	__u32 what, selectivity, rights;
	int cause;

	if (req->pos + sizeof(*feth) > req->end || (void *)(feth + 1) > end)
		return XROCE_CAUSE_INV_LENGTH;
	what = bpf_ntohl(feth->what);
	req->pos += sizeof(*feth);
	if (!take_reth(ctx, req, resp) || req->pos != req->end || req->pad)
		return XROCE_CAUSE_INV_LENGTH;
	selectivity = what >> XROCE_FLUSH_SEL_SHIFT & XROCE_FLUSH_SEL_MASK;
	rights = flush_rights(what);
	if (!rights || selectivity > XROCE_FLUSH_SEL_MR || resp->len > XROCE_MAX_MSG)
		return XROCE_CAUSE_INV_LENGTH;
	if ((q->access & rights) != rights)
		return XROCE_CAUSE_INV_QP_ACCESS;
	cause = mpt_check_all(resp->key, q, resp->va,
			      selectivity == XROCE_FLUSH_SEL_MR ? 0 : resp->len,
			      rights, selectivity == XROCE_FLUSH_SEL_MR);
	if (cause)
		return cause;
	/*
	 * Nothing to do: earlier WRITEs are in memory, where every CPU and device sees
	 * them. Persistent memory cannot be registered, so no region has the right to
	 * FLUSH for persistence.
	 */
	st->flush++;
	rd_keep_result(q, req, 0);
	rd_respond_result(req, 0, 0, resp);
	return XROCE_CAUSE_NONE;
}

#endif
