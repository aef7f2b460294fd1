/* SPDX-License-Identifier: GPL-2.0-only */
/* Telling who watches of a request that was refused. */
#ifndef _XROCE_EVENT_BPF_H
#define _XROCE_EVENT_BPF_H

/*
 * What the request has named: address, key and length come together, or a key alone to
 * be invalidated. Before they have been looked at they are 0.
 */
static __always_inline __u8 event_named(const struct request *rq, const struct answer *ans)
{
	if (!(ans->va | ans->key | ans->len))
		return 0;
	return rq->flags & OP_INV ? XROCE_EVENT_KEY : XROCE_EVENT_RETH;
}

/**
 * event_refused() - note a refusal
 * @rq: the request
 * @q: its queue pair, which is in error now: there is one event for each
 * @st: counters
 * @cause: enum xroce_cause
 * @ans: key, address and length, where the request names them
 */
static __always_inline void event_refused(const struct request *rq,
					  const struct xroce_qp *q,
					  struct xroce_stat *st, int cause,
					  const struct answer *ans)
{
	/* All headers, whether or not they could be taken off. */
	__u32 headers = rq->bth + sizeof(struct xroce_bth) + op_headers(rq->flags) + rq->pad;
	struct xroce_event *e;

	e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);
	if (!e) {
		st->event_lost++;
		return;
	}
	*e = (struct xroce_event){
		.time = bpf_ktime_get_ns(),
		.va = ans->va,
		.qpn = q->qpn,
		.cause = cause,
		.key = ans->key,
		.len = ans->len,
		.psn = rq->psn,
		.epsn = q->epsn,
		.payload = rq->end > headers ? rq->end - headers : 0,
		.mtu = q->mtu,
		.opcode = rq->opcode,
		.known = event_named(rq, ans) | XROCE_EVENT_QP | XROCE_EVENT_PAYLOAD,
	};
	__builtin_memcpy(e->peer, q->daddr, sizeof(e->peer));
	__builtin_memcpy(e->own, q->saddr, sizeof(e->own));
	bpf_ringbuf_submit(e, 0);
}

#endif
