/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The short way of common packets of a WRITE and of common responses: plain, in one buffer,
 * expected, and behind nothing that waits. One kfunc verifies the invariant CRC and
 * copies, in one vector section. Until it has verified the CRC nothing has changed, neither
 * counters nor the queue pair: any other packet is then judged by packet(), from the beginning.
 */
#ifndef _XROCE_FAST_BPF_H
#define _XROCE_FAST_BPF_H

/* In place of XDP_*: nothing has changed. */
#define NOT_FAST	(-1)

/*
 * Checks of a packet before the claim, all but that of the invariant CRC: as those of parse() and
 * admit(). Return: the queue pair; NULL: not fast.
 */
static __always_inline struct xroce_qp *fast_admit(struct xdp_md *ctx, void *data, void *end,
						   struct request *req, int opcode)
{
	const struct xroce_bth *bth;
	const struct iphdr *ip;
	struct xroce_qp *q;
	int qpn;

	/* First: of a frame in several buffers nothing else is worth a look. */
	req->frame_len = end - data;
	if (unlikely(req->frame_len < ETH_HLEN + bpf_ntohs(((struct plain *)data)->ip.tot_len)))
		return NULL;
	qpn = parse(data, end, req, opcode);
	ip = data + req->l3;
	bth = data + req->bth;
	if (unlikely(qpn < 0 || !parse_lengths(req)))
		return NULL;
	if (unlikely(!ipv4_checksum_ok(ip) || bth->flags & XROCE_BTH_TVER_MASK || is_marked(req)))
		return NULL;
	q = qp_find(qpn);
	if (unlikely(!q))
		return NULL;
	req->generation = q->generation;
	req->flags = xroce_op_flags(opcode);
	if (unlikely(q->type != XROCE_QPT_RC || q->pkey_full != (__u16)bth->pkey ||
		     eth_from_group(data) || !qp_addr_ok(ctx, q, req, ip, end)))
		return NULL;
	return q;
}

/* True if the packet is the expected one, under the claim. */
static __always_inline bool fast_expected(const struct xroce_qp *q, const struct request *req)
{
	__u8 op = req->flags & XROCE_OPF_BEGIN ? XROCE_QP_OP_NONE : XROCE_RC_WRITE_FIRST;

	return likely(q->generation == req->generation && qp_ready(q) && q->epsn == req->psn &&
		      q->op == op && !q->queued && q->access & XROCE_ACCESS_REMOTE_WRITE);
}

/*
 * Check a packet of a WRITE, and have the module verify its invariant CRC and write the payload.
 * @q is claimed. Return: whether that is done; if not, nothing has changed.
 */
static __always_inline bool fast_write(struct xdp_md *ctx, struct request *req, struct xroce_qp *q,
				       struct response *resp)
{
	if (!fast_expected(q, req) || !write_range(ctx, req, q, resp) ||
	    !write_payload(req, q->mtu, resp->len) || !req->payload ||
	    mpt_check(resp->key, q, resp->va, resp->len, XROCE_ACCESS_REMOTE_WRITE))
		return false;
	struct xroce_write w = {
		.va = resp->va,
		.link = xroce_link,
		.key = resp->key,
		.off = req->pos,
		.len = req->payload,
		.begin = !!(req->flags & XROCE_OPF_BEGIN),
		.qpn = q->qpn,
		.cut = response_bytes(req, XROCE_RC_ACK, 0),
		.l3 = req->l3,
		.end = req->end,
	};

	return likely(!module(xroce_write_checked(ctx, &w)));
}

/*
 * Execute a packet of a WRITE the short way. @data to @end: its first buffer. @opcode is a
 * constant: that of a plain packet without immediate data. Return: XDP_*, or NOT_FAST.
 */
static __always_inline int fast_request(struct xdp_md *ctx, void *data, void *end, int opcode)
{
	struct request req = {};
	struct response resp = {};
	struct xroce_stat *st;
	struct xroce_qp *q;
	int result;

	q = fast_admit(ctx, data, end, &req, opcode);
	if (unlikely(!q))
		return NOT_FAST;
	st = stat_this_cpu();
	if (unlikely(!st || qp_detour(q) || !qp_claim(q)))
		return NOT_FAST;
	if (unlikely(!fast_write(ctx, &req, q, &resp))) {
		qp_release(q);
		return NOT_FAST;
	}
	st->rx++;
	st->rx_bytes += req.frame_len;
	q->nak_sent = 0;
	write_advance(&req, q, st, &resp);
	resp.psn = req.psn;
	resp.packets = 1;
	qp_advance(q, &req, &resp);
	if (!req.ackreq) {
		q->silent++;
		qp_release(q);
		return XDP_DROP;
	}
	st->ack++;
	resp.opcode = XROCE_RC_ACK;
	resp.syndrome = XROCE_SYN_ACK;
	result = respond(ctx, &req, q, st, &resp);
	qp_release(q);
	if (unlikely(result))
		return result > 0 ? drop_of(ctx, &req, q->qpn, result) : XDP_DROP;
	st->tx++;
	return XDP_TX;
}

/*
 * Accept a response the short way. Arguments and result are those of fast_request(), and @opcode
 * is that of a response.
 */
static __always_inline int fast_response(struct xdp_md *ctx, void *data, void *end, int opcode)
{
	struct request req = {};
	struct xroce_stat *st;
	struct xroce_qp *q;
	int err;

	q = fast_admit(ctx, data, end, &req, opcode);
	if (unlikely(!q || !q->req || !qp_ready(q) || !ack_in_window(q, req.psn)))
		return NOT_FAST;
	struct xroce_ack a = {
		.link = xroce_link,
		.qpn = req.qpn,
		.psn = req.psn,
		.opcode = req.opcode,
		.l3 = req.l3,
		.end = req.end,
	};

	if (unlikely(!ack_has_headers(&req) || !ack_headers(ctx, &req, &a) || !take_payload(&req) ||
		     !ack_length_ok(&req, q)))
		return NOT_FAST;
	st = stat_this_cpu();
	if (unlikely(!st))
		return NOT_FAST;
	a.off = req.pos;
	a.len = req.payload;
	err = module(xroce_ack_checked(ctx, &a));
	if (unlikely(err == -EBADMSG))
		return NOT_FAST;
	st->rx++;
	st->rx_bytes += req.frame_len;
	ack_count(&req, st, &a, err);
	return XDP_DROP;
}

#endif
