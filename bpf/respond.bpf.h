/* SPDX-License-Identifier: GPL-2.0-only */
/* Turning the frame of a request into its response; response.bpf.h has the contents. */
#ifndef _XROCE_RESPOND_BPF_H
#define _XROCE_RESPOND_BPF_H

/* Headers of every response. Result or payload, and the invariant CRC, follow. */
struct response_packet {
	struct xroce_bth bth;
	struct xroce_aeth aeth;
};

/* Bytes from the UDP header on. */
#define ACK_UDP_LEN	(sizeof(struct udphdr) + sizeof(struct response_packet) + \
			 XROCE_ICRC_LEN)
#define ATOMIC_UDP_LEN	(ACK_UDP_LEN + sizeof(struct xroce_atomicacketh))

/* Return: bytes of the frame of a response. @read: bytes of a READ. */
static __always_inline __u32 response_bytes(const struct request *req, __u32 opcode,
					    __u32 read)
{
	__u32 len = req->bth + sizeof(struct response_packet) + XROCE_ICRC_LEN;

	if (opcode == XROCE_RC_ATOMIC_ACK)
		return len + sizeof(struct xroce_atomicacketh);
	if (opcode == XROCE_RC_READ_RESPONSE_ONLY)
		return len + ((read + 3) & ~3u);
	return len;
}

/*
 * Count the bytes of a response that is sent in the frame of its request, minus those that
 * other counters imply, see xroce_qp::tx_more and xroce_stat::tx_more. For an acknowledgement
 * to a plain packet nothing remains. @read: bytes of a READ. @opcode is a constant in all
 * callers, and so is @req->plain in most.
 */
static __always_inline void response_count(const struct request *req, struct xroce_qp *q,
					   struct xroce_stat *st, __u32 opcode, __u32 read)
{
	__u32 more = response_bytes(req, opcode, 0) - XROCE_ACK_BYTES + (-read & 3);

	if (req->plain && opcode == XROCE_RC_ACK)
		return;
	q->tx_more += read;
	if (req->plain && opcode == XROCE_RC_READ_RESPONSE_ONLY && likely(!(read & 3)))
		return;
	q->tx_more += more;
	st->tx_more += more;
}

static __always_inline __u32 response_len(const struct request *req,
					  const struct response *resp)
{
	return response_bytes(req, resp->opcode, resp->len);
}

/**
 * response_queue() - have the module send the response
 * @ctx: the frame of the request
 * @req: the request
 * @q: its queue pair, claimed
 * @st: counters
 * @resp: the response; out: @queued, on success
 *
 * Return: 0 or a negative error of xroce_queue().
 */
static __always_inline int response_queue(struct xdp_md *ctx,
					  const struct request *req,
					  const struct xroce_qp *q,
					  struct xroce_stat *st,
					  struct response *resp)
{
	struct xroce_response r = {
		.va = resp->va,
		.result = resp->result,
		.link = xroce_link,
		.qpn = q->qpn,
		.key = resp->key,
		.len = resp->len,
		.psn = resp->psn,
		.msn = resp->msn,
		.opcode = resp->opcode,
		.syndrome = resp->syndrome,
		.behind = resp->behind,
		.again = resp->again,
	};
	int err = module(xroce_queue(ctx, &r, req->l3));

	if (!err) {
		st->queued++;
		resp->queued = true;
	}
	return err;
}

/*
 * Swap the addresses, in words: struct ethhdr is packed, so its members would be copied byte
 * by byte.
 */
static __always_inline void eth_swap(struct ethhdr *eth)
{
	__u32 *dest = (__u32 *)eth->h_dest, *source = (__u32 *)eth->h_source;
	__u16 *dest_end = (__u16 *)&eth->h_dest[4];
	__u16 *source_end = (__u16 *)&eth->h_source[4];
	__u32 d = *dest;
	__u16 e = *dest_end;

	*dest = *source;
	*dest_end = *source_end;
	*source = d;
	*source_end = e;
}

/*
 * Turn the Ethernet header of a request into that of its response. Whoever has sent the request,
 * the response goes to the peer's address if the queue pair was given it.
 */
static __always_inline void response_eth(struct ethhdr *eth, const struct xroce_qp *q)
{
	__u32 *dest = (__u32 *)eth->h_dest;
	__u16 *dest_end = (__u16 *)&eth->h_dest[4];
	__u64 peer = *(const volatile __u64 *)&q->dmac;

	eth_swap(eth);
	if (!peer)
		return;
	*dest = peer;
	*dest_end = peer >> 32;
}

/*
 * Write the template of an acknowledgement: from the IP header to before the PSN. @pairs: two
 * words at a time, which are aligned after an Ethernet header without tags.
 */
static __always_inline void response_words(__be32 *at, const struct xroce_qp *q,
					   int words, bool pairs)
{
	const void *from = q->response;
	int i;

#pragma unroll
	for (i = 0; i < words; i++) {
		if (pairs && i + 1 < words) {
			*(__u64 *)&at[i] = *(const __u64 *)(from + 4 * i);
			i++;
		} else {
			at[i] = q->response[i];
		}
	}
}

/* Change the length from that of an acknowledgement, and update the checksum (RFC 1624). */
static __always_inline void response_ipv4_len(struct iphdr *ip, __u32 udp_len)
{
	__u32 sum = (__u16)~bpf_ntohs(ip->check) + udp_len - ACK_UDP_LEN;

	/* There is one carry at most. */
	ip->tot_len = bpf_htons(sizeof(*ip) + udp_len);
	ip->check = bpf_htons(~(sum + (sum >> 16)));
}

/* Turn the headers of an acknowledgement into those of an atomic acknowledgement. */
static __always_inline void response_set_atomic(bool ipv6, struct response_packet *pkt,
						const struct xroce_qp *q)
{
	struct udphdr *udp = (void *)pkt - sizeof(*udp);
	struct iphdr *ip = (void *)udp - sizeof(*ip);

	pkt->bth.opcode = XROCE_RC_ATOMIC_ACK;
	udp->len = bpf_htons(ATOMIC_UDP_LEN);
	if (ipv6) {
		((struct ipv6hdr *)udp - 1)->payload_len = udp->len;
	} else {
		ip->tot_len = bpf_htons(sizeof(*ip) + ATOMIC_UDP_LEN);
		ip->check = q->atomic_check;
	}
}

/* Compute the fields that depend on the length of a READ response into xroce_qp::read. */
static __always_inline void response_read_lengths(bool ipv6, struct response_packet *pkt,
						  struct xroce_qp *q, __u32 len)
{
	struct iphdr *ip = (void *)pkt - sizeof(struct udphdr) - sizeof(*ip);
	__u32 udp_len = ACK_UDP_LEN + ((len + 3) & ~3u);

	q->read.flags = pkt->bth.flags | (-len & 3) << XROCE_BTH_PAD_SHIFT;
	q->read.udp = bpf_htons(udp_len);
	if (!ipv6) {
		response_ipv4_len(ip, udp_len);
		q->read.ip = ip->tot_len;
		q->read.check = ip->check;
	}
	q->read.known = len + 1;
}

/*
 * Turn the headers of an acknowledgement into those of a READ response, which usually has the
 * same length as the previous one.
 */
static __always_inline void response_set_read(bool ipv6, struct response_packet *pkt,
					      struct xroce_qp *q, __u32 len)
{
	struct udphdr *udp = (void *)pkt - sizeof(*udp);
	struct iphdr *ip = (void *)udp - sizeof(*ip);

	pkt->bth.opcode = XROCE_RC_READ_RESPONSE_ONLY;
	if (unlikely(q->read.known != len + 1))
		response_read_lengths(ipv6, pkt, q, len);
	pkt->bth.flags = q->read.flags;
	udp->len = q->read.udp;
	if (ipv6) {
		((struct ipv6hdr *)udp - 1)->payload_len = udp->len;
	} else {
		ip->tot_len = q->read.ip;
		ip->check = q->read.check;
	}
}

/* Return: bytes of the IP and UDP header. */
static __always_inline __u32 response_l3(const struct request *req)
{
	return (req->ipv6 ? sizeof(struct ipv6hdr) : sizeof(struct iphdr)) + sizeof(struct udphdr);
}

/* Return: the BTH of a response in the frame that begins at @data; see response_inside(). */
static __always_inline struct response_packet *response_at(void *data, const struct request *req)
{
	void *l3 = data + req->l3;

	/* The verifier knows the distance of two pointers if one is computed from the other. */
	if (!req->plain)
		barrier_var(l3);
	return l3 + response_l3(req);
}

/* Return: whether the headers, and at least the invariant CRC after them, end before @end. */
static __always_inline bool response_inside(const struct response_packet *pkt, const void *end)
{
	return likely((const void *)(pkt + 1) + XROCE_ICRC_LEN <= end);
}

/* Write all headers of an acknowledgement after the Ethernet header, from before @pkt on. */
static __always_inline void response_headers(struct response_packet *pkt,
					     const struct request *req,
					     const struct xroce_qp *q,
					     const struct response *resp)
{
	void *l3 = (void *)pkt - response_l3(req);

	if (req->ipv6)
		response_words(l3, q, XROCE_RESPONSE_WORDS, false);
	else if (req->plain)
		response_words(l3, q, XROCE_RESPONSE_WORDS4, true);
	else
		response_words(l3, q, XROCE_RESPONSE_WORDS4, false);
	pkt->bth.apsn = bpf_htonl(resp->psn);
	pkt->aeth.smsn = bpf_htonl(resp->syndrome << 24 | resp->msn);
}

/* The longest Ethernet header that parse() accepts. */
struct l2_hdr {
	struct ethhdr eth;
	struct vlan_hdr vlan[VLAN_DEPTH];
};

static __always_inline bool l2_load(struct xdp_md *ctx, struct l2_hdr *l2)
{
	void *end = frame_end(ctx);
	struct l2_hdr *at = frame_start(ctx);

	if ((void *)(at + 1) > end)
		return false;
	*l2 = *at;
	return true;
}

static __always_inline bool l2_store(struct xdp_md *ctx, __u32 len,
				     const struct l2_hdr *l2)
{
	void *end = frame_end(ctx);
	struct l2_hdr *at = frame_start(ctx);

	if ((void *)(at + 1) > end)
		return false;
	at->eth = l2->eth;
	if (len > sizeof(l2->eth))
		at->vlan[0] = l2->vlan[0];
	if (len > sizeof(l2->eth) + sizeof(l2->vlan[0]))
		at->vlan[1] = l2->vlan[1];
	return true;
}

/* Extend the frame at its start, if there is no room at its end. */
static __always_inline bool response_room_front(struct xdp_md *ctx, __u32 l3, int delta)
{
	struct l2_hdr l2;

	return l2_load(ctx, &l2) && !bpf_xdp_adjust_head(ctx, -delta) &&
	       l2_store(ctx, l3, &l2);
}

/* Return: whether a frame with XROCE_FRAME_* may be resized and sent back. */
static __always_inline bool response_in_frame(__u8 frags)
{
	return !(frags & XROCE_FRAME_ODD) && !xroce_keep_frags;
}

/*
 * Make the frame longer by @delta bytes, which may be negative. @l3: offset of the IP header.
 * Return: 0; otherwise there is no room, and the frame must be dropped.
 */
__noinline int response_resize(struct xdp_md *ctx, __u32 l3, int delta)
{
	return delta && bpf_xdp_adjust_tail(ctx, delta) &&
	       !(delta > 0 && response_room_front(ctx, l3, delta));
}

/**
 * response_room() - resize the frame to the length of a response
 * @ctx: the frame
 * @req: the request; its @frame_len becomes @want
 * @want: bytes of the frame of the response
 *
 * Only the Ethernet header, at the start of the frame, is preserved.
 *
 * Return: true; false: there is no room, and the frame must be dropped.
 */
static __always_inline bool response_room(struct xdp_md *ctx,
					  struct request *req, __u32 want)
{
	if (response_resize(ctx, req->l3, want - req->frame_len))
		return false;
	req->frame_len = want;
	return true;
}

/* Return: whether the module sends the response. If so, count that. */
static __always_inline bool is_queued(struct xroce_qp *q, const struct response *resp)
{
	if (likely(!resp->queued))
		return false;
	q->silent++;
	return true;
}

/*
 * Correct the counters: the program does not send the response after all. Return: SILENT: the
 * module sends it; XROCE_DROP_RESPONSE.
 */
static __always_inline int not_sent(struct xroce_qp *q, struct xroce_stat *st,
				    const struct response *resp)
{
	q->silent++;
	if (resp->opcode == XROCE_RC_READ_RESPONSE_ONLY)
		st->tx_more -= resp->len;
	return resp->queued ? SILENT : XROCE_DROP_RESPONSE;
}

/*
 * Write all headers of an acknowledgement into the frame, @data to @end. Return: the BTH; NULL:
 * they are not inside.
 */
static __always_inline struct response_packet *response_write(void *data, const void *end,
							      const struct request *req,
							      const struct xroce_qp *q,
							      const struct response *resp)
{
	struct response_packet *pkt = response_at(data, req);

	if (unlikely(data + sizeof(struct ethhdr) > end || !response_inside(pkt, end)))
		return NULL;
	response_eth(data, q);
	response_headers(pkt, req, q, resp);
	return pkt;
}

/*
 * Give the frame the length of the response, and write all headers, those of an acknowledgement.
 * Return: as response_write(), or NULL: there is no room.
 */
static __always_inline struct response_packet *response_begin(struct xdp_md *ctx,
							      struct request *req,
							      const struct xroce_qp *q,
							      const struct response *resp)
{
	void *data = frame_start(ctx), *end = frame_end(ctx);
	__u32 want = response_len(req, resp);

	/* Usually a kfunc has already cut the frame to this length. */
	if (unlikely(req->frags || end - data != want)) {
		if (unlikely(!response_room(ctx, req, want)))
			return NULL;
		data = frame_start(ctx);
		end = frame_end(ctx);
	}
	return response_write(data, end, req, q, resp);
}

/* Return: the contribution of PSN and AETH to the invariant CRC. The module makes that of READs. */
static __always_inline __u32 response_crc(struct xroce_qp *q, const struct response *resp)
{
	if (resp->opcode == XROCE_RC_READ_RESPONSE_ONLY)
		return 0;
	return resp->opcode == XROCE_RC_ATOMIC_ACK ? icrc_aeth(q, resp, 8) : icrc_aeth(q, resp, 0);
}

/*
 * Write what an acknowledgement does not have, and the invariant CRC. @pkt: result of
 * response_begin(). Return: false: the frame is too short.
 */
static __always_inline bool response_end(struct xdp_md *ctx, const struct request *req,
					 struct xroce_qp *q, struct xroce_stat *st,
					 const struct response *resp,
					 struct response_packet *pkt)
{
	struct xroce_atomicacketh *orig = (void *)(pkt + 1);
	__be32 *icrc = (void *)(pkt + 1);
	__u32 at;

	if (resp->opcode == XROCE_RC_ACK) {
		*icrc = icrc_wire(q->ack_icrc ^ resp->aeth);
		response_count(req, q, st, XROCE_RC_ACK, 0);
		return true;
	}

	if (resp->opcode == XROCE_RC_ATOMIC_ACK) {
		response_set_atomic(req->ipv6, pkt, q);
		icrc = (void *)(orig + 1);
		if ((void *)(icrc + 1) > frame_end(ctx))
			return false;
		orig->orig_hi = bpf_htonl(resp->result >> 32);
		orig->orig_lo = bpf_htonl(resp->result);
		*icrc = icrc_wire(q->atomic_icrc ^ resp->aeth ^ resp->crc);
		response_count(req, q, st, XROCE_RC_ATOMIC_ACK, 0);
		return true;
	}
	response_set_read(req->ipv6, pkt, q, resp->len);
	at = response_len(req, resp) - XROCE_ICRC_LEN;
	if (!xroce_kfuncs) {
		__be32 zero = 0;

		if (bpf_xdp_store_bytes(ctx, at, &zero, sizeof(zero)))
			return false;
	} else if (xroce_icrc_put(ctx, req->l3, at)) {
		return false;
	}
	response_count(req, q, st, XROCE_RC_READ_RESPONSE_ONLY, resp->len);
	return true;
}

/**
 * respond() - turn the frame of a request into its response
 * @ctx: the frame of the request
 * @req: the request
 * @q: its queue pair, claimed
 * @st: counters
 * @resp: the response
 *
 * VLAN tags stay as they are.
 *
 * Return: 0; SILENT: the module sends the response; XROCE_DROP_RESPONSE: the frame cannot carry
 * it. In the latter two cases the frame must be dropped.
 */
static __always_inline int respond(struct xdp_md *ctx, struct request *req, struct xroce_qp *q,
				   struct xroce_stat *st, struct response *resp)
{
	struct response_packet *pkt;

	if (resp->made) {
		response_count(req, q, st, XROCE_RC_READ_RESPONSE_ONLY, resp->len);
		return 0;
	}
	if (unlikely(req->frags) && !response_in_frame(req->frags)) {
		resp->behind = rd_leaves(q, resp->psn);
		response_queue(ctx, req, q, st, resp);
		return not_sent(q, st, resp);
	}
	pkt = response_begin(ctx, req, q, resp);
	resp->aeth = response_crc(q, resp);
	if (unlikely(!pkt || !response_end(ctx, req, q, st, resp, pkt)))
		return not_sent(q, st, resp);
	return 0;
}

#endif
