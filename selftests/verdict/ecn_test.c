// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets that a switch has marked, and received congestion notifications: how the program
 * counts them. cnp_test checks that notifications are sent, and how often.
 */
#include "harness.h"
#include "scene.h"

#define ECN_CE	3
#define DSCP	(26 << 2)

/* Each code point on a WRITE that is executed; only CE is counted. */
static void code_points(bool ipv6)
{
	unsigned int ecn;
	struct scene s;

	if (!scene_init(&s))
		return;
	if (ipv6)
		scene_ipv6(&s);
	for (ecn = 0; ecn < 8 && !test_failed(); ecn++) {
		s.req.tos = (ecn & 4 ? DSCP : 0) | (ecn & 3);
		s.req.psn = s.qp.epsn;
		expect_write(&s);
		if (test_failed())
			note("tos %#x", s.req.tos);
	}
}

TEST(ecn_ipv4, "D5 D6", "each ECN code point, with DSCP and without") { code_points(false); }
TEST(ecn_ipv6, "D1 D5 D6", "each ECN code point, with DSCP and without") { code_points(true); }

/* In IPv6 the field lies between the DSCP and the flow label. */
SCENE_TEST(ecn_neighbours_ipv6, "D1 D5", "DSCP and flow label are not the ECN field")
{
	scene_ipv6(s);
	s->req.tos = 0xfc;
	s->req.flow = 0xfffff;
	expect_write(s);
	s->req.tos = ECN_CE;
	s->req.flow = 0;
	s->req.psn = s->qp.epsn;
	expect_write(s);
}

/* The tag control information of a VLAN tag is not the ECN field. */
SCENE_TEST(ecn_tagged, "D1 D5", "the ECN field behind a VLAN tag")
{
	s->req.vlans = 1;
	s->req.vlan[0].tpid = 0x8100;
	s->req.vlan[0].tci = 3;
	s->req.tos = 0;
	expect_write(s);
	s->req.vlan[0].tci = 0;
	s->req.tos = ECN_CE;
	s->req.psn = s->qp.epsn;
	expect_write(s);
}

/* The packet passed the congested queue, so it counts whether or not it is executed. */
TEST(ecn_not_executed, "D5 D6", "marked duplicates, refused requests and READs count")
{
	struct scene fresh, s;

	if (!scene_init(&fresh))
		return;
	fresh.req.tos = ECN_CE;
	expect_accepted(&fresh);

	s = fresh;
	s.req.psn--;
	scene_put(&s);
	expect_duplicate(&s);

	s = fresh;
	s.req.psn += 2;
	scene_put(&s);
	expect_nak_seq(&s);
	expect_drop(&s, COUNTER(drop_psn));

	s = fresh;
	s.req.rkey ^= 1;
	expect_refused(&s, XROCE_CAUSE_ACC_KEY);

	s = fresh;
	scene_request(&s, XROCE_RC_READ_REQUEST);
	s.req.tos = ECN_CE;
	scene_put(&s);
	expect_kept(&s);
}

/* A packet that fails a check may not be from a peer of ours: it does not count. */
SCENE_TEST(ecn_not_admitted, "D5 D6", "marked packets that fail a check do not count")
{
	s->req.tos = ECN_CE;
	EXPECT_DROP_IF(s, t.req.udp_adjust = 4, drop_length);
	EXPECT_DROP_IF(s, t.req.ip_csum_flip = 1, drop_checksum);
	EXPECT_DROP_IF(s, t.req.tver = 1, drop_tver);
	EXPECT_DROP_IF(s, t.req.dqpn ^= 0x400000, drop_qpn);
	EXPECT_DROP_IF(s, t.req.opcode = XROCE_RC_ACK, drop_opcode);
	EXPECT_DROP_IF(s, t.qp.state = XROCE_QPS_INIT, drop_state);
	EXPECT_DROP_IF(s, t.qp.error = XROCE_CAUSE_ACC_PD, drop_error);
	EXPECT_DROP_IF(s, t.req.saddr[15] ^= 1, drop_addr);
	EXPECT_DROP_IF(s, t.req.pkey = 0x8001, drop_pkey);
	EXPECT_DROP_IF(s, t.qp.claim = 1, drop_busy);
	scene_put(s);
	s->req.dqpn = XROCE_QPN_BASE - 1;
	expect_pass(s, COUNTER(pass));
}

/* A connected service notifies its peer; the sender of a datagram is not notified. */
SCENE_TEST(ecn_services, "D2 D5", "UC peers are notified, senders of datagrams are not")
{
	s->qp.type = XROCE_QPT_UC;
	scene_put(s);
	s->req.opcode |= XROCE_OP_UC;
	s->req.tos = ECN_CE;
	expect_write(s);

	if (!scene_init(s))
		return;
	s->qp.type = XROCE_QPT_UD;
	s->qp.recv = 1;
	s->qp.qkey = 77;
	scene_put(s);
	s->req.opcode = XROCE_OP_UD | XROCE_RC_SEND_ONLY;
	s->req.qkey = 77;
	s->req.tos = ECN_CE;
	expect_send(s);
	s->req.qkey++;
	expect_drop(s, COUNTER(drop_qkey));
}

/* Set up a congestion notification from the peer. */
static bool stage_cnp(struct scene *s)
{
	if (!scene_init(s))
		return false;
	packet_cnp(&s->req);
	return true;
}

static void expect_cnp(struct scene *s)
{
	s->qp.req_cnps++;
	expect_drop(s, COUNTER(cnp_rx));
}

/* A congestion notification is counted, for the requester, too; its PSN is ignored. */
TEST(cnp_received, "D5 D6", "a received notification is counted")
{
	struct scene s;

	if (!stage_cnp(&s))
		return;
	expect_cnp(&s);
	s.req.psn = s.qp.epsn;
	s.req.becn = false;
	s.req.mig = true;
	expect_cnp(&s);
	/* A marked notification does not cause another one. */
	s.req.tos = ECN_CE;
	expect_cnp(&s);
	s.qp.type = XROCE_QPT_UC;
	scene_put(&s);
	expect_cnp(&s);
	scene_ipv6(&s);
	expect_cnp(&s);
}

static void anew(struct scene *s, const struct scene *fresh)
{
	*s = *fresh;
	scene_put(s);
}

TEST(cnp_refused, "D5 D6", "notifications with a wrong length, peer, partition or state")
{
	struct scene fresh, s;
	uint32_t bytes;

	if (!stage_cnp(&fresh))
		return;
	for (bytes = 0; bytes <= 32 && !test_failed(); bytes += 4) {
		anew(&s, &fresh);
		s.req.payload = bytes;
		if (bytes != 16)
			expect_drop(&s, COUNTER(drop_opcode));
	}
	anew(&s, &fresh);
	s.req.payload = 15;
	s.req.pad = 1;
	expect_drop(&s, COUNTER(drop_opcode));
	anew(&s, &fresh);
	s.req.daddr[15] ^= 1;
	expect_drop(&s, COUNTER(drop_addr));
	anew(&s, &fresh);
	s.req.pkey = 0x8001;
	expect_drop(&s, COUNTER(drop_pkey));
	anew(&s, &fresh);
	s.req.dqpn ^= 0x400000;
	expect_drop(&s, COUNTER(drop_qpn));
	anew(&s, &fresh);
	s.qp.state = XROCE_QPS_INIT;
	scene_put(&s);
	expect_drop(&s, COUNTER(drop_state));
	s.qp.state = XROCE_QPS_ERR;
	scene_put(&s);
	expect_drop(&s, COUNTER(drop_error));
}

TEST_MAIN(native_main);
