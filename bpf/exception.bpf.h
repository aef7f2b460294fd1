/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets that are not simply executed and answered; except.bpf.h judges them. */
#ifndef _XROCE_EXCEPTION_BPF_H
#define _XROCE_EXCEPTION_BPF_H

/**
 * struct exception - fields of struct request and struct response of such a packet
 * @va: response::va
 * @value: response::result
 * @key: response::key
 * @len: response::len
 * @frame_len: request::frame_len
 * @end: request::end
 * @qpn: request::qpn; the queue pair is claimed
 * @psn: request::psn
 * @response_psn: response::psn; except_order() replaces it
 * @crc: contribution of PSN, AETH and result to the invariant CRC of the response
 * @result: of execution. XROCE_CAUSE_NONE: the packet has been executed, and is answered
 * @flags: request::flags
 * @l3: request::l3
 * @bth: request::bth
 * @opcode: request::opcode
 * @pad: request::pad
 * @ackreq: request::ackreq
 * @ipv6: request::ipv6
 * @frags: request::frags
 * @response: response::opcode
 * @syndrome: response::syndrome
 * @made: response::made
 * @behind: response::behind
 * @again: response::again
 * @room: the frame has the length of the response
 *
 * It is on the stack, which has 512 bytes for all functions; so it is short, and functions that
 * get it copy only what they use. A byte's bounds are known to the verifier.
 */
struct exception {
	__u64 va;
	__u64 value;
	__u32 key;
	__u32 len;
	__u32 frame_len;
	__u32 end;
	__u32 qpn;
	__u32 psn;
	__u32 response_psn;
	__u32 crc;
	int result;
	__u16 flags;
	__u8 l3;
	__u8 bth;
	__u8 opcode;
	__u8 pad;
	bool ackreq;
	bool ipv6;
	__u8 frags;
	__u8 response;
	__u8 syndrome;
	bool made;
	bool behind;
	bool again;
	bool room;
};

/* Fill in the structures of packet(). The compiler leaves out what the caller does not use. */
static __always_inline void exception_read(const struct exception *e, struct request *req,
					   struct response *resp, const struct xroce_qp *q)
{
	*req = (struct request){
		.frame_len = e->frame_len,
		.l3 = e->l3,
		.bth = e->bth,
		.end = e->end,
		.qpn = e->qpn,
		.psn = e->psn,
		.flags = e->flags,
		.opcode = e->opcode,
		.pad = e->pad,
		.ackreq = e->ackreq,
		.ipv6 = e->ipv6,
		.frags = e->frags,
	};
	*resp = (struct response){
		.psn = e->response_psn,
		.msn = q->msn,
		.syndrome = e->syndrome,
		.opcode = e->response,
		.result = e->value,
		.va = e->va,
		.key = e->key,
		.len = e->len,
		.made = e->made,
		.behind = e->behind,
		.again = e->again,
	};
}

/* Find queue pair and counters. Return: true; false is for the verifier: neither is missing. */
static __always_inline bool exception_find(const struct exception *e, struct xroce_qp **q,
					   struct xroce_stat **st)
{
	if (!e)
		return false;
	*st = stat_this_cpu();
	*q = qp_at(e->qpn);
	return *st && *q;
}

#endif
