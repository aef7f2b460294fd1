// SPDX-License-Identifier: GPL-2.0-only
/* FLUSH: selectivity, placement, and its access rights. */
#include "access.h"
#include "harness.h"

#define RANGE	(XROCE_FLUSH_SEL_RANGE << XROCE_FLUSH_SEL_SHIFT)
#define MR	(XROCE_FLUSH_SEL_MR << XROCE_FLUSH_SEL_SHIFT)
#define GLOBAL	XROCE_FLUSH_GLOBAL
#define LASTING	XROCE_FLUSH_PERSISTENT

static void next(struct scene *s)
{
	s->req.psn = s->qp.epsn;
	expect_kept(s);
}

REQUEST_TEST(flush_answer, "D1 D2 D5", "the response is a READ response of no bytes",
	     XROCE_RC_FLUSH)
{
	next(s);
	s->req.ackreq = false;
	next(s);
	s->req.flush = GLOBAL | MR;
	next(s);
	s->req.vlans = 1;
	s->req.vlan[0].tpid = 0x8100;
	next(s);
	scene_ipv6(s);
	next(s);
	s->qp.epsn = 0xffffff;
	s->qp.msn = 0xffffff;
	scene_put(s);
	next(s);
	s->qp.queued = 1;
	scene_put(s);
	next(s);
	expect_again(s, 0);
}

REQUEST_TEST(flush_inside, "D5 D6", "a FLUSH within a WRITE message", XROCE_RC_FLUSH)
{
	expect_not_inside(s);
}

REQUEST_TEST(flush_resources, "D5 D6", "a queue pair without responder resources is refused",
	     XROCE_RC_FLUSH)
{
	expect_not_kept(s);
}

REQUEST_TEST(flush_lengths, "D5 D6", "payload, pad, incomplete headers, and 2^31 bytes",
	     XROCE_RC_FLUSH)
{
	int n;

	for (n = 1; n <= 20 && !test_failed(); n++) {
		s->req.ip_adjust = -n;
		s->req.udp_adjust = -n;
		expect_refused(s, XROCE_CAUSE_INV_LENGTH);
		if (test_failed())
			note("%d bytes short", n);
	}
	s->req.ip_adjust = 0;
	s->req.udp_adjust = 0;
	for (n = 1; n <= 8 && !test_failed(); n++) {
		s->req.payload = n;
		expect_refused(s, XROCE_CAUSE_INV_LENGTH);
	}
	s->req.payload = 0;
	for (n = 1; n <= 3 && !test_failed(); n++) {
		s->req.pad = n;
		expect_refused(s, XROCE_CAUSE_INV_LENGTH);
	}
	s->req.pad = 0;
	access_longest(s);
}

/* All sixteen combinations of placement and selectivity. */
REQUEST_TEST(flush_kinds, "D5 D6", "every combination of selectivity and placement",
	     XROCE_RC_FLUSH)
{
	uint32_t what;

	for (what = 0; what < 64 && !test_failed(); what++) {
		if (what & 0xc)
			continue;	/* reserved */
		s->req.flush = what;
		if (!(what & 3) || what >> 4 > 1)
			expect_refused(s, XROCE_CAUSE_INV_LENGTH);
		else if (what & LASTING)
			expect_refused(s, XROCE_CAUSE_INV_QP_ACCESS);
		else
			expect_accepted(s);
		if (test_failed())
			note("FETH %#x", what);
	}
}

/* Queue pair and region must both allow each kind of placement. */
REQUEST_TEST(flush_rights, "R2 D5 D6",
	     "a queue pair or region without the right of the placement is refused",
	     XROCE_RC_FLUSH)
{
	static const uint32_t all = XROCE_ACCESS_FLUSH_GLOBAL |
				    XROCE_ACCESS_FLUSH_PERSISTENT;
	uint32_t what, qp, mr;

	for (what = 1; what <= 3; what++) {
		/* XROCE_ACCESS_FLUSH_* have the order of the bits of placement. */
		uint32_t need = what * XROCE_ACCESS_FLUSH_GLOBAL;

		for (qp = 0; qp <= all; qp += XROCE_ACCESS_FLUSH_GLOBAL) {
			for (mr = 0; mr <= all && !test_failed();
			     mr += XROCE_ACCESS_FLUSH_GLOBAL) {
				s->req.flush = what | (mr & 0x100 ? MR : RANGE);
				s->qp.access = qp;
				s->mpt.access = mr;
				if ((qp & need) != need)
					expect_refused(s, XROCE_CAUSE_INV_QP_ACCESS);
				else if ((mr & need) != need)
					expect_refused(s, XROCE_CAUSE_ACC_RIGHT);
				else
					expect_accepted(s);
				if (test_failed())
					note("FETH %#x, %#x, %#x",
					     s->req.flush, qp, mr);
			}
		}
	}
	/* No other right is sufficient. */
	s->req.flush = GLOBAL;
	s->qp.access = XROCE_ACCESS_REMOTE & ~all;
	expect_refused(s, XROCE_CAUSE_INV_QP_ACCESS);
	s->qp.access = XROCE_ACCESS_REMOTE;
	s->mpt.access = 0xffff & ~all;
	expect_refused(s, XROCE_CAUSE_ACC_RIGHT);
}

static void at(const struct scene *fresh, uint64_t off, uint32_t len, bool fits)
{
	struct scene s = *fresh;

	access_at(fresh, off, len, fits);
	/* A FLUSH of the whole region ignores the range. */
	s.req.va = s.mpt.iova + off;
	s.req.dmalen = len;
	s.req.flush = GLOBAL | MR;
	expect_accepted(&s);
}

REQUEST_TEST(flush_bounds, "D5 D6", "a range outside the region, or partly outside, is refused",
	     XROCE_RC_FLUSH)
{
	uint64_t n;

	n = s->mpt.length;
	at(s, 0, 1, true);
	at(s, n - 1, 1, true);
	at(s, 0, n, true);
	at(s, 0, 0, true);
	at(s, n, 0, true);
	at(s, n + 1, 0, false);
	at(s, 0, n + 1, false);
	at(s, n, 1, false);
	at(s, n - 1, 2, false);
	at(s, -1ull, 0, false);
	at(s, -1ull, 1, false);
	at(s, -1ull, 2, false);
	at(s, 1ull << 32, 1, false);
	at(s, 1ull << 63, 1, false);
	s->mpt.iova = 0ull - n;
	at(s, n - 1, 1, true);
	at(s, n - 1, 2, false);
	at(s, -1ull, 2, false);
}

TEST(flush_keys, "R9 P2 D5 D6", "a wrong key, a key that is not valid, another domain are refused")
{
	static const uint32_t kinds[] = { GLOBAL | RANGE, GLOBAL | MR };
	struct scene s;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!scene_requested(&s, XROCE_RC_FLUSH))
			return;
		s.req.flush = kinds[i];
		access_wrong_keys(&s);
		access_wrong_states(&s);
		access_wrong_pds(&s);
		s.req.dmalen = 0;	/* the key is checked all the same */
		access_wrong_keys(&s);
	}
}

REQUEST_TEST(flush_order_of_checks, "D5 D6", "the earliest check that fails determines the cause",
	     XROCE_RC_FLUSH)
{
	access_order(s, XROCE_ACCESS_FLUSH_GLOBAL);
	s->qp.access = XROCE_ACCESS_REMOTE_WRITE;
	expect_refused(s, XROCE_CAUSE_INV_QP_ACCESS);
	s->req.payload = 4;
	expect_refused(s, XROCE_CAUSE_INV_LENGTH);
	s->qp.rd_max = 0;
	expect_refused(s, XROCE_CAUSE_INV_RESOURCES);
	s->qp.op = XROCE_RC_WRITE_FIRST;
	expect_refused(s, XROCE_CAUSE_INV_ORDER);
	s->req.psn++;
	scene_put(s);
	expect_nak_seq(s);
}

TEST_MAIN(native_main);
