// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queue pairs: state transitions and their attributes.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "live_qp.h"

#define ALL_ATTRS	(RTR_ATTRS | XROCE_QP_ACCESS | XROCE_QP_PKEY)

/* Handle of the running test, and a protection domain on it. */
static struct xroce *x;
static __u32 pd;

static bool begin(void)
{
	x = live_open();
	if (x)
		pd = live_pd(x);
	return x;
}

struct legal {
	__u32 from, to, required, optional;
};

/* The transitions that the comment on struct xroce_qp_modify lists, for each type. */
static const struct legal rc[] = {
	{ XROCE_QPS_RESET, XROCE_QPS_INIT, XROCE_QP_PKEY | XROCE_QP_ACCESS, 0 },
	{ XROCE_QPS_INIT, XROCE_QPS_INIT, 0, XROCE_QP_PKEY | XROCE_QP_ACCESS },
	{ XROCE_QPS_INIT, XROCE_QPS_RTR, RTR_ATTRS,
	  XROCE_QP_PKEY | XROCE_QP_ACCESS },
	{ XROCE_QPS_RTR, XROCE_QPS_RTS, 0,
	  XROCE_QP_ACCESS | XROCE_QP_MIN_RNR_TIMER },
	{ XROCE_QPS_RTS, XROCE_QPS_RTS, 0,
	  XROCE_QP_ACCESS | XROCE_QP_MIN_RNR_TIMER },
	{ XROCE_QPS_RTS, XROCE_QPS_SQD, 0, 0 },
	{ XROCE_QPS_SQD, XROCE_QPS_RTS, 0,
	  XROCE_QP_ACCESS | XROCE_QP_MIN_RNR_TIMER },
	{ XROCE_QPS_SQD, XROCE_QPS_SQD, 0, XROCE_QP_AV | XROCE_QP_ACCESS |
	  XROCE_QP_PKEY | XROCE_QP_MIN_RNR_TIMER },
	{}
};

#define UC_RTR_ATTRS	(XROCE_QP_AV | XROCE_QP_PATH_MTU | XROCE_QP_DEST_QPN | \
			 XROCE_QP_RQ_PSN)

static const struct legal uc[] = {
	{ XROCE_QPS_RESET, XROCE_QPS_INIT, XROCE_QP_PKEY | XROCE_QP_ACCESS, 0 },
	{ XROCE_QPS_INIT, XROCE_QPS_INIT, 0, XROCE_QP_PKEY | XROCE_QP_ACCESS },
	{ XROCE_QPS_INIT, XROCE_QPS_RTR, UC_RTR_ATTRS,
	  XROCE_QP_PKEY | XROCE_QP_ACCESS },
	{ XROCE_QPS_RTR, XROCE_QPS_RTS, 0, XROCE_QP_ACCESS },
	{ XROCE_QPS_RTS, XROCE_QPS_RTS, 0, XROCE_QP_ACCESS },
	{ XROCE_QPS_RTS, XROCE_QPS_SQD, 0, 0 },
	{ XROCE_QPS_SQD, XROCE_QPS_RTS, 0, XROCE_QP_ACCESS },
	{ XROCE_QPS_SQD, XROCE_QPS_SQD, 0,
	  XROCE_QP_AV | XROCE_QP_ACCESS | XROCE_QP_PKEY },
	{}
};

static const struct legal ud[] = {
	{ XROCE_QPS_RESET, XROCE_QPS_INIT, XROCE_QP_PKEY | XROCE_QP_QKEY, 0 },
	{ XROCE_QPS_INIT, XROCE_QPS_INIT, 0, XROCE_QP_PKEY | XROCE_QP_QKEY },
	{ XROCE_QPS_INIT, XROCE_QPS_RTR, XROCE_QP_AV,
	  XROCE_QP_PKEY | XROCE_QP_QKEY },
	{ XROCE_QPS_RTR, XROCE_QPS_RTS, 0, XROCE_QP_QKEY },
	{ XROCE_QPS_RTS, XROCE_QPS_RTS, 0, XROCE_QP_QKEY },
	{ XROCE_QPS_RTS, XROCE_QPS_SQD, 0, 0 },
	{ XROCE_QPS_SQD, XROCE_QPS_RTS, 0, XROCE_QP_QKEY },
	{ XROCE_QPS_SQD, XROCE_QPS_SQD, 0, XROCE_QP_PKEY | XROCE_QP_QKEY },
	{}
};

static const struct {
	__u32 type;
	const struct legal *legal;
} types[] = {
	{ XROCE_QPT_RC, rc }, { XROCE_QPT_UC, uc }, { XROCE_QPT_UD, ud },
};

static const __u32 states[] = {
	XROCE_QPS_RESET, XROCE_QPS_INIT, XROCE_QPS_RTR, XROCE_QPS_RTS,
	XROCE_QPS_SQD, XROCE_QPS_ERR,
};

/* Return: the attributes of a transition; NULL: there is no such transition. */
static const struct legal *find(const struct legal *l, __u32 from, __u32 to)
{
	static const struct legal nothing_else;

	if (to == XROCE_QPS_RESET || to == XROCE_QPS_ERR)
		return &nothing_else;
	for (; l->to; l++)
		if (l->from == from && l->to == to)
			return l;
	return NULL;
}

/*
 * Try one transition of a new queue pair in state @from; check the result and the state
 * afterwards.
 */
static void expect_of(__u32 type, __u32 from, struct xroce_qp_modify m,
		      int want)
{
	__u32 qpn = qp_of_type(x, pd, type, from), slot = qpn & (LIVE_QP_ENTRIES - 1);
	__u32 state, after = want ? from : m.state;
	struct xroce_qp before, now;
	int ret;

	live_map_get(LIVE_DEV, "qp", slot, &before);
	m.qpn = qpn;
	ret = xroce_qp_modify(x, &m);
	state = qp_state(x, qpn);
	live_map_get(LIVE_DEV, "qp", slot, &now);
	check(ret == want && state == after && now.state == after,
	      "type %u, state %u to %u, mask %#x: %d, not %d; state %u, in the map %u",
	      type, from, m.state, m.mask, ret, want, state, now.state);
	if (want)
		check(!memcmp(&before, &now, sizeof(now)),
		      "refused, but the entry has changed");
	check(!xroce_qp_del(x, qpn), "QP_DEL");
}

static void expect(__u32 from, struct xroce_qp_modify m, int want)
{
	expect_of(XROCE_QPT_RC, from, m, want);
}

/* With the required attributes, and with all allowed ones. */
static void transition(__u32 type, const struct legal *l, __u32 from, __u32 to)
{
	if (l) {
		expect_of(type, from, qp_change_of(type, 0, to, l->required), 0);
		expect_of(type, from, qp_change_of(type, 0, to, l->required |
						   l->optional), 0);
		return;
	}
	expect_of(type, from, qp_change_of(type, 0, to, 0), -EINVAL);
	expect_of(type, from, qp_change_of(type, 0, to, ALL_ATTRS), -EINVAL);
	expect_of(type, from,
		  qp_change_of(type, 0, to, qp_attrs(type, XROCE_QPS_RTR)), -EINVAL);
}

TEST(modify_transitions, "D5", "all pairs of states")
{
	unsigned int t, i, j;
	__u32 to;

	if (!begin())
		return;
	for (t = 0; t < ARRAY_SIZE(types); t++) {
		for (i = 0; i < ARRAY_SIZE(states); i++) {
			for (j = 0; j < ARRAY_SIZE(states); j++)
				transition(types[t].type,
					   find(types[t].legal, states[i],
						states[j]),
					   states[i], states[j]);
			/* SQE, and numbers that are not a state. */
			for (to = 5; to <= 32; to += to == 5 ? 2 : 1)
				expect_of(types[t].type, states[i],
					  qp_change(0, to, 0), -EINVAL);
		}
	}
	live_close(x);
}

/* Each attribute in turn: omitted if it is required, given if it is not allowed. */
static void attributes_of(__u32 type, const struct legal *l)
{
	__u32 bit, allowed = l->required | l->optional;

	for (bit = XROCE_QP_ACCESS; bit; bit <<= 1) {
		if (l->required & bit)
			expect_of(type, l->from,
				  qp_change_of(type, 0, l->to, l->required & ~bit),
				  -EINVAL);
		else
			expect_of(type, l->from,
				  qp_change_of(type, 0, l->to, l->required | bit),
				  allowed & bit ? 0 : -EINVAL);
	}
}

TEST(modify_attributes, "D5", "required, optional and forbidden attributes")
{
	static const struct legal to_reset = { .from = XROCE_QPS_SQD };
	const struct legal *l;
	unsigned int t;

	if (!begin())
		return;
	for (t = 0; t < ARRAY_SIZE(types); t++) {
		for (l = types[t].legal; l->to; l++)
			attributes_of(types[t].type, l);
		attributes_of(types[t].type, &to_reset);
	}
	live_close(x);
}

/* A change without XROCE_QP_STATE keeps the state. */
TEST(modify_state_kept, "D5", "a change that keeps the state")
{
	struct xroce_qp_modify m;
	struct xroce_qp_query q;
	int ret;

	if (!begin())
		return;
	m = qp_change(qp_in(x, pd, XROCE_QPS_RTS), 0, XROCE_QP_ACCESS);
	m.mask &= ~XROCE_QP_STATE;
	m.access = XROCE_ACCESS_REMOTE_READ;
	check(!xroce_qp_modify(x, &m), "QP_MODIFY");
	q = (struct xroce_qp_query){ .qpn = m.qpn };
	ret = xroce_qp_query(x, &q);
	check(!ret && q.state == XROCE_QPS_RTS &&
	      q.access == XROCE_ACCESS_REMOTE_READ, "%d: state %u, access %#x",
	      ret, q.state, q.access);
	m.qpn ^= LIVE_QP_ENTRIES;
	check(xroce_qp_modify(x, &m) == -ENOENT, "another number");
	live_close(x);
}

static void to_init(__u32 access, __u32 pkey, int want)
{
	struct xroce_qp_modify m = qp_change(0, XROCE_QPS_INIT,
					  XROCE_QP_ACCESS | XROCE_QP_PKEY);

	m.access = access;
	m.pkey = pkey;
	expect(XROCE_QPS_RESET, m, want);
}

TEST(modify_init_values, "D5", "access rights and partition key")
{
	const __u32 remote = XROCE_ACCESS_REMOTE;
	__u32 bit;

	if (!begin())
		return;
	to_init(0, 0xffff, 0);
	to_init(remote, 0xffff, 0);
	for (bit = 1; bit; bit <<= 1)
		to_init(bit, 0xffff, bit & remote ? 0 : -EINVAL);
	to_init(0, 1, 0);
	to_init(0, 0x7fff, 0);
	to_init(0, 0x8001, 0);
	to_init(0, 0, -EINVAL);
	to_init(0, 0x8000, -EINVAL);
	to_init(0, 0x10000, -EINVAL);
	to_init(0, 0x1ffff, -EINVAL);
	live_close(x);
}

/* A value of one field in the transition to RTR. */
#define FIELD(name, value, want) \
	{ #name " " #value, offsetof(struct xroce_qp_modify, name), \
	  sizeof(((struct xroce_qp_modify *)0)->name), value, want }

TEST(modify_rtr_values, "D5", "valid ranges of the peer's attributes")
{
	static const struct {
		const char *what;
		size_t offset, size;
		__u32 value;
		int want;
	} rows[] = {
		FIELD(path_mtu, 0, -EINVAL),
		FIELD(path_mtu, XROCE_MTU_256, 0),
		FIELD(path_mtu, XROCE_MTU_4096, 0),
		FIELD(path_mtu, 6, -EINVAL),
		FIELD(path_mtu, 1024, -EINVAL),
		FIELD(dest_qpn, 0, 0),
		FIELD(dest_qpn, 0xffffff, 0),
		FIELD(dest_qpn, 0x1000000, -EINVAL),
		FIELD(rq_psn, 0, 0),
		FIELD(rq_psn, 0xffffff, 0),
		FIELD(rq_psn, 0x1000000, -EINVAL),
		FIELD(min_rnr_timer, 0, 0),
		FIELD(min_rnr_timer, 31, 0),
		FIELD(min_rnr_timer, 32, -EINVAL),
		FIELD(max_dest_rd_atomic, 0, 0),
		FIELD(max_dest_rd_atomic, 128, 0),
		FIELD(max_dest_rd_atomic, 129, -EINVAL),
		FIELD(sport, 0, 0),
		FIELD(sport, 0xc000, 0),
		FIELD(sport, 0xffff, 0),
		FIELD(sport, 0xbfff, -EINVAL),
		FIELD(sport, 4791, -EINVAL),
		FIELD(ttl, 255, 0),
		FIELD(tos, 254, 0),
		FIELD(tos, 1, 0),
		FIELD(tos, 3, -EINVAL),
		FIELD(tos, 255, -EINVAL),
	};
	struct xroce_qp_modify m;
	size_t i;

	if (!begin())
		return;
	for (i = 0; i < ARRAY_SIZE(rows) && !test_failed(); i++) {
		m = qp_change(0, XROCE_QPS_RTR, RTR_ATTRS);
		/* Copies the low bytes: every machine that runs this is little-endian. */
		memcpy((char *)&m + rows[i].offset, &rows[i].value,
		       rows[i].size);
		expect(XROCE_QPS_INIT, m, rows[i].want);
		if (test_failed())
			note("%s", rows[i].what);
	}
	live_close(x);
}

/* A transition to RTR from one address to another. */
static struct xroce_qp_modify between(__u32 mask, const char *own,
				      const char *peer)
{
	struct xroce_qp_modify m = qp_change(0, XROCE_QPS_RTR, mask);

	inet_pton(AF_INET6, own, m.sgid);
	inet_pton(AF_INET6, peer, m.dgid);
	return m;
}

/* Addresses of the two hosts; both must be of one family. */
TEST(modify_addresses, "D1 D5", "addresses of two hosts of one family")
{
	static const struct {
		const char *own, *peer;
		int want;
	} rows[] = {
		{ "::ffff:10.77.0.2", "::ffff:10.77.0.1", 0 },
		{ "fd77::2", "fd77::1", 0 },
		{ "fe80::2", "fe80::1", 0 },
		{ "::ffff:10.77.0.2", "fd77::1", -EINVAL },
		{ "fd77::2", "::ffff:10.77.0.1", -EINVAL },
		{ "fd77::2", "ff02::1", -EINVAL },
		{ "ff02::1", "fd77::1", -EINVAL },
		{ "fd77::2", "::", -EINVAL },
		{ "::", "fd77::1", -EINVAL },
		{ "::ffff:10.77.0.2", "::ffff:224.0.0.1", -EINVAL },
		{ "::ffff:239.1.2.3", "::ffff:10.77.0.1", -EINVAL },
		{ "::ffff:10.77.0.2", "::ffff:255.255.255.255", -EINVAL },
		{ "::ffff:10.77.0.2", "::ffff:0.0.0.0", -EINVAL },
		{ "::ffff:0.0.0.0", "::ffff:10.77.0.1", -EINVAL },
	};
	size_t i;

	if (!begin())
		return;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		expect(XROCE_QPS_INIT,
		       between(RTR_ATTRS, rows[i].own, rows[i].peer),
		       rows[i].want);
		if (test_failed())
			note("after %s to %s", rows[i].own, rows[i].peer);
	}
	live_close(x);
}

/* A UD queue pair has an address of its own and no peer address. */
TEST(modify_datagram_address, "D1 D2 D5", "UD: one address, and no peer")
{
	static const struct {
		const char *own, *peer;
		__u8 tos, ttl;
		__u16 sport;
		int want;
	} rows[] = {
		{ "::ffff:10.77.0.2", "::", .want = 0 },
		{ "fd77::2", "::", .want = 0 },
		{ "::ffff:10.77.0.2", "::ffff:10.77.0.1", .want = -EINVAL },
		{ "fd77::2", "fd77::1", .want = -EINVAL },
		{ "::", "::", .want = -EINVAL },
		{ "ff02::1", "::", .want = -EINVAL },
		{ "::ffff:224.0.0.1", "::", .want = -EINVAL },
		{ "fd77::2", "::", .tos = 4, .want = -EINVAL },
		{ "fd77::2", "::", .ttl = 64, .want = -EINVAL },
		{ "fd77::2", "::", .sport = 0xc000, .want = -EINVAL },
	};
	struct xroce_qp_modify m;
	size_t i;

	if (!begin())
		return;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		m = between(XROCE_QP_AV, rows[i].own, rows[i].peer);
		m.tos = rows[i].tos;
		m.ttl = rows[i].ttl;
		m.sport = rows[i].sport;
		expect_of(XROCE_QPT_UD, XROCE_QPS_INIT, m, rows[i].want);
		if (test_failed())
			note("row %zu", i);
	}
	live_close(x);
}

TEST_MAIN(live_main_no_packets);
