// SPDX-License-Identifier: GPL-2.0-only
/*
 * The responder's verdict: is this packet for us, and may it do what it asks?
 *
 * Order of checks (IBTA 9.6, 9.7.1): lengths, IPv4 checksum, header version,
 * queue pair, service and opcode, state, addresses, partition, invariant CRC:
 * a packet that fails one of these is dropped without a word. Then PSN, opcode,
 * order, the queue pair's rights, length, key: a packet that fails one of these
 * is answered. Nothing changes before the invariant CRC has been verified.
 */
#include <stdbool.h>
#include <stddef.h>
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "uapi/xroce.h"
#include "xroce_kfunc.h"
#include "xroce_map.h"
#include "xroce_wire.h"

#include "maps.bpf.h"
#include "opcode.bpf.h"
#include "parse.bpf.h"
#include "stats.bpf.h"
#include "qp.bpf.h"
#include "mpt.bpf.h"
#include "write.bpf.h"
#include "reply.bpf.h"

/* The checks that end in silence. Return: the queue pair, or NULL. */
static __always_inline struct xroce_qp *admit(struct xdp_md *ctx,
					      struct request *rq,
					      struct xroce_stat *st)
{
	void *data = (void *)(long)ctx->data;
	void *end = (void *)(long)ctx->data_end;
	struct xroce_bth *bth;
	struct xroce_qp *q;
	struct iphdr *ip;

	if (!parse_lengths(rq)) {
		st->drop_length++;
		return NULL;
	}
	ip = data + rq->l3;
	bth = data + rq->bth;
	if ((void *)(ip + 1) > end || (void *)(bth + 1) > end) {
		st->drop_length++;
		return NULL;
	}
	if (!rq->ipv6 && !ipv4_checksum_ok(ip)) {
		st->drop_checksum++;
		return NULL;
	}
	if (bth->flags & XROCE_BTH_TVER_MASK) {
		st->drop_tver++;
		return NULL;
	}
	q = qp_find(rq->qpn);
	if (!q) {
		st->drop_qpn++;
		return NULL;
	}
	if ((rq->opcode & XROCE_OP_SERVICE) != XROCE_OP_RC) {
		st->drop_opcode++;
		return NULL;
	}
	rq->flags = rc_ops[rq->opcode & ~XROCE_OP_SERVICE];
	if (rq->flags & OP_RESPONSE) {
		st->drop_opcode++;
		return NULL;
	}
	if (!qp_ready(q, st))
		return NULL;
	if (!qp_addr_ok(q, rq, ip, end)) {
		st->drop_addr++;
		return NULL;
	}
	if (!qp_pkey_ok(q, bth->pkey)) {
		st->drop_pkey++;
		return NULL;
	}
	if (xroce_kfuncs && xroce_icrc_check(ctx, rq->l3, rq->end)) {
		st->drop_icrc++;
		return NULL;
	}
	return q;
}

/* A fatal refusal: NAK, and the queue pair goes to error (IBTA 9.9.3). */
static __always_inline void refuse(struct xroce_qp *q, struct xroce_stat *st,
				   int cause, struct answer *ans)
{
	q->error = cause;
	q->naks++;
	stat_cause(st, cause);
	if (cause >= XROCE_CAUSE_ACC_KEY) {
		ans->syndrome = XROCE_SYN_NAK_ACC;
		st->nak_acc++;
	} else {
		ans->syndrome = XROCE_SYN_NAK_INV;
		st->nak_inv++;
	}
}

/* The packet that was expected. Return: true when there is an answer. */
static __always_inline bool in_order(struct xdp_md *ctx, struct request *rq,
				     struct xroce_qp *q, struct xroce_stat *st,
				     struct answer *ans)
{
	bool begin = rq->flags & OP_BEGIN;
	int cause;

	q->nak_sent = 0;
	if (!(rq->flags & (OP_SEND | OP_WRITE)))
		cause = XROCE_CAUSE_INV_OPCODE;
	else if (begin != (q->op == XROCE_QP_OP_NONE))
		cause = XROCE_CAUSE_INV_ORDER;
	else if (!begin && !(rq->flags & OP_WRITE))
		cause = XROCE_CAUSE_INV_ORDER;	/* only WRITEs are begun */
	else if (rq->flags & OP_SEND)
		cause = -1;			/* no receive queue: not ready */
	else if (!(q->access & XROCE_ACCESS_REMOTE_WRITE))
		cause = XROCE_CAUSE_INV_QP_ACCESS;
	else
		cause = write_execute(ctx, rq, q, st);

	if (cause < 0) {
		/* What follows is ahead, and gets no NAK of its own. */
		q->nak_sent = 1;
		q->naks++;
		st->nak_rnr++;
		ans->syndrome = XROCE_SYN_RNR | q->min_rnr_timer;
		return true;
	}
	if (cause) {
		refuse(q, st, cause, ans);
		return true;
	}

	if (begin)
		q->op = rq->opcode;
	if (rq->flags & OP_END) {
		q->op = XROCE_QP_OP_NONE;
		q->msn = (q->msn + 1) & XROCE_PSN_MASK;
	}
	q->epsn = (q->epsn + 1) & XROCE_PSN_MASK;
	q->packets++;
	if (!rq->ackreq)
		return false;
	st->ack++;
	ans->msn = q->msn;
	ans->syndrome = XROCE_SYN_ACK;
	return true;
}

/* The queue pair is claimed. Return: true when there is an answer. */
static __always_inline bool execute(struct xdp_md *ctx, struct request *rq,
				    struct xroce_qp *q, struct xroce_stat *st,
				    struct answer *ans)
{
	int diff = psn_diff(rq->psn, q->epsn);

	ans->psn = rq->psn;
	ans->msn = q->msn;
	if (!diff)
		return in_order(ctx, rq, q, st, ans);

	if (diff > 0) {
		if (q->nak_sent) {
			st->drop_psn++;
			return false;
		}
		q->nak_sent = 1;
		q->naks++;
		st->nak_seq++;
		ans->psn = q->epsn;
		ans->syndrome = XROCE_SYN_NAK_SEQ;
		return true;
	}

	/* Executed before: say again how far we are (IBTA C9-105). */
	if (!(rq->flags & (OP_SEND | OP_WRITE))) {
		st->drop_psn++;
		return false;
	}
	q->duplicates++;
	st->duplicate++;
	if (!rq->ackreq)
		return false;
	st->ack++;
	ans->psn = (q->epsn - 1) & XROCE_PSN_MASK;
	ans->syndrome = XROCE_SYN_ACK;
	return true;
}

SEC("xdp.frags")
int xroce(struct xdp_md *ctx)
{
	struct request rq = {};
	struct answer ans = {};
	struct xroce_stat *st;
	struct xroce_qp *q;
	bool answer;
	int qpn;

	qpn = parse(ctx, &rq);
	if (qpn < 0)
		return XDP_PASS;
	st = stat_this_cpu();
	if (!st)
		return XDP_PASS;
	if (qpn < XROCE_QPN_BASE || qpn == XROCE_QPN_MCAST) {
		st->pass++;
		return XDP_PASS;
	}
	st->rx++;
	rq.frame_len = bpf_xdp_get_buff_len(ctx);
	st->rx_bytes += rq.frame_len;

	q = admit(ctx, &rq, st);
	if (!q)
		return XDP_DROP;

	if (!qp_claim(q)) {
		st->drop_busy++;
		return XDP_DROP;
	}
	/* It may have ended, or be another one by now. */
	if (q->qpn != rq.qpn) {
		qp_release(q);
		st->drop_qpn++;
		return XDP_DROP;
	}
	if (!qp_ready(q, st)) {
		qp_release(q);
		return XDP_DROP;
	}
	answer = execute(ctx, &rq, q, st, &ans);
	qp_release(q);
	if (!answer)
		return XDP_DROP;

	if (!reply_ack(ctx, &rq, q, &ans)) {
		st->drop_reply++;
		return XDP_DROP;
	}
	st->tx++;
	return XDP_TX;
}

char _license[] SEC("license") = "GPL";
