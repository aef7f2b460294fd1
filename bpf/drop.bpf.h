/* SPDX-License-Identifier: GPL-2.0-only */
/* Dropping a packet without a response: counters and events. event.bpf.h has refusals. */
#ifndef _XROCE_DROP_BPF_H
#define _XROCE_DROP_BPF_H

#define NSEC_PER_SEC	1000000000ull

/* One word with the offsets of the IP header and of the BTH, and whether it is IPv6. */
#define DROP_FRAME(l3, bth, ipv6)	((l3) | (bth) << 8 | (ipv6) << 16)
#define DROP_L3(frame)			((frame) & 0xff)
#define DROP_BTH(frame)			((frame) >> 8 & 0xff)
#define DROP_IPV6(frame)		((frame) >> 16 & 1)

/**
 * struct drop_limit - rate limit of drop events, one copy per CPU
 * @since: start of the present second, nanoseconds of CLOCK_MONOTONIC
 * @events: events written since then
 * @missed: events not written since the last one that was written
 */
struct drop_limit {
	__u64 since;
	__u32 events;
	__u32 missed;
};

/* One entry. Only the program uses it. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct drop_limit);
} drop_limit SEC(".maps");

/**
 * struct drop_bth - fields of a dropped packet's BTH
 * @qpn: destination queue pair number
 * @psn: packet sequence number
 * @opcode: 8 bits
 */
struct drop_bth {
	__u32 qpn;
	__u32 psn;
	__u8 opcode;
};

/* Return: whether there is a reader of drop events. @now: out: the time, if there is one. */
static __always_inline bool drop_wanted(__u64 *now)
{
	const struct xroce_drop_lease *lease;
	__u32 zero = 0;

	lease = bpf_map_lookup_elem(&drop_lease, &zero);
	if (!lease || !lease->until)
		return false;
	*now = bpf_ktime_get_ns();
	return *now < lease->until;
}

/* Return: whether another event may be written in this second. If so, count it. */
static __always_inline bool drop_within_limit(struct drop_limit *limit, __u64 now)
{
	if (now - limit->since >= NSEC_PER_SEC) {
		limit->since = now;
		limit->events = 0;
	}
	if (limit->events >= XROCE_DROP_EVENTS)
		return false;
	limit->events++;
	return true;
}

/*
 * Copy the addresses from the frame. Return: false: they are outside the first buffer, or
 * the headers of a response may have overwritten them.
 */
static __always_inline bool drop_addresses(struct xdp_md *ctx, struct xroce_event *e,
					   __u32 l3, bool ipv6)
{
	void *data = frame_start(ctx), *end = frame_end(ctx);
	const struct ipv6hdr *ip6 = data + l3;
	const struct iphdr *ip4 = data + l3;

	if (e->cause == XROCE_DROP_PSN || e->cause == XROCE_DROP_RESPONSE)
		return false;
	if (ipv6) {
		if ((const void *)(ip6 + 1) > end)
			return false;
		__builtin_memcpy(e->peer, &ip6->saddr, sizeof(e->peer));
		__builtin_memcpy(e->own, &ip6->daddr, sizeof(e->own));
		return true;
	}
	if ((const void *)(ip4 + 1) > end)
		return false;
	e->peer[2] = e->own[2] = bpf_htonl(0xffff);
	e->peer[3] = ip4->saddr;
	e->own[3] = ip4->daddr;
	return true;
}

/*
 * Write an event if a reader wants it. @q: queue pair of the packet, or NULL. @bth: its BTH.
 * Other parameters: see dropped().
 */
static __always_inline void drop_event(struct xdp_md *ctx, const struct xroce_qp *q,
				       struct xroce_stat *st,
				       const struct drop_bth *bth, __u32 cause,
				       __u32 frame)
{
	struct drop_limit *limit;
	struct xroce_event *e;
	__u32 zero = 0;
	__u64 now;

	if (!drop_wanted(&now))
		return;
	limit = bpf_map_lookup_elem(&drop_limit, &zero);
	if (!limit)
		return;
	if (!drop_within_limit(limit, now)) {
		limit->missed++;
		st->event_limited++;
		return;
	}
	e = bpf_ringbuf_reserve(&drops, sizeof(*e), 0);
	if (!e) {
		limit->missed++;
		st->event_lost++;
		return;
	}
	*e = (struct xroce_event){
		.time = now,
		.qpn = bth->qpn,
		.cause = cause,
		.psn = bth->psn,
		.opcode = bth->opcode,
		.missed = limit->missed,
	};
	limit->missed = 0;
	if (q) {
		e->epsn = q->epsn;
		e->mtu = q->mtu;
		e->known = XROCE_EVENT_QP;
	}
	/* Use the queue pair's addresses: the packet had the same ones. */
	if (!drop_addresses(ctx, e, DROP_L3(frame), DROP_IPV6(frame)) && q) {
		__builtin_memcpy(e->peer, q->daddr, sizeof(e->peer));
		__builtin_memcpy(e->own, q->saddr, sizeof(e->own));
	}
	bpf_ringbuf_submit(e, 0);
}

/* Read the BTH of the frame. @to stays zero if the BTH is outside the first buffer. */
static __always_inline void drop_parse(struct xdp_md *ctx, __u32 off, struct drop_bth *to)
{
	const struct xroce_bth *bth = frame_start(ctx) + off;

	if ((const void *)(bth + 1) > frame_end(ctx))
		return;
	to->qpn = bpf_ntohl(bth->dqpn) & XROCE_QPN_MASK;
	to->psn = bpf_ntohl(bth->apsn) & XROCE_PSN_MASK;
	to->opcode = bth->opcode;
}

/**
 * dropped() - count a dropped packet, and write an event if a reader wants it
 * @ctx: the frame
 * @qpn: number of its queue pair; 0: take it from the BTH
 * @cause: XROCE_DROP_*
 * @frame: DROP_FRAME()
 *
 * Not inlined, because it has many callers, all of them rare. It parses the BTH again, so
 * that its callers need not keep the fields in registers.
 */
__noinline int dropped(struct xdp_md *ctx, __u32 qpn, __u32 cause, __u32 frame)
{
	struct xroce_stat *st = stat_this_cpu();
	__u32 i = cause - XROCE_DROP_QKEY;
	struct drop_bth bth = {};
	struct xroce_qp *q;

	if (!st)
		return 0;
	drop_parse(ctx, DROP_BTH(frame), &bth);
	if (qpn)
		bth.qpn = qpn;
	q = qp_find(bth.qpn);
	stat_drop(st, cause);
	barrier_var(i);
	/* Atomic: other CPUs may drop packets of the same queue pair. */
	if (q && i < XROCE_QP_DROPS)
		__sync_fetch_and_add(&q->drops[i], 1);
	drop_event(ctx, q, st, &bth, cause, frame);
	return 0;
}

/*
 * Drop a packet. @cause: XROCE_DROP_*, or 0: it is not counted. @qpn: see dropped(). Return:
 * XDP_DROP.
 */
static __always_inline int drop_of(struct xdp_md *ctx, const struct request *req,
				   __u32 qpn, __u32 cause)
{
	if (cause)
		dropped(ctx, qpn, cause, DROP_FRAME(req->l3, req->bth, req->ipv6));
	return XDP_DROP;
}

/* The same for a frame whose BTH has not been overwritten by a response. */
static __always_inline int drop(struct xdp_md *ctx, const struct request *req, __u32 cause)
{
	return drop_of(ctx, req, 0, cause);
}

#endif
