// SPDX-License-Identifier: GPL-2.0-only
/* Lengths of a WRITE: payload, pad, RETH, position in the message. */
#include "access.h"
#include "harness.h"

SCENE_TEST(nothing, "D5", "the key of a WRITE of no bytes is not checked")
{
	access_nothing(s);
}

SCENE_TEST(longest, "D5 D6", "a message of 2^31 bytes, and of more")
{
	s->req.opcode = XROCE_RC_WRITE_FIRST;
	s->req.payload = 1024;
	s->req.pad = 0;
	access_longest(s);
}

SCENE_TEST(length_differs, "D5 D6", "payload and RETH differ")
{
	static const uint32_t lens[] = { 0, 1, 60, 63, 65, 68, 1024, 1 << 20 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lens) && !test_failed(); i++) {
		s->req.dmalen = lens[i];
		expect_refused(s, XROCE_CAUSE_INV_LENGTH);
		if (test_failed())
			note("RETH says %u of 64", lens[i]);
	}
}

SCENE_TEST(pads, "D5 D6", "every pad count with every length modulo 4")
{
	uint32_t bytes, pad;

	for (bytes = 61; bytes <= 64; bytes++) {
		for (pad = 0; pad < 4 && !test_failed(); pad++) {
			scene_payload(s, bytes);
			s->req.pad = pad;
			if ((bytes + pad) % 4)
				expect_refused(s, XROCE_CAUSE_INV_LENGTH);
			else
				expect_accepted(s);
			if (test_failed())
				note("%u bytes, pad %u", bytes, pad);
		}
	}
	/* A pad count without the pad bytes. */
	scene_payload(s, 0);
	s->req.pad = 3;
	s->req.ip_adjust = -3;
	s->req.udp_adjust = -3;
	expect_refused(s, XROCE_CAUSE_INV_LENGTH);
}

/* A first or middle packet has exactly the path MTU, and the message has bytes left. */
static void not_full(uint8_t opcode, uint32_t payload, uint32_t left)
{
	struct scene s;

	if (!scene_init(&s))
		return;
	s.req.dmalen = left;
	if (opcode != XROCE_RC_WRITE_FIRST) {
		s.req.dmalen += 1024;
		s.req.opcode = XROCE_RC_WRITE_FIRST;
		s.req.payload = 1024;
		expect_write(&s);
		s.req.psn++;
	}
	s.req.opcode = opcode;
	s.req.payload = payload;
	s.req.pad = -payload & 3;
	expect_nak(&s, XROCE_CAUSE_INV_LENGTH);
	if (test_failed())
		note("opcode %#x, %u bytes of %u", opcode, payload, left);
}

TEST(packet_sizes, "D5 D6", "first, middle and last packets of a wrong size")
{
	not_full(XROCE_RC_WRITE_FIRST, 1023, 3000);
	not_full(XROCE_RC_WRITE_FIRST, 1020, 3000);
	not_full(XROCE_RC_WRITE_FIRST, 1028, 3000);
	not_full(XROCE_RC_WRITE_FIRST, 0, 3000);
	not_full(XROCE_RC_WRITE_FIRST, 1024, 1024);
	not_full(XROCE_RC_WRITE_FIRST, 1024, 1000);
	not_full(XROCE_RC_WRITE_FIRST, 1024, 0);
	not_full(XROCE_RC_WRITE_MIDDLE, 1023, 3000);
	not_full(XROCE_RC_WRITE_MIDDLE, 1020, 3000);
	not_full(XROCE_RC_WRITE_MIDDLE, 1028, 3000);
	not_full(XROCE_RC_WRITE_MIDDLE, 0, 3000);
	not_full(XROCE_RC_WRITE_MIDDLE, 1024, 1024);
	not_full(XROCE_RC_WRITE_MIDDLE, 1024, 1000);
	not_full(XROCE_RC_WRITE_LAST, 0, 1000);
	not_full(XROCE_RC_WRITE_LAST, 0, 1);
	not_full(XROCE_RC_WRITE_LAST, 1001, 1000);
	not_full(XROCE_RC_WRITE_LAST, 999, 1000);
	not_full(XROCE_RC_WRITE_LAST, 1024, 1025);
	not_full(XROCE_RC_WRITE_LAST, 1028, 1028);
}

/* A message of one packet that exceeds the queue pair's path MTU. */
SCENE_TEST(only_too_long, "D1 D5 D6", "a packet that is longer than the path MTU")
{
	size_t i;

	for (i = 0; i < SCENE_MTUS && !test_failed(); i++) {
		s->qp.mtu = scene_mtus[i];
		scene_payload(s, scene_mtus[i]);
		expect_accepted(s);
		scene_payload(s, scene_mtus[i] + 1);
		expect_refused(s, XROCE_CAUSE_INV_LENGTH);
	}
}

/* A frame of two buffers, with a driver whose fragments the program must not free. */
TEST(frags_apart, "D1", "the module responds if the request's frame has fragments")
{
	static const uint32_t payloads[] = { 4096, 3520, 3448 };
	struct scene s;
	size_t i;
	int tags;

	for (tags = 0; tags <= PACKET_VLANS; tags++) {
		for (i = 0; i < ARRAY_SIZE(payloads); i++) {
			if (!scene_init(&s) || !native_keep_frags(true))
				return;
			s.qp.mtu = 4096;
			while (s.req.vlans < tags)
				s.req.vlan[s.req.vlans++].tpid = 0x8100;
			scene_payload(&s, payloads[i]);
			scene_put(&s);
			s.apart = true;
			expect_write(&s);
			if (!native_keep_frags(false))
				return;
		}
	}
	/* Fragments are freed with other drivers. */
	if (!scene_init(&s))
		return;
	s.qp.mtu = 4096;
	scene_payload(&s, 4096);
	scene_put(&s);
	expect_write(&s);
}

TEST_MAIN(native_main);
