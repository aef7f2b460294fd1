// SPDX-License-Identifier: GPL-2.0-only
/* CMP_SWAP, FETCH_ADD and ATOMIC WRITE: responses and refusals. */
#include "access.h"
#include "harness.h"

static const struct {
	uint8_t opcode;
	uint32_t right;
	const char *name;
} ops[] = {
	{ XROCE_RC_CMP_SWAP, XROCE_ACCESS_REMOTE_ATOMIC, "CMP_SWAP" },
	{ XROCE_RC_FETCH_ADD, XROCE_ACCESS_REMOTE_ATOMIC, "FETCH_ADD" },
	{ XROCE_RC_ATOMIC_WRITE, XROCE_ACCESS_REMOTE_WRITE, "ATOMIC_WRITE" },
};

/* Run the body of a test for each opcode, on a new scene. */
static void each(void (*body)(struct scene *s, uint32_t right))
{
	struct scene s;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ops) && !test_failed(); i++) {
		if (!scene_init(&s))
			return;
		scene_request(&s, ops[i].opcode);
		body(&s, ops[i].right);
		if (test_failed())
			note("%s", ops[i].name);
	}
}

/* A test that is called for each opcode, with a scene and the right that the opcode needs. */
#define ATOMIC_TEST(name, ids, about) \
	TEST_CALLED((struct scene *s, uint32_t right), each(in_##name), name, ids, about)

static void next(struct scene *s)
{
	s->req.psn = s->qp.epsn;
	expect_kept(s);
}

ATOMIC_TEST(atomic_answer, "D1 D2 D5", "opcode, AETH, value and length of responses")
{
	(void)right;
	next(s);
	s->req.ackreq = false;		/* it is answered all the same */
	next(s);
	s->req.trailer = 18;
	next(s);
	s->req.vlans = 2;
	s->req.vlan[0].tpid = 0x88a8;
	s->req.vlan[1].tpid = 0x8100;
	next(s);
	scene_ipv6(s);
	next(s);
	s->qp.epsn = 0xffffff;
	s->qp.msn = 0xffffff;
	scene_put(s);
	next(s);
	check(s->qp.epsn == 0 && s->qp.msn == 0, "PSN %#x, MSN %#x",
	      s->qp.epsn, s->qp.msn);
}

ATOMIC_TEST(atomic_inside, "D5 D6", "an atomic within a WRITE message")
{
	(void)right;
	expect_not_inside(s);
}

ATOMIC_TEST(atomic_qp_right, "D5 D6", "a queue pair without the right is refused")
{
	access_qp_rights(s, right);
}

ATOMIC_TEST(atomic_region_right, "R2 D5 D6", "a region without the right is refused")
{
	access_region_rights(s, right);
}

ATOMIC_TEST(atomic_resources, "D5 D6", "a queue pair without responder resources is refused")
{
	(void)right;
	expect_not_kept(s);
}

/* Make the lengths in the IP and UDP headers too small by @n bytes. */
static void shorter(struct scene *s, int n)
{
	s->req.ip_adjust = -n;
	s->req.udp_adjust = -n;
}

ATOMIC_TEST(atomic_lengths, "D5 D6", "wrong lengths of headers, payload and pad are refused")
{
	static const int cuts[] = { 1, 2, 4, 8, 9, 12, 16, 20, 24 };
	struct packet req = s->req;
	size_t i;
	int n;

	(void)right;
	for (i = 0; i < ARRAY_SIZE(cuts) && !test_failed(); i++) {
		shorter(s, cuts[i]);
		expect_refused(s, XROCE_CAUSE_INV_LENGTH);
		if (test_failed())
			note("%d bytes short", cuts[i]);
	}
	shorter(s, 0);
	for (n = 1; n <= 8 && !test_failed(); n++) {
		s->req.payload = req.payload + n;
		expect_refused(s, XROCE_CAUSE_INV_LENGTH);
		if (test_failed())
			note("%d bytes more", n);
	}
	s->req = req;
	for (n = 1; n <= 3 && !test_failed(); n++) {
		s->req.pad = n;
		expect_refused(s, XROCE_CAUSE_INV_LENGTH);
		/* A pad count without the pad bytes. */
		shorter(s, n);
		expect_refused(s, XROCE_CAUSE_INV_LENGTH);
		shorter(s, 0);
		/* The right length, but some of it is pad. */
		if (req.payload) {
			s->req.payload = req.payload - n;
			expect_refused(s, XROCE_CAUSE_INV_LENGTH);
			s->req.payload = req.payload;
		}
	}
}

SCENE_TEST(atomic_reth_length, "D5 D6", "an ATOMIC WRITE whose length is not eight is refused")
{
	static const uint32_t lens[] = {
		0, 1, 4, 7, 9, 12, 16, 0x108, 0x80000008, 0xffffffff,
	};
	size_t i;

	scene_request(s, XROCE_RC_ATOMIC_WRITE);
	for (i = 0; i < ARRAY_SIZE(lens) && !test_failed(); i++) {
		s->req.dmalen = lens[i];
		expect_refused(s, XROCE_CAUSE_INV_LENGTH);
		if (test_failed())
			note("RETH says %u", lens[i]);
	}
	s->req.dmalen = 0;
	s->req.payload = 0;
	expect_refused(s, XROCE_CAUSE_INV_LENGTH);
	s->req.dmalen = 4;
	s->req.payload = 4;
	expect_refused(s, XROCE_CAUSE_INV_LENGTH);
	s->req.dmalen = 16;
	s->req.payload = 16;
	expect_refused(s, XROCE_CAUSE_INV_LENGTH);
}

ATOMIC_TEST(atomic_align, "D5 D6", "an address that is not a multiple of eight is refused")
{
	uint64_t va = s->req.va;
	int i;

	(void)right;
	for (i = -7; i < 8 && !test_failed(); i++) {
		s->req.va = va + i;
		if (i)
			expect_refused(s, XROCE_CAUSE_INV_ALIGN);
		else
			expect_accepted(s);
		if (test_failed())
			note("address %#llx", (unsigned long long)s->req.va);
	}
}

ATOMIC_TEST(atomic_keys, "R9 P2 D5 D6",
	    "a wrong key, a key that is not valid, another domain are refused")
{
	(void)right;
	access_wrong_keys(s);
	access_wrong_states(s);
	access_wrong_pds(s);
}

static void at(struct scene *s, uint64_t va, bool fits)
{
	s->req.va = va;
	if (fits)
		expect_accepted(s);
	else
		expect_refused(s, XROCE_CAUSE_ACC_BOUNDS);
	if (test_failed())
		note("address %#llx, region %#llx + %#llx",
		     (unsigned long long)va, s->mpt.iova, s->mpt.length);
}

ATOMIC_TEST(atomic_bounds, "D5 D6", "a word outside a region, or partly outside, is refused")
{
	static const uint64_t starts[] = { 0, 0x7f0012345600, -0x1000ull };
	size_t i;

	(void)right;
	for (i = 0; i < ARRAY_SIZE(starts) && !test_failed(); i++) {
		uint64_t va = starts[i];

		s->mpt.iova = va;
		s->mpt.length = 0x1000;
		at(s, va, true);
		at(s, va + 0xff8, true);
		at(s, va + 0x1000, false);
		at(s, va - 8, false);
		at(s, va + (1ull << 32), false);
		at(s, va + (1ull << 63), false);
		/* The word is only partly inside the region. */
		for (s->mpt.length = 0xff9; s->mpt.length < 0x1000;
		     s->mpt.length++)
			at(s, va + 0xff8, false);
		s->mpt.length = 0xff8;
		for (s->mpt.iova = va + 1; s->mpt.iova < va + 8;
		     s->mpt.iova++)
			at(s, va, false);
		s->mpt.iova = va;
		s->mpt.length = 8;
		at(s, va, true);
		s->mpt.length = 7;
		at(s, va, false);
	}
}

ATOMIC_TEST(atomic_order_of_checks, "D5 D6", "the earliest check that fails determines the cause")
{
	access_order(s, right);
	s->req.va++;
	expect_refused(s, XROCE_CAUSE_INV_ALIGN);
	s->req.payload += 4;
	expect_refused(s, XROCE_CAUSE_INV_LENGTH);
	s->qp.rd_max = 0;
	expect_refused(s, XROCE_CAUSE_INV_RESOURCES);
	s->qp.access = XROCE_ACCESS_REMOTE & ~right;
	expect_refused(s, XROCE_CAUSE_INV_QP_ACCESS);
	s->qp.op = XROCE_RC_WRITE_FIRST;
	expect_refused(s, XROCE_CAUSE_INV_ORDER);
	s->req.psn++;
	scene_put(s);
	expect_nak_seq(s);
}

ATOMIC_TEST(atomic_behind, "D2 D5", "after a gap, and behind queued responses")
{
	(void)right;
	s->req.psn++;
	expect_nak_seq(s);
	expect_drop(s, COUNTER(drop_psn));
	next(s);
	s->req.psn = s->qp.epsn + 1;
	expect_nak_seq(s);
	s->qp.queued = 3;
	scene_put(s);
	next(s);
	expect_again(s, 0);
	s->req.va++;
	s->req.psn = s->qp.epsn;
	expect_nak(s, XROCE_CAUSE_INV_ALIGN);
}

TEST_MAIN(native_main);
