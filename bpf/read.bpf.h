/* SPDX-License-Identifier: GPL-2.0-only */
/* RDMA READ on a reliable connection (IBTA 9.4.4). */
#ifndef _XROCE_READ_BPF_H
#define _XROCE_READ_BPF_H

/* PSNs that the answer takes. */
static __always_inline __u32 read_packets(__u32 len, __u32 mtu)
{
	return likely(len <= mtu) ? 1 : (len + mtu - 1) / mtu;
}

/* Take the RETH, behind which is nothing else. Return: enum xroce_cause. */
static __always_inline int read_parse(struct xdp_md *ctx, struct request *rq,
				      struct answer *ans)
{
	if (unlikely(!take_reth(ctx, rq, ans) || rq->pos != rq->end || rq->pad))
		return because(XROCE_CAUSE_INV_LENGTH);
	return unlikely(ans->len > XROCE_MAX_MSG) ? XROCE_CAUSE_INV_LENGTH :
					  XROCE_CAUSE_NONE;
}

/*
 * There was no room for as long a response, in the frame of a request, lately. Drivers
 * give all frames about the same; it is tried again now and then. Return: whether to
 * try.
 */
static __always_inline bool read_retry(struct xroce_qp *q, __u32 len)
{
	if (len > q->mtu || q->packets & 0xff)
		return false;
	q->read_max = q->mtu;
	return true;
}

/* The answer is another, or the module's: that finds the peer's address in the frame. */
static __always_inline void read_unmake(struct xdp_md *ctx, struct answer *ans)
{
	void *data = frame_start(ctx), *end = frame_end(ctx);

	if (data + sizeof(struct ethhdr) <= end)
		reply_eth(data);
	ans->made = false;
}

/*
 * Make the answer here: all headers, and what the module puts behind them. Without
 * the module the headers are reply()'s, as they are where nothing follows them.
 *
 * Return: 0, or a negative error of xroce_read(), or -ENOSPC.
 */
static __always_inline int read_make(struct xdp_md *ctx, struct request *rq,
				     struct xroce_qp *q, struct answer *ans)
{
	struct xroce_read r = {
		.va = ans->va,
		.link = xroce_link,
		.key = ans->key,
		.qpn = q->qpn,
		.len = ans->len,
		.l3 = rq->l3,
	};
	void *data = frame_start(ctx), *end = frame_end(ctx);
	struct reply_packet *pkt;
	int err;

	if (!xroce_kfuncs)
		return reply_room(ctx, rq, reply_len(rq, ans)) ? 0 : -ENOSPC;
	pkt = reply_headers(data, end, rq, q, ans);
	if (unlikely(!pkt))
		return -ENOSPC;
	reply_set_read(data + rq->l3, rq->ipv6, pkt, q, ans->len);
	if (ans->len <= XROCE_READ_SHORT)
		r.icrc = icrc_ack(q, ans);
	reply_eth(data);
	ans->made = true;
	err = xroce_read(ctx, &r);
	if (failed(err))
		read_unmake(ctx, ans);
	return err;
}

/**
 * read_answer() - check a READ's key and see to its answer
 * @ctx: the frame
 * @rq: the packet
 * @q: its queue pair, claimed
 * @st: counters
 * @ans: the RETH, and PSN and MSN of the answer
 *
 * What fits the frame is put into it, and goes out with it. Everything else is
 * the module's, which sends it in order, and waits for memory on demand.
 *
 * Return: enum xroce_cause, or NO_ANSWER.
 */
static __always_inline int read_answer(struct xdp_md *ctx,
				       struct request *rq,
				       struct xroce_qp *q,
				       struct xroce_stat *st,
				       struct answer *ans)
{
	int cause, err = -EAGAIN;

	if (likely(ans->len)) {
		cause = mpt_check(ans->key, q, ans->va, ans->len,
				  XROCE_ACCESS_REMOTE_READ);
		if (unlikely(cause))
			return cause;
	}
	ans->opcode = XROCE_RC_READ_RESPONSE_ONLY;
	ans->syndrome = XROCE_SYN_ACK;
	if (likely(!q->queued) &&
	    (likely(ans->len <= q->read_max) || read_retry(q, ans->len)))
		err = ans->len ? read_make(ctx, rq, q, ans) : 0;
	if (failed(err)) {
		if (err == -ENOSPC)
			q->read_max = ans->len - 1;
		else if (err != -EAGAIN)
			return missed(err, XROCE_CAUSE_ACC_MODULE);
		ans->behind = rd_leaves(q, rq->psn);
		/*
		 * When as many as may be outstanding wait already, some of them
		 * may be READs asked for again, so that this is no offence.
		 */
		if (reply_queue(ctx, rq, q, st, ans))
			return NO_ANSWER;
		st->tx_more -= ans->len;
	}
	st->read++;
	st->read_bytes += ans->len;
	return XROCE_CAUSE_NONE;
}

/**
 * read_execute() - check a READ and answer it
 * @ctx: the frame
 * @rq: the packet, which is in order
 * @q: its queue pair, claimed; it has the right
 * @st: counters
 * @ans: the answer; in: its PSN
 *
 * Return: enum xroce_cause, or NO_ANSWER; on failure nothing has changed.
 */
static __always_inline int read_execute(struct xdp_md *ctx, struct request *rq,
					struct xroce_qp *q,
					struct xroce_stat *st,
					struct answer *ans)
{
	struct xroce_rd *r;
	int cause;

	cause = read_parse(ctx, rq, ans);
	if (unlikely(cause))
		return cause;
	ans->msn = (q->msn + 1) & XROCE_PSN_MASK;
	cause = read_answer(ctx, rq, q, st, ans);
	if (unlikely(cause))
		return cause;
	/* In the frame that asked there is one. */
	if (!ans->made)
		ans->packets = read_packets(ans->len, q->mtu);
	r = rd_add(q);
	if (r) {
		r->psn = rq->psn;
		r->last = (rq->psn + ans->packets - 1) & XROCE_PSN_MASK;
		r->opcode = rq->opcode;
		r->rkey = ans->key;
		r->va = ans->va;
		r->len = ans->len;
	}
	return XROCE_CAUSE_NONE;
}

/**
 * read_again() - answer a READ once more, or the rest of one
 * @ctx: the frame
 * @rq: the packet
 * @q: its queue pair, claimed
 * @st: counters
 * @r: what was kept
 * @ans: the answer; in: its PSN and MSN
 *
 * Memory is read again, and may have changed (IBTA 9.7.5.1.2). So key, right and
 * bounds are looked at again as well; what may not be done any more is dropped.
 * A NAK would end a queue pair that has done nothing wrong: the READ was executed
 * when it was allowed, and its answer may still be on its way. If it was lost, the
 * requester's retries end.
 *
 * Return: true when it has been seen to; false: it is another READ, or may not
 * be done any more.
 */
static __always_inline bool read_again(struct xdp_md *ctx, struct request *rq,
				       struct xroce_qp *q,
				       struct xroce_stat *st,
				       const struct xroce_rd *r,
				       struct answer *ans)
{
	__u64 skipped;
	__u32 left;

	if (r->opcode != rq->opcode || read_parse(ctx, rq, ans))
		return false;
	skipped = ans->va - r->va;
	left = (r->last - rq->psn) & XROCE_PSN_MASK;
	if (ans->key != r->rkey || skipped > r->len ||
	    ans->len > r->len - skipped ||
	    read_packets(ans->len, q->mtu) > left + 1)
		return false;
	return !read_answer(ctx, rq, q, st, ans);
}

#endif
