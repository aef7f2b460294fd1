// SPDX-License-Identifier: GPL-2.0-only
/* Outcomes of requests in golden tests; scene_kept.c has those of READ, atomics, FLUSH. */
#include <linux/bpf.h>

#include "harness.h"
#include "scene_steps.h"

/* The response is an ACK or NAK. */
static void answered_ack(struct scene *s, struct xroce_stat *delta,
			 uint8_t syndrome, uint32_t psn)
{
	struct packet say = {
		.opcode = XROCE_RC_ACK,
		.psn = psn,
		.syndrome = syndrome,
		.msn = s->qp.msn,
	};

	scene_answered(s, delta, &say);
}

void expect_pass(struct scene *s, size_t counter)
{
	struct xroce_stat delta = {};

	if (!scene_offer(s))
		return;
	if (counter != NO_COUNTER)
		counters_add(&delta, counter, 1);
	scene_compare(s, XDP_PASS, &delta);
	scene_untouched();
}

void expect_drop(struct scene *s, size_t counter)
{
	struct xroce_stat delta;

	if (!scene_offer(s))
		return;
	/* The other causes are found before the invariant CRC is checked. */
	delta = counter == COUNTER(drop_psn) || counter == COUNTER(drop_qkey) ?
		scene_admitted(s) : scene_received();
	counters_add(&delta, counter, 1);
	scene_compare(s, XDP_DROP, &delta);
}

/* A packet was executed in order. @end: it is the last one of its message. */
static void moved_on(struct scene *s, bool end, struct xroce_stat *delta)
{
	s->qp.epsn = PSN(s->req.psn + 1);
	s->qp.nak_sent = 0;
	s->qp.packets++;
	s->qp.bytes += s->req.payload;
	if (end) {
		s->qp.op = XROCE_QP_OP_NONE;
		s->qp.msn = PSN(s->qp.msn + 1);
	}
	if (!s->req.ackreq || s->qp.type != XROCE_QPT_RC) {
		scene_compare(s, XDP_DROP, delta);
		return;
	}
	delta->ack = 1;
	answered_ack(s, delta, XROCE_SYN_ACK, s->req.psn);
}

void expect_write(struct scene *s)
{
	uint8_t op = s->req.opcode & ~XROCE_OP_SERVICE;
	bool first = op == XROCE_RC_WRITE_FIRST;
	bool only = op == XROCE_RC_WRITE_ONLY || op == XROCE_RC_WRITE_ONLY_IMM;
	bool last = op == XROCE_RC_WRITE_LAST || op == XROCE_RC_WRITE_LAST_IMM;
	struct xroce_stat delta;

	if (!scene_offer(s))
		return;
	delta = scene_admitted(s);
	delta.write = 1;
	delta.write_bytes = s->req.payload;

	if (first || only) {
		s->qp.op = op;
		s->qp.va = s->req.va;
		s->qp.rkey = s->req.rkey;
		s->qp.resid = s->req.dmalen;
		s->qp.length = s->req.dmalen;
	}
	s->qp.va += s->req.payload;
	s->qp.resid -= s->req.payload;
	moved_on(s, last || only, &delta);
}

void expect_send(struct scene *s)
{
	uint8_t op = s->req.opcode & ~XROCE_OP_SERVICE;
	bool first = op == XROCE_RC_SEND_FIRST;
	struct xroce_stat delta;

	if (!scene_offer(s))
		return;
	delta = scene_admitted(s);
	delta.send = 1;
	delta.send_bytes = s->req.payload;
	if (s->qp.type == XROCE_QPT_UD) {
		s->qp.packets++;
		s->qp.bytes += s->req.payload;
		scene_compare(s, XDP_DROP, &delta);
		return;
	}
	if (first)
		s->qp.op = op;
	moved_on(s, !first && op != XROCE_RC_SEND_MIDDLE, &delta);
}

void expect_lost(struct scene *s, size_t counter)
{
	struct xroce_stat delta;

	if (!scene_offer(s))
		return;
	delta = scene_admitted(s);
	counters_add(&delta, counter, 1);
	s->qp.epsn = PSN(s->req.psn + 1);
	s->qp.op = XROCE_QP_OP_NONE;
	if (counter >= COUNTER(acc_key) && counter < COUNTER(acc_module) &&
	    ++s->qp.misses == XROCE_UC_MISSES)
		s->qp.error = XROCE_CAUSE_ACC_KEY + counter - COUNTER(acc_key);
	scene_compare(s, XDP_DROP, &delta);
}

/* Whether the newest request in the responder resources is newer than the request. */
static bool kept_behind(const struct scene *s)
{
	uint32_t newest = (s->qp.rd_head ? s->qp.rd_head : s->qp.rd_max) - 1;

	return s->qp.rd_count &&
	       PSN(s->rd.rd[newest].psn - s->req.psn - 1) < 0x7fffff;
}

void expect_duplicate(struct scene *s)
{
	struct xroce_stat delta;

	if (!scene_offer(s))
		return;
	delta = scene_admitted(s);
	delta.duplicate = 1;
	s->qp.duplicates++;
	if (!s->req.ackreq) {
		scene_compare(s, XDP_DROP, &delta);
		return;
	}
	delta.ack = 1;
	/* An ACK must not cover a request that needs a response of its own. */
	answered_ack(s, &delta, XROCE_SYN_ACK, kept_behind(s) ? s->req.psn :
		     PSN(s->qp.epsn - 1));
}

void expect_nak_seq(struct scene *s)
{
	struct xroce_stat delta;

	if (!scene_offer(s))
		return;
	delta = scene_admitted(s);
	delta.nak_seq = 1;
	s->qp.nak_sent = 1;
	s->qp.naks++;
	answered_ack(s, &delta, XROCE_SYN_NAK_SEQ, s->qp.epsn);
}

void expect_nak(struct scene *s, enum xroce_cause cause)
{
	bool access = cause >= XROCE_CAUSE_ACC_KEY;
	struct xroce_stat delta;

	if (!scene_offer(s))
		return;
	delta = scene_admitted(s);
	if (access)
		delta.nak_acc = 1;
	else
		delta.nak_inv = 1;
	counters_add(&delta, COUNTER(inv_opcode) + cause -
			     XROCE_CAUSE_INV_OPCODE, 1);
	s->qp.error = cause;
	s->qp.naks++;
	s->qp.nak_sent = 0;
	answered_ack(s, &delta, access ? XROCE_SYN_NAK_ACC : XROCE_SYN_NAK_INV,
		     s->req.psn);
}

void expect_accepted(const struct scene *fresh)
{
	struct scene s = *fresh;

	scene_put(&s);
	if (scene_is_kept(s.req.opcode))
		expect_kept(&s);
	else
		expect_write(&s);
}

void expect_refused(const struct scene *fresh, enum xroce_cause cause)
{
	struct scene s = *fresh;

	scene_put(&s);
	expect_nak(&s, cause);
}

void expect_rnr(struct scene *s)
{
	struct xroce_stat delta;

	if (!scene_offer(s))
		return;
	delta = scene_admitted(s);
	delta.nak_rnr = 1;
	s->qp.nak_sent = 1;	/* later packets are out of sequence: no response */
	s->qp.naks++;
	answered_ack(s, &delta, XROCE_SYN_RNR | s->qp.min_rnr_timer,
		     s->req.psn);
}
