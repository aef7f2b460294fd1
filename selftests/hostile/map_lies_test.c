// SPDX-License-Identifier: GPL-2.0-only
/*
 * A process that can write BPF maps makes the entry of a region or a queue pair claim more
 * than has been granted. The XDP program believes it. The module checks its own tables and
 * refuses: no byte of the region is read or written.
 */
#include <string.h>

#include "live_qp.h"
#include "mw.h"

#define LONG_READ	4000u	/* longer than the path MTU: the module sends the response */

static const struct request {
	uint8_t opcode;
	__u32 len;
	__u32 right;
} requests[] = {
	{ XROCE_RC_WRITE_ONLY, 64, MW_WRITE },
	{ XROCE_RC_READ_REQUEST, 64, MW_READ },
	{ XROCE_RC_READ_REQUEST, LONG_READ, MW_READ },
	{ XROCE_RC_FETCH_ADD, 8, MW_ATOMIC },
	{ XROCE_RC_ATOMIC_WRITE, 8, MW_WRITE },
};

/* A second handle with its own domain; it can bind windows. */
static const struct wire_opts stranger = { .peer = 0x12, .beside = true, .sq = MW_SQ };

static struct xroce_mpt mpt_entry(__u32 key)
{
	struct xroce_mpt m = {};

	check(live_map_get(LIVE_DEV, "mpt", key >> XROCE_KEY_SHIFT, &m), "get mpt");
	return m;
}

static void mpt_put(__u32 key, const struct xroce_mpt *m)
{
	check(live_map_put(LIVE_DEV, "mpt", key >> XROCE_KEY_SHIFT, m), "put mpt");
}

static struct xroce_qp qp_entry(const struct wire *w)
{
	struct xroce_qp q = {};

	check(live_map_get(LIVE_DEV, "qp", w->qpn % LIVE_QP_ENTRIES, &q), "get qp");
	return q;
}

static void qp_put(const struct wire *w, const struct xroce_qp *q)
{
	check(live_map_put(LIVE_DEV, "qp", w->qpn % LIVE_QP_ENTRIES, q), "put qp");
}

/* The module refuses the request. If the response was queued already, there is only a NAK. */
static void refused(struct wire *w, const struct request *r, __u32 key,
		    const char *lie)
{
	__u64 before = live_stat().acc_module;
	int got = mw_try(w, r->opcode, w->mr.iova, r->len, key);

	if (r->len == LONG_READ)
		check(got, "%s: a READ of %u bytes was answered", lie, r->len);
	else
		check(got == XROCE_CAUSE_ACC_MODULE &&
		      live_stat().acc_module == before + 1,
		      "%s: opcode %#x: cause %d", lie, r->opcode, got);
}

static void all_refused(struct wire *w, __u32 key, const char *lie)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(requests) && !test_failed(); i++)
		refused(w, &requests[i], key, lie);
}

/* A region with some of the rights; the map claims all of them. */
static void region_rights_of(struct wire *w, __u32 rights)
{
	struct xroce_mr_reg reg = w->mr;
	struct xroce_mpt truth, lie;
	size_t i;

	reg.access = XROCE_ACCESS_LOCAL_WRITE | rights;
	if (!check(!xroce_mr_reg(w->x, &reg), "MR_REG"))
		return;
	truth = lie = mpt_entry(reg.lkey);
	lie.access |= MW_ALL;
	mpt_put(reg.lkey, &lie);
	for (i = 0; i < ARRAY_SIZE(requests) && !test_failed(); i++) {
		if (!(requests[i].right & rights))
			refused(w, &requests[i], reg.lkey, "right of a region");
		else if (requests[i].len != LONG_READ)
			check(!mw_try(w, requests[i].opcode, w->mr.iova,
				      requests[i].len, reg.lkey),
			      "opcode %#x with the right", requests[i].opcode);
	}
	mpt_put(reg.lkey, &truth);
	check(!xroce_mr_dereg(w->x, reg.mr), "MR_DEREG");
}

WIRE_TEST(map_lies_region_rights, "R9 P2 D5", "a region without the right, whatever the map says",
	  &mw_rc)
{
	static const __u32 rights[] = { 0, MW_READ, MW_WRITE, MW_ATOMIC };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rights) && !test_failed(); i++)
		region_rights_of(w, rights[i]);
}

/* A region of another domain; "mpt" claims our domain, or none. */
WIRE_TEST(map_lies_region_domain, "R9 P1 D5", "a region of another domain, whatever the map says",
	  &mw_rc)
{
	struct xroce_mpt truth, lie;
	struct wire other;

	if (!wire_open(&other, &stranger))
		return;
	truth = lie = mpt_entry(other.mr.rkey);
	lie.pd = w->pd;
	mpt_put(other.mr.rkey, &lie);
	all_refused(w, other.mr.rkey, "domain of a region");
	lie = truth;
	lie.type = XROCE_MPT_MW_2A;
	mpt_put(other.mr.rkey, &lie);
	all_refused(w, other.mr.rkey, "type of a region");
	mpt_put(other.mr.rkey, &truth);
	wire_untouched(&other);
	check(!mw_try_write(&other, other.mr.rkey), "its own domain");
	wire_close(&other);
}

/* A type 1 window is valid for all queue pairs of its domain only. */
WIRE_TEST(map_lies_window_domain, "W1 P1 D5", "a window of another domain, whatever the map says",
	  &mw_rc)
{
	struct xroce_mpt truth, lie;
	struct wire other;
	__u32 key;

	if (!wire_open(&other, &stranger))
		return;
	key = mw_bound(&other, XROCE_MW_TYPE_1);
	truth = lie = mpt_entry(key);
	lie.pd = w->pd;
	mpt_put(key, &lie);
	all_refused(w, key, "domain of a window");
	mpt_put(key, &truth);
	wire_untouched(&other);
	check(!mw_try_write(&other, key), "its own domain");
	mw_del(&other, key);
	wire_close(&other);
}

/* "qp" claims that the queue pair is in the other domain. */
WIRE_TEST(map_lies_qp_domain, "R9 P1 D5", "a queue pair of another domain, whatever the map says",
	  &mw_rc)
{
	struct wire other;
	struct xroce_qp q;
	size_t i;

	if (!wire_open(&other, &stranger))
		return;
	for (i = 0; i < ARRAY_SIZE(requests) && !test_failed(); i++) {
		q = qp_entry(w);
		q.pd = other.pd;
		qp_put(w, &q);
		refused(w, &requests[i], other.mr.rkey, "domain of a queue pair");
	}
	q = qp_entry(w);
	q.pd = w->pd;
	qp_put(w, &q);
	wire_untouched(&other);
	check(!mw_try_write(w, w->mr.rkey), "its own domain");
	wire_close(&other);
}

/* A queue pair without rights; the map claims all of them. */
WIRE_TEST(map_lies_qp_rights, "R9 P2 D5", "a queue pair without the right, whatever the map says",
	  &mw_rc)
{
	struct xroce_qp_modify m;
	struct xroce_qp q;
	__u32 key[2];
	size_t i, j;

	key[0] = w->mr.rkey;
	key[1] = mw_bound(w, XROCE_MW_TYPE_1);
	for (i = 0; i < ARRAY_SIZE(requests) && !test_failed(); i++) {
		for (j = 0; j < ARRAY_SIZE(key); j++) {
			m = qp_change(w->qpn, XROCE_QPS_RTS, XROCE_QP_ACCESS);
			m.access = 0;
			check(!xroce_qp_modify(w->x, &m), "no rights");
			q = qp_entry(w);
			check(!q.access, "rights %#x", q.access);
			q.access = MW_ALL;
			qp_put(w, &q);
			refused(w, &requests[i], key[j],
				"right of a queue pair");
		}
	}
	mw_del(w, key[1]);
	check(!mw_try_write(w, w->mr.rkey), "with the right");
}

TEST_MAIN(live_main);
