// SPDX-License-Identifier: GPL-2.0-only
/* PSN, acknowledgements, duplicates, and the order of packets in a message. */
#include "harness.h"
#include "scene.h"

#define PSN(n)		((n) & XROCE_PSN_MASK)
#define HALF		0x800000u	/* half the circle of PSNs */

/* One packet of a WRITE, in order. */
static void piece(struct scene *s, uint8_t opcode, uint32_t bytes, bool ackreq)
{
	s->req.opcode = opcode;
	s->req.payload = bytes;
	s->req.pad = -bytes & 3;
	s->req.ackreq = ackreq;
	s->req.psn = s->qp.epsn;
	expect_write(s);
}

/* A whole WRITE of @total bytes; every packet is compared. */
static void message(struct scene *s, uint32_t total)
{
	uint32_t mtu = s->qp.mtu;
	uint32_t left = total;

	s->req.dmalen = total;
	if (total <= mtu) {
		piece(s, XROCE_RC_WRITE_ONLY, total, true);
		return;
	}
	piece(s, XROCE_RC_WRITE_FIRST, mtu, false);
	for (left -= mtu; left > mtu && !test_failed(); left -= mtu)
		piece(s, XROCE_RC_WRITE_MIDDLE, mtu, false);
	piece(s, XROCE_RC_WRITE_LAST, left, true);
}

SCENE_TEST(all_mtus, "D1 D2 D5", "messages of one to five packets, with each path MTU")
{
	size_t i;

	for (i = 0; i < SCENE_MTUS && !test_failed(); i++) {
		uint32_t mtu = scene_mtus[i];

		s->qp.mtu = mtu;
		scene_put(s);
		message(s, mtu - 1);
		message(s, mtu);
		message(s, mtu + 1);
		message(s, 2 * mtu);
		message(s, 2 * mtu + 2);
		message(s, 5 * mtu - 3);
		if (test_failed())
			note("path MTU %u", mtu);
	}
}

SCENE_TEST(all_mtus_ipv6, "D1 D2 D5", "multi-buffer frames over IPv6")
{
	s->qp.mtu = 4096;
	scene_ipv6(s);
	message(s, 4096);
	message(s, 3 * 4096 + 5);
}

/* AckReq can be set in any packet of a message. */
SCENE_TEST(ack_anywhere, "D5", "ACKs if AckReq is set; the MSN counts messages")
{
	s->req.dmalen = 3 * 1024;
	piece(s, XROCE_RC_WRITE_FIRST, 1024, true);
	piece(s, XROCE_RC_WRITE_MIDDLE, 1024, true);
	piece(s, XROCE_RC_WRITE_LAST, 1024, false);
	s->req.dmalen = 0;
	piece(s, XROCE_RC_WRITE_ONLY, 0, false);
}

SCENE_TEST(msn_wraps, "D5", "MSN has 24 bits")
{
	s->qp.msn = 0xfffffe;
	scene_put(s);
	message(s, 3000);
	message(s, 8);
	check(s->qp.msn == 0, "MSN is %#x", s->qp.msn);
}

SCENE_TEST(psn_wraps, "D5", "PSN has 24 bits")
{
	s->qp.epsn = 0xfffffe;
	scene_put(s);
	message(s, 3 * 1024);
	check(s->qp.epsn == 1, "expected PSN is %#x", s->qp.epsn);
	/* PSNs before the wrap are duplicates. */
	s->req.psn = 0xffffff;
	expect_duplicate(s);
	s->req.psn = 0;
	expect_duplicate(s);
}

SCENE_TEST(gap, "D5 D6", "one NAK for a gap, then no response")
{
	s->req.psn = SCENE_PSN + 1;
	expect_nak_seq(s);
	expect_drop(s, COUNTER(drop_psn));
	s->req.psn = SCENE_PSN + 7;
	s->req.ackreq = false;
	expect_drop(s, COUNTER(drop_psn));
	message(s, 64);
	/* A new gap gets a NAK of its own. */
	s->req.psn = s->qp.epsn + 1;
	expect_nak_seq(s);
	expect_drop(s, COUNTER(drop_psn));
}

/* A duplicate after the NAK does not permit another NAK. */
SCENE_TEST(gap_duplicate, "D5 D6", "no second NAK for a gap after a duplicate")
{
	s->req.psn = SCENE_PSN + 1;
	expect_nak_seq(s);
	s->req.psn = SCENE_PSN - 1;
	expect_duplicate(s);
	s->req.psn = SCENE_PSN + 1;
	expect_drop(s, COUNTER(drop_psn));
}

/* A gap within a message, which is continued afterwards. */
SCENE_TEST(gap_inside, "D5", "a gap within a message")
{
	s->req.dmalen = 3000;
	piece(s, XROCE_RC_WRITE_FIRST, 1024, false);
	s->req.opcode = XROCE_RC_WRITE_LAST;
	s->req.psn = s->qp.epsn + 1;
	expect_nak_seq(s);
	piece(s, XROCE_RC_WRITE_MIDDLE, 1024, false);
	piece(s, XROCE_RC_WRITE_LAST, 3000 - 2048, true);
}

/* A PSN that is ahead takes precedence over errors in the packet. */
SCENE_TEST(gap_first, "D5", "the PSN is checked before opcode and key")
{
	s->req.psn = SCENE_PSN + 1;
	s->req.rkey ^= 0xff;
	s->req.opcode = XROCE_RC_READ_REQUEST;
	expect_nak_seq(s);
}

SCENE_TEST(window, "D5 D6", "both ends of the PSN window")
{
	static const struct {
		uint32_t off;
		bool ahead;
	} rows[] = {
		{ 1, true }, { 2, true }, { HALF - 2, true },
		{ HALF - 1, true }, { HALF, false }, { HALF + 1, false },
		{ 0xfffffe, false }, { 0xffffff, false },
	};
	static const uint32_t epsns[] = {
		SCENE_PSN, 0, 1, HALF - 1, HALF, HALF + 1, 0xffffff,
	};
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(epsns); i++) {
		for (j = 0; j < ARRAY_SIZE(rows) && !test_failed(); j++) {
			s->qp.epsn = epsns[i];
			s->qp.nak_sent = 0;
			scene_put(s);
			s->req.psn = PSN(epsns[i] + rows[j].off);
			if (rows[j].ahead)
				expect_nak_seq(s);
			else
				expect_duplicate(s);
			if (test_failed())
				note("expected %#x, packet %#x", epsns[i],
				     s->req.psn);
		}
	}
}

SCENE_TEST(duplicate, "D5 D6", "a duplicate is acknowledged, not executed")
{
	static const uint8_t ops[] = {
		XROCE_RC_WRITE_FIRST, XROCE_RC_WRITE_MIDDLE,
		XROCE_RC_WRITE_LAST, XROCE_RC_WRITE_ONLY,
		XROCE_RC_WRITE_LAST_IMM, XROCE_RC_WRITE_ONLY_IMM,
		XROCE_RC_SEND_FIRST, XROCE_RC_SEND_ONLY,
	};
	size_t i;

	s->req.psn = SCENE_PSN - 1;
	for (i = 0; i < ARRAY_SIZE(ops) && !test_failed(); i++) {
		s->req.opcode = ops[i];
		s->req.ackreq = true;
		expect_duplicate(s);
		s->req.ackreq = false;
		expect_duplicate(s);
		if (test_failed())
			note("opcode %#x", ops[i]);
	}
}

/* The errors of a duplicate are ignored: it was checked when it was new. */
SCENE_TEST(duplicate_bad, "D5", "the errors of a duplicate are ignored")
{
	s->req.psn = SCENE_PSN - 3;
	s->req.rkey ^= 0x100;
	expect_duplicate(s);
	s->req.dmalen = 0xffffffff;
	expect_duplicate(s);
}

SCENE_TEST(duplicate_inside, "D5", "a duplicate within a message")
{
	s->req.dmalen = 3000;
	piece(s, XROCE_RC_WRITE_FIRST, 1024, false);
	s->req.psn = PSN(s->qp.epsn - 1);
	s->req.ackreq = true;
	expect_duplicate(s);
	piece(s, XROCE_RC_WRITE_MIDDLE, 1024, false);
	piece(s, XROCE_RC_WRITE_LAST, 3000 - 2048, true);
}

/* Middle and last packets while no message is in progress. */
SCENE_TEST(nothing_begun, "D5 D6", "a middle or last packet without a first one")
{
	static const uint8_t ops[] = {
		XROCE_RC_WRITE_MIDDLE, XROCE_RC_WRITE_LAST,
		XROCE_RC_WRITE_LAST_IMM, XROCE_RC_SEND_MIDDLE,
		XROCE_RC_SEND_LAST, XROCE_RC_SEND_LAST_IMM,
		XROCE_RC_SEND_LAST_INV,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ops) && !test_failed(); i++) {
		s->req.opcode = ops[i];
		expect_refused(s, XROCE_CAUSE_INV_ORDER);
		if (test_failed())
			note("opcode %#x", ops[i]);
	}
}

/* All packets but middle and last of a WRITE, while a WRITE is in progress. */
SCENE_TEST(not_ended, "D5 D6", "a new message within a message")
{
	static const uint8_t ops[] = {
		XROCE_RC_WRITE_FIRST, XROCE_RC_WRITE_ONLY,
		XROCE_RC_WRITE_ONLY_IMM, XROCE_RC_SEND_FIRST,
		XROCE_RC_SEND_MIDDLE, XROCE_RC_SEND_LAST,
		XROCE_RC_SEND_LAST_IMM, XROCE_RC_SEND_ONLY,
		XROCE_RC_SEND_ONLY_IMM, XROCE_RC_SEND_LAST_INV,
		XROCE_RC_SEND_ONLY_INV,
	};
	size_t i;

	s->req.dmalen = 3000;
	piece(s, XROCE_RC_WRITE_FIRST, 1024, false);
	s->req.psn = s->qp.epsn;
	for (i = 0; i < ARRAY_SIZE(ops) && !test_failed(); i++) {
		s->req.opcode = ops[i];
		expect_refused(s, XROCE_CAUSE_INV_ORDER);
		if (test_failed())
			note("opcode %#x", ops[i]);
	}
}

/* After a fatal NAK there are no responses, not even to duplicates. */
SCENE_TEST(after_error, "D5 D6", "a queue pair in error sends no response")
{
	s->req.rkey ^= 1;
	expect_nak(s, XROCE_CAUSE_ACC_KEY);
	expect_drop(s, COUNTER(drop_error));
	s->req.rkey ^= 1;
	expect_drop(s, COUNTER(drop_error));
	s->req.psn++;
	expect_drop(s, COUNTER(drop_error));
	s->req.psn -= 2;
	expect_drop(s, COUNTER(drop_error));
}

SCENE_TEST(error_after_gap, "D5 D6", "the packet that closes a gap is out of order")
{
	s->req.psn++;
	expect_nak_seq(s);
	s->req.psn--;
	s->req.opcode = XROCE_RC_WRITE_LAST;
	expect_nak(s, XROCE_CAUSE_INV_ORDER);
}

/* NAKs are sent whether or not AckReq is set. */
SCENE_TEST(nak_unasked, "D5 D6", "a NAK is sent without AckReq")
{
	s->req.ackreq = false;
	s->req.psn = SCENE_PSN + 1;
	expect_nak_seq(s);
	s->req.psn = SCENE_PSN;
	s->req.rkey ^= 1;
	expect_nak(s, XROCE_CAUSE_ACC_KEY);
}

TEST_MAIN(native_main);
