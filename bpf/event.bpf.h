/* SPDX-License-Identifier: GPL-2.0-only */
/* Events of refused requests. drop_event.bpf.h has those of dropped packets. */
#ifndef _XROCE_EVENT_BPF_H
#define _XROCE_EVENT_BPF_H

/*
 * Return: XROCE_EVENT_* for the fields of @e that the request names: address, key and
 * length of a RETH or AtomicETH, or only a key to be invalidated. All are 0 if the request
 * has not been parsed so far.
 */
static __always_inline __u8 event_named(const struct exception *e)
{
	if (!(e->va | e->key | e->len))
		return 0;
	return e->flags & XROCE_OPF_INV ? XROCE_EVENT_KEY : XROCE_EVENT_RETH;
}

/**
 * event_refused() - write an event about a refusal
 * @x: the refused packet. Its queue pair has moved to ERR: there is one event per connection
 */
__noinline int event_refused(const struct exception *x)
{
	struct xroce_stat *st;
	struct xroce_event *e;
	struct xroce_qp *q;
	__u32 headers;

	if (!exception_find(x, &q, &st))
		return 0;
	e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);
	if (!e) {
		st->event_lost++;
		return 0;
	}
	/* Bytes of all headers and the pad, also if they could not be parsed. */
	headers = x->bth + sizeof(struct xroce_bth) + xroce_op_headers(x->flags) + x->pad;
	*e = (struct xroce_event){
		.time = bpf_ktime_get_ns(),
		.va = x->va,
		.qpn = q->qpn,
		.cause = x->result,
		.key = x->key,
		.len = x->len,
		.psn = x->psn,
		.epsn = q->epsn,
		.payload = x->end > headers ? x->end - headers : 0,
		.mtu = q->mtu,
		.opcode = x->opcode,
		.known = event_named(x) | XROCE_EVENT_QP | XROCE_EVENT_PAYLOAD,
	};
	__builtin_memcpy(e->peer, q->daddr, sizeof(e->peer));
	__builtin_memcpy(e->own, q->saddr, sizeof(e->own));
	bpf_ringbuf_submit(e, 0);
	return 0;
}

#endif
