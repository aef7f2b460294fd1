/* SPDX-License-Identifier: GPL-2.0-only */
/* RDMA READ on a reliable connection (IBTA 9.4.4). */
#ifndef _XROCE_READ_BPF_H
#define _XROCE_READ_BPF_H

/* Return: number of packets, hence PSNs, of the response. */
static __always_inline __u32 read_packets(__u32 len, __u32 mtu)
{
	return likely(len <= mtu) ? 1 : (len + mtu - 1) / mtu;
}

/* Parse the RETH, which must be the end of the packet. Return: enum xroce_cause. */
static __always_inline int read_parse(struct xdp_md *ctx, struct request *req,
				      struct response *resp)
{
	if (unlikely(!take_reth(ctx, req, resp) || req->pos != req->end || req->pad))
		return because(XROCE_CAUSE_INV_LENGTH);
	return unlikely(resp->len > XROCE_MAX_MSG) ? XROCE_CAUSE_INV_LENGTH :
					  XROCE_CAUSE_NONE;
}

/*
 * The response is longer than xroce_qp::read_max: recently a response of this length found no
 * room in the frame of a request. Drivers leave about the same room in all frames, so try
 * again only every 256 packets. Return: whether to try.
 */
static __always_inline bool read_retry(struct xroce_qp *q, __u32 len)
{
	if (len > q->mtu || q->packets & 0xff)
		return false;
	q->read_max = q->mtu;
	return true;
}

/* Undo read_make(): restore the Ethernet header, for the module or for another response. */
static __always_inline void read_unmake(struct xdp_md *ctx)
{
	void *data = frame_start(ctx), *end = frame_end(ctx);

	if (data + sizeof(struct ethhdr) <= end)
		eth_swap(data);
}

/*
 * Make the response in the frame of the request: the headers here, the rest by the module.
 * Without the module respond() writes the headers, as it does for a READ of 0 bytes.
 *
 * Return: 0, a negative error of xroce_read(), or -ENOSPC.
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
	pkt = response_at(data, req);
	if (unlikely(!response_inside(pkt, end)))
		return -ENOSPC;
	response_headers(pkt, req, q, resp);
	response_set_read(req->ipv6, pkt, q, resp->len);
	if (resp->len <= XROCE_READ_SHORT)
		r.icrc = icrc_ack(q, resp);
	response_eth(data, q);
	resp->made = true;
	err = xroce_read(ctx, &r);
	if (failed(err)) {
		read_unmake(ctx);
		resp->made = false;
	}
	return err;
}

/**
 * read_respond() - check the key of a READ, and make or queue its response
 * @ctx: the frame
 * @req: the packet
 * @q: its queue pair, claimed
 * @st: counters
 * @resp: in: the RETH, and PSN (set by packet()) and MSN of the response; out: the response
 *
 * A response that fits the frame is made there. All others are queued: the module sends them
 * in order, and waits for on-demand memory.
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
		 * If the queue has its maximum of READs, some of these may be
		 * duplicates. So the peer may have kept its limit: no NAK.
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
 * read_execute() - check and execute a READ
 * @ctx: the frame
 * @req: the packet, which is in order
 * @q: its queue pair, claimed; it has the right
 * @st: counters
 * @resp: in: PSN of the response, set by packet(); out: the response
 *
 * Return: enum xroce_cause, or NO_RESPONSE; if it is not XROCE_CAUSE_NONE, the request has
 * not been executed.
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
	/* A response in the frame of the request is one packet. */
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
 * read_again() - replay a READ, or the rest of one
 * @ctx: the frame
 * @req: the packet, a duplicate
 * @q: its queue pair, claimed
 * @st: counters
 * @r: the kept request
 * @resp: in: PSN (set by packet()) and MSN (by execute()) of the response; out: the response
 *
 * Memory is read again, and may have changed (IBTA 9.7.5.1.2). Key, right and bounds are
 * checked again, too. If the access is no longer allowed, the packet is dropped. A NAK would
 * end the queue pair, although the READ was allowed when it was executed, and its response
 * may still arrive. For the same reason the module ends a queued response without a NAK. If
 * the response was lost, the requester fails when its retries are used up.
 *
 * Return: true: replayed or queued; false: it does not match @r, is not allowed any more, or
 * no response is possible now.
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
	resp->again = true;
	return !read_respond(ctx, req, q, st, resp);
}

/* Replay a duplicate READ. Return: XROCE_CAUSE_NONE, SILENT or XROCE_DROP_PSN. */
static __always_inline int read_duplicate(struct xdp_md *ctx, struct request *req,
					  struct xroce_qp *q, struct xroce_stat *st,
					  struct response *resp)
{
	const struct xroce_rd *r = rd_of(q, req->psn);

	if (!r || !read_again(ctx, req, q, st, r, resp))
		return XROCE_DROP_PSN;
	q->duplicates++;
	st->duplicate++;
	return is_queued(q, resp) ? SILENT : XROCE_CAUSE_NONE;
}

#endif
