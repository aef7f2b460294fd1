// SPDX-License-Identifier: GPL-2.0-only
/*
 * Local users who want to be somebody else: with an address that is not theirs, as the peer of a
 * queue pair on the same link, or as a queue pair of another owner to its peer. And a host on the
 * segment that wants responses for somebody else.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include <linux/capability.h>

#include "counters.h"
#include "gid.h"
#include "live_qp.h"
#include "send_pair.h"
#include "siblings.h"
#include "wire.h"

static const struct wire_opts rc, uc = { .type = XROCE_QPT_UC };
static const struct wire_opts known = { .recv = true, .sq = 16 };
static const struct wire_opts known6 = { .recv = true, .sq = 16, .ipv6 = true };

#define OWN	"10.77.0.2"
#define PEER	"10.77.0.1"
#define BYTES	512u

static __u64 counted(size_t counter)
{
	struct xroce_stat now = live_stat();

	return ((__u64 *)&now)[counter];
}

struct goal {
	size_t counter;
	__u64 value;
};

static bool reached(void *arg)
{
	const struct goal *g = arg;

	return counted(g->counter) >= g->value;
}

/* Wait until a counter has moved by @n since it was @before. */
static void moves(size_t counter, __u64 before, __u64 n)
{
	struct goal g = { counter, before + n };

	check(live_wait(reached, &g), "%s moved by %lld, not %llu", counters_name(counter),
	      (long long)(counted(counter) - before), n);
}

/* @ret, a command's result, is @want, and @counter counts it if it is a refusal. */
static void refused(int ret, int want, size_t counter, __u64 before, const char *what)
{
	check(ret == want && counted(counter) - before == !!want,
	      "%s: %d, not %d; %s moved by %llu", what, ret, want, counters_name(counter),
	      counted(counter) - before);
}

/* Arguments of the change of @qpn to RTR with these addresses; NULL: those of live_qp.h. */
static struct xroce_qp_modify rtr(__u32 type, __u32 qpn, const char *own, const char *peer)
{
	struct xroce_qp_modify m = qp_change_of(type, qpn, XROCE_QPS_RTR,
						qp_attrs(type, XROCE_QPS_RTR));

	if (own)
		gid_parse(own, m.sgid);
	if (peer && type != XROCE_QPT_UD)
		gid_parse(peer, m.dgid);
	return m;
}

/* An unprivileged change of a queue pair to RTR with the own address returns @want. */
static void own_is(struct xroce *x, __u32 type, const char *own, int want)
{
	struct xroce_qp_modify m;
	__u32 pd = live_pd(x), qpn = qp_of_type(x, pd, type, XROCE_QPS_INIT);
	__u64 before = counted(COUNTER(own_refused));
	int ret;

	m = rtr(type, qpn, own, strchr(own, ':') ? "fd77::9" : NULL);
	live_drop_net_caps();
	ret = xroce_qp_modify(x, &m);
	live_restore_caps();
	refused(ret, want, COUNTER(own_refused), before, own);
	check(qp_state(x, qpn) == (want ? XROCE_QPS_INIT : XROCE_QPS_RTR), "%s: state %u", own,
	      qp_state(x, qpn));
	check(!xroce_qp_del(x, qpn) && !xroce_pd_del(x, pd), "delete");
}

/* Addresses of x0, a VLAN device and a bridge. Return: whether they are there. */
static bool addresses(void)
{
	return check_sh("ip addr add " OWN "/24 dev x0") &&
	       check_sh("ip addr add fd77::2/64 dev x0 nodad") &&
	       check_sh("ip link add link x0 name x0.5 type vlan id 5") &&
	       check_sh("ip addr add 10.77.5.2/24 dev x0.5") &&
	       check_sh("ip link set x0.5 up");
}

static void no_addresses(void)
{
	check_sh("ip link del x0.5");
	check_sh("ip addr flush dev x0");
}

HANDLE_TEST(identity_own, "I1", "an unprivileged user's own addresses are those of the device")
{
	static const __u32 types[] = { XROCE_QPT_RC, XROCE_QPT_UC, XROCE_QPT_UD };
	size_t i;

	if (!addresses())
		return;
	for (i = 0; i < 3; i++) {
		own_is(x, types[i], OWN, 0);
		own_is(x, types[i], "fd77::2", 0);
		own_is(x, types[i], "10.77.5.2", 0);
		own_is(x, types[i], PEER, -EADDRNOTAVAIL);
		own_is(x, types[i], "fd77::1", -EADDRNOTAVAIL);
		own_is(x, types[i], "127.0.0.1", -EADDRNOTAVAIL);
	}
	check_sh("ip addr add 10.77.9.2/24 dev x1");
	own_is(x, XROCE_QPT_RC, "10.77.9.2", -EADDRNOTAVAIL);
	check_sh("ip addr del 10.77.9.2/24 dev x1");
	no_addresses();
	own_is(x, XROCE_QPT_RC, OWN, -EADDRNOTAVAIL);
}

/* The address of the bridge of which x0 is a port, and of a VLAN device on top of it. */
HANDLE_TEST(identity_own_bridge, "I1", "and those of the bridge that the device is a port of")
{
	if (!check_sh("ip link add br7 type bridge") ||
	    !check_sh("ip addr add 10.77.7.2/24 dev br7") ||
	    !check_sh("ip link add link br7 name br7.6 type vlan id 6") ||
	    !check_sh("ip addr add 10.77.6.2/24 dev br7.6"))
		return;
	own_is(x, XROCE_QPT_RC, "10.77.7.2", -EADDRNOTAVAIL);
	if (check_sh("ip link set x0 master br7")) {
		own_is(x, XROCE_QPT_RC, "10.77.7.2", 0);
		own_is(x, XROCE_QPT_RC, "10.77.6.2", 0);
		check_sh("ip link set x0 nomaster");
	}
	check_sh("ip link del br7");
}

/* Either capability allows any address. */
HANDLE_TEST(identity_own_capable, "I1", "with CAP_NET_ADMIN or CAP_NET_RAW any")
{
	static const int dropped[] = { CAP_NET_ADMIN, CAP_NET_RAW };
	__u64 before = counted(COUNTER(own_refused));
	__u32 pd = live_pd(x), qpn;
	struct xroce_qp_modify m;
	int i, ret;

	for (i = 0; i < 2; i++) {
		qpn = qp_in(x, pd, XROCE_QPS_INIT);
		m = rtr(XROCE_QPT_RC, qpn, PEER, "10.77.0.7");
		live_drop_cap(dropped[i]);
		ret = xroce_qp_modify(x, &m);
		live_restore_caps();
		refused(ret, 0, COUNTER(own_refused), before, "with a capability");
	}
}

/* A queue pair in RTR with the own address sends with the VLAN of that address only. */
HANDLE_TEST(identity_own_vlan, "I1", "in the VLAN that has the address")
{
	static const struct {
		const char *own;
		__u16 tci;
		int want;
	} cases[] = {
		{ OWN, 0, 0 }, { OWN, 5, -EADDRNOTAVAIL }, { "10.77.5.2", 0, -EADDRNOTAVAIL },
		{ "10.77.5.2", 5 | 3 << 13, 0 }, { "10.77.5.2", 6, -EADDRNOTAVAIL },
	};
	struct pair p;
	struct xroce_qp_modify m;
	__u64 before;
	size_t i;
	int ret;

	if (!addresses() || !pair_open(&p, x, XROCE_QPT_RC))
		return;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		check(!qp_move(x, p.a.qpn, XROCE_QPS_RESET, 0) &&
		      !qp_move(x, p.a.qpn, XROCE_QPS_INIT,
			       qp_attrs(XROCE_QPT_RC, XROCE_QPS_INIT)), "to INIT");
		m = rtr(XROCE_QPT_RC, p.a.qpn, cases[i].own, NULL);
		live_drop_net_caps();
		check(!xroce_qp_modify(x, &m), "to RTR");
		before = counted(COUNTER(own_refused));
		m = qp_change(p.a.qpn, XROCE_QPS_RTS, RTS_SEND_ATTRS);
		m.vlan_tci = cases[i].tci;
		ret = xroce_qp_modify(x, &m);
		refused(ret, cases[i].want, COUNTER(own_refused), before, cases[i].own);
		live_restore_caps();
	}
	pair_close(&p);
	no_addresses();
}

/* A queue pair of @x that tries to be connected with the peer @peer:@dest, without privileges. */
static int meets(struct xroce *x, __u32 qpn, const char *peer, __u32 dest, bool privileged)
{
	struct xroce_qp_modify m = rtr(XROCE_QPT_RC, qpn, NULL, peer);
	int ret;

	m.dest_qpn = dest;
	if (!privileged)
		live_drop_net_caps();
	ret = xroce_qp_modify(x, &m);
	live_restore_caps();
	return ret;
}

/* Two owners, each with a queue pair in INIT, and one that has the peer. */
struct owners {
	struct xroce *x, *y;
	__u32 pd, pd2, has, wants;
};

static bool owners_open(struct owners *o, struct xroce *x, bool privileged)
{
	*o = (struct owners){ .x = x, .y = live_open() };
	if (!o->y || !addresses())
		return false;
	o->pd = live_pd(o->x);
	o->pd2 = live_pd(o->y);
	o->has = qp_in(o->x, o->pd, XROCE_QPS_INIT);
	o->wants = qp_in(o->y, o->pd2, XROCE_QPS_INIT);
	return o->has && o->wants &&
	       check(!meets(o->x, o->has, PEER, 0x11, privileged), "the first");
}

static void owners_close(struct owners *o)
{
	xroce_close(o->y);
	no_addresses();
}

static void taken(struct owners *o, int want, const char *what)
{
	__u64 before = counted(COUNTER(peer_refused));
	int ret = meets(o->y, o->wants, PEER, 0x11, false);

	refused(ret, want, COUNTER(peer_refused), before, what);
	check(qp_state(o->y, o->wants) == (want ? XROCE_QPS_INIT : XROCE_QPS_RTR), "%s: state %u",
	      what, qp_state(o->y, o->wants));
}

/* Back to INIT. */
static void again(struct owners *o)
{
	check(!qp_move(o->y, o->wants, XROCE_QPS_RESET, 0) &&
	      !qp_move(o->y, o->wants, XROCE_QPS_INIT, qp_attrs(XROCE_QPT_RC, XROCE_QPS_INIT)),
	      "to INIT");
}

HANDLE_TEST(identity_peer, "I3", "no connection with the peer of another owner")
{
	struct owners o;
	__u32 second;

	if (!owners_open(&o, x, false))
		return;
	taken(&o, -EADDRINUSE, "another owner");
	second = qp_in(o.x, o.pd, XROCE_QPS_INIT);
	check(!meets(o.x, second, PEER, 0x11, false), "the same owner");
	check(!xroce_qp_del(o.x, second), "delete");
	taken(&o, -EADDRINUSE, "another owner, later");
	check(!meets(o.y, o.wants, PEER, 0x12, false), "another number");
	again(&o);
	check(!meets(o.y, o.wants, "10.77.0.9", 0x11, false), "another address");
	again(&o);
	/* In RTS and SQD the peer stays taken; in ERR and RESET it is free. */
	check(!qp_move(o.x, o.has, XROCE_QPS_RTS, 0), "RTS");
	taken(&o, -EADDRINUSE, "in RTS");
	check(!qp_move(o.x, o.has, XROCE_QPS_SQD, 0), "SQD");
	taken(&o, -EADDRINUSE, "in SQD");
	check(!qp_move(o.x, o.has, XROCE_QPS_ERR, 0), "ERR");
	taken(&o, 0, "in ERR");
	again(&o);
	check(!qp_move(o.x, o.has, XROCE_QPS_RESET, 0) &&
	      !qp_move(o.x, o.has, XROCE_QPS_INIT, qp_attrs(XROCE_QPT_RC, XROCE_QPS_INIT)) &&
	      !meets(o.x, o.has, PEER, 0x11, false), "connected again");
	taken(&o, -EADDRINUSE, "connected again");
	check(!xroce_qp_del(o.x, o.has), "delete");
	taken(&o, 0, "deleted");
	owners_close(&o);
}

/* A UD queue pair of @x has come to RTR, without privileges. */
static void listens(struct xroce *x, __u32 pd, const char *what)
{
	__u32 qpn = qp_of_type(x, pd, XROCE_QPT_UD, XROCE_QPS_INIT);
	struct xroce_qp_modify m = rtr(XROCE_QPT_UD, qpn, NULL, NULL);

	live_drop_net_caps();
	check_is(xroce_qp_modify(x, &m), 0, "%s", what);
	live_restore_caps();
}

/* Nor is anybody kept from what connects with nobody: datagrams, and other changes. */
HANDLE_TEST(identity_peer_none, "I3", "what connects with nobody takes no peer from anybody")
{
	struct owners o;
	__u32 has, wants;

	if (!owners_open(&o, x, false))
		return;
	listens(o.x, o.pd, "datagrams");
	listens(o.y, o.pd2, "datagrams of another owner");
	has = qp_in(o.x, o.pd, XROCE_QPS_INIT);
	wants = qp_in(o.y, o.pd2, XROCE_QPS_INIT);
	live_drop_net_caps();
	check_is(qp_move(o.x, has, XROCE_QPS_INIT, XROCE_QP_ACCESS), 0, "rights");
	check_is(qp_move(o.y, wants, XROCE_QPS_INIT, XROCE_QP_ACCESS), 0,
		 "rights of another owner's");
	live_restore_caps();
	/* The same number elsewhere: later changes without an address concern no peer. */
	check(!meets(o.y, o.wants, "10.77.0.9", 0x11, false), "another address");
	live_drop_net_caps();
	check_is(qp_move(o.x, o.has, XROCE_QPS_RTS, 0), 0, "RTS");
	check_is(qp_move(o.y, o.wants, XROCE_QPS_RTS, 0), 0, "RTS of another owner's");
	live_restore_caps();
	owners_close(&o);
}

/* A change of the address in SQD, which may not take what is another's either. */
HANDLE_TEST(identity_peer_moves, "I3", "not by a later change of the address either")
{
	struct xroce_qp_modify m;
	struct owners o;
	__u64 before;

	if (!owners_open(&o, x, false))
		return;
	check(!meets(o.y, o.wants, "10.77.0.9", 0x11, false) &&
	      !qp_move(o.y, o.wants, XROCE_QPS_RTS, 0) &&
	      !qp_move(o.y, o.wants, XROCE_QPS_SQD, 0), "SQD");
	m = qp_change(o.wants, XROCE_QPS_SQD, XROCE_QP_AV);
	before = counted(COUNTER(peer_refused));
	live_drop_net_caps();
	refused(xroce_qp_modify(o.y, &m), -EADDRINUSE, COUNTER(peer_refused), before, "in SQD");
	check(!qp_move(o.x, o.has, XROCE_QPS_RTS, 0) && !qp_move(o.x, o.has, XROCE_QPS_SQD, 0),
	      "SQD");
	m = qp_change(o.has, XROCE_QPS_SQD, XROCE_QP_AV);
	gid_parse("10.77.0.8", m.dgid);
	check(!xroce_qp_modify(o.x, &m), "moves on");
	m = qp_change(o.wants, XROCE_QPS_SQD, XROCE_QP_AV);
	check(!xroce_qp_modify(o.y, &m), "follows");
	live_restore_caps();
	owners_close(&o);
}

/* A packet that ends the connection frees the peer, too. */
WIRE_TEST(identity_peer_fails, "I3", "a connection that has failed has no peer", &rc)
{
	struct xroce *y = live_open();
	__u32 pd, qpn;

	if (!y)
		return;
	pd = live_pd(y);
	qpn = qp_in(y, pd, XROCE_QPS_INIT);
	if (!addresses())
		return;
	check(meets(y, qpn, PEER, WIRE_QPN, false) == -EADDRINUSE, "connected");
	w->req.rkey ^= 1;
	wire_counted(w, COUNTER(acc_key));
	check(!meets(y, qpn, PEER, WIRE_QPN, false), "failed");
	no_addresses();
	xroce_close(y);
}

/*
 * Whoever may send any packet gets the peer: a queue pair that was connected without this right
 * ends, with an event, one that was connected with it stays.
 */
HANDLE_TEST(identity_peer_privileged, "I3", "root gets the peer that somebody occupies")
{
	struct xroce_async event;
	struct owners o;
	__u32 second;
	__u64 before;

	if (!owners_open(&o, x, false))
		return;
	before = counted(COUNTER(peer_refused));
	check(!meets(o.y, o.wants, PEER, 0x11, true), "with privileges");
	check(qp_state(o.x, o.has) == XROCE_QPS_ERR, "state %u", qp_state(o.x, o.has));
	check(!xroce_async_next(o.x, &event) && event.type == XROCE_EVENT_QP_FATAL &&
	      event.id == o.has, "event");
	check(counted(COUNTER(peer_refused)) - before == 1, "counted %llu",
	      counted(COUNTER(peer_refused)) - before);
	check(!qp_move(o.x, o.has, XROCE_QPS_RESET, 0) &&
	      !qp_move(o.x, o.has, XROCE_QPS_INIT, qp_attrs(XROCE_QPT_RC, XROCE_QPS_INIT)),
	      "to INIT");
	check(meets(o.x, o.has, PEER, 0x11, false) == -EADDRINUSE, "without them");
	check(!meets(o.x, o.has, PEER, 0x11, true), "both with them");
	check(qp_state(o.y, o.wants) == XROCE_QPS_RTR && qp_state(o.x, o.has) == XROCE_QPS_RTR,
	      "states");
	/* When the other has gone, it is the peer of one owner again. */
	check(!xroce_qp_del(o.y, o.wants), "delete");
	second = qp_in(o.x, o.pd, XROCE_QPS_INIT);
	check(!meets(o.x, second, PEER, 0x11, false), "the same owner, without them");
	owners_close(&o);
}

/* Another link of the machine: the address may be that of a bridge or bond that both are below. */
HANDLE_TEST(identity_peer_link, "I3", "the same on another link")
{
	struct owners o;
	struct xroce *z;
	__u32 qpn;

	if (!owners_open(&o, x, false))
		return;
	if (check(!live_attach(LIVE_SPARE, LIVE_SPARE_ENTRIES, LIVE_SPARE_ENTRIES), "attach")) {
		check_sh("ip addr add " OWN "/32 dev x1");
		z = xroce_open(LIVE_SPARE);
		qpn = qp_in(z, live_pd(z), XROCE_QPS_INIT);
		check(meets(z, qpn, PEER, 0x11, false) == -EADDRINUSE, "refused");
		check(!meets(z, qpn, PEER, 0x12, false), "another");
		xroce_close(z);
		check_sh("ip addr del " OWN "/32 dev x1");
		check(!live_detach(LIVE_SPARE, 0), "detach");
	}
	owners_close(&o);
}

/*
 * A queue pair of the same link, which says that it is the peer, with the right PSN and key. What
 * it says is true in every field of its packets: only the module knows better.
 */
static void loop(struct wire *w)
{
	struct xroce_connect c = {
		.size = sizeof(c),
		.dest_qpn = w->qpn,
		.sq_psn = WIRE_PSN,
		.dmac = { 2, 0, 0, 0, 0, 2 },
	};
	__u64 before = counted(COUNTER(drop_peer)), writes = counted(COUNTER(write));
	struct xroce_sge_local sge;
	struct xroce_wr wr;
	struct pair p;

	if (!pair_open(&p, w->x, w->opts.type ? : XROCE_QPT_RC))
		return;
	c.qpn = p.a.qpn;
	memcpy(c.sgid, w->req.saddr, 16);
	memcpy(c.dgid, w->req.daddr, 16);
	check(!xroce_qp_connect(w->x, &c), "connect");
	wr = pair_request(&p, XROCE_WR_RDMA_WRITE, &sge, 0, BYTES);
	wr.rkey = w->mr.rkey;
	wr.addr = w->mr.iova;
	check(!xroce_post_send(p.a.send, &wr, 1), "post");
	moves(COUNTER(drop_peer), before, 1);
	check(counted(COUNTER(write)) == writes, "%llu packets were executed",
	      counted(COUNTER(write)) - writes);
	wire_untouched(w);
	pair_close(&p);
}

/*
 * Responses by the loop: a host on the segment makes a queue pair send them to the device's own
 * address, for a queue pair that has another peer.
 */
WIRE_TEST(identity_loop_response, "I2", "responses by the loop come from the peer, too", &rc)
{
	struct wire_opts opts = { .with = w, .peer = w->qpn };
	__u64 before = counted(COUNTER(drop_peer)), other = counted(COUNTER(drop_opcode));
	struct wire v;

	if (!wire_open(&v, &opts))
		return;
	memcpy(v.req.src_mac, v.req.dst_mac, 6);
	v.req.opcode = XROCE_RC_READ_REQUEST;
	v.req.dmalen = 4096;
	v.req.payload = 0;
	wire_send(&v);
	moves(COUNTER(drop_peer), before, 4);
	check(counted(COUNTER(drop_opcode)) == other, "responses came through");
	wire_close(&v);
}

static void forge_mac(struct wire *w)
{
	w->req.src_mac[5] = 0x66;
}

/* An ACK, a short READ, a long one, and an atomic, for requests with another Ethernet address. */
static void mac(struct wire *w)
{
	struct packet got;
	uint32_t i;

	forge_mac(w);
	wire_send(w);
	wire_expect_ack(w, WIRE_PSN, 1);

	w->req.opcode = XROCE_RC_FETCH_ADD;
	w->req.payload = 0;
	w->req.psn = WIRE_PSN + 1;
	wire_send(w);
	check(wire_take(w, WIRE_MS, &got, NULL) && got.dst_mac[5] == 1, "atomic: to %#x",
	      got.dst_mac[5]);

	w->req.opcode = XROCE_RC_READ_REQUEST;
	w->req.psn = WIRE_PSN + 2;
	wire_send(w);
	check(wire_take(w, WIRE_MS, &got, NULL) && got.dst_mac[5] == 1 && got.src_mac[5] == 2,
	      "READ of 64 bytes: to %#x", got.dst_mac[5]);

	w->req.psn = WIRE_PSN + 3;
	w->req.dmalen = 4096;
	wire_send(w);
	for (i = 0; i < 4; i++)
		check(wire_take(w, WIRE_MS, &got, NULL) && got.dst_mac[5] == 1 &&
		      got.src_mac[5] == 2, "packet %u of a READ: to %#x", i, got.dst_mac[5]);

	/* A NAK. */
	w->req.psn = WIRE_PSN + 9;
	wire_send(w);
	check(wire_take(w, WIRE_MS, &got, NULL) && got.dst_mac[5] == 1, "NAK: to %#x",
	      got.dst_mac[5]);
}

WIRE_TEST(identity_mac_cnp, "I4", "and congestion notifications", &known)
{
	struct packet got = {};
	int i;

	forge_mac(w);
	w->req.tos = XROCE_ECN_CE;
	w->req.ackreq = false;
	wire_send(w);
	for (i = 0; i < 2 && wire_take(w, WIRE_MS, &got, NULL); i++)
		if (got.opcode == XROCE_OP_CNP)
			break;
	check(got.opcode == XROCE_OP_CNP && got.dst_mac[5] == 1, "opcode %#x to %#x", got.opcode,
	      got.dst_mac[5]);
}

WIRE_TEST(identity_loop_RC, "I2", "the peer of a queue pair is not another one of the link", &rc)
{
	loop(w);
}

WIRE_TEST(identity_loop_UC, "I2", "the same on UC", &uc) { loop(w); }
WIRE_TEST(identity_mac, "I4", "responses go to the peer's Ethernet address", &known) { mac(w); }
WIRE_TEST(identity_mac_ipv6, "I4", "the same over IPv6", &known6) { mac(w); }

TEST_MAIN(live_main);
