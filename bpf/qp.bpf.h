/* SPDX-License-Identifier: GPL-2.0-only */
/* Finding and claiming a queue pair, and checks of a packet against it. */
#ifndef _XROCE_QP_BPF_H
#define _XROCE_QP_BPF_H

/* Return: the slot of a queue pair number. */
static __always_inline struct xroce_qp *qp_at(__u32 qpn)
{
	__u32 slot = qpn & xroce_qp_mask;

	return bpf_map_lookup_elem(&qp, &slot);
}

static __always_inline struct xroce_qp *qp_find(__u32 qpn)
{
	struct xroce_qp *q = qp_at(qpn);

	if (unlikely(!q || q->qpn != qpn))
		return NULL;
	return q;
}

/* True if the packet is for xroce. The rest is left to the stack. */
static __always_inline bool qpn_ours(__u32 qpn)
{
	return likely(qpn >= XROCE_QPN_BASE && qpn != XROCE_QPN_MCAST) ||
	       (qpn == XROCE_QPN_GSI && qp_find(qpn));
}

/*
 * Take the claim: one packet of a queue pair is executed at a time. The exchange is a full
 * barrier, so that this CPU sees what the previous holder has written. Pairs with
 * qp_release(), and with xr_qp_release() of the module.
 */
static __always_inline bool qp_claim(struct xroce_qp *q)
{
	return !__sync_lock_test_and_set(&q->claim, 1);
}

/* Attempts of qp_claim_wait(): more than a packet of 4096 bytes takes. */
#define QP_CLAIM_SPINS	2000

/* For bpf_loop(): take the claim of *@q if it is free, and set *@q to NULL. */
static long qp_claim_again(__u64 i, struct xroce_qp **q)
{
	struct xroce_qp *at = *q;

	if (!at || *(volatile __u32 *)&at->claim || !qp_claim(at))
		return 0;
	*q = NULL;
	return 1;
}

/*
 * Wait for the claim, which another CPU has: nobody sends a datagram again, and those of the
 * connection manager are missed for seconds. Return: whether it was taken.
 */
static __noinline bool qp_claim_wait(struct xroce_qp *q)
{
	struct xroce_qp *arg = q;

	/* The number of attempts that it returns does not tell whether the last one succeeded. */
	bpf_loop(QP_CLAIM_SPINS, qp_claim_again, &arg, 0);
	return !arg;
}

static __always_inline void qp_release(struct xroce_qp *q)
{
	__sync_lock_test_and_set(&q->claim, 0);
}

/*
 * Has the queue pair deferred frames or posted binds, perhaps, for which the module must be called
 * before a packet is executed? Reads both flags, which are adjacent, at once.
 */
static __always_inline bool qp_detour(const struct xroce_qp *q)
{
	_Static_assert(__builtin_offsetof(struct xroce_qp, sq) % 2 == 0 &&
		       __builtin_offsetof(struct xroce_qp, deferred) ==
		       __builtin_offsetof(struct xroce_qp, sq) + 1,
		       "two bytes");
	return *(const volatile __u16 *)&q->sq;
}

/* Return: whether the queue pair accepts requests. */
static __always_inline bool qp_ready(const struct xroce_qp *q)
{
	/* RTR, RTS and SQD are the same to a responder (IBTA 10.3.1). */
	return likely(q->state - XROCE_QPS_RTR <= XROCE_QPS_SQD - XROCE_QPS_RTR &&
		      !q->error);
}

/* Return: 0 if the queue pair accepts requests, otherwise XROCE_DROP_*. */
static __always_inline int qp_unready(const struct xroce_qp *q)
{
	if (qp_ready(q))
		return 0;
	return q->state == XROCE_QPS_ERR || q->error ? XROCE_DROP_ERROR :
						       XROCE_DROP_STATE;
}

/*
 * True if a packet, not the first of its message, continues the message in progress. Only
 * a SEND or WRITE can be in progress.
 */
static __always_inline bool op_continues(const struct xroce_qp *q,
					 const struct request *req)
{
	return (q->op == XROCE_RC_SEND_FIRST && req->flags & XROCE_OPF_SEND) ||
	       (q->op == XROCE_RC_WRITE_FIRST && req->flags & XROCE_OPF_WRITE);
}

/*
 * The packet has been executed: expect the next one. @resp: in: @packets, and @msn of a READ; out:
 * @msn.
 */
static __always_inline void qp_advance(struct xroce_qp *q, const struct request *req,
				       struct response *resp)
{
	if (req->flags & XROCE_OPF_BEGIN && !(req->flags & XROCE_OPF_END))
		q->op = req->opcode;
	if (req->flags & XROCE_OPF_END) {
		if (!(req->flags & XROCE_OPF_BEGIN))
			q->op = XROCE_QP_OP_NONE;
		/* read_execute() has already incremented it for the response. */
		q->msn = req->flags & XROCE_OPF_READ ? resp->msn :
					       (q->msn + 1) & XROCE_PSN_MASK;
	}
	q->epsn = (req->psn + resp->packets) & XROCE_PSN_MASK;
	q->packets++;
	resp->msn = q->msn;
}

/*
 * Return: whether the packet is a request of the queue pair's service. Unknown operations of
 * a reliable connection pass, because they are answered with a NAK.
 */
static __always_inline bool qp_service_ok(const struct xroce_qp *q,
					  const struct request *req)
{
	switch (req->opcode & XROCE_OP_SERVICE) {
	case XROCE_OP_RC:
		return q->type == XROCE_QPT_RC && !(req->flags & XROCE_OPF_RESPONSE);
	case XROCE_OP_UC:
		return q->type == XROCE_QPT_UC && xroce_op_uc(req->flags);
	case XROCE_OP_UD:
		return q->type == XROCE_QPT_UD && xroce_op_ud(req->flags);
	}
	return false;
}

/* Signed distance of two PSNs on the circle of 2^24 (IBTA 9.7.1). */
static __always_inline int psn_diff(__u32 a, __u32 b)
{
	return (int)((a - b) << 8) >> 8;
}

/*
 * The VLAN of a frame whose IP header is at @l3: 0: none, or a tag of priority only; negative:
 * several tags, or another kind of tag.
 */
static __always_inline int frame_vlan(struct xdp_md *ctx, __u32 l3, const void *end)
{
	const struct ethhdr *eth = (void *)(long)ctx->data;
	const struct vlan_hdr *vlan = (const void *)(eth + 1);

	if (l3 == sizeof(*eth))
		return 0;
	if (l3 != sizeof(*eth) + sizeof(*vlan) || (const void *)(vlan + 1) > end ||
	    eth->h_proto != bpf_htons(ETH_P_8021Q))
		return -1;
	return bpf_ntohs(vlan->tci) & VLAN_VID_MASK;
}

/* Return: whether the queue pair takes packets with the tags of this frame. */
static __always_inline bool qp_vlan_ok(struct xdp_md *ctx, const struct xroce_qp *q,
				       const struct request *req, const void *end)
{
	__u16 vlan = q->vlan;

	return !vlan || frame_vlan(ctx, req->l3, end) == (vlan == XROCE_QP_UNTAGGED ? 0 : vlan);
}

/*
 * Return: whether the packet is for the queue pair's own address and VLAN, and from its peer's
 * address. A datagram may be from any address.
 */
static __always_inline bool qp_addr_ok(struct xdp_md *ctx,
				       const struct xroce_qp *q,
				       const struct request *req,
				       const void *l3, const void *end)
{
	bool anywhere = q->type == XROCE_QPT_UD;
	const struct ipv6hdr *ip6 = l3;
	const struct iphdr *ip4 = l3;
	const __be32 *s, *d;

	if (unlikely(q->ipv6 != req->ipv6)) {
		if (q->ipv6 == XROCE_QP_ANY_ADDR)
			return anywhere && xroce_kfuncs && !xroce_local(ctx, xroce_link, req->l3);
		/* A plain packet has no tag. */
		if (req->plain || q->ipv6 != (req->ipv6 | XROCE_QP_TAGGED))
			return false;
	}
	if (!req->plain && !qp_vlan_ok(ctx, q, req, end))
		return false;
	if (!req->ipv6) {
		if (!req->plain && (const void *)(ip4 + 1) > end)
			return false;
		return ip4->daddr == q->saddr[3] &&
		       (ip4->saddr == q->daddr[3] || anywhere);
	}
	if ((const void *)(ip6 + 1) > end)
		return false;
	s = ip6->saddr.in6_u.u6_addr32;
	d = ip6->daddr.in6_u.u6_addr32;
	return d[0] == q->saddr[0] && d[1] == q->saddr[1] &&
	       d[2] == q->saddr[2] && d[3] == q->saddr[3] &&
	       ((s[0] == q->daddr[0] && s[1] == q->daddr[1] &&
		 s[2] == q->daddr[2] && s[3] == q->daddr[3]) || anywhere);
}

/*
 * Partition keys match if their low 15 bits are equal and at least one of them has the top
 * bit, that of a full member (IBTA 10.9.3).
 */
static __always_inline bool qp_pkey_ok(const struct xroce_qp *q, __be16 pkey)
{
	__u16 other;

	if (likely(q->pkey_full == (__u16)pkey))
		return true;
	other = bpf_ntohs(pkey);
	return (q->pkey ^ other) == 0x8000;
}

#endif
