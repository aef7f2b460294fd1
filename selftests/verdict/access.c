// SPDX-License-Identifier: GPL-2.0-only
#include "access.h"
#include "harness.h"

void access_wrong_keys(const struct scene *fresh)
{
	static const uint32_t keys[] = {
		SCENE_KEY ^ 0x01, SCENE_KEY ^ 0x80,	/* key byte */
		SCENE_KEY ^ 0x100, SCENE_KEY - 0x100,	/* index */
		SCENE_KEY & 0xff, 0,
		NATIVE_MPT_ENTRIES << 8 | 0x5e,		/* just outside */
		SCENE_KEY | NATIVE_MPT_ENTRIES << 8,
		0xffffff5e, 0xffffffff,
	};
	struct scene s = *fresh;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys) && !test_failed(); i++) {
		s.req.rkey = keys[i];
		expect_refused(&s, XROCE_CAUSE_ACC_KEY);
		if (test_failed())
			note("R_Key %#x", keys[i]);
	}
	expect_accepted(fresh);
}

void access_wrong_states(const struct scene *fresh)
{
	struct scene s = *fresh;

	s.mpt.state = XROCE_MPT_FREE;
	expect_refused(&s, XROCE_CAUSE_ACC_KEY);
	s.mpt.state = XROCE_MPT_INVALID;
	expect_refused(&s, XROCE_CAUSE_ACC_KEY);
	expect_accepted(fresh);
}

void access_wrong_pds(const struct scene *fresh)
{
	static const uint32_t pds[] = {
		SCENE_PD + 1, SCENE_PD | 0x10000, SCENE_PD ^ 0x10000, 0,
	};
	struct scene s = *fresh;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pds); i++) {
		s.mpt.pd = pds[i];
		expect_refused(&s, XROCE_CAUSE_ACC_PD);
	}
	expect_accepted(fresh);
}

static bool has_length(const struct scene *s)
{
	return s->req.opcode == XROCE_RC_WRITE_ONLY ||
	       s->req.opcode == XROCE_RC_READ_REQUEST ||
	       s->req.opcode == XROCE_RC_FLUSH;
}

static void set_length(struct scene *s, uint32_t len)
{
	if (s->req.opcode == XROCE_RC_WRITE_ONLY)
		scene_payload(s, len);
	else
		s->req.dmalen = len;
}

void access_qp_rights(const struct scene *fresh, uint32_t right)
{
	struct scene s = *fresh;

	s.qp.access = XROCE_ACCESS_REMOTE & ~right;
	expect_refused(&s, XROCE_CAUSE_INV_QP_ACCESS);
	s.qp.access = 0;
	expect_refused(&s, XROCE_CAUSE_INV_QP_ACCESS);
	if (has_length(&s)) {
		set_length(&s, 0);
		expect_refused(&s, XROCE_CAUSE_INV_QP_ACCESS);
	}
	s = *fresh;
	s.qp.access = right;
	expect_accepted(&s);
}

void access_region_rights(const struct scene *fresh, uint32_t right)
{
	struct scene s = *fresh;

	s.mpt.access = 0xffff & ~right;
	expect_refused(&s, XROCE_CAUSE_ACC_RIGHT);
	s.mpt.access = 0;
	expect_refused(&s, XROCE_CAUSE_ACC_RIGHT);
	s.mpt.access = right;
	expect_accepted(&s);
}

void access_at(const struct scene *fresh, uint64_t off, uint32_t len, bool fits)
{
	struct scene s = *fresh;

	s.req.va = s.mpt.iova + off;
	set_length(&s, len);
	if (fits)
		expect_accepted(&s);
	else
		expect_refused(&s, XROCE_CAUSE_ACC_BOUNDS);
	if (test_failed())
		note("%u bytes at offset %#llx of %#llx", len,
		     (unsigned long long)off, s.mpt.length);
}

void access_edges(const struct scene *fresh)
{
	uint64_t n = fresh->mpt.length;

	access_at(fresh, 0, 1, true);
	access_at(fresh, n - 1, 1, true);
	access_at(fresh, n - 64, 64, true);
	access_at(fresh, 0, 64, true);
	access_at(fresh, n, 1, false);
	access_at(fresh, n - 63, 64, false);
	access_at(fresh, n - 1, 2, false);
	access_at(fresh, n + 1, 1, false);
	access_at(fresh, -1ull, 1, false);
	access_at(fresh, -1ull, 2, false);
	access_at(fresh, -64ull, 64, false);
	access_at(fresh, -64ull, 65, false);
	access_at(fresh, 1ull << 32, 1, false);
	access_at(fresh, 1ull << 63, 1, false);
	if (fresh->req.opcode == XROCE_RC_WRITE_ONLY)
		return;
	/* Longer than a packet. */
	access_at(fresh, n - 5000, 5000, true);
	access_at(fresh, 0, n, true);
	access_at(fresh, 0, n + 1, false);
	access_at(fresh, 1, n, false);
	access_at(fresh, n - 4999, 5000, false);
	access_at(fresh, 0, XROCE_MAX_MSG, false);
}

void access_nothing(const struct scene *fresh)
{
	struct scene s = *fresh;

	set_length(&s, 0);
	expect_accepted(&s);
	s.req.rkey = 0xdeadbeef;
	expect_accepted(&s);
	s.req.va = -1ull;
	expect_accepted(&s);
	s.req.rkey = SCENE_KEY;
	s.mpt.access = 0;
	s.mpt.pd++;
	expect_accepted(&s);
}

void access_longest(const struct scene *fresh)
{
	struct scene s = *fresh;

	s.mpt.length = 1ull << 33;
	s.req.dmalen = XROCE_MAX_MSG;
	expect_accepted(&s);
	s.req.dmalen = XROCE_MAX_MSG + 1;
	expect_refused(&s, XROCE_CAUSE_INV_LENGTH);
	s.req.dmalen = 0xffffffff;
	expect_refused(&s, XROCE_CAUSE_INV_LENGTH);
}

void access_order(struct scene *s, uint32_t right)
{
	s->req.va = SCENE_IOVA - 1;
	expect_refused(s, XROCE_CAUSE_ACC_BOUNDS);
	s->mpt.access = 0xffff & ~right;
	expect_refused(s, XROCE_CAUSE_ACC_RIGHT);
	s->mpt.pd++;
	expect_refused(s, XROCE_CAUSE_ACC_PD);
	s->req.rkey ^= 1;
	expect_refused(s, XROCE_CAUSE_ACC_KEY);
}
