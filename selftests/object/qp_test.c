// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queue pairs: numbers, queries, and the entry in the map "qp".
 */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "live_qp.h"

PD_TEST(qp_query, "P2 U2", "attributes are returned and are in the map")
{
	struct xroce_qp_query q = {};
	struct xroce_qp_modify m;
	struct xroce_qp e;
	int ret;

	m = qp_change(qp_in(x, pd, XROCE_QPS_INIT), XROCE_QPS_RTR,
		   RTR_ATTRS | XROCE_QP_ACCESS | XROCE_QP_PKEY);
	m.access = XROCE_ACCESS_REMOTE;
	m.pkey = 0x8123;
	m.tos = 0x28;
	m.ttl = 7;
	m.sport = 0xd00d;
	check(!xroce_qp_modify(x, &m), "to RTR");
	q.qpn = m.qpn;
	ret = xroce_qp_query(x, &q);
	check(!ret && q.qpn == m.qpn && q.pd == pd &&
	      q.type == XROCE_QPT_RC && q.state == XROCE_QPS_RTR && !q.flags &&
	      q.pid == (__u32)getpid(), "PD %u, type %u, state %u, pid %u",
	      q.pd, q.type, q.state, q.pid);
	check(q.access == m.access && q.pkey == m.pkey &&
	      q.path_mtu == m.path_mtu && q.dest_qpn == m.dest_qpn &&
	      q.rq_psn == m.rq_psn && q.min_rnr_timer == m.min_rnr_timer &&
	      q.max_dest_rd_atomic == m.max_dest_rd_atomic,
	      "access %#x, pkey %#x, MTU %u, peer %#x, PSN %#x, timer %u, READs %u",
	      q.access, q.pkey, q.path_mtu, q.dest_qpn, q.rq_psn,
	      q.min_rnr_timer, q.max_dest_rd_atomic);
	check(q.tos == m.tos && q.ttl == m.ttl && q.sport == m.sport &&
	      !memcmp(q.sgid, m.sgid, 16) && !memcmp(q.dgid, m.dgid, 16),
	      "tos %#x, ttl %u, sport %#x", q.tos, q.ttl, q.sport);
	check(!q.cause && !q.msn && !q.packets && !q.bytes && !q.duplicates &&
	      !q.naks, "it has seen no packet");
	check(!q.sq_entries && !q.sq_max_sge && !q.sq_max_inline && !q.sq_pending && !q.sq_psn,
	      "no send queue, but %u entries, next PSN %#x", q.sq_entries, q.sq_psn);

	live_map_get(LIVE_DEV, "qp", m.qpn & (LIVE_QP_ENTRIES - 1), &e);
	check(e.qpn == m.qpn && e.state == XROCE_QPS_RTR &&
	      e.type == XROCE_QPT_RC && e.pd == pd && e.access == m.access &&
	      e.pkey == m.pkey && e.dest_qpn == m.dest_qpn &&
	      e.sport == m.sport && e.mtu == 1024 && e.tos == m.tos &&
	      e.ttl == m.ttl && e.min_rnr_timer == m.min_rnr_timer &&
	      !e.ipv6 && !memcmp(e.saddr, m.sgid, 16) &&
	      !memcmp(e.daddr, m.dgid, 16), "the first line of the entry");
	check(!e.claim && e.epsn == m.rq_psn && !e.msn && !e.error &&
	      !e.nak_sent && e.op == XROCE_QP_OP_NONE && !e.resid,
	      "the second line of the entry");

	/* Attributes that are not given have their defaults. */
	check(!qp_move(x, m.qpn, XROCE_QPS_RESET, 0) &&
	      !qp_move(x, m.qpn, XROCE_QPS_INIT, XROCE_QP_ACCESS | XROCE_QP_PKEY) &&
	      !qp_move(x, m.qpn, XROCE_QPS_RTR, RTR_ATTRS), "once more to RTR");
	ret = xroce_qp_query(x, &q);
	check(!ret && q.ttl == 64 && q.sport >= 0xc000,
	      "%d: ttl %u, sport %#x", ret, q.ttl, q.sport);
}

PD_TEST(qp_destroy, "P2", "a deleted queue pair leaves a zero entry")
{
	static const struct xroce_qp zero;
	struct xroce_qp_query q = {};
	struct xroce_qp e;

	q.qpn = qp_in(x, pd, XROCE_QPS_RTS);
	check(!xroce_qp_del(x, q.qpn), "QP_DEL");
	check(xroce_qp_query(x, &q) == -ENOENT, "QP_QUERY after QP_DEL");
	check(xroce_qp_del(x, q.qpn) == -ENOENT, "QP_DEL twice");
	check(qp_move(x, q.qpn, XROCE_QPS_ERR, 0) == -ENOENT, "QP_MODIFY");
	live_map_get(LIVE_DEV, "qp", q.qpn & (LIVE_QP_ENTRIES - 1), &e);
	check(e.op == XROCE_QP_OP_NONE || !e.op, "op %#x", e.op);
	e.op = 0;	/* "no message" */
	check(e.generation, "the next one would pass for this one");
	e.generation = 0;
	check(!memcmp(&e, &zero, sizeof(e)), "the entry is not zero: number %#x",
	      e.qpn);
}

/* Numbers are in xroce's range, unique and unpredictable, and cover all slots of the table. */
PD_TEST(qp_numbers, "D3", "numbers are random, in range, and cover the table")
{
	struct xroce_qp_query q = { .flags = XROCE_F_NEXT };
	__u32 qpn[LIVE_QP_ENTRIES], more;
	unsigned int i, j, near = 0, found = 0;
	__u64 slots = 0;
	int ret;

	for (i = 0; i < LIVE_QP_ENTRIES; i++) {
		check(!xroce_qp_create_responder(x, 0, pd, &qpn[i]), "QP_ADD");
		check(qpn[i] >= XROCE_QPN_BASE && qpn[i] < XROCE_QPN_MCAST,
		      "%#x", qpn[i]);
		for (j = 0; j < i; j++)
			check(qpn[j] != qpn[i], "%#x twice", qpn[i]);
		slots |= 1ull << (qpn[i] & (LIVE_QP_ENTRIES - 1));
		near += i && qpn[i] - qpn[i - 1] + LIVE_QP_ENTRIES <
			     2 * LIVE_QP_ENTRIES;
	}
	check(!~slots, "places %#llx", slots);
	check(near < 3, "%u numbers are near their predecessor", near);
	check_is(xroce_qp_create_responder(x, 0, pd, &more), -ENOSPC, "one too many");
	while (found <= LIVE_QP_ENTRIES && !xroce_qp_query(x, &q)) {
		check((q.qpn & (LIVE_QP_ENTRIES - 1)) == found,
		      "%#x at place %u", q.qpn, found);
		if (++found == LIVE_QP_ENTRIES)
			break;
		q = (struct xroce_qp_query){
			.flags = XROCE_F_NEXT, .qpn = found,
		};
	}
	check(found == LIVE_QP_ENTRIES, "%u in the list", found);
	check(!xroce_qp_del(x, qpn[5]), "QP_DEL");
	ret = xroce_qp_create_responder(x, 0, pd, &more);
	check(!ret && more != qpn[5] && (more ^ qpn[5]) % LIVE_QP_ENTRIES == 0,
	      "in its place: %d, %#x after %#x", ret, more, qpn[5]);
}

HANDLE_TEST(qp_types, "D2", "RC, UC and UD")
{
	struct xroce_qp_add a = { .size = sizeof(a) };
	int ret;

	a.pd = live_pd(x);
	for (a.type = 0; a.type < 16; a.type++) {
		ret = live_ioctl(xroce_fd(x), XROCE_CMD_QP_ADD, &a);
		check(ret == (a.type >= XROCE_QPT_RC && a.type <= XROCE_QPT_UD ?
			      0 : -EOPNOTSUPP),
		      "type %u: %d", a.type, ret);
	}
}

/* Write fields of the entry that belong to the XDP program. */
static void write_entry(__u32 qpn, __u32 claim, __u8 error)
{
	__u32 slot = qpn & (LIVE_QP_ENTRIES - 1);
	struct xroce_qp e;

	live_map_get(LIVE_DEV, "qp", slot, &e);
	e.claim = claim;
	e.error = error;
	live_map_put(LIVE_DEV, "qp", slot, &e);
}

/* A packet ends the queue pair: the state is ERR at once, and QP_QUERY tells the cause. */
PD_TEST(qp_ended_by_packet, "D5", "an error in the map is reported as the state")
{
	struct xroce_qp_query q = {};
	int ret;

	q.qpn = qp_in(x, pd, XROCE_QPS_RTS);
	write_entry(q.qpn, 0, XROCE_CAUSE_ACC_BOUNDS);
	ret = xroce_qp_query(x, &q);
	check(!ret && q.state == XROCE_QPS_ERR &&
	      q.cause == XROCE_CAUSE_ACC_BOUNDS, "%d: state %u, cause %u", ret,
	      q.state, q.cause);
	check_is(qp_move(x, q.qpn, XROCE_QPS_RTS, 0), -EINVAL, "ERR to RTS");
	ret = qp_move(x, q.qpn, XROCE_QPS_RESET, 0) ? :
	      xroce_qp_query(x, &q);
	check(!ret && q.state == XROCE_QPS_RESET && !q.cause,
	      "%d, state %u, cause %u", ret, q.state, q.cause);
	ret = qp_move(x, q.qpn, XROCE_QPS_INIT, XROCE_QP_ACCESS | XROCE_QP_PKEY) ? :
	      qp_move(x, q.qpn, XROCE_QPS_RTR, RTR_ATTRS);
	check(!ret && qp_state(x, q.qpn) == XROCE_QPS_RTR, "again: %d", ret);
}

static __u64 now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ull + t.tv_nsec / 1000000;
}

/* A process that can write the map keeps the claim; the module stops waiting for it. */
PD_TEST(qp_claim_kept, "D5", "the wait for the claim is bounded")
{
	__u32 qpn, rtr;
	__u64 start;

	qpn = qp_in(x, pd, XROCE_QPS_INIT);
	rtr = qp_in(x, pd, XROCE_QPS_RTR);
	write_entry(qpn, 1, 0);
	write_entry(rtr, 1, 0);
	start = now_ms();
	check_is(qp_move(x, qpn, XROCE_QPS_RTR, RTR_ATTRS), -EBUSY, "to RTR");
	check(qp_state(x, qpn) == XROCE_QPS_INIT, "state %u", qp_state(x, qpn));
	check_is(qp_move(x, rtr, XROCE_QPS_RESET, 0), -EBUSY, "to RESET");
	check(qp_state(x, rtr) == XROCE_QPS_RTR, "state %u", qp_state(x, rtr));
	check_is(qp_move(x, rtr, XROCE_QPS_ERR, 0), 0, "to ERR");
	check(qp_state(x, rtr) == XROCE_QPS_ERR, "state %u", qp_state(x, rtr));
	write_entry(qpn, 0, 0);
	check_is(qp_move(x, qpn, XROCE_QPS_RTR, RTR_ATTRS), 0, "to RTR, the claim given back");
	check_is(xroce_qp_del(x, rtr), 0, "QP_DEL");
	check(now_ms() - start < 10000, "it took %llu ms", now_ms() - start);
}

TEST_MAIN(live_main_no_packets);
