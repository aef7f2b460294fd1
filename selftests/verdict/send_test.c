// SPDX-License-Identifier: GPL-2.0-only
/*
 * Verdicts on SEND, WRITE with immediate, and the unreliable services. Only the module
 * knows the contents of a receive queue: recv_test tests that.
 */
#include <string.h>

#include "harness.h"
#include "scene.h"

#define UC(op)	(XROCE_OP_UC | (op))
#define UD(op)	(XROCE_OP_UD | (op))

static bool stage(struct scene *s, enum xroce_qp_type type)
{
	if (!scene_init(s))
		return false;
	s->qp.type = type;
	s->qp.recv = 1;
	s->qp.qkey = 0x01020304;
	if (type == XROCE_QPT_UD)
		memset(s->qp.daddr, 0, sizeof(s->qp.daddr));
	s->req.qkey = 0x01020304;
	s->req.sqpn = 0x00abcdef;
	s->req.opcode = (type == XROCE_QPT_UC ? XROCE_OP_UC :
			 type == XROCE_QPT_UD ? XROCE_OP_UD : XROCE_OP_RC) |
			XROCE_RC_SEND_ONLY;
	scene_put(s);
	return true;
}

#define SEND_TEST(name, ids, about, type) SCENE_TEST_BY(stage(&s, type), name, ids, about)

/* The next packet of a message; @bytes of payload. */
static void next(struct scene *s, uint8_t opcode, uint32_t bytes)
{
	s->req.opcode = opcode;
	s->req.payload = bytes;
	s->req.pad = -bytes & 3;
	s->req.psn = s->qp.epsn;
}

SEND_TEST(rc_messages, "D2 D3", "SENDs of any length, and duplicates", XROCE_QPT_RC)
{
	static const uint8_t lasts[] = {
		XROCE_RC_SEND_LAST, XROCE_RC_SEND_LAST_IMM,
	};
	static const uint8_t onlies[] = {
		XROCE_RC_SEND_ONLY, XROCE_RC_SEND_ONLY_IMM,
	};
	static const uint32_t lens[] = { 0, 1, 2, 3, 4, 1023, 1024 };
	size_t i, j;

	for (i = 0; i < 2; i++) {
		for (j = 0; j < ARRAY_SIZE(lens); j++) {
			next(s, onlies[i], lens[j]);
			expect_send(s);
			next(s, XROCE_RC_SEND_FIRST, 1024);
			expect_send(s);
			s->req.ackreq = !s->req.ackreq;
			next(s, XROCE_RC_SEND_MIDDLE, 1024);
			expect_send(s);
			next(s, lasts[i], lens[j] ? : 1);
			expect_send(s);
			s->req.psn -= 2;		/* a duplicate */
			expect_duplicate(s);
		}
	}
}

/* A SEND needs no right of the queue pair. */
SEND_TEST(rc_no_right, "D2", "SEND needs no access right", XROCE_QPT_RC)
{
	s->qp.access = 0;
	scene_put(s);
	expect_send(s);
}

/* The opcode of a message in progress, and an opcode that may not follow. */
TEST(rc_order, "D5", "order of first, middle and last (IBTA 9.7.4.1.1)")
{
	static const struct {
		uint8_t op, next;
	} rows[] = {
		{ XROCE_RC_SEND_FIRST, XROCE_RC_SEND_FIRST },
		{ XROCE_RC_SEND_FIRST, XROCE_RC_SEND_ONLY },
		{ XROCE_RC_SEND_FIRST, XROCE_RC_SEND_ONLY_IMM },
		{ XROCE_RC_SEND_FIRST, XROCE_RC_SEND_ONLY_INV },
		{ XROCE_RC_SEND_FIRST, XROCE_RC_WRITE_FIRST },
		{ XROCE_RC_SEND_FIRST, XROCE_RC_WRITE_MIDDLE },
		{ XROCE_RC_SEND_FIRST, XROCE_RC_WRITE_LAST },
		{ XROCE_RC_SEND_FIRST, XROCE_RC_WRITE_LAST_IMM },
		{ XROCE_RC_WRITE_FIRST, XROCE_RC_SEND_FIRST },
		{ XROCE_RC_WRITE_FIRST, XROCE_RC_SEND_MIDDLE },
		{ XROCE_RC_WRITE_FIRST, XROCE_RC_SEND_LAST },
		{ XROCE_RC_WRITE_FIRST, XROCE_RC_SEND_LAST_IMM },
		{ XROCE_RC_WRITE_FIRST, XROCE_RC_SEND_LAST_INV },
		{ XROCE_RC_WRITE_FIRST, XROCE_RC_SEND_ONLY },
		{ XROCE_QP_OP_NONE, XROCE_RC_SEND_MIDDLE },
		{ XROCE_QP_OP_NONE, XROCE_RC_SEND_LAST },
		{ XROCE_QP_OP_NONE, XROCE_RC_SEND_LAST_IMM },
		{ XROCE_QP_OP_NONE, XROCE_RC_SEND_LAST_INV },
		{ XROCE_QP_OP_NONE, XROCE_RC_WRITE_LAST_IMM },
	};
	struct scene s;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows) && !test_failed(); i++) {
		if (!stage(&s, XROCE_QPT_RC))
			return;
		s.qp.op = rows[i].op;
		s.qp.va = s.req.va;
		s.qp.rkey = s.req.rkey;
		s.qp.resid = 1024;
		next(&s, rows[i].next, 1024);
		expect_refused(&s, XROCE_CAUSE_INV_ORDER);
		if (test_failed())
			note("%#x after %#x", rows[i].next, rows[i].op);
	}
}

static bool goes_on(uint8_t op)
{
	return op == XROCE_RC_SEND_MIDDLE || op == XROCE_RC_SEND_LAST ||
	       op == XROCE_RC_SEND_LAST_IMM || op == XROCE_RC_SEND_LAST_INV;
}

TEST(rc_length, "D5", "payload and pad (IBTA 9.7.4.1.6)")
{
	static const struct {
		uint8_t op;
		uint32_t bytes, pad;
	} rows[] = {
		{ XROCE_RC_SEND_FIRST, 0, 0 },
		{ XROCE_RC_SEND_FIRST, 1020, 0 },
		{ XROCE_RC_SEND_FIRST, 1021, 3 },
		{ XROCE_RC_SEND_FIRST, 1028, 0 },
		{ XROCE_RC_SEND_MIDDLE, 1020, 0 },
		{ XROCE_RC_SEND_MIDDLE, 1023, 1 },
		{ XROCE_RC_SEND_LAST, 0, 0 },
		{ XROCE_RC_SEND_LAST, 1028, 0 },
		{ XROCE_RC_SEND_LAST_IMM, 0, 0 },
		{ XROCE_RC_SEND_LAST_INV, 0, 0 },
		{ XROCE_RC_SEND_ONLY, 1025, 3 },
		{ XROCE_RC_SEND_ONLY, 1028, 0 },
		{ XROCE_RC_SEND_ONLY, 63, 0 },
		{ XROCE_RC_SEND_ONLY_IMM, 1028, 0 },
		{ XROCE_RC_SEND_ONLY_INV, 1028, 0 },
	};
	struct scene s;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows) && !test_failed(); i++) {
		if (!stage(&s, XROCE_QPT_RC))
			return;
		if (goes_on(rows[i].op))
			s.qp.op = XROCE_RC_SEND_FIRST;
		next(&s, rows[i].op, rows[i].bytes);
		s.req.pad = rows[i].pad;
		expect_refused(&s, XROCE_CAUSE_INV_LENGTH);
		if (test_failed())
			note("%#x of %u bytes, pad %u", rows[i].op,
			     rows[i].bytes, rows[i].pad);
	}
}

SEND_TEST(rc_invalidate, "D5", "a peer cannot invalidate a region", XROCE_QPT_RC)
{
	s->req.imm = SCENE_KEY;
	next(s, XROCE_RC_SEND_ONLY_INV, 64);
	expect_refused(s, XROCE_CAUSE_ACC_KEY);
	s->qp.op = XROCE_RC_SEND_FIRST;
	next(s, XROCE_RC_SEND_LAST_INV, 64);
	expect_refused(s, XROCE_CAUSE_ACC_KEY);
}

SEND_TEST(rc_write_immediate, "D2 D5", "WRITE with immediate", XROCE_QPT_RC)
{
	s->req.opcode = XROCE_RC_WRITE_ONLY_IMM;
	expect_accepted(s);
	s->req.rkey ^= 1;
	expect_refused(s, XROCE_CAUSE_ACC_KEY);
	s->req.rkey ^= 1;
	s->qp.access = 0;
	expect_refused(s, XROCE_CAUSE_INV_QP_ACCESS);
	s->qp.access = XROCE_ACCESS_REMOTE_WRITE;
	s->req.dmalen++;
	expect_refused(s, XROCE_CAUSE_INV_LENGTH);
	scene_put(s);

	s->req.opcode = XROCE_RC_WRITE_FIRST;
	scene_payload(s, 1024);
	s->req.dmalen = 1025;
	expect_write(s);
	next(s, XROCE_RC_WRITE_LAST_IMM, 1);
	expect_write(s);
}

SEND_TEST(uc_messages, "D2", "UC messages get no response", XROCE_QPT_UC)
{
	expect_send(s);
	next(s, UC(XROCE_RC_SEND_ONLY_IMM), 0);
	expect_send(s);
	next(s, UC(XROCE_RC_SEND_FIRST), 1024);
	expect_send(s);
	next(s, UC(XROCE_RC_SEND_LAST_IMM), 3);
	expect_send(s);
	next(s, UC(XROCE_RC_WRITE_ONLY_IMM), 64);
	expect_write(s);
	next(s, UC(XROCE_RC_WRITE_FIRST), 1024);
	s->req.dmalen = 2050;
	expect_write(s);
	next(s, UC(XROCE_RC_WRITE_MIDDLE), 1024);
	expect_write(s);
	next(s, UC(XROCE_RC_WRITE_LAST), 2);
	expect_write(s);
}

/* After a gap, packets are dropped until a message begins. */
SEND_TEST(uc_gap, "D2 D5", "a message is dropped whole after a gap (IBTA 9.8.2.2.2)", XROCE_QPT_UC)
{
	next(s, UC(XROCE_RC_SEND_FIRST), 1024);
	expect_send(s);
	next(s, UC(XROCE_RC_SEND_MIDDLE), 1024);
	s->req.psn++;
	expect_lost(s, COUNTER(inv_order));
	next(s, UC(XROCE_RC_SEND_LAST), 4);
	expect_lost(s, COUNTER(inv_order));
	/* A message may begin with any PSN, ahead or behind. */
	next(s, UC(XROCE_RC_SEND_ONLY), 4);
	s->req.psn = (s->req.psn - 1000) & XROCE_PSN_MASK;
	expect_send(s);
	next(s, UC(XROCE_RC_WRITE_FIRST), 1024);
	s->req.dmalen = 1028;
	expect_write(s);
	/* A message that begins ends the one before. */
	next(s, UC(XROCE_RC_SEND_FIRST), 1024);
	expect_send(s);
	next(s, UC(XROCE_RC_WRITE_LAST), 4);
	expect_lost(s, COUNTER(inv_order));
}

/* Refusals get no response, and the queue pair stays in its state. */
SEND_TEST(uc_refused, "D5", "UC refusals get no response (IBTA 9.8.2.3)", XROCE_QPT_UC)
{
	next(s, UC(XROCE_RC_WRITE_ONLY), 64);
	s->req.rkey ^= 1;
	expect_lost(s, COUNTER(acc_key));
	s->req.rkey ^= 1;
	next(s, UC(XROCE_RC_SEND_FIRST), 1020);
	expect_lost(s, COUNTER(inv_length));
	s->qp.recv = 0;
	scene_put(s);
	next(s, UC(XROCE_RC_SEND_ONLY), 64);
	expect_lost(s, COUNTER(drop_recv));
	next(s, UC(XROCE_RC_WRITE_ONLY_IMM), 64);
	expect_lost(s, COUNTER(drop_recv));
	s->qp.access = 0;
	scene_put(s);
	next(s, UC(XROCE_RC_WRITE_ONLY), 64);
	expect_lost(s, COUNTER(inv_qp_access));
	s->qp.access = XROCE_ACCESS_REMOTE_WRITE;
	scene_put(s);
	next(s, UC(XROCE_RC_WRITE_ONLY), 64);
	expect_write(s);
}

/* Every opcode of all services, on queue pairs of each type. */
TEST(services, "D5", "opcodes of other services are dropped")
{
	static const uint32_t uc = 0x00000fff, ud = 0x00000030;
	static const uint32_t rc_response = 0x0007e000;
	static const enum xroce_qp_type types[] = {
		XROCE_QPT_RC, XROCE_QPT_UC, XROCE_QPT_UD,
	};
	static const uint8_t service[] = { XROCE_OP_RC, XROCE_OP_UC, XROCE_OP_UD };
	struct scene s;
	int op, t;
	bool has;

	for (t = 0; t < 3; t++) {
		for (op = 0; op < 256 && !test_failed(); op++) {
			uint32_t bit = 1u << (op & 31);

			has = (op & XROCE_OP_SERVICE) == service[t] &&
			      (t == 0 ? !(rc_response & bit) :
					!!((t == 1 ? uc : ud) & bit));
			/* Congestion notifications have checks of their own. */
			if (has || op == XROCE_OP_CNP)
				continue;
			if (!stage(&s, types[t]))
				return;
			s.req.opcode = op;
			expect_drop(&s, COUNTER(drop_opcode));
			if (test_failed())
				note("opcode %#x, type %u", op, types[t]);
		}
	}
}

SEND_TEST(ud_messages, "D2", "datagrams are received", XROCE_QPT_UD)
{
	s->qp.mtu = 4096;
	scene_put(s);
	expect_send(s);
	s->req.opcode = UD(XROCE_RC_SEND_ONLY_IMM);
	s->req.psn = 17;			/* any PSN */
	expect_send(s);
	scene_payload(s, 0);
	expect_send(s);
	s->req.saddr[15] ^= 7;		/* any source */
	expect_send(s);
	s->req.ackreq = false;
	scene_payload(s, 3);
	expect_send(s);
}

/* A datagram must be for the queue pair's address, and may be from any. */
SEND_TEST(ud_address, "D1 D2 D5", "datagrams to our address, from any", XROCE_QPT_UD)
{
	int v6, i;

	for (v6 = 0; v6 < 2; v6++) {
		for (i = v6 ? 0 : 12; i < 16 && !test_failed(); i++) {
			s->req.saddr[i] ^= 0x10;
			expect_send(s);
			s->req.daddr[i] ^= 0x10;
			expect_drop(s, COUNTER(drop_addr));
			s->req.daddr[i] ^= 0x10;
		}
		scene_ipv6(s);
		memset(s->qp.daddr, 0, sizeof(s->qp.daddr));
		scene_put(s);
	}
	/* The address family must match. */
	s->req.ipv6 = false;
	s->req.frag = PACKET_IP_DF;
	s->req.flow = 0;
	expect_drop(s, COUNTER(drop_addr));
}

SEND_TEST(ud_refused, "D5", "Q_Key, P_Key, length (IBTA 9.8.3)", XROCE_QPT_UD)
{
	int bit;

	for (bit = 0; bit < 32; bit++) {
		s->req.qkey ^= 1u << bit;
		expect_drop(s, COUNTER(drop_qkey));
		s->req.qkey ^= 1u << bit;
	}
	scene_payload(s, 1028);
	expect_drop(s, COUNTER(inv_length));
	scene_payload(s, 64);
	s->req.pkey = 0x7ffe;
	expect_drop(s, COUNTER(drop_pkey));
	s->req.pkey = 0xffff;
	s->qp.recv = 0;
	scene_put(s);
	expect_drop(s, COUNTER(drop_recv));
}

TEST_MAIN(native_main);
