/* SPDX-License-Identifier: GPL-2.0-only */
/* Telling who watches of a request that was refused. */
#ifndef _XROCE_EVENT_BPF_H
#define _XROCE_EVENT_BPF_H

/*
 * What the request has named: address, key and length come together, or a key alone to
 * be invalidated. Before they have been looked at they are 0.
 */
static __always_inline __u8 event_named(const struct request *req, const struct response *resp)
{
	if (!(resp->va | resp->key | resp->len))
		return 0;
	return req->flags & OP_INV ? XROCE_EVENT_KEY : XROCE_EVENT_RETH;
}

/**
 * event_refused() - note a refusal
 * @req: the request
 * @q: its queue pair, which is in error now: there is one event for each
 * @st: counters
 * @cause: enum xroce_cause
 * @resp: key, address and length, where the request names them
 */
static __always_inline void event_refused(const struct request *req,
					  const struct xroce_qp *q,
					  struct xroce_stat *st, int cause,
					  const struct response *resp)
{
	/* All headers, whether or not they could be taken off. */
	__u32 headers = req->bth + sizeof(struct xroce_bth) + op_headers(req->flags) + req->pad;
	struct xroce_event *e;

	e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);
	if (!e) {
		st->event_lost++;
		return;
	}
	*e = (struct xroce_event){
		.time = bpf_ktime_get_ns(),
		.va = resp->va,
		.qpn = q->qpn,
		.cause = cause,
		.key = resp->key,
		.len = resp->len,
		.psn = req->psn,
		.epsn = q->epsn,
		.payload = req->end > headers ? req->end - headers : 0,
		.mtu = q->mtu,
		.opcode = req->opcode,
		.known = event_named(req, resp) | XROCE_EVENT_QP | XROCE_EVENT_PAYLOAD,
	};
	__builtin_memcpy(e->peer, q->daddr, sizeof(e->peer));
	__builtin_memcpy(e->own, q->saddr, sizeof(e->own));
	bpf_ringbuf_submit(e, 0);
}

#endif
