// SPDX-License-Identifier: GPL-2.0-only
/* Queue pairs: transitions, and the attributes that go with them. */
#include <arpa/inet.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "live_qp.h"

#define ALL_ATTRS	(RTR_ATTRS | XROCE_QP_ACCESS | XROCE_QP_PKEY)

/* What the table of struct xroce_qp_modify says, in its own words. */
static const struct {
	__u32 from, to, required, optional;
} legal[] = {
	{ XROCE_QPS_RESET, XROCE_QPS_INIT, XROCE_QP_PKEY | XROCE_QP_ACCESS, 0 },
	{ XROCE_QPS_INIT, XROCE_QPS_INIT, 0, XROCE_QP_PKEY | XROCE_QP_ACCESS },
	{ XROCE_QPS_INIT, XROCE_QPS_RTR, RTR_ATTRS,
	  XROCE_QP_PKEY | XROCE_QP_ACCESS },
	{ XROCE_QPS_RTR, XROCE_QPS_RTS, 0,
	  XROCE_QP_ACCESS | XROCE_QP_MIN_RNR_TIMER },
	{ XROCE_QPS_RTS, XROCE_QPS_RTS, 0,
	  XROCE_QP_ACCESS | XROCE_QP_MIN_RNR_TIMER },
	{ XROCE_QPS_RESET, XROCE_QPS_RESET, 0, 0 },
	{ XROCE_QPS_INIT, XROCE_QPS_RESET, 0, 0 },
	{ XROCE_QPS_RTR, XROCE_QPS_RESET, 0, 0 },
	{ XROCE_QPS_RTS, XROCE_QPS_RESET, 0, 0 },
	{ XROCE_QPS_ERR, XROCE_QPS_RESET, 0, 0 },
	{ XROCE_QPS_RESET, XROCE_QPS_ERR, 0, 0 },
	{ XROCE_QPS_INIT, XROCE_QPS_ERR, 0, 0 },
	{ XROCE_QPS_RTR, XROCE_QPS_ERR, 0, 0 },
	{ XROCE_QPS_RTS, XROCE_QPS_ERR, 0, 0 },
	{ XROCE_QPS_ERR, XROCE_QPS_ERR, 0, 0 },
};

static const __u32 states[] = {
	XROCE_QPS_RESET, XROCE_QPS_INIT, XROCE_QPS_RTR, XROCE_QPS_RTS,
	XROCE_QPS_ERR,
};

/* One change of a new queue pair in state @from: result, and state after it. */
static void expect(struct xroce *x, __u32 pd, __u32 from,
		   struct xroce_qp_modify m, int want)
{
	__u32 qpn = qp_in(x, pd, from), slot = qpn & (LIVE_QP_ENTRIES - 1);
	__u32 state, after = want ? from : m.state;
	struct xroce_qp before, now;
	int ret;

	live_map_get(LIVE_DEV, "qp", slot, &before);
	m.qpn = qpn;
	ret = xroce_qp_modify(x, &m);
	state = qp_state(x, qpn);
	live_map_get(LIVE_DEV, "qp", slot, &now);
	check(ret == want && state == after && now.state == after,
	      "state %u to %u, mask %#x: %d, not %d; state %u, in the map %u",
	      from, m.state, m.mask, ret, want, state, now.state);
	if (want)
		check(!memcmp(&before, &now, sizeof(now)),
		      "refused, but the entry has changed");
	check(!xroce_qp_del(x, qpn), "QP_DEL");
}

/* All pairs of states, with what is required and with all that is allowed. */
static void transitions(void)
{
	struct xroce *x = live_open();
	unsigned int i, j, k;
	__u32 pd, from, to;

	if (!x)
		return;
	pd = live_pd(x);
	for (i = 0; i < ARRAY_SIZE(states); i++) {
		for (j = 0; j < ARRAY_SIZE(states); j++) {
			from = states[i];
			to = states[j];
			for (k = 0; k < ARRAY_SIZE(legal); k++)
				if (legal[k].from == from && legal[k].to == to)
					break;
			if (k < ARRAY_SIZE(legal)) {
				expect(x, pd, from, qp_change(0, to,
				       legal[k].required), 0);
				expect(x, pd, from, qp_change(0, to,
				       legal[k].required | legal[k].optional),
				       0);
			} else {
				expect(x, pd, from, qp_change(0, to, 0), -EINVAL);
				expect(x, pd, from, qp_change(0, to, ALL_ATTRS),
				       -EINVAL);
				expect(x, pd, from, qp_change(0, to, RTR_ATTRS),
				       -EINVAL);
			}
		}
		/* SQD, SQE, and what is no state */
		for (to = 4; to <= 32; to += to == 5 ? 2 : 1)
			expect(x, pd, states[i], qp_change(0, to, 0), -EINVAL);
	}
	live_close(x);
}

/* Each attribute in turn: left out where required, given where not allowed. */
static void attributes(void)
{
	struct xroce *x = live_open();
	__u32 pd, bit, allowed;
	unsigned int k;

	if (!x)
		return;
	pd = live_pd(x);
	for (k = 0; k < ARRAY_SIZE(legal); k++) {
		allowed = legal[k].required | legal[k].optional;
		for (bit = XROCE_QP_ACCESS; bit; bit <<= 1) {
			if (legal[k].required & bit)
				expect(x, pd, legal[k].from,
				       qp_change(0, legal[k].to,
					      legal[k].required & ~bit),
				       -EINVAL);
			else
				expect(x, pd, legal[k].from,
				       qp_change(0, legal[k].to,
					      legal[k].required | bit),
				       allowed & bit ? 0 : -EINVAL);
		}
	}
	live_close(x);
}

/* A change without the state bit keeps the state. */
static void state_kept(void)
{
	struct xroce_qp_modify m;
	struct xroce_qp_query q;
	struct xroce *x = live_open();
	__u32 pd;
	int ret;

	if (!x)
		return;
	pd = live_pd(x);
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

static void to_init(struct xroce *x, __u32 pd, __u32 access, __u32 pkey,
		    int want)
{
	struct xroce_qp_modify m = qp_change(0, XROCE_QPS_INIT,
					  XROCE_QP_ACCESS | XROCE_QP_PKEY);

	m.access = access;
	m.pkey = pkey;
	expect(x, pd, XROCE_QPS_RESET, m, want);
}

static void init_values(void)
{
	const __u32 remote = XROCE_ACCESS_REMOTE;
	struct xroce *x = live_open();
	__u32 pd, bit;

	if (!x)
		return;
	pd = live_pd(x);
	to_init(x, pd, 0, 0xffff, 0);
	to_init(x, pd, remote, 0xffff, 0);
	for (bit = 1; bit; bit <<= 1)
		to_init(x, pd, bit, 0xffff, bit & remote ? 0 : -EINVAL);
	to_init(x, pd, 0, 1, 0);
	to_init(x, pd, 0, 0x7fff, 0);
	to_init(x, pd, 0, 0x8001, 0);
	to_init(x, pd, 0, 0, -EINVAL);
	to_init(x, pd, 0, 0x8000, -EINVAL);
	to_init(x, pd, 0, 0x10000, -EINVAL);
	to_init(x, pd, 0, 0x1ffff, -EINVAL);
	live_close(x);
}

/* A value of one field on the way to RTR. */
#define FIELD(name, value, want) \
	{ #name " " #value, offsetof(struct xroce_qp_modify, name), \
	  sizeof(((struct xroce_qp_modify *)0)->name), value, want }

static void rtr_values(void)
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
	struct xroce *x = live_open();
	struct xroce_qp_modify m;
	__u32 pd;
	size_t i;

	if (!x)
		return;
	pd = live_pd(x);
	for (i = 0; i < ARRAY_SIZE(rows) && !test_failed(); i++) {
		m = qp_change(0, XROCE_QPS_RTR, RTR_ATTRS);
		/* The low bytes come first, on every machine that runs this. */
		memcpy((char *)&m + rows[i].offset, &rows[i].value,
		       rows[i].size);
		expect(x, pd, XROCE_QPS_INIT, m, rows[i].want);
		if (test_failed())
			note("%s", rows[i].what);
	}
	live_close(x);
}

/* Addresses of hosts, both of one family. */
static void addresses(void)
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
	struct xroce *x = live_open();
	struct xroce_qp_modify m;
	__u32 pd;
	size_t i;

	if (!x)
		return;
	pd = live_pd(x);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		m = qp_change(0, XROCE_QPS_RTR, RTR_ATTRS);
		inet_pton(AF_INET6, rows[i].own, m.sgid);
		inet_pton(AF_INET6, rows[i].peer, m.dgid);
		expect(x, pd, XROCE_QPS_INIT, m, rows[i].want);
		if (test_failed())
			note("after %s to %s", rows[i].own, rows[i].peer);
	}
	live_close(x);
}

static const struct test tests[] = {
	{ "modify_transitions", "D5", "all pairs of states", transitions },
	{ "modify_attributes", "D5", "required, optional, not allowed",
	  attributes },
	{ "modify_state_kept", "D5", "a change within a state", state_kept },
	{ "modify_init_values", "D5", "rights and partition key", init_values },
	{ "modify_rtr_values", "D5", "ranges of what a peer is", rtr_values },
	{ "modify_addresses", "D1 D5", "two hosts of one family", addresses },
};

int main(int argc, char **argv)
{
	return live_main(argc, argv, tests, ARRAY_SIZE(tests));
}
