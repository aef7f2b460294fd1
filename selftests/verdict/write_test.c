// SPDX-License-Identifier: GPL-2.0-only
/* The memory that a WRITE may access: rights, key, protection domain, bounds. */
#include "access.h"
#include "harness.h"

SCENE_TEST(key_wrong, "R9 D5 D6", "a wrong key byte or index is refused, also outside the table")
{
	access_wrong_keys(s);
}

SCENE_TEST(key_not_valid, "R7 D5 D6",
	   "a key whose entry is free or invalid, as after deregistration, is refused")
{
	access_wrong_states(s);
}

SCENE_TEST(key_edges, "R9", "the first and last entry of the table are found")
{
	static const uint32_t places[] = { 0, NATIVE_MPT_ENTRIES - 1 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(places) && !test_failed(); i++) {
		struct xroce_mpt mpt = s->mpt;

		mpt.key = places[i] << XROCE_KEY_SHIFT | 0x77;
		native_put_mpt(places[i], &mpt);
		s->req.rkey = mpt.key;
		expect_accepted(s);
		s->req.rkey ^= 0x10;
		expect_refused(s, XROCE_CAUSE_ACC_KEY);
	}
}

SCENE_TEST(pd_differs, "P2 D5 D6", "a region of another protection domain is refused")
{
	access_wrong_pds(s);
}

SCENE_TEST(region_right, "R2 D5 D6", "a region without remote write is refused")
{
	access_region_rights(s, XROCE_ACCESS_REMOTE_WRITE);
}

SCENE_TEST(qp_right, "D5 D6", "a queue pair without remote write is refused")
{
	access_qp_rights(s, XROCE_ACCESS_REMOTE_WRITE);
}

SCENE_TEST(order_of_checks, "D5 D6", "the earliest check that fails determines the cause")
{
	access_order(s, XROCE_ACCESS_REMOTE_WRITE);
	s->req.dmalen++;
	expect_refused(s, XROCE_CAUSE_INV_LENGTH);
	s->qp.access = 0;
	expect_refused(s, XROCE_CAUSE_INV_QP_ACCESS);
	s->req.opcode = XROCE_RC_WRITE_LAST;
	expect_refused(s, XROCE_CAUSE_INV_ORDER);
	s->req.opcode = 0x15;
	expect_refused(s, XROCE_CAUSE_INV_OPCODE);
}

SCENE_TEST(bounds, "D5 D6", "one byte past either end of a region is refused")
{
	access_edges(s);
}

SCENE_TEST(bounds_zero, "D5 D6", "a region at address 0")
{
	s->mpt.iova = 0;
	access_edges(s);
}

/* The last byte of the region is at the highest address. */
SCENE_TEST(bounds_top, "D5 D6", "a region that ends at 2^64 - 1")
{
	s->mpt.iova = 0ull - s->mpt.length;
	access_edges(s);
}

/* The region ends one byte earlier: an access may not reach 2^64 or pass it. */
SCENE_TEST(bounds_below_top, "D5 D6", "an access that passes 2^64 is refused")
{
	s->mpt.iova = -1ull - s->mpt.length;
	access_edges(s);
}

SCENE_TEST(bounds_one_byte, "D5 D6", "a region of one byte")
{
	s->mpt.length = 1;
	access_at(s, 0, 1, true);
	access_at(s, 0, 2, false);
	access_at(s, 1, 1, false);
	access_at(s, -1ull, 2, false);
}

/* Offsets and lengths of more than 32 bits are compared in full. */
SCENE_TEST(bounds_huge, "D5 D6", "a region of more than 4 GiB")
{
	s->mpt.iova = 0x1000;
	s->mpt.length = (1ull << 40) + 5;
	access_at(s, 1ull << 40, 5, true);
	access_at(s, 1ull << 40, 6, false);
	access_at(s, (1ull << 32) + 4, 64, true);
	s->mpt.length = 1ull << 32;
	access_at(s, 0, 64, true);
	access_at(s, (1ull << 32) - 64, 64, true);
	access_at(s, (1ull << 32) - 63, 64, false);
}

/* The first packet is refused if the message does not fit into the region. */
SCENE_TEST(bounds_message, "D5 D6", "the first packet is checked for the whole message")
{
	s->req.opcode = XROCE_RC_WRITE_FIRST;
	s->req.payload = 1024;
	s->req.pad = 0;
	s->req.va = SCENE_IOVA + SCENE_LENGTH - 3000;
	s->req.dmalen = 3000;
	expect_accepted(s);
	s->req.dmalen = 3001;
	expect_refused(s, XROCE_CAUSE_ACC_BOUNDS);
}

/* Execute a first packet; the last one is next, after the test changes the region. */
static void second(struct scene *s)
{
	s->req.opcode = XROCE_RC_WRITE_FIRST;
	s->req.payload = 1024;
	s->req.pad = 0;
	s->req.dmalen = 2048;
	expect_write(s);
	s->req.opcode = XROCE_RC_WRITE_LAST;
	s->req.psn++;
}

SCENE_TEST(changes_between, "R7 D5",
	   "the rest of a message is refused if key, length or right change")
{
	second(s);
	s->mpt.key ^= 1;
	scene_put(s);
	expect_nak(s, XROCE_CAUSE_ACC_KEY);

	if (!scene_init(s))
		return;
	second(s);
	s->mpt.length = 100 + 2047;
	scene_put(s);
	expect_nak(s, XROCE_CAUSE_ACC_BOUNDS);

	if (!scene_init(s))
		return;
	second(s);
	s->qp.access = 0;
	scene_put(s);
	expect_nak(s, XROCE_CAUSE_INV_QP_ACCESS);
}

TEST_MAIN(native_main);
