/* SPDX-License-Identifier: GPL-2.0-only */
/* Telling who watches of a request that was refused. */
#ifndef _XROCE_EVENT_BPF_H
#define _XROCE_EVENT_BPF_H

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
		.opcode = rq->opcode,
	};
	__builtin_memcpy(e->peer, q->daddr, sizeof(e->peer));
	bpf_ringbuf_submit(e, 0);
}

#endif
