// SPDX-License-Identifier: GPL-2.0-only
/* Requests that lack a receive work request, and reserved opcodes. */
#include "harness.h"
#include "scene.h"

SCENE_TEST(immediate, "D2 D5 D6", "WRITE with immediate without a receive work request")
{
	s->req.opcode = XROCE_RC_WRITE_ONLY_IMM;
	expect_rnr(s);
	expect_rnr(s);		/* a retry, with the same PSN */

	/* Later packets are out of sequence, and get no response. */
	s->req.psn++;
	expect_drop(s, COUNTER(drop_psn));

	/* The queue pair stays in its state. */
	s->req.psn--;
	s->req.opcode = XROCE_RC_WRITE_ONLY;
	expect_write(s);
}

SCENE_TEST(immediate_last, "D2 D5 D6", "the same for the last packet of a message")
{
	s->req.opcode = XROCE_RC_WRITE_FIRST;
	scene_payload(s, 1024);
	s->req.dmalen = 1088;
	expect_write(s);
	s->req.psn++;
	s->req.payload = 64;
	s->req.opcode = XROCE_RC_WRITE_LAST_IMM;
	expect_rnr(s);
	s->req.opcode = XROCE_RC_WRITE_LAST;
	expect_write(s);
}

SCENE_TEST(immediate_order, "D5",
	   "the length is checked before the receive queue, the key after it")
{
	s->req.opcode = XROCE_RC_WRITE_ONLY_IMM;
	s->req.rkey ^= 1;
	expect_rnr(s);
	s->req.dmalen++;
	s->qp.nak_sent = 0;
	expect_refused(s, XROCE_CAUSE_INV_LENGTH);
}

SCENE_TEST(rnr_timer, "D5", "every RNR timer code")
{
	int timer;

	s->req.opcode = XROCE_RC_WRITE_ONLY_IMM;
	for (timer = 0; timer < 32 && !test_failed(); timer++) {
		s->qp.min_rnr_timer = timer;
		scene_put(s);
		expect_rnr(s);
	}
}

SCENE_TEST(sends, "D2 D5 D6", "SEND without a receive work request")
{
	static const uint8_t ops[] = {
		XROCE_RC_SEND_FIRST, XROCE_RC_SEND_ONLY,
		XROCE_RC_SEND_ONLY_IMM, XROCE_RC_SEND_ONLY_INV,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ops) && !test_failed(); i++) {
		s->req.opcode = ops[i];
		expect_rnr(s);
		/* The shortest request: the response is longer. */
		s->req.payload = 0;
		expect_rnr(s);
		s->req.payload = 64;
	}
}

SCENE_TEST(not_supported, "D5 D6", "opcodes that are reserved")
{
	static const uint8_t ops[] = {
		0x15, 0x18, 0x19, 0x1a, 0x1b, 0x1e, 0x1f,
	};
	size_t i;

	s->qp.access = XROCE_ACCESS_REMOTE;
	s->qp.rd_max = XROCE_RD_MAX;
	for (i = 0; i < ARRAY_SIZE(ops) && !test_failed(); i++) {
		s->req.opcode = ops[i];
		expect_refused(s, XROCE_CAUSE_INV_OPCODE);
		if (test_failed())
			note("opcode %#x", ops[i]);
	}
}

TEST_MAIN(native_main);
