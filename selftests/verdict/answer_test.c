// SPDX-License-Identifier: GPL-2.0-only
/*
 * Responses to the requests of a queue pair: which of them reach the module. Without the module
 * each of these is taken as accepted (req_rx).
 */
#include "harness.h"
#include "scene.h"

#define FIRST	XROCE_RC_READ_RESPONSE_FIRST
#define MIDDLE	XROCE_RC_READ_RESPONSE_MIDDLE
#define LAST	XROCE_RC_READ_RESPONSE_LAST
#define ONLY	XROCE_RC_READ_RESPONSE_ONLY
#define ATOMIC	XROCE_RC_ATOMIC_ACK
#define MTU	1024u

/* Five packets are not acknowledged; the response to the third, a READ or atomic, is due. */
#define SENT	5u
#define DUE	2u

/**
 * struct wrong - a response that the oldest READ or atomic cannot have
 * @op: opcode of its request
 * @opcode: of the response
 * @payload: bytes of the response
 * @pad: its pad count; the bytes are not there
 * @length: it is wrong for every request
 */
struct wrong {
	uint8_t op;
	uint8_t opcode;
	uint32_t payload;
	uint32_t pad;
	bool length;
};

static const struct wrong wrongs[] = {
	{ XROCE_RC_READ_REQUEST, FIRST, MTU - 4, 0, true },
	{ XROCE_RC_READ_REQUEST, FIRST, MTU + 4, 0, true },
	{ XROCE_RC_READ_REQUEST, FIRST, 0, 0, true },
	{ XROCE_RC_READ_REQUEST, MIDDLE, MTU - 4, 0, true },
	{ XROCE_RC_READ_REQUEST, LAST, MTU + 4, 0, true },
	{ XROCE_RC_READ_REQUEST, ONLY, MTU + 4, 0, true },
	{ XROCE_RC_READ_REQUEST, ONLY, 0, 3, true },
	{ XROCE_RC_READ_REQUEST, ATOMIC, 0, 0, false },
	{ XROCE_RC_FETCH_ADD, ATOMIC, 8, 0, true },
	{ XROCE_RC_FETCH_ADD, ONLY, 0, 0, false },
	{ XROCE_RC_FLUSH, LAST, 0, 0, false },
};

static void respond(struct scene *s, const struct wrong *w, uint32_t n)
{
	s->qp.req = 1;
	s->qp.req_una = SCENE_PSN;
	s->qp.req_top = (SCENE_PSN + SENT) & XROCE_PSN_MASK;
	s->qp.req_psn = (SCENE_PSN + DUE) & XROCE_PSN_MASK;
	s->qp.req_op = w->op;
	scene_put(s);
	s->req.opcode = w->opcode;
	s->req.ackreq = false;
	s->req.syndrome = XROCE_SYN_ACK;
	s->req.psn = (SCENE_PSN + n) & XROCE_PSN_MASK;
	s->req.payload = w->payload;
	s->req.pad = w->pad;
	s->req.ip_adjust = -(int)w->pad;
	s->req.udp_adjust = -(int)w->pad;
}

/* It is for the module to end the connection, which it does if its own state agrees. */
SCENE_TEST(answer_wrong_due, "Q2 Q5",
	   "a wrong response with the PSN that is due reaches the module")
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wrongs) && !test_failed(); i++) {
		respond(s, &wrongs[i], DUE);
		expect_drop(s, COUNTER(req_rx));
		if (test_failed())
			note("opcode %#x, %u bytes", wrongs[i].opcode, wrongs[i].payload);
	}
}

/* With another PSN it may be a duplicate, or anything, and ends nothing. */
SCENE_TEST(answer_wrong_other, "Q2 Q5 D6", "with another PSN it is dropped")
{
	static const uint32_t psns[] = { 0, 1, 3, SENT - 1, SENT, SENT + 1, 1u << 23 };
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(wrongs); i++) {
		for (k = 0; k < ARRAY_SIZE(psns) && wrongs[i].length && !test_failed(); k++) {
			respond(s, &wrongs[i], psns[k]);
			expect_drop(s, COUNTER(drop_length));
			if (test_failed())
				note("opcode %#x, %u bytes, PSN %u", wrongs[i].opcode,
				     wrongs[i].payload, psns[k]);
		}
	}
}

/* Nothing is due: no READ or atomic is outstanding, or none of them is in the window. */
SCENE_TEST(answer_wrong_none, "Q2 Q5", "or if no response is due")
{
	const struct wrong none = { XROCE_QP_OP_NONE, FIRST, 0, 0, true };
	const struct wrong late = { XROCE_RC_READ_REQUEST, FIRST, 0, 0, true };

	respond(s, &none, DUE);
	expect_drop(s, COUNTER(drop_length));
	respond(s, &late, DUE);
	s->qp.req_una = (SCENE_PSN + DUE + 1) & XROCE_PSN_MASK;
	scene_put(s);
	expect_drop(s, COUNTER(drop_length));
}

TEST_MAIN(harness_main);
