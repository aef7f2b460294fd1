// SPDX-License-Identifier: GPL-2.0-only
/* The verdict on keys of memory windows, in golden tests without the module. */
#include "harness.h"
#include "scene.h"

#define WRITE_BYTES	64u

static const enum xroce_mpt_type types[] = {
	XROCE_MPT_MW_1, XROCE_MPT_MW_2A, XROCE_MPT_MW_2B,
};

/* Set up a scene whose region is a window. */
static bool init(struct scene *s, enum xroce_mpt_type type)
{
	if (!scene_init(s))
		return false;
	s->mpt.type = type;
	s->mpt.qpn = type == XROCE_MPT_MW_1 ? 0 : s->qp.qpn;
	s->mpt.mr = SCENE_BEHIND;
	scene_put(s);
	return true;
}

#define for_each_type(s, i) \
	for ((i) = 0; (i) < ARRAY_SIZE(types) && init(s, types[i]); (i)++)

TEST(mw_judge_valid, "W1 W3", "access with the key of a bound window")
{
	struct scene s;
	size_t i;

	for_each_type(&s, i)
		expect_accepted(&s);
}

TEST(mw_judge_state, "W1 W5 W7", "a window that is not bound, or another key")
{
	struct scene s;
	size_t i;

	for_each_type(&s, i) {
		s.mpt.state = XROCE_MPT_INVALID;
		expect_refused(&s, XROCE_CAUSE_ACC_KEY);
		s.mpt.state = XROCE_MPT_FREE;
		expect_refused(&s, XROCE_CAUSE_ACC_KEY);
		s.mpt.state = XROCE_MPT_VALID;
		s.mpt.key ^= 1;
		expect_refused(&s, XROCE_CAUSE_ACC_KEY);
	}
}

/* For each type: another domain, another queue pair, both. */
TEST(mw_judge_association, "W5 W6 P2",
     "type 1 is checked for domain, 2A for queue pair, 2B for both")
{
	static const int want[][3] = {
		{ XROCE_CAUSE_ACC_PD, XROCE_CAUSE_ACC_QP, XROCE_CAUSE_ACC_PD },
		{ XROCE_CAUSE_NONE, XROCE_CAUSE_ACC_QP, XROCE_CAUSE_ACC_QP },
		{ XROCE_CAUSE_ACC_PD, XROCE_CAUSE_ACC_QP, XROCE_CAUSE_ACC_PD },
	};
	struct scene s, one;
	size_t i;
	int j;

	for_each_type(&s, i) {
		for (j = 0; j < 3; j++) {
			one = s;
			if (j != 1)
				one.mpt.pd++;
			if (j != 0)
				one.mpt.qpn = s.qp.qpn ^ 0x10000;
			if (want[i][j])
				expect_refused(&one, want[i][j]);
			else
				expect_accepted(&one);
		}
	}
}

TEST(mw_judge_bounds, "W4", "bounds are checked to the byte")
{
	struct scene s, one;
	size_t i;

	for_each_type(&s, i) {
		one = s;
		one.mpt.iova = one.req.va;
		one.mpt.length = WRITE_BYTES;
		expect_accepted(&one);
		one.mpt.length--;
		expect_refused(&one, XROCE_CAUSE_ACC_BOUNDS);
		one.mpt.length++;
		one.mpt.iova++;
		expect_refused(&one, XROCE_CAUSE_ACC_BOUNDS);
		one.mpt.iova -= 2;
		expect_refused(&one, XROCE_CAUSE_ACC_BOUNDS);
		one.mpt.length++;
		expect_accepted(&one);
	}
}

TEST(mw_judge_rights, "W3", "the rights of the window apply")
{
	struct scene s;
	size_t i;

	for_each_type(&s, i) {
		s.mpt.access = XROCE_ACCESS_REMOTE_WRITE;
		expect_accepted(&s);
		s.mpt.access = ~XROCE_ACCESS_REMOTE_WRITE & 0x3ff;
		expect_refused(&s, XROCE_CAUSE_ACC_RIGHT);
	}
}

/* The window is checked for each packet of a message: it changes after the first. */
TEST(mw_judge_middle, "W11", "every packet of a message is checked")
{
	static const enum xroce_cause want[] = {
		XROCE_CAUSE_ACC_KEY, XROCE_CAUSE_ACC_KEY,
		XROCE_CAUSE_ACC_BOUNDS, XROCE_CAUSE_ACC_RIGHT,
		XROCE_CAUSE_ACC_QP,
	};
	struct scene s;
	size_t i, j;

	for (j = 0; j < ARRAY_SIZE(want); j++) {
		for_each_type(&s, i) {
			scene_payload(&s, s.qp.mtu);
			s.req.opcode = XROCE_RC_WRITE_FIRST;
			s.req.dmalen = 3 * s.qp.mtu;
			expect_write(&s);
			switch (j) {
			case 0:
				s.mpt.state = XROCE_MPT_INVALID;
				break;
			case 1:
				s.mpt.key += 1;
				break;
			case 2:
				s.mpt.length = s.qp.mtu + 1;
				s.mpt.iova = s.req.va;
				break;
			case 3:
				s.mpt.access = XROCE_ACCESS_REMOTE_READ;
				break;
			case 4:
				s.mpt.qpn = 0x800001;
			}
			scene_put(&s);
			s.req.opcode = XROCE_RC_WRITE_MIDDLE;
			s.req.psn = (s.req.psn + 1) & XROCE_PSN_MASK;
			expect_nak(&s, want[j]);
		}
	}
}

/* SEND with invalidate: only type 2 windows of this queue pair. */
TEST(mw_judge_invalidate, "W7", "a peer may invalidate type 2 windows of its queue pair")
{
	static const struct {
		enum xroce_mpt_type type;
		int pd;
		int qpn;
		enum xroce_mpt_state state;
		int want;
	} cases[] = {
		{ XROCE_MPT_MW_2A, 0, 0, XROCE_MPT_VALID, 0 },
		{ XROCE_MPT_MW_2B, 0, 0, XROCE_MPT_VALID, 0 },
		{ XROCE_MPT_MW_2A, 1, 0, XROCE_MPT_VALID, 0 },
		{ XROCE_MPT_MW_2B, 1, 0, XROCE_MPT_VALID, XROCE_CAUSE_ACC_PD },
		{ XROCE_MPT_MW_2A, 0, 1, XROCE_MPT_VALID, XROCE_CAUSE_ACC_QP },
		{ XROCE_MPT_MW_2B, 0, 1, XROCE_MPT_VALID, XROCE_CAUSE_ACC_QP },
		{ XROCE_MPT_MW_2A, 0, 0, XROCE_MPT_INVALID, XROCE_CAUSE_ACC_KEY },
		{ XROCE_MPT_MW_2B, 0, 0, XROCE_MPT_FREE, XROCE_CAUSE_ACC_KEY },
		{ XROCE_MPT_MW_1, 0, 0, XROCE_MPT_VALID, XROCE_CAUSE_ACC_KEY },
		{ XROCE_MPT_MR, 0, 0, XROCE_MPT_VALID, XROCE_CAUSE_ACC_KEY },
	};
	struct scene s;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases) && !test_failed(); i++) {
		if (!init(&s, cases[i].type))
			return;
		s.qp.recv = 1;
		s.mpt.pd += cases[i].pd;
		s.mpt.qpn = s.qp.qpn + cases[i].qpn;
		s.mpt.state = cases[i].state;
		scene_put(&s);
		s.req.opcode = XROCE_RC_SEND_ONLY_INV;
		s.req.imm = SCENE_KEY;
		s.req.rkey = SCENE_KEY;
		s.req.va = 0;
		s.req.dmalen = 0;
		if (cases[i].want)
			expect_nak(&s, cases[i].want);
		else
			expect_send(&s);
		if (test_failed())
			note("case %zu", i);
	}
}

TEST_MAIN(native_main);
