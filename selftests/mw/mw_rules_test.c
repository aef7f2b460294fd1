// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rules for binding a window, each with requests that violate it: by ioctl, which
 * returns the reason, and by work request, which only fails.
 */
#include <errno.h>
#include <string.h>

#include "live_mr.h"
#include "live_qp.h"
#include "mem.h"
#include "mw.h"

static struct wire w;

/* Open a wire: a queue pair in RTS, a region, a send queue. */
static bool open_wire(void)
{
	return wire_open(&w, &mw_rc);
}

/* @b is refused by ioctl and by work request, and does not change the window. */
static void refused(__u32 type, struct binding b, int want)
{
	struct xroce_mw_query before = mw_query(&w, b.rkey), after;
	int ret = mw_bind_now(&w, type, &b);

	check(ret == want, "type %u: %d, not %d", type, ret, want);
	ret = mw_bind(&w, type, &b);
	check(ret == (want == -ENOTCONN ? XROCE_WC_LOC_QP_OP_ERR :
					  XROCE_WC_MW_BIND_ERR),
	      "type %u, posted: %d", type, ret);
	after = mw_query(&w, b.rkey);
	check(!memcmp(&before, &after, sizeof(before)), "the window has changed");
	if (want != -ENOTCONN)
		check(qp_state(w.x, w.qpn) == XROCE_QPS_ERR && wire_again(&w),
		      "not in ERR");
}

static void accepted(__u32 type, struct binding b)
{
	int ret = mw_bind_now(&w, type, &b);

	check(!ret, "type %u: %d", type, ret);
	if (!ret && type != XROCE_MW_TYPE_1)
		check(!mw_inval(&w, b.rkey), "invalidate");
	ret = mw_bind(&w, type, &b);
	check(!ret, "type %u, posted: %d", type, ret);
	if (!ret && type != XROCE_MW_TYPE_1)
		check(!mw_inval(&w, b.rkey), "invalidate");
}

/* Only a region registered with the right MW_BIND can have windows. */
TEST(mw_bind_right, "W2", "the region needs MW_BIND")
{
	struct xroce_mr_reg reg;
	struct binding b;
	__u32 type;

	if (!open_wire())
		return;
	reg = w.mr;
	reg.access &= ~XROCE_ACCESS_MW_BIND;
	check(!xroce_mr_reg(w.x, &reg), "MR_REG");
	for_each_mw_type(type) {
		b = mw_whole(&w, mw_new(&w, type));
		accepted(type, b);
		mw_del(&w, b.rkey);
		b.rkey = mw_new(&w, type);
		b.lkey = reg.lkey;
		refused(type, b, -EACCES);
	}
	wire_close(&w);
}

/* Remote write and remote atomic need the region's local write. */
TEST(mw_local_write, "W2", "remote write and atomic need the region's local write")
{
	static const struct {
		__u32 access;
		int want;
	} cases[] = {
		{ 0, 0 }, { MW_READ, 0 }, { MW_WRITE, -EACCES },
		{ MW_ATOMIC, -EACCES }, { MW_READ | MW_ATOMIC, -EACCES },
		{ MW_ALL, -EACCES },
		{ XROCE_ACCESS_LOCAL_WRITE, -EINVAL },
		{ XROCE_ACCESS_MW_BIND, -EINVAL },
		{ XROCE_ACCESS_FLUSH_PERSISTENT, -EINVAL },
		{ 1u << 31, -EINVAL },
	};
	struct xroce_mr_reg reg;
	struct binding b;
	__u32 type;
	size_t i;

	if (!open_wire())
		return;
	reg = w.mr;
	reg.access = MW_READ | XROCE_ACCESS_MW_BIND;
	check(!xroce_mr_reg(w.x, &reg), "MR_REG");
	for_each_mw_type(type) {
		for (i = 0; i < ARRAY_SIZE(cases) && !test_failed(); i++) {
			b = mw_whole(&w, mw_new(&w, type));
			b.lkey = reg.lkey;
			b.access = cases[i].access;
			if (cases[i].want)
				refused(type, b, cases[i].want);
			else
				accepted(type, b);
			mw_del(&w, b.rkey);
		}
	}
	wire_close(&w);
}

/* Window, region and queue pair must be of one domain. */
TEST(mw_domains, "W2 P2", "window, region and queue pair need one domain")
{
	struct xroce_mr_reg reg;
	struct xroce_mw_add add;
	struct binding b;
	__u32 type, other, qpn;

	if (!open_wire())
		return;
	other = live_pd(w.x);
	qpn = qp_in(w.x, other, XROCE_QPS_RTS);
	reg = w.mr;
	reg.pd = other;
	check(!xroce_mr_reg(w.x, &reg), "MR_REG");
	for_each_mw_type(type) {
		b = mw_whole(&w, mw_new(&w, type));
		b.lkey = reg.lkey;
		refused(type, b, -EXDEV);
		add = (struct xroce_mw_add){ .pd = other, .type = type };
		check(!xroce_mw_add(w.x, &add), "window");
		b = mw_whole(&w, add.rkey);
		refused(type, b, -EXDEV);
		b.lkey = reg.lkey;
		refused(type, b, -EXDEV);
		b.qpn = qpn;
		check(!mw_bind_now(&w, type, &b), "bind with all objects in the other domain");
	}
	wire_close(&w);
}

TEST(mw_range, "W2", "the range must be inside the region")
{
	struct binding b, whole;
	__u32 type;

	if (!open_wire())
		return;
	for_each_mw_type(type) {
		whole = mw_whole(&w, mw_new(&w, type));
		b = whole;
		accepted(type, b);
		mw_del(&w, b.rkey);
		whole.rkey = mw_new(&w, type);
#define RANGE(a, l) (b = whole, b.addr += (a), b.length = (l), b)
		refused(type, RANGE(0, WIRE_BYTES + 1), -ERANGE);
		refused(type, RANGE(-1, WIRE_BYTES), -ERANGE);
		refused(type, RANGE(1, WIRE_BYTES), -ERANGE);
		refused(type, RANGE(-1, 1), -ERANGE);
		refused(type, RANGE(WIRE_BYTES, 1), -ERANGE);
		refused(type, RANGE(0, -1ull), -ERANGE);
		refused(type, RANGE(1, -1ull), -ERANGE);
		refused(type, RANGE(-w.mr.iova - 1, 2), -ERANGE);
		accepted(type, RANGE(WIRE_BYTES - 1, 1));
	}
	wire_close(&w);
}

TEST(mw_services, "W2", "bind on RC and UC, not on UD")
{
	static const struct wire_opts uc = { .type = XROCE_QPT_UC, .sq = MW_SQ };
	struct binding b;
	__u32 type, ud;

	if (!wire_open(&w, &uc))
		return;
	ud = qp_of_type(w.x, w.pd, XROCE_QPT_UD, XROCE_QPS_RTS);
	for_each_mw_type(type) {
		b = mw_whole(&w, mw_new(&w, type));
		accepted(type, b);
		b.rkey = mw_query(&w, b.rkey).rkey;
		b.qpn = ud;
		check(mw_bind_now(&w, type, &b) == -EOPNOTSUPP, "UD");
	}
	wire_close(&w);
}

/*
 * A bind needs a queue pair that sends: RTS or SQD (IBTA 10.6.7.2, 10.3.1). Work requests wait in
 * the send queue in the other states, so only the ioctl reaches the window.
 */
TEST(mw_states, "W2", "bind in RTS, not before it, nor in ERR")
{
	static const struct {
		__u32 state;
		int want;
	} cases[] = {
		{ XROCE_QPS_RESET, -ENOTCONN }, { XROCE_QPS_INIT, -ENOTCONN },
		{ XROCE_QPS_RTR, -ENOTCONN }, { XROCE_QPS_RTS, 0 },
		{ XROCE_QPS_ERR, -ENOTCONN },
	};
	struct xroce_mw_query before, after;
	struct binding b;
	__u32 type, qpn;
	size_t i;
	int ret;

	if (!open_wire())
		return;
	for (i = 0; i < ARRAY_SIZE(cases) && !test_failed(); i++) {
		qpn = qp_in(w.x, w.pd, cases[i].state);
		for_each_mw_type(type) {
			b = mw_whole(&w, mw_new(&w, type));
			b.qpn = qpn;
			before = mw_query(&w, b.rkey);
			ret = mw_bind_now(&w, type, &b);
			check(ret == cases[i].want, "type %u in state %u: %d, not %d", type,
			      cases[i].state, ret, cases[i].want);
			after = mw_query(&w, b.rkey);
			check(after.bound == !ret &&
			      (!ret || !memcmp(&before, &after, sizeof(after))),
			      "type %u in state %u: bound %u", type, cases[i].state, after.bound);
			if (!ret && type != XROCE_MW_TYPE_1)
				check(!xroce_mw_inval(w.x, b.rkey, qpn), "invalidate");
			mw_del(&w, b.rkey);
		}
	}
	wire_close(&w);
}

/* L_Keys of no region: unused, a window's, with another low byte. */
TEST(mw_no_region, "W2", "an L_Key of no region is refused")
{
	struct binding b;
	__u32 type;

	if (!open_wire())
		return;
	for_each_mw_type(type) {
		b = mw_whole(&w, mw_new(&w, type));
		b.lkey = 0;
		refused(type, b, -ENOENT);
		b.lkey = w.mr.lkey ^ 1;
		refused(type, b, -ENOENT);
		b.lkey = mw_bound(&w, type);
		refused(type, b, -ENOENT);
		mw_del(&w, b.lkey);
		b.lkey = 0xffffffff;
		refused(type, b, -ENOENT);
	}
	wire_close(&w);
}

TEST(mw_type1_keys, "W5 W7", "type 1: no key twice, no invalidate")
{
	struct binding b;
	__u32 key;

	if (!open_wire())
		return;
	key = mw_bound(&w, XROCE_MW_TYPE_1);
	/* Replace the key that the library has chosen by the current one. */
	b = mw_whole(&w, key);
	check(!mw_post_one(&w, &b), "post");
	mw_entry(&w, 1)->imm_or_key = key;
	check(!xroce_send_doorbell(w.send) &&
	      mw_completion(&w, NULL) == XROCE_WC_MW_BIND_ERR, "the same key");
	check(mw_query(&w, key).bound, "the window is not bound");
	wire_again(&w);
	check(mw_inval(&w, key) == XROCE_WC_MW_BIND_ERR, "invalidated");
	check(mw_query(&w, key).bound, "the window is not bound");
	wire_again(&w);
	check(xroce_mw_inval(w.x, key, w.qpn) == -EOPNOTSUPP, "invalidated");
	check(!mw_try_write(&w, key), "WRITE through the window");
	wire_close(&w);
}

/* By ioctl, the key of type 1 is drawn and that of type 2 is given. */
TEST(mw_wrong_type, "W5 W6", "each type needs the key of its type")
{
	struct binding b;
	__u32 type, other;
	int ret;

	if (!open_wire())
		return;
	for_each_mw_type(type) {
		other = type == XROCE_MW_TYPE_1 ? XROCE_MW_TYPE_2A :
						  XROCE_MW_TYPE_1;
		b = mw_whole(&w, mw_new(&w, type));
		ret = mw_bind_now(&w, other, &b);
		check(ret == -EINVAL && !mw_query(&w, b.rkey).bound, "type %u: %d", type, ret);
	}
	wire_close(&w);
}

TEST(mw_type2_state, "W6", "type 2: bound once, with the user's key, not empty")
{
	struct binding b;
	__u32 type;

	if (!open_wire())
		return;
	for (type = XROCE_MW_TYPE_2A; type <= XROCE_MW_TYPE_2B; type++) {
		b = mw_whole(&w, mw_new(&w, type));
		b.length = 0;
		refused(type, b, -EINVAL);
		b.length = 1;
		/* The user chooses the low byte of the key. */
		b.rkey = (b.rkey & ~0xff) | 0xa5;
		check(!mw_bind(&w, type, &b) &&
		      mw_query(&w, b.rkey).rkey == b.rkey, "bind");
		refused(type, b, -EBUSY);
		b.rkey = xroce_inc_rkey(b.rkey);
		refused(type, b, -EBUSY);
		b.rkey = (b.rkey & ~0xff) | 0xa5;
		check(!mw_inval(&w, b.rkey), "invalidate");
		/* Now there is nothing to invalidate. */
		check(xroce_mw_inval(w.x, b.rkey, w.qpn) == -EINVAL, "again");
		check(mw_inval(&w, b.rkey) == XROCE_WC_MW_BIND_ERR, "again");
		wire_again(&w);
		accepted(type, b);
	}
	wire_close(&w);
}

TEST(mw_inval_refused, "W7", "invalidate with a wrong key or queue pair is refused")
{
	__u32 type, key, qpn;

	if (!open_wire())
		return;
	qpn = qp_in(w.x, w.pd, XROCE_QPS_RTS);
	for (type = XROCE_MW_TYPE_2A; type <= XROCE_MW_TYPE_2B; type++) {
		key = mw_bound(&w, type);
		check(xroce_mw_inval(w.x, key ^ 1, w.qpn) == -ENOENT, "byte");
		check(xroce_mw_inval(w.x, key, qpn) == -EXDEV, "queue pair");
		check(xroce_mw_inval(w.x, key, 0x800000) == -ENOENT, "none");
		check(xroce_mw_inval(w.x, w.mr.rkey, w.qpn) == -ENOENT,
		      "a region's key");
		check(mw_inval(&w, w.mr.rkey) == XROCE_WC_MW_BIND_ERR,
		      "a region's key");
		wire_again(&w);
		check(mw_inval(&w, key ^ 1) == XROCE_WC_MW_BIND_ERR, "byte");
		wire_again(&w);
		check(!mw_try_write(&w, key), "WRITE through the window");
		mw_del(&w, key);
	}
	wire_close(&w);
}

TEST_MAIN(live_main);
