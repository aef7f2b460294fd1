/* SPDX-License-Identifier: GPL-2.0-only */
/* RDMA READ on a reliable connection (IBTA 9.4.4). */
#ifndef _XROCE_READ_BPF_H
#define _XROCE_READ_BPF_H

/* PSNs that the response takes. */
static __always_inline __u32 read_packets(__u32 len, __u32 mtu)
{
	return likely(len <= mtu) ? 1 : (len + mtu - 1) / mtu;
}

/* Take the RETH, behind which is nothing else. Return: enum xroce_cause. */
static __always_inline int read_parse(struct xdp_md *ctx, struct request *req,
				      struct response *resp)
{
	if (unlikely(!take_reth(ctx, req, resp) || req->pos != req->end || req->pad))
		return because(XROCE_CAUSE_INV_LENGTH);
	return unlikely(resp->len > XROCE_MAX_MSG) ? XROCE_CAUSE_INV_LENGTH :
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

/* The response is another, or the module's: that finds the peer's address in the frame. */
static __always_inline void read_unmake(struct xdp_md *ctx, struct response *resp)
{
	void *data = frame_start(ctx), *end = frame_end(ctx);

	if (data + sizeof(struct ethhdr) <= end)
		response_eth(data);
	resp->made = false;
}

/*
 * Make the response here: all headers, and what the module puts behind them. Without
 * the module the headers are respond()'s, as they are where nothing follows them.
 *
 * Return: 0, or a negative error of xroce_read(), or -ENOSPC.
 */
static __always_inline int read_make(struct xdp_md *ctx, struct request *req,
				     struct xroce_qp *q, struct response *resp)
{
	struct xroce_read r = {
		.va = resp->va,
		.link = xroce_link,
		.key = resp->key,
		.qpn = q->qpn,
		.len = resp->len,
		.l3 = req->l3,
	};
	void *data = frame_start(ctx), *end = frame_end(ctx);
	struct response_packet *pkt;
	int err;

	if (!xroce_kfuncs)
		return response_room(ctx, req, response_len(req, resp)) ? 0 : -ENOSPC;
	pkt = response_headers(data, end, req, q, resp);
	if (unlikely(!pkt))
		return -ENOSPC;
	response_set_read(data + req->l3, req->ipv6, pkt, q, resp->len);
	if (resp->len <= XROCE_READ_SHORT)
		r.icrc = icrc_ack(q, resp);
	response_eth(data);
	resp->made = true;
	err = xroce_read(ctx, &r);
	if (failed(err))
		read_unmake(ctx, resp);
	return err;
}

/**
 * read_respond() - check a READ's key and see to its response
 * @ctx: the frame
 * @req: the packet
 * @q: its queue pair, claimed
 * @st: counters
 * @resp: the RETH, and PSN and MSN of the response
 *
 * What fits the frame is put into it, and goes out with it. Everything else is
 * the module's, which sends it in order, and waits for on-demand memory.
 *
 * Return: enum xroce_cause, or NO_RESPONSE.
 */
static __always_inline int read_respond(struct xdp_md *ctx,
					struct request *req,
					struct xroce_qp *q,
					struct xroce_stat *st,
					struct response *resp)
{
	int cause, err = -EAGAIN;

	if (likely(resp->len)) {
		cause = mpt_check(resp->key, q, resp->va, resp->len,
				  XROCE_ACCESS_REMOTE_READ);
		if (unlikely(cause))
			return cause;
	}
	resp->opcode = XROCE_RC_READ_RESPONSE_ONLY;
	resp->syndrome = XROCE_SYN_ACK;
	if (likely(!q->queued) &&
	    (likely(resp->len <= q->read_max) || read_retry(q, resp->len)))
		err = resp->len ? read_make(ctx, req, q, resp) : 0;
	if (failed(err)) {
		if (err == -ENOSPC)
			q->read_max = resp->len - 1;
		else if (err != -EAGAIN)
			return missed(err, XROCE_CAUSE_ACC_MODULE);
		resp->behind = rd_leaves(q, req->psn);
		/*
		 * When as many as may be outstanding wait already, some of them
		 * may be READs asked for again, so that this is no offence.
		 */
		if (response_queue(ctx, req, q, st, resp))
			return NO_RESPONSE;
		st->tx_more -= resp->len;
	}
	st->read++;
	st->read_bytes += resp->len;
	return XROCE_CAUSE_NONE;
}

/**
 * read_execute() - check a READ and answer it
 * @ctx: the frame
 * @req: the packet, which is in order
 * @q: its queue pair, claimed; it has the right
 * @st: counters
 * @resp: the response; in: its PSN
 *
 * Return: enum xroce_cause, or NO_RESPONSE; on failure nothing has changed.
 */
static __always_inline int read_execute(struct xdp_md *ctx, struct request *req,
					struct xroce_qp *q,
					struct xroce_stat *st,
					struct response *resp)
{
	struct xroce_rd *r;
	int cause;

	cause = read_parse(ctx, req, resp);
	if (unlikely(cause))
		return cause;
	resp->msn = (q->msn + 1) & XROCE_PSN_MASK;
	cause = read_respond(ctx, req, q, st, resp);
	if (unlikely(cause))
		return cause;
	/* In the frame that asked there is one. */
	if (!resp->made)
		resp->packets = read_packets(resp->len, q->mtu);
	r = rd_add(q);
	if (r) {
		r->psn = req->psn;
		r->last = (req->psn + resp->packets - 1) & XROCE_PSN_MASK;
		r->opcode = req->opcode;
		r->rkey = resp->key;
		r->va = resp->va;
		r->len = resp->len;
	}
	return XROCE_CAUSE_NONE;
}

/**
 * read_again() - answer a READ once more, or the rest of one
 * @ctx: the frame
 * @req: the packet
 * @q: its queue pair, claimed
 * @st: counters
 * @r: what was kept
 * @resp: the response; in: its PSN and MSN
 *
 * Memory is read again, and may have changed (IBTA 9.7.5.1.2). So key, right and
 * bounds are looked at again as well; what may not be done any more is dropped.
 * A NAK would end a queue pair that has done nothing wrong: the READ was executed
 * when it was allowed, and its response may still be on its way. If it was lost, the
 * requester's retries end.
 *
 * Return: true when it has been seen to; false: it is another READ, or may not
 * be done any more.
 */
static __always_inline bool read_again(struct xdp_md *ctx, struct request *req,
				       struct xroce_qp *q,
				       struct xroce_stat *st,
				       const struct xroce_rd *r,
				       struct response *resp)
{
	__u64 skipped;
	__u32 left;

	if (r->opcode != req->opcode || read_parse(ctx, req, resp))
		return false;
	skipped = resp->va - r->va;
	left = (r->last - req->psn) & XROCE_PSN_MASK;
	if (resp->key != r->rkey || skipped > r->len ||
	    resp->len > r->len - skipped ||
	    read_packets(resp->len, q->mtu) > left + 1)
		return false;
	return !read_respond(ctx, req, q, st, resp);
}

#endif
