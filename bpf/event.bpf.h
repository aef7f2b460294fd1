/* SPDX-License-Identifier: GPL-2.0-only */
/* Events of refused requests. drop.bpf.h has those of dropped packets. */
#ifndef _XROCE_EVENT_BPF_H
#define _XROCE_EVENT_BPF_H

/*
 * Return: XROCE_EVENT_* for the fields of @resp that the request names: address, key and
 * length of a RETH or AtomicETH, or only a key to be invalidated. All are 0 if the request
 * has not been parsed so far.
 */
static __always_inline __u8 event_named(const struct request *req, const struct response *resp)
{
	if (!(resp->va | resp->key | resp->len))
		return 0;
	return req->flags & OP_INV ? XROCE_EVENT_KEY : XROCE_EVENT_RETH;
}

/**
 * event_refused() - write an event about a refusal
 * @req: the request
 * @q: its queue pair, which the refusal moves to ERR: there is one event per connection
 * @st: counters
 * @cause: enum xroce_cause
 * @resp: key, address and length, if the request names them
 */
static __always_inline void event_refused(const struct request *req,
					  const struct xroce_qp *q,
					  struct xroce_stat *st, int cause,
					  const struct response *resp)
{
	/* Bytes of all headers and the pad, also if they could not be parsed. */
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
