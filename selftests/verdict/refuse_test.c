// SPDX-License-Identifier: GPL-2.0-only
/* Requests that want what this responder does not have. */
#include "harness.h"
#include "scene.h"

static void immediate(void)
{
	struct scene s;

	if (!scene_init(&s))
		return;
	s.req.opcode = XROCE_RC_WRITE_ONLY_IMM;
	expect_rnr(&s);
	expect_rnr(&s);		/* tried again, with the same PSN */

	/* What follows it is ahead, and silent. */
	s.req.psn++;
	expect_drop(&s, COUNTER(drop_psn));

	/* The queue pair goes on. */
	s.req.psn--;
	s.req.opcode = XROCE_RC_WRITE_ONLY;
	expect_write(&s);
}

static void immediate_last(void)
{
	struct scene s;

	if (!scene_init(&s))
		return;
	s.req.opcode = XROCE_RC_WRITE_FIRST;
	scene_payload(&s, 1024);
	s.req.dmalen = 1088;
	expect_write(&s);
	s.req.psn++;
	s.req.payload = 64;
	s.req.opcode = XROCE_RC_WRITE_LAST_IMM;
	expect_rnr(&s);
	s.req.opcode = XROCE_RC_WRITE_LAST;
	expect_write(&s);
}

/* Length before receive queue, receive queue before key. */
static void immediate_order(void)
{
	struct scene s;

	if (!scene_init(&s))
		return;
	s.req.opcode = XROCE_RC_WRITE_ONLY_IMM;
	s.req.rkey ^= 1;
	expect_rnr(&s);
	s.req.dmalen++;
	s.qp.nak_sent = 0;
	expect_refused(&s, XROCE_CAUSE_INV_LENGTH);
}

static void rnr_timer(void)
{
	struct scene s;
	int timer;

	if (!scene_init(&s))
		return;
	s.req.opcode = XROCE_RC_WRITE_ONLY_IMM;
	for (timer = 0; timer < 32 && !test_failed(); timer++) {
		s.qp.min_rnr_timer = timer;
		scene_put(&s);
		expect_rnr(&s);
	}
}

static void sends(void)
{
	static const uint8_t ops[] = {
		XROCE_RC_SEND_FIRST, XROCE_RC_SEND_ONLY,
		XROCE_RC_SEND_ONLY_IMM, XROCE_RC_SEND_ONLY_INV,
	};
	struct scene s;
	size_t i;

	if (!scene_init(&s))
		return;
	for (i = 0; i < ARRAY_SIZE(ops) && !test_failed(); i++) {
		s.req.opcode = ops[i];
		expect_rnr(&s);
		/* The smallest request: its answer is longer. */
		s.req.payload = 0;
		expect_rnr(&s);
		s.req.payload = 64;
	}
}

static void not_supported(void)
{
	static const uint8_t ops[] = {
		0x15, 0x18, 0x19, 0x1a, 0x1b, 0x1e, 0x1f,
	};
	struct scene s;
	size_t i;

	if (!scene_init(&s))
		return;
	s.qp.access = XROCE_ACCESS_REMOTE;
	s.qp.rd_max = XROCE_RD_MAX;
	for (i = 0; i < ARRAY_SIZE(ops) && !test_failed(); i++) {
		s.req.opcode = ops[i];
		expect_refused(&s, XROCE_CAUSE_INV_OPCODE);
		if (test_failed())
			note("opcode %#x", ops[i]);
	}
}

static const struct test tests[] = {
	{ "immediate", "D2 D5 D6", "no receive request for the immediate",
	  immediate },
	{ "immediate_last", "D2 D5 D6", "the same at a message's end",
	  immediate_last },
	{ "immediate_order", "D5", "length goes before it, the key after",
	  immediate_order },
	{ "rnr_timer", "D5", "every RNR timer code", rnr_timer },
	{ "sends", "D2 D5 D6", "no receive request for a SEND", sends },
	{ "not_supported", "D5 D6", "opcodes that nobody has defined",
	  not_supported },
};

int main(int argc, char **argv)
{
	return native_main(argc, argv, tests, ARRAY_SIZE(tests));
}
