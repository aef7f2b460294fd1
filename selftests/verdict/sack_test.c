// SPDX-License-Identifier: GPL-2.0-only
/*
 * Selective acknowledgements: their bytes, which of them reach the module, and the reserved bits of
 * the BTH by which a requester asks for them. Without the module each of them that reaches it is
 * taken as accepted (req_rx).
 */
#include <string.h>

#include "harness.h"
#include "scene.h"

#define SENT	5u		/* packets that are not acknowledged */
#define LOST	0x01020304u

/* A selective acknowledgement from the peer, of the packet @n of those that are outstanding. */
static void acknowledge(struct scene *s, uint32_t n)
{
	s->qp.req = 1;
	s->qp.req_una = SCENE_PSN;
	s->qp.req_top = (SCENE_PSN + SENT) & XROCE_PSN_MASK;
	s->qp.req_op = XROCE_QP_OP_NONE;
	scene_put(s);
	s->req.opcode = XROCE_OP_SACK;
	s->req.ackreq = false;
	s->req.syndrome = XROCE_SYN_NAK_SEQ;
	s->req.msn = SCENE_MSN;
	s->req.psn = (SCENE_PSN + n) & XROCE_PSN_MASK;
	s->req.payload = 0;
	s->req.pad = 0;
	s->req.sack_lost = LOST;
	s->req.sack_bits[0] = 0x12;
	s->req.sack_bits[1] = 0x8000;
	s->req.sack_bits[31] = 0x80000000;
}

#define SACK_TEST(name, ids, about) SCENE_TEST_BY(sack_scene(&s), name, ids, about)

static bool sack_scene(struct scene *s)
{
	if (!scene_init(s))
		return false;
	acknowledge(s, 0);
	return true;
}

/* Written by hand, the invariant CRC with another program (zlib). */
static const uint8_t bth[] = {
	0xc1, 0x40, 0xff, 0xff, 0x00, 0x8a, 0x5c, 0x21, 0x00, 0x12, 0x34, 0x56,
};

static const uint8_t aeth_and_bits[] = {
	0x60, 0x00, 0x07, 0x77,				/* AETH */
	0x01, 0x02, 0x03, 0x04,				/* lost */
	0x00, 0x00, 0x00, 0x12, 0x00, 0x00, 0x80, 0x00,	/* 1, 4; 47 */
};

static const uint8_t last_and_icrc[] = {
	0x80, 0x00, 0x00, 0x00,				/* 1023 */
	0x77, 0x59, 0xd5, 0x92,
};

static void bytes_are(const struct frame *f, uint32_t at, const uint8_t *want, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		check(f->bytes[at + i] == want[i], "byte %u of the BTH on is %#x, not %#x",
		      at + i - f->bth, f->bytes[at + i], want[i]);
}

/* These are the bytes that the tests compare packets of the module with (early_sack). */
SACK_TEST(sack_bytes, "D6 Q3", "the bytes of a selective acknowledgement")
{
	struct packet got;
	struct frame f;
	uint32_t i;

	packet_build(&s->req, &f);
	check_is(f.end - f.bth, 12 + 4 + 132 + 4);
	bytes_are(&f, f.bth, bth, sizeof(bth));
	bytes_are(&f, f.bth + 12, aeth_and_bits, sizeof(aeth_and_bits));
	for (i = f.bth + 28; i < f.end - 8; i++)
		check(!f.bytes[i], "byte %u is %#x", i - f.bth, f.bytes[i]);
	bytes_are(&f, f.end - 8, last_and_icrc, sizeof(last_and_icrc));
	check(!packet_parse(f.bytes, f.len, 0, &got), "parse");
	check(!memcmp(got.sack_bits, s->req.sack_bits, sizeof(got.sack_bits)) &&
	      got.sack_lost == LOST, "it differs");
}

/* Up to half the circle may be outstanding; nothing else is. */
SACK_TEST(sack_window, "Q3 Q5 D6", "only one of a packet that is outstanding reaches the module")
{
	static const uint32_t others[] = { SENT, SENT + 1, 1u << 23, -1u, -SENT };
	uint32_t i;

	for (i = 0; i < SENT; i++) {
		acknowledge(s, i);
		expect_drop(s, COUNTER(req_rx));
	}
	for (i = 0; i < ARRAY_SIZE(others) && !test_failed(); i++) {
		acknowledge(s, others[i]);
		s->qp.req_stale++;
		expect_drop(s, COUNTER(req_ignored));
	}
}

/* The same where the PSN wraps. */
SACK_TEST(sack_wrap, "Q3 D6", "the window at the wrap of the PSN")
{
	uint32_t i;

	for (i = 0; i <= SENT && !test_failed(); i++) {
		acknowledge(s, i);
		s->qp.req_una = XROCE_PSN_MASK - 1;
		s->qp.req_top = (s->qp.req_una + SENT) & XROCE_PSN_MASK;
		scene_put(s);
		s->req.psn = (s->qp.req_una + i) & XROCE_PSN_MASK;
		s->qp.req_stale += i == SENT;
		expect_drop(s, i == SENT ? COUNTER(req_ignored) : COUNTER(req_rx));
	}
}

SACK_TEST(sack_length, "Q5 D6", "shorter by each byte, longer, or with a pad")
{
	uint32_t i;

	for (i = 1; i <= 4 + sizeof(struct xroce_sack) && !test_failed(); i++) {
		s->req.xth_cut = i;
		expect_drop(s, COUNTER(drop_length));
	}
	s->req.xth_cut = 0;
	for (i = 1; i < 4096 && !test_failed(); i += i < 8 ? 1 : 509) {
		s->req.payload = i;
		s->req.pad = -i & 3;
		expect_drop(s, COUNTER(drop_length));
	}
	s->req.payload = 0;
	for (i = 1; i < 4 && !test_failed(); i++) {
		s->req.pad = i;
		expect_drop(s, COUNTER(drop_length));
		/* Of the bitmap itself. */
		s->req.xth_cut = i;
		expect_drop(s, COUNTER(drop_length));
		s->req.xth_cut = 0;
	}
}

/* What it says is for the module to judge. */
SACK_TEST(sack_content, "Q3 Q5", "whatever it says")
{
	static const uint32_t lost[] = { 0, 1, 1023, 1024, 1025, 0x7fffffff, 0x80000000, -1u };
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(lost); i++) {
		s->req.sack_lost = lost[i];
		memset(s->req.sack_bits, i % 2 ? 0xff : 0, sizeof(s->req.sack_bits));
		expect_drop(s, COUNTER(req_rx));
	}
	for (i = 0; i < 0x100 && !test_failed(); i++) {
		s->req.syndrome = i;
		expect_drop(s, COUNTER(req_rx));
	}
}

/* Of no requester: a responder only, and the services that have no acknowledgements. */
SACK_TEST(sack_nobody, "Q5 D6", "for a queue pair that has no requester")
{
	static const uint8_t types[] = { XROCE_QPT_RC, XROCE_QPT_UC, XROCE_QPT_UD };
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		s->qp.type = types[i];
		s->qp.req = 0;
		scene_put(s);
		expect_drop(s, COUNTER(drop_opcode));
	}
}

/* Other opcodes that are left to manufacturers mean nothing. */
SACK_TEST(sack_other_opcode, "Q5 D6", "opcodes beside it")
{
	static const uint8_t opcodes[] = { 0xc0, 0xc2, 0xdf, 0xe1, 0xa1, 0x41 };
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		s->req.opcode = opcodes[i];
		expect_drop(s, COUNTER(drop_opcode));
	}
}

SACK_TEST(sack_not_admitted, "Q5 D5 D6", "of another peer, or in another state")
{
	EXPECT_DROP_IF(s, t.req.saddr[15] ^= 1, drop_addr);
	EXPECT_DROP_IF(s, t.req.daddr[15] ^= 1, drop_addr);
	EXPECT_DROP_IF(s, t.req.pkey = 0x8001, drop_pkey);
	EXPECT_DROP_IF(s, t.req.dqpn ^= 0x400000, drop_qpn);
	EXPECT_DROP_IF(s, t.req.tver = 1, drop_tver);
	EXPECT_DROP_IF(s, t.req.ip_csum_flip = 1, drop_checksum);
	EXPECT_DROP_IF(s, t.req.udp_adjust = 4, drop_length);
	EXPECT_DROP_IF(s, t.qp.state = XROCE_QPS_RESET, drop_state);
	EXPECT_DROP_IF(s, t.qp.state = XROCE_QPS_INIT, drop_state);
	EXPECT_DROP_IF(s, t.qp.state = XROCE_QPS_ERR, drop_error);
	EXPECT_DROP_IF(s, t.qp.error = XROCE_CAUSE_ACC_PD, drop_error);
}

/* The combination @n of the bits. */
static void ask(struct scene *s, uint32_t n)
{
	s->req.sack = n & 1;
	s->req.again = n & 2;
}

SCENE_TEST(sack_asked, "D5 D6", "requests that ask for one are judged as others are")
{
	struct scene fresh = *s;
	uint32_t n;

	for (n = 0; n < 4 && !test_failed(); n++) {
		*s = fresh;
		ask(s, n);
		expect_accepted(s);
		s->req.rkey ^= 1;
		expect_refused(s, XROCE_CAUSE_ACC_KEY);
		*s = fresh;
		ask(s, n);
		s->req.psn--;
		scene_put(s);
		expect_duplicate(s);
		s->req.psn += 3;
		expect_nak_seq(s);
		expect_drop(s, COUNTER(drop_psn));
		scene_request(s, XROCE_RC_READ_REQUEST);
		ask(s, n);
		s->req.psn = s->qp.epsn;
		scene_put(s);
		expect_kept(s);
		expect_again(s, 0);
		if (test_failed())
			note("bits %u", n);
	}
}

/* Routers may change that byte, so the invariant CRC does not cover it. */
SCENE_TEST(sack_asked_icrc, "D4", "the bits are not in the invariant CRC")
{
	struct frame plain, asks;
	uint32_t n, i;

	packet_build(&s->req, &plain);
	for (n = 1; n < 4; n++) {
		ask(s, n);
		packet_build(&s->req, &asks);
		for (i = 0; i < plain.len; i++)
			check(asks.bytes[i] == plain.bytes[i] + (i == plain.bth + 4 ? n : 0),
			      "byte %u", i);
	}
}

TEST_MAIN(native_main);
