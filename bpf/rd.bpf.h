/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Responder resources: requests whose response is more than an acknowledgement are kept for
 * replay, in case the response is lost (IBTA 9.7.5.1.2, 9.4.5). The newest xroce_qp::rd_max
 * requests are kept. An atomic keeps its result in xroce_rd::len (rd_keep_result()).
 * except.bpf.h recognises duplicates and replays them, read_duplicate() those of READs.
 */
#ifndef _XROCE_RD_BPF_H
#define _XROCE_RD_BPF_H

static __always_inline struct xroce_rd *rd_at(__u32 qpn, __u32 place)
{
	__u32 slot = qpn & xroce_qp_mask;
	struct xroce_rd_ring *ring = bpf_map_lookup_elem(&rd, &slot);

	if (unlikely(!ring))
		return NULL;
	/* The verifier follows a mask better than a comparison. */
	return &ring->rd[place & (XROCE_RD_MAX - 1)];
}

/* Allocate an entry for the request that has just been executed. The caller fills it in. */
static __always_inline struct xroce_rd *rd_add(struct xroce_qp *q)
{
	struct xroce_rd *r = rd_at(q->qpn, q->rd_head);
	__u32 next = q->rd_head + 1;

	if (unlikely(!r))
		return NULL;
	q->rd_head = next < q->rd_max ? next : 0;
	if (q->rd_count < q->rd_max)
		q->rd_count++;
	return r;
}

/* Keep an atomic or FLUSH that has just been executed, and its result. */
static __always_inline void rd_keep_result(struct xroce_qp *q,
					   const struct request *req, __u64 result)
{
	struct xroce_rd *r = rd_add(q);

	if (unlikely(!r))
		return;
	r->psn = req->psn;
	r->last = req->psn;
	r->opcode = req->opcode;
	r->len = result;
}

/*
 * Fill in the response to an atomic or FLUSH, which has just been executed or is a duplicate. @crc:
 * response::crc.
 */
static __always_inline void rd_respond_result(const struct request *req,
					      __u64 result, __u32 crc,
					      struct response *resp)
{
	resp->opcode = xroce_op_response(req->flags);
	resp->syndrome = XROCE_SYN_ACK;
	resp->result = result;
	resp->crc = crc;
	resp->len = 0;
}

/* Return: the newest entry of @q, which has at least one; NULL: the map has no such slot. */
static __always_inline struct xroce_rd *rd_newest(const struct xroce_qp *q)
{
	return rd_at(q->qpn, (q->rd_head ? q->rd_head : q->rd_max) - 1);
}

/**
 * rd_behind() - check whether a kept request was executed after a packet
 * @q: queue pair, claimed
 * @psn: PSN of the packet, a duplicate
 *
 * After 2^23 packets without a request to be kept this is true of any packet, which is
 * harmless.
 */
static __always_inline bool rd_behind(const struct xroce_qp *q, __u32 psn)
{
	struct xroce_rd *r;

	if (!q->rd_count)
		return false;
	r = rd_newest(q);
	return !r || psn_diff(r->psn, psn) > 0;
}

/* Maximum packets in one poll of a driver (NAPI_POLL_WEIGHT). */
#define POLL_PACKETS	64

/*
 * Return: whether the response to the newest kept request may have been sent in the frame of
 * that request during this poll. It then leaves the driver at the end of the poll. A later
 * response from the module must not overtake it, or the peer considers it lost. @psn: PSN of
 * the present packet.
 */
static __always_inline bool rd_leaves(const struct xroce_qp *q, __u32 psn)
{
	struct xroce_rd *r;

	if (!q->rd_count)
		return false;
	r = rd_newest(q);
	return !r || (((psn - r->psn) & XROCE_PSN_MASK) <= POLL_PACKETS &&
		      (r->opcode != XROCE_RC_READ_REQUEST || r->len <= q->read_max));
}

/**
 * rd_find() - find a kept request by a PSN of its response
 * @qpn: queue pair number
 * @psn: the first PSN of the response, or any other one
 * @count: xroce_qp::rd_count: number of valid entries
 * @head: xroce_qp::rd_head: position after the newest entry
 * @max: xroce_qp::rd_max: size of the ring
 *
 * Searches the newest entry first: PSNs repeat after 2^24 packets, and an older entry with
 * the same PSN is stale. A global function, so that the verifier checks it once.
 *
 * Return: the position, or -1.
 */
__noinline int rd_find(__u32 qpn, __u32 psn, __u32 count, __u32 head, __u32 max)
{
	__u32 slot = qpn & xroce_qp_mask;
	struct xroce_rd_ring *ring;
	__u32 place = head;
	__u32 i;

	ring = bpf_map_lookup_elem(&rd, &slot);
	if (!ring)
		return -1;
	for (i = 0; i < XROCE_RD_MAX; i++) {
		struct xroce_rd *r;

		if (i >= count)
			break;
		place = (place ? place : max) - 1;
		r = &ring->rd[place & (XROCE_RD_MAX - 1)];
		if (((psn - r->psn) & XROCE_PSN_MASK) <=
		    ((r->last - r->psn) & XROCE_PSN_MASK))
			return place & (XROCE_RD_MAX - 1);
	}
	return -1;
}

/* Find the kept request that a duplicate repeats. Return: NULL: there is none. */
static __always_inline struct xroce_rd *rd_of(const struct xroce_qp *q, __u32 psn)
{
	int place = rd_find(q->qpn, psn, q->rd_count, q->rd_head, q->rd_max);

	return place >= 0 ? rd_at(q->qpn, place) : NULL;
}

#endif
