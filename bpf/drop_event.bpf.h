/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events of dropped packets: they are written while somebody reads them, and at a limited rate.
 * event.bpf.h has those of refusals.
 */
#ifndef _XROCE_DROP_EVENT_BPF_H
#define _XROCE_DROP_EVENT_BPF_H

#define NSEC_PER_SEC	1000000000ull

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
 * @cause: XROCE_DROP_*. @l3: offset of its IP header.
 */
static __always_inline void drop_event(struct xdp_md *ctx, const struct xroce_qp *q,
				       struct xroce_stat *st,
				       const struct drop_bth *bth, __u32 cause,
				       __u32 l3, bool ipv6)
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
	if (!drop_addresses(ctx, e, l3, ipv6) && q) {
		__builtin_memcpy(e->peer, q->daddr, sizeof(e->peer));
		__builtin_memcpy(e->own, q->saddr, sizeof(e->own));
	}
	bpf_ringbuf_submit(e, 0);
}

#endif
