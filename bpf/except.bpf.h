/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Judging packets that are not simply executed and answered: gaps, duplicates, refusals, responses
 * behind queued ones. packet() in xroce.bpf.c hands them over to except(). The verifier checks a
 * global function once, with arguments of which it knows nothing, and not once for each copy of
 * packet() and for each cause. There are several, because one function that does all of this
 * needs more stack than packet() leaves.
 */
#ifndef _XROCE_EXCEPT_BPF_H
#define _XROCE_EXCEPT_BPF_H

/* A fatal refusal: send a NAK and move the queue pair to ERR (IBTA 9.9.3). */
static __always_inline void refuse(const struct request *req,
				   struct xroce_qp *q, struct xroce_stat *st,
				   int cause, struct response *resp)
{
	q->error = cause;
	q->naks++;
	stat_cause(st, cause);
	mpt_refused(cause, resp->key);
	resp->opcode = XROCE_RC_ACK;
	resp->msn = q->msn;
	if (xroce_kfuncs)
		xroce_fail(xroce_link, q->qpn);
	if (cause >= XROCE_CAUSE_OP_WQE) {
		resp->syndrome = XROCE_SYN_NAK_OP;
		st->nak_op++;
	} else if (cause >= XROCE_CAUSE_ACC_KEY) {
		resp->syndrome = XROCE_SYN_NAK_ACC;
		st->nak_acc++;
	} else {
		resp->syndrome = XROCE_SYN_NAK_INV;
		st->nak_inv++;
	}
}

/*
 * A packet with the expected PSN that has not been executed. Return: XROCE_CAUSE_NONE: there is
 * a response; SILENT or XROCE_DROP_*: there is none.
 */
static __always_inline int not_done(const struct request *req, struct xroce_qp *q,
				    struct xroce_stat *st, int cause,
				    struct response *resp)
{
	if (cause == DEFERRED) {
		stat_deferred(st, req);
		return SILENT;
	}
	if (cause == NO_RESPONSE)
		return XROCE_DROP_RESPONSE;
	if (cause == NOT_READY || cause == NOT_THERE) {
		/* Packets after this one are out of sequence, but get no NAK. */
		q->nak_sent = 1;
		q->naks++;
		st->nak_rnr++;
		resp->syndrome = XROCE_SYN_RNR |
				(cause == NOT_READY ? q->min_rnr_timer :
						      XROCE_RNR_FAULT);
		return XROCE_CAUSE_NONE;
	}
	refuse(req, q, st, cause, resp);
	return XROCE_CAUSE_NONE;
}

/*
 * Return: whether the peer has yet to send again what was executed behind @psn, a duplicate: an
 * acknowledgement of that may confuse it (kmod/defer/early.h). @q is claimed.
 */
static __always_inline bool comes_again(struct xroce_qp *q, __u32 psn)
{
	if (!q->ahead)
		return false;
	/* The sign bit of the difference of 15 bits. */
	if ((psn - q->ahead) & XROCE_QP_AHEAD / 2)
		return true;
	q->ahead = 0;
	return false;
}

/*
 * Replay or acknowledge a duplicate (IBTA 9.7.5.1.2), other than a READ. If it cannot be replayed,
 * it is dropped. Return: as not_done().
 */
static __always_inline int again(const struct request *req, struct xroce_qp *q,
				 struct xroce_stat *st, struct response *resp)
{
	if (!(req->flags & XROCE_OPF_KNOWN))
		return XROCE_DROP_PSN;
	if (req->flags & XROCE_OPF_REPLAY) {
		const struct xroce_rd *r = rd_of(q, req->psn);

		if (!r || r->opcode != req->opcode || r->psn != req->psn)
			return XROCE_DROP_PSN;
		rd_respond_result(req, r->len, 0, resp);
	} else {
		/*
		 * Acknowledge everything before the expected PSN (IBTA C9-105).
		 * But if a READ, say, was executed after this packet, acknowledge
		 * only this packet: a requester may take an acknowledgement of
		 * the READ for its response.
		 */
		if (!rd_behind(q, req->psn) && !comes_again(q, req->psn))
			resp->psn = (q->epsn - 1) & XROCE_PSN_MASK;
		resp->syndrome = XROCE_SYN_ACK;
	}
	q->duplicates++;
	st->duplicate++;
	if (req->flags & XROCE_OPF_REPLAY)
		return XROCE_CAUSE_NONE;
	if (!req->ackreq) {
		q->silent++;
		return SILENT;
	}
	st->ack++;
	return XROCE_CAUSE_NONE;
}

/* Answer a packet before the expected PSN again, or one behind it by a NAK. Return: likewise. */
static __always_inline int out_of_order(const struct request *req, struct xroce_qp *q,
					struct xroce_stat *st, struct response *resp)
{
	if (psn_diff(req->psn, q->epsn) < 0)
		return again(req, q, st, resp);
	if (q->nak_sent)
		return XROCE_DROP_PSN;
	q->nak_sent = 1;
	q->naks++;
	st->nak_seq++;
	resp->psn = q->epsn;
	resp->syndrome = XROCE_SYN_NAK_SEQ;
	return XROCE_CAUSE_NONE;
}

/* Count a packet that has not been executed, and choose its NAK. Return: as not_done(). */
__noinline int except_refuse(struct exception *e)
{
	struct response resp;
	struct xroce_stat *st;
	struct request req;
	struct xroce_qp *q;
	int result;

	if (!exception_find(e, &q, &st))
		return SILENT;
	exception_read(e, &req, &resp, q);
	if (e->result >= XROCE_DROP_LENGTH)
		result = e->result;
	else if (q->type != XROCE_QPT_RC)
		result = uc_not_done(&req, q, st, e->result, &resp);
	else
		result = not_done(&req, q, st, e->result, &resp);
	e->response = XROCE_RC_ACK;
	e->syndrome = resp.syndrome;
	return result;
}

/* A packet on RC with an unexpected PSN. Return: as not_done(). */
__noinline int except_order(struct exception *e)
{
	struct response resp;
	struct xroce_stat *st;
	struct request req;
	struct xroce_qp *q;
	int result;

	if (!exception_find(e, &q, &st))
		return SILENT;
	exception_read(e, &req, &resp, q);
	resp.opcode = XROCE_RC_ACK;
	result = out_of_order(&req, q, st, &resp);
	e->response_psn = resp.psn;
	e->response = resp.opcode;
	e->syndrome = resp.syndrome;
	e->value = resp.result;
	return result;
}

/*
 * Have the module keep a packet behind the expected one, or tell it of one before. Return: whether
 * the packet has been kept, and the module answers it.
 */
__noinline int except_early(struct xdp_md *ctx, const struct exception *e)
{
	struct xroce_stat *st;
	struct xroce_qp *q;
	bool early;

	if (!xroce_kfuncs || !exception_find(e, &q, &st))
		return false;
	early = psn_diff(e->psn, q->epsn) > 0;
	if (xroce_defer(ctx, xroce_link, e->qpn, early ? XROCE_DEFER_EARLY : XROCE_DEFER_AGAIN) ||
	    !early)
		return false;
	st->deferred++;
	st->rx--;
	st->rx_bytes -= e->frame_len;
	return true;
}

/* Return: rd_leaves() */
__noinline int except_behind(const struct exception *e)
{
	const struct xroce_qp *q = e ? qp_at(e->qpn) : NULL;

	return q && rd_leaves(q, e->response_psn);
}

/* Have the module send a response behind queued ones. Return: as not_done(). */
__noinline int except_queue(struct xdp_md *ctx, struct exception *e)
{
	struct response resp;
	struct xroce_stat *st;
	struct request req;
	struct xroce_qp *q;
	int err;

	if (!exception_find(e, &q, &st))
		return SILENT;
	exception_read(e, &req, &resp, q);
	err = response_queue(ctx, &req, q, st, &resp);
	return err == -EAGAIN ? XROCE_CAUSE_NONE : not_sent(q, st, &resp);
}

/* Give the frame the length of the response. Return: whether there is room. */
__noinline int except_resize(struct xdp_md *ctx, const struct exception *e)
{
	struct request req = {};
	__u32 want;

	if (!e)
		return false;
	req.bth = e->bth;
	want = response_bytes(&req, e->response, e->len);
	/* A kfunc may have cut the frame already. */
	if (!e->frags && frame_end(ctx) - frame_start(ctx) == want)
		return true;
	return !response_resize(ctx, e->l3, want - e->frame_len);
}

/* Write the headers of the response. Return: as respond(). */
__noinline int except_respond(struct xdp_md *ctx, struct exception *e)
{
	struct response resp;
	struct xroce_stat *st;
	struct request req;
	struct xroce_qp *q;

	if (!exception_find(e, &q, &st))
		return SILENT;
	exception_read(e, &req, &resp, q);
	if (!e->room || !response_write(frame_start(ctx), frame_end(ctx), &req, q, &resp))
		return not_sent(q, st, &resp);
	return XROCE_CAUSE_NONE;
}

/* Return: exception::crc. */
__noinline __u32 except_crc(const struct exception *e)
{
	struct response resp;
	struct xroce_stat *st;
	struct request req;
	struct xroce_qp *q;

	if (!exception_find(e, &q, &st))
		return 0;
	exception_read(e, &req, &resp, q);
	if (resp.opcode == XROCE_RC_ATOMIC_ACK)
		return icrc_aeth(q, &resp, 8) ^ icrc_result(resp.result);
	return icrc_aeth(q, &resp, 0);
}

/* Write the rest of the response. Return: as respond(). */
__noinline int except_finish(struct xdp_md *ctx, struct exception *e)
{
	struct response_packet *pkt;
	struct response resp;
	struct xroce_stat *st;
	struct request req;
	struct xroce_qp *q;

	if (!exception_find(e, &q, &st))
		return SILENT;
	exception_read(e, &req, &resp, q);
	pkt = response_at(frame_start(ctx), &req);
	resp.aeth = e->crc;
	if (!response_inside(pkt, frame_end(ctx)) ||
	    !response_end(ctx, &req, q, st, &resp, pkt))
		return not_sent(q, st, &resp);
	return XROCE_CAUSE_NONE;
}

/**
 * except() - judge a packet that is not simply executed and answered
 * @ctx: the frame
 * @e: the packet, whose queue pair is claimed
 *
 * Return: XROCE_CAUSE_NONE: the frame is the response; SILENT or XROCE_DROP_*: it must be dropped.
 */
__noinline int except(struct xdp_md *ctx, struct exception *e)
{
	struct xroce_qp *q;
	int result;

	if (!e)
		return SILENT;
	q = qp_at(e->qpn);
	if (!q)
		return SILENT;
	result = e->result;
	if (result == OUT_OF_ORDER) {
		result = except_early(ctx, e) ? SILENT : except_order(e);
	} else if (result) {
		result = except_refuse(e);
		if (e->result > 0 && q->error == e->result)
			event_refused(e);
	}
	if (result)
		return result;
	if (xroce_kfuncs && e->syndrome != XROCE_SYN_ACK)
		xroce_nak(xroce_link, e->qpn, e->response_psn, e->syndrome);
	if (q->queued || (e->frags && !response_in_frame(e->frags))) {
		/* The response must follow those that the module has not sent yet. */
		if (e->made)
			read_unmake(ctx);
		e->behind = e->frags && except_behind(e);
		result = except_queue(ctx, e);
		if (result)
			return result;
	}
	e->room = except_resize(ctx, e);
	e->crc = except_crc(e);
	return except_respond(ctx, e) ? : except_finish(ctx, e);
}

#endif
