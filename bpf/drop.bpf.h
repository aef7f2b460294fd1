/* SPDX-License-Identifier: GPL-2.0-only */
/* Dropping a packet: counting it, and telling whoever watches. */
#ifndef _XROCE_DROP_BPF_H
#define _XROCE_DROP_BPF_H

#define NSEC_PER_SEC	1000000000ull

/* In one word, as a function has five arguments: offset of the IP header, opcode, IPv6. */
#define DROP_PACKET(l3, opcode, ipv6)	((l3) | (opcode) << 8 | (ipv6) << 16)
#define DROP_L3(packet)			((packet) & 0xff)
#define DROP_OPCODE(packet)		((packet) >> 8 & 0xff)
#define DROP_IPV6(packet)		((packet) >> 16 & 1)

/**
 * struct drop_limit - how many events of drops this CPU has written lately
 * @since: when the second began, nanoseconds of CLOCK_MONOTONIC
 * @events: since then
 * @missed: not written since the last one that was
 */
struct drop_limit {
	__u64 since;
	__u32 events;
	__u32 missed;
};

/* One entry. The program's own. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct drop_limit);
} drop_limit SEC(".maps");

/* Return: whether somebody wants events of drops, at @now. */
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

/* Return: whether there may be another event in this second. */
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
 * The addresses in the frame. Return: false: they are not there, or may have been
 * overwritten with those of a reply.
 */
static __always_inline bool drop_addresses(struct xdp_md *ctx, struct xroce_event *e,
					   __u32 l3, bool ipv6)
{
	void *data = frame_start(ctx), *end = frame_end(ctx);
	const struct ipv6hdr *ip6 = data + l3;
	const struct iphdr *ip4 = data + l3;

	if (e->cause == XROCE_DROP_PSN || e->cause == XROCE_DROP_REPLY)
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

/* @q: the queue pair that the packet is for, or NULL. The others: see dropped(). */
static __always_inline void drop_event(struct xdp_md *ctx, const struct xroce_qp *q,
				       struct xroce_stat *st, __u32 qpn, __u32 cause,
				       __u32 psn, __u32 packet)
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
		.qpn = qpn,
		.cause = cause,
		.psn = psn,
		.opcode = DROP_OPCODE(packet),
		.missed = limit->missed,
	};
	limit->missed = 0;
	if (q) {
		e->epsn = q->epsn;
		e->mtu = q->mtu;
		e->known = XROCE_EVENT_QP;
	}
	/* The peer's, which the packet has been compared with. */
	if (!drop_addresses(ctx, e, DROP_L3(packet), DROP_IPV6(packet)) && q) {
		__builtin_memcpy(e->peer, q->daddr, sizeof(e->peer));
		__builtin_memcpy(e->own, q->saddr, sizeof(e->own));
	}
	bpf_ringbuf_submit(e, 0);
}

/**
 * dropped() - count a packet that is dropped, and tell whoever watches
 * @ctx: the frame
 * @qpn: number of the queue pair that it is for, which need not be there
 * @cause: XROCE_DROP_*
 * @psn: its packet sequence number
 * @packet: what else it is like: DROP_PACKET()
 *
 * A function of its own, as there are many ways to it, none of which is common.
 */
__noinline int dropped(struct xdp_md *ctx, __u32 qpn, __u32 cause, __u32 psn, __u32 packet)
{
	struct xroce_stat *st = stat_this_cpu();
	struct xroce_qp *q = qp_find(qpn);
	__u32 i = cause - XROCE_DROP_QKEY;

	if (!st)
		return 0;
	stat_drop(st, cause);
	barrier_var(i);
	/* Other CPUs may drop packets of the same queue pair now. */
	if (q && i < XROCE_QP_DROPS)
		__sync_fetch_and_add(&q->drops[i], 1);
	drop_event(ctx, q, st, qpn, cause, psn, packet);
	return 0;
}

/* Drop a packet for a cause, XROCE_DROP_*, or for none. Return: XDP_DROP. */
static __always_inline int drop(struct xdp_md *ctx, const struct request *rq, __u32 cause)
{
	if (cause)
		dropped(ctx, rq->qpn, cause, rq->psn,
			DROP_PACKET(rq->l3, rq->opcode, rq->ipv6));
	return XDP_DROP;
}

#endif
