// SPDX-License-Identifier: GPL-2.0-only
/* What a peer can and cannot access through windows. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mw.h"

#define WRITE	XROCE_RC_WRITE_ONLY
#define READ	XROCE_RC_READ_REQUEST
#define ADD	XROCE_RC_FETCH_ADD

/* Check that a request with opcode @op has the result @want, see mw_try(). */
#define expect(w, op, va, len, key, want) do { \
	int got_ = mw_try(w, op, va, len, key); \
	check(got_ == (want), "opcode %#x at +%lld, %u bytes: cause %d, not %d", \
	      op, (long long)((va) - (w)->mr.iova), (unsigned int)(len), got_, \
	      want); \
} while (0)

static void all_types(void (*fn)(struct wire *w, __u32 type))
{
	struct wire w;
	__u32 type;

	for_each_mw_type(type) {
		if (!wire_open(&w, &mw_rc))
			return;
		fn(&w, type);
		if (test_failed())
			note("with type %u", type);
		wire_close(&w);
	}
}

static void unbound_one(struct wire *w, __u32 type)
{
	__u32 key = mw_new(w, type);

	expect(w, WRITE, w->mr.iova, 8, key, XROCE_CAUSE_ACC_KEY);
	expect(w, READ, w->mr.iova, 8, key, XROCE_CAUSE_ACC_KEY);
	/* The key is not valid for virtual address 0, either. */
	expect(w, WRITE, 0, 8, key, XROCE_CAUSE_ACC_KEY);
	mw_del(w, key);
	expect(w, WRITE, w->mr.iova, 8, key, XROCE_CAUSE_ACC_KEY);
}

TEST(mw_unbound, "W1", "a window that is not bound gives no access")
{
	all_types(unbound_one);
}

static void bound_one(struct wire *w, __u32 type)
{
	__u32 key = mw_bound(w, type);

	expect(w, WRITE, w->mr.iova + 77, 1001, key, 0);
	expect(w, READ, w->mr.iova + 77, 1001, key, 0);
	expect(w, ADD, w->mr.iova + 80, 8, key, 0);
	/*
	 * The region's own key stays valid; the window's key with another low byte is
	 * invalid.
	 */
	expect(w, WRITE, w->mr.iova, 8, w->mr.rkey, 0);
	expect(w, WRITE, w->mr.iova, 8, key ^ 1, XROCE_CAUSE_ACC_KEY);
	mw_del(w, key);
	expect(w, WRITE, w->mr.iova, 8, key, XROCE_CAUSE_ACC_KEY);
	expect(w, WRITE, w->mr.iova, 8, w->mr.rkey, 0);
}

TEST(mw_bound, "W1 W2 W10", "a bound window gives access until it is deallocated")
{
	all_types(bound_one);
}

/* A window that is one byte smaller than its region at each end. */
static void bounds_one(struct wire *w, __u32 type)
{
	struct binding b = mw_whole(w, mw_new(w, type));
	__u64 start = w->mr.iova + 1, end = w->mr.iova + w->mr.length - 1;

	b.addr = start;
	b.length = end - start;
	check(!mw_bind(w, type, &b), "bind");
	expect(w, WRITE, start, 1, b.rkey, 0);
	expect(w, WRITE, end - 1, 1, b.rkey, 0);
	expect(w, READ, start, 1, b.rkey, 0);
	expect(w, READ, end - 1, 1, b.rkey, 0);
	expect(w, WRITE, start - 1, 1, b.rkey, XROCE_CAUSE_ACC_BOUNDS);
	expect(w, WRITE, end, 1, b.rkey, XROCE_CAUSE_ACC_BOUNDS);
	expect(w, WRITE, start - 1, 2, b.rkey, XROCE_CAUSE_ACC_BOUNDS);
	expect(w, WRITE, end - 1, 2, b.rkey, XROCE_CAUSE_ACC_BOUNDS);
	expect(w, READ, start - 1, 1, b.rkey, XROCE_CAUSE_ACC_BOUNDS);
	expect(w, READ, end - 8, 9, b.rkey, XROCE_CAUSE_ACC_BOUNDS);
	expect(w, ADD, start - 1, 8, b.rkey, XROCE_CAUSE_ACC_BOUNDS);
	expect(w, ADD, end - 7, 8, b.rkey, XROCE_CAUSE_ACC_BOUNDS);
	expect(w, WRITE, start - 1, 1, w->mr.rkey, 0);
	expect(w, WRITE, end, 1, w->mr.rkey, 0);
	mw_del(w, b.rkey);
}

TEST(mw_bounds, "W4", "bounds are exact at both ends")
{
	all_types(bounds_one);
}

/* A range that begins before the window and would wrap into it. */
WIRE_TEST(mw_bounds_wrap, "W4", "a range that wraps is out of bounds", &mw_rc)
{
	struct binding b;

	b = mw_whole(w, mw_new(w, XROCE_MW_TYPE_1));
	b.length = 100;
	check(!mw_bind(w, XROCE_MW_TYPE_1, &b), "bind");
	expect(w, READ, w->mr.iova - 1, 101, b.rkey, XROCE_CAUSE_ACC_BOUNDS);
	expect(w, READ, w->mr.iova, 101, b.rkey, XROCE_CAUSE_ACC_BOUNDS);
	expect(w, READ, w->mr.iova + 100, 1, b.rkey, XROCE_CAUSE_ACC_BOUNDS);
	expect(w, READ, w->mr.iova, 100, b.rkey, 0);
	expect(w, READ, -8ull, 100, b.rkey, XROCE_CAUSE_ACC_BOUNDS);
}

static void rights_one(struct wire *w, __u32 type)
{
	static const struct {
		uint8_t op;
		__u32 right;
	} ops[] = { { WRITE, MW_WRITE }, { READ, MW_READ }, { ADD, MW_ATOMIC } };
	struct binding b;
	__u32 rights;
	size_t i;

	for (rights = 0; rights < 8 && !test_failed(); rights++) {
		b = mw_whole(w, mw_new(w, type));
		b.access = (rights & 1 ? MW_WRITE : 0) |
			   (rights & 2 ? MW_READ : 0) |
			   (rights & 4 ? MW_ATOMIC : 0);
		check(!mw_bind(w, type, &b), "bind");
		for (i = 0; i < ARRAY_SIZE(ops); i++)
			expect(w, ops[i].op, w->mr.iova, 8, b.rkey,
			       b.access & ops[i].right ? 0 :
			       XROCE_CAUSE_ACC_RIGHT);
		mw_del(w, b.rkey);
	}
}

TEST(mw_rights, "W3", "each set of rights is enforced")
{
	all_types(rights_one);
}

/* The region grants no remote rights, the window all of them. */
static void independent_one(struct wire *w, __u32 type)
{
	struct xroce_mr_reg reg = w->mr;
	struct binding b;
	int ret;

	reg.access = XROCE_ACCESS_LOCAL_WRITE | XROCE_ACCESS_MW_BIND;
	ret = xroce_mr_reg(w->x, &reg);
	check(!ret && !reg.rkey, "MR_REG: %d, R_Key %#x", ret, reg.rkey);
	b = mw_whole(w, mw_new(w, type));
	b.lkey = reg.lkey;
	check(!mw_bind(w, type, &b), "bind");
	expect(w, WRITE, w->mr.iova, 8, b.rkey, 0);
	expect(w, READ, w->mr.iova, 8, b.rkey, 0);
	expect(w, ADD, w->mr.iova, 8, b.rkey, 0);
	expect(w, WRITE, w->mr.iova, 8, reg.lkey, XROCE_CAUSE_ACC_RIGHT);
	expect(w, READ, w->mr.iova, 8, reg.lkey, XROCE_CAUSE_ACC_RIGHT);
	mw_del(w, b.rkey);
	xroce_mr_dereg(w->x, reg.mr);
}

TEST(mw_independent, "W3", "a window can grant rights that the region does not")
{
	all_types(independent_one);
}

/*
 * Try a window through its own queue pair, then through another one of the same domain,
 * which gives @cause.
 */
static void whose(__u32 type, int cause)
{
	struct wire w;
	struct wire_opts opts = { .peer = 0x12 };
	struct wire other;
	__u32 key;
	int got;

	if (!wire_open(&w, &mw_rc))
		return;
	opts.with = &w;
	if (!wire_open(&other, &opts))
		return;
	key = mw_bound(&w, type);
	check(!mw_try_write(&w, key), "WRITE through its own queue pair");
	/* The other wire has different memory, so only causes are compared. */
	other.mr.iova = w.mr.iova;
	got = mw_try(&other, READ, w.mr.iova, 8, key);
	check(got == cause, "READ through another queue pair: cause %d", got);
	mw_del(&w, key);
	wire_close(&other);
	wire_close(&w);
}

TEST(mw_type1_any_qp, "W5 P2", "type 1: any queue pair of the domain has access")
{
	whose(XROCE_MW_TYPE_1, 0);
}

TEST(mw_type2a_one_qp, "W6 P2", "type 2A: only its own queue pair has access")
{
	whose(XROCE_MW_TYPE_2A, XROCE_CAUSE_ACC_QP);
}

TEST(mw_type2b_one_qp, "W6 P2", "type 2B: only its own queue pair has access")
{
	whose(XROCE_MW_TYPE_2B, XROCE_CAUSE_ACC_QP);
}

/* A queue pair of another domain, of another handle. */
TEST(mw_other_domain, "W5 W6 P2", "a queue pair of another domain has no access")
{
	struct wire w;
	const struct wire_opts other_opts = { .peer = 0x12, .beside = true };
	struct wire other;
	__u32 type, key;

	for_each_mw_type(type) {
		if (!wire_open(&w, &mw_rc))
			return;
		if (!wire_open(&other, &other_opts))
			return;
		key = mw_bound(&w, type);
		check(mw_try(&other, READ, w.mr.iova, 8, key) ==
		      (type == XROCE_MW_TYPE_2A ? XROCE_CAUSE_ACC_QP :
						  XROCE_CAUSE_ACC_PD),
		      "type %u", type);
		mw_del(&w, key);
		wire_close(&other);
		wire_close(&w);
	}
}

/* Each bind of a type 1 window gives it another key, and makes the old key invalid. */
WIRE_TEST(mw_type1_new_key, "W5", "each bind of type 1 has a new key; length 0 unbinds", &mw_rc)
{
	struct binding b;
	__u32 old;
	int i;

	b = mw_whole(w, mw_new(w, XROCE_MW_TYPE_1));
	for (i = 0; i < 20 && !test_failed(); i++) {
		old = b.rkey;
		b.length = i % 5 == 4 ? 0 : WIRE_BYTES;
		/* Alternately without and with a system call. */
		check(i & 1 ? !mw_bind_now(w, XROCE_MW_TYPE_1, &b) :
			      !mw_bind(w, XROCE_MW_TYPE_1, &b), "bind");
		check(b.rkey != old && b.rkey >> 8 == old >> 8, "%#x, then %#x",
		      old, b.rkey);
		check(mw_try_write(w, old) == XROCE_CAUSE_ACC_KEY, "old key");
		check(mw_try_write(w, b.rkey) ==
		      (b.length ? 0 : XROCE_CAUSE_ACC_KEY), "new key");
		check(mw_query(w, old).rkey == b.rkey &&
		      mw_query(w, old).bound == !!b.length, "query");
	}
}

WIRE_TEST(mw_local_invalidate, "W6 W7", "bind, invalidate, bind again", &mw_rc)
{
	struct binding b;
	__u32 i, type;

	for (type = XROCE_MW_TYPE_2A; type <= XROCE_MW_TYPE_2B; type++) {
		b = mw_whole(w, mw_new(w, type));
		for (i = 0; i < 6 && !test_failed(); i++) {
			check(!mw_bind(w, type, &b), "bind");
			check(!mw_try_write(w, b.rkey), "WRITE while bound");
			check(i & 1 ? !xroce_mw_inval(w->x, b.rkey, w->qpn) :
				      !mw_inval(w, b.rkey), "invalidate");
			check(mw_try_write(w, b.rkey) == XROCE_CAUSE_ACC_KEY,
			      "WRITE after invalidation");
			check(!mw_query(w, b.rkey).bound, "query");
			/* The low byte is chosen by the user: another one, or the same. */
			if (i != 3)
				b.rkey = xroce_inc_rkey(b.rkey);
		}
		mw_del(w, b.rkey);
	}
}

/* Many windows over one region, each with its own bounds. */
WIRE_TEST(mw_overlap, "W9 W4", "1,000 windows over one region, each with its bounds", &mw_rc)
{
	enum { N = 1000, STEP = WIRE_BYTES / N };
	static __u32 keys[N];
	struct binding b;
	__u32 type;
	int i, j;

	for (i = 0; i < N && !test_failed(); i++) {
		type = mw_types[i % 3];
		b = mw_whole(w, mw_new(w, type));
		b.addr += i * STEP;
		b.length = STEP + 1 + i % 40;
		if (b.addr + b.length > w->mr.iova + WIRE_BYTES)
			b.length = w->mr.iova + WIRE_BYTES - b.addr;
		check(!mw_bind(w, type, &b), "bind %d", i);
		keys[i] = b.rkey;
	}
	for (j = 0; j < 60 && !test_failed(); j++) {
		i = j < 2 ? j * (N - 1) : rand() % N;
		expect(w, WRITE, w->mr.iova + i * STEP, STEP, keys[i], 0);
		expect(w, WRITE, w->mr.iova + i * STEP - 1, STEP, keys[i],
		       XROCE_CAUSE_ACC_BOUNDS);
	}
	check(xroce_mr_dereg(w->x, w->mr.mr) == -EBUSY, "deregistration with windows");
	for (i = 0; i < N; i++)
		mw_del(w, keys[i]);
	check(!xroce_mr_dereg(w->x, w->mr.mr), "deregistration without windows");
}

/* Three windows over the same bytes: if one is revoked, the others stay valid. */
WIRE_TEST(mw_shared_bytes, "W9", "windows of all types over the same bytes", &mw_rc)
{
	__u32 one, a, b;

	one = mw_bound(w, XROCE_MW_TYPE_1);
	a = mw_bound(w, XROCE_MW_TYPE_2A);
	b = mw_bound(w, XROCE_MW_TYPE_2B);
	check(!mw_try_write(w, one) && !mw_try_write(w, a) &&
	      !mw_try_write(w, b), "WRITE through each window");
	check(!mw_inval(w, a), "invalidate");
	check(!mw_try_write(w, one) && !mw_try_write(w, b) &&
	      mw_try_write(w, a) == XROCE_CAUSE_ACC_KEY, "WRITE after one was invalidated");
	mw_del(w, b);
	check(!mw_try_write(w, one) &&
	      mw_try_write(w, b) == XROCE_CAUSE_ACC_KEY, "WRITE after another was deallocated");
}

/*
 * An entry of the map is overwritten, by a process with the right to write maps, so that it
 * grants more than the window. The module checks its own copy.
 */
TEST(mw_map_lies, "W3 W4 W6", "the module does not trust the map's entry")
{
	struct wire_opts opts = { .peer = 0x12 };
	struct xroce_mpt entry, lie;
	struct binding b;
	struct wire w, other;
	__u32 type, i, index;
	int got;

	for_each_mw_type(type) {
		if (!wire_open(&w, &mw_rc))
			return;
		opts.with = &w;
		if (!wire_open(&other, &opts))
			return;
		b = mw_whole(&w, mw_new(&w, type));
		b.length = 100;
		b.access = MW_WRITE;
		check(!mw_bind(&w, type, &b), "bind");
		index = b.rkey >> XROCE_KEY_SHIFT;
		check(live_map_get(LIVE_DEV, "mpt", index, &entry), "entry");
		for (i = 0; i < 6 && !test_failed(); i++) {
			lie = entry;
			lie.iova = i == 0 ? 0 : lie.iova;
			lie.length = i < 2 ? -1ull >> 1 : lie.length;
			lie.access = i == 2 ? ~0u : lie.access;
			lie.key = i == 3 ? lie.key ^ 1 : lie.key;
			lie.qpn = i == 4 ? other.qpn : lie.qpn;
			check(live_map_put(LIVE_DEV, "mpt", index, &lie),
			      "map entry with wrong values");
			if (i < 2)
				got = mw_try(&w, WRITE, w.mr.iova + 1, 100, b.rkey);
			else if (i == 2)
				got = mw_try(&w, READ, w.mr.iova, 8, b.rkey);
			else if (i == 3)
				got = mw_try_write(&w, b.rkey ^ 1);
			else if (i == 4 && type != XROCE_MW_TYPE_1)
				got = mw_try(&other, WRITE, w.mr.iova, 8, b.rkey);
			else
				continue;
			check(got == XROCE_CAUSE_ACC_MODULE,
			      "type %u, wrong entry %u: cause %d", type, i, got);
		}
		check(live_map_put(LIVE_DEV, "mpt", index, &entry), "map entry restored");
		check(!mw_try_write(&w, b.rkey), "WRITE with the correct entry");
		/* The same with an entry that says that the window is still bound. */
		mw_del(&w, b.rkey);
		check(live_map_put(LIVE_DEV, "mpt", index, &entry), "map entry with wrong values");
		check(mw_try_write(&w, b.rkey) == XROCE_CAUSE_ACC_MODULE,
		      "type %u: WRITE after deallocation", type);
		memset(&entry, 0, sizeof(entry));
		check(live_map_put(LIVE_DEV, "mpt", index, &entry), "map entry restored");
		wire_close(&other);
		wire_close(&w);
	}
}

TEST_MAIN(live_main);
