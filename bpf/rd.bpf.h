/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Responder resources: what was answered with more than an acknowledgement is
 * kept, so that it can be answered again when the response is lost (IBTA 9.7.5.1.2,
 * 9.4.5). The newest xroce_qp::rd_max are there.
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

/* A place for the request that has just been executed, as the newest one. */
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

/* The newest one. @q has kept some. Return: NULL: the map has no such slot. */
static __always_inline struct xroce_rd *rd_newest(const struct xroce_qp *q)
{
	return rd_at(q->qpn, (q->rd_head ? q->rd_head : q->rd_max) - 1);
}

/**
 * rd_behind() - whether something is kept that was executed after a packet
 * @q: queue pair, claimed
 * @psn: of the packet, executed before
 *
 * After 2^23 packets without anything to keep it is true of all packets; that
 * does no harm.
 */
static __always_inline bool rd_behind(const struct xroce_qp *q, __u32 psn)
{
	struct xroce_rd *r;

	if (!q->rd_count)
		return false;
	r = rd_newest(q);
	return !r || psn_diff(r->psn, psn) > 0;
}

/* Packets of a driver's poll, at most (NAPI_POLL_WEIGHT). */
#define POLL_PACKETS	64

/*
 * Whether the newest response of those may have gone out in the frame of its request in
 * this poll, and leaves at the end of that. What the module sends now must not go before:
 * a peer takes it for one that was lost. @psn is that of the packet.
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
 * rd_find() - find what was kept under a PSN
 * @qpn: queue pair number
 * @psn: first PSN of the response, or one within
 * @count: how many to look through
 * @head: place behind the newest
 * @max: places that are used in turn
 *
 * The newest first: after 2^24 packets PSNs come again, and what is kept from
 * before is not what is meant.
 *
 * A function of its own for the verifier, which so looks at it once.
 *
 * Return: the place, or -1.
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

#endif
