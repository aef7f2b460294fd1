// SPDX-License-Identifier: GPL-2.0-only
/* Windows as objects: allocation, queries, dependencies, deallocation. */
#include <errno.h>

#include "live_qp.h"
#include "mw.h"

static struct wire w;

/* Open a wire: a queue pair in RTS, a region, a send queue. */
static bool open_wire(void)
{
	return wire_open(&w, &mw_rc);
}

TEST(mw_allocate, "W1", "allocate, query, deallocate")
{
	struct xroce_mw_query q;
	__u32 type, key;

	if (!open_wire())
		return;
	for_each_mw_type(type) {
		key = mw_new(&w, type);
		q = mw_query(&w, key);
		check(q.mw == key >> 8 && q.pd == w.pd && q.type == type &&
		      !q.bound && q.rkey == key && !q.mr && !q.access &&
		      !q.qpn && !q.addr && !q.length && q.pid, "type %u", type);
		q.mw = 0;
		q.flags = XROCE_F_NEXT;
		check(!xroce_mw_query(w.x, &q) && q.mw == key >> 8 && !q.flags,
		      "next is %#x", q.mw);
		mw_del(&w, key);
		check(xroce_mw_del(w.x, key >> 8) == -ENOENT, "deallocated twice");
		q.mw = key >> 8;
		q.flags = 0;
		check(xroce_mw_query(w.x, &q) == -ENOENT, "query after deallocation");
		q.mw = 0;
		q.flags = XROCE_F_NEXT;
		check(xroce_mw_query(w.x, &q) == -ENOENT, "query of the next one, with none left");
	}
	wire_close(&w);
}

TEST(mw_allocate_refused, "W1", "wrong domain, type or handle is refused")
{
	struct xroce_mw_add add = { .type = XROCE_MW_TYPE_1 };

	if (!open_wire())
		return;
	add.pd = w.pd + 1;
	check(xroce_mw_add(w.x, &add) == -ENOENT, "no such PD");
	add.pd = w.pd;
	add.type = 0;
	check(xroce_mw_add(w.x, &add) == -EINVAL, "type 0");
	add.type = XROCE_MW_TYPE_2B + 1;
	check(xroce_mw_add(w.x, &add) == -EINVAL, "type 4");
	check(xroce_mw_del(w.x, w.mr.mr) == -ENOENT, "a region's handle");
	check(xroce_mr_dereg(w.x, mw_new(&w, 1) >> 8) == -ENOENT,
	      "a window's handle");
	check(xroce_mw_del(w.x, 0xffffffff) == -ENOENT, "no handle");
	wire_close(&w);
}

HANDLE_TEST(mw_all_keys, "W1 R9", "as many windows as the table has entries")
{
	struct xroce_mw_add add = { .type = XROCE_MW_TYPE_1 };
	__u32 n = 0;
	int ret;

	add.pd = live_pd(x);
	while (!(ret = xroce_mw_add(x, &add)))
		n++;
	check(ret == -ENOSPC && n == LIVE_MPT_ENTRIES - 1, "%u windows, then %d",
	      n, ret);
	check(!xroce_mw_del(x, add.mw) && !xroce_mw_add(x, &add), "allocation after one was freed");
}

HANDLE_TEST(mw_member, "P1", "a domain with a window cannot be deleted")
{
	struct xroce_pd_query q = {};
	struct xroce_mw_add add = { .type = XROCE_MW_TYPE_2A };

	add.pd = q.pd = live_pd(x);
	check(!xroce_mw_add(x, &add), "window");
	check(!xroce_pd_query(x, &q) && q.mws == 1 && !q.mrs && !q.qps,
	      "%u windows", q.mws);
	check(xroce_pd_del(x, add.pd) == -EBUSY, "PD_DEL with a window");
	check(!xroce_mw_del(x, add.mw) && !xroce_pd_del(x, add.pd),
	      "MW_DEL, then PD_DEL");
}

TEST(mw_qp_destroy, "W8", "a bound 2A window keeps its queue pair, 2B does not")
{
	struct xroce_mw_bind bind = { .access = MW_READ, .length = 1 };
	__u32 type, key, qpn;
	int ret;

	if (!open_wire())
		return;
	for_each_mw_type(type) {
		qpn = qp_in(w.x, w.pd, XROCE_QPS_RTS);
		key = mw_new(&w, type);
		bind.mw = key >> 8;
		bind.qpn = qpn;
		bind.rkey = type == XROCE_MW_TYPE_1 ? 0 : key;
		bind.lkey = w.mr.lkey;
		bind.addr = w.mr.iova;
		check(!xroce_mw_bind(w.x, &bind), "bind");
		ret = xroce_qp_del(w.x, qpn);
		if (type != XROCE_MW_TYPE_2A) {
			check(!ret, "type %u: %d", type, ret);
			check(mw_query(&w, key).bound ==
			      (type == XROCE_MW_TYPE_1), "bound");
			continue;
		}
		check(ret == -EBUSY, "type 2A: %d", ret);
		check(mw_query(&w, key).bound, "bound");
		check(!xroce_mw_inval(w.x, key, qpn), "invalidate");
		ret = xroce_qp_del(w.x, qpn);
		check(!ret, "type 2A, invalidated: %d", ret);
	}
	wire_close(&w);
}

TEST(mw_dereg, "W9 R5 R7", "a region with windows cannot be changed or deregistered")
{
	struct xroce_mr_rereg change;
	struct xroce_mr_reg reg;
	struct binding b;
	__u32 type;

	if (!open_wire())
		return;
	for_each_mw_type(type) {
		reg = w.mr;
		check(!xroce_mr_reg(w.x, &reg), "MR_REG");
		b = mw_whole(&w, mw_new(&w, type));
		b.lkey = reg.lkey;
		check(!mw_bind(&w, type, &b), "bind");
		check(xroce_mr_dereg(w.x, reg.mr) == -EBUSY, "bound");
		change = (struct xroce_mr_rereg){
			.mr = reg.mr,
			.mask = XROCE_REREG_ACCESS,
			.access = reg.access,
		};
		check(xroce_mr_rereg(w.x, &change) == -EBUSY, "bound");
		check(!mw_try_write(&w, b.rkey), "WRITE through the window");
		if (type == XROCE_MW_TYPE_1) {
			b.length = 0;
			check(!mw_bind(&w, type, &b), "unbind");
		} else {
			check(!mw_inval(&w, b.rkey), "invalidate");
		}
		change.mr = reg.mr;
		check(!xroce_mr_rereg(w.x, &change), "unbound");
		/* Re-registration has given the region another L_Key. */
		b.length = 1;
		check(mw_bind_now(&w, type, &b) == -ENOENT, "bind with the old L_Key");
		check(!xroce_mr_dereg(w.x, reg.mr), "unbound");
		check(mw_bind_now(&w, type, &b) == -ENOENT, "bind without the region");
	}
	wire_close(&w);
}

/* A window's key is not valid as an L_Key. */
TEST(mw_not_local, "R9", "a window's key is not valid as an L_Key")
{
	static const struct wire_opts opts = { .sq = MW_SQ, .recv = true };
	struct xroce_sge_local sge = { .length = 64 };
	struct xroce_cqe cqe;
	struct packet got;

	if (!wire_open(&w, &opts))
		return;
	sge.addr = w.mr.iova;
	sge.lkey = mw_bound(&w, XROCE_MW_TYPE_1);
	check(!xroce_post_recv(w.rq, 1, &sge, 1), "post");
	w.req.opcode = XROCE_RC_SEND_ONLY;
	wire_send(&w);
	check(wire_take(&w, WIRE_MS, &got, NULL) &&
	      got.syndrome == XROCE_SYN_NAK_OP, "syndrome %#x", got.syndrome);
	check(mw_completion(&w, &cqe) == XROCE_WC_LOC_PROT_ERR, "status");
	wire_close(&w);
}

/* Windows and queue pairs of another handle cannot be used. */
TEST(mw_owners, "U3", "objects of another handle cannot be used")
{
	static const struct wire_opts opts = { .sq = MW_SQ, .beside = true };
	static struct wire other;
	struct binding b;
	__u32 key;

	if (!open_wire() || !wire_open(&other, &opts))
		return;
	key = mw_new(&other, XROCE_MW_TYPE_2B);
	live_drop_cap(12);	/* CAP_NET_ADMIN */
	b = mw_whole(&w, key);
	check(mw_bind_now(&w, XROCE_MW_TYPE_2B, &b) == -ENOENT, "window");
	check(xroce_mw_del(w.x, key >> 8) == -ENOENT, "MW_DEL");
	check(mw_bind(&w, XROCE_MW_TYPE_2B, &b) == XROCE_WC_MW_BIND_ERR,
	      "posted bind");
	live_restore_caps();
	wire_again(&w);
	b = mw_whole(&w, mw_new(&w, XROCE_MW_TYPE_2B));
	b.qpn = other.qpn;
	check(mw_bind_now(&w, XROCE_MW_TYPE_2B, &b) == -EPERM,
	      "bind with another handle's queue pair");
	wire_close(&other);
	wire_close(&w);
}

/* Closing the handle frees its windows, bound or not, and nothing stays pinned. */
TEST(mw_close, "W1", "closing the handle frees its windows")
{
	__u32 type, i;

	for (i = 0; i < 3; i++) {
		if (!open_wire())
			return;
		for_each_mw_type(type) {
			mw_new(&w, type);
			if (type != XROCE_MW_TYPE_2A)
				mw_bound(&w, type);
		}
		wire_close(&w);
	}
}

TEST_MAIN(live_main);
