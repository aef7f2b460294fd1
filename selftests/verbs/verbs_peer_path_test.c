// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a program chooses of the path is in its requests: traffic class and flow label, which also
 * tells the UDP source port; of connections and of datagrams, over IPv4 and IPv6.
 */
#include <errno.h>
#include <string.h>

#include "gid.h"
#include "verbs_peer.h"
#include "wire.h"

#define OWN6		"fd77::2"
#define PEER6		"fd77::1"
#define CLASS		0xb8u
#define ECN		0x03u		/* belongs to congestion control */
#define FLOW		0xa5c3fu
#define HOPS		64u		/* ib_core takes that of the route, not the program's */
#define LENGTH		100u

/* IBTA A17.9.2: of the 20 bits, the upper six are folded into the lower fourteen. */
static uint16_t port_of(uint32_t flow)
{
	return 0xc000 | ((flow & 0x3fff) ^ (flow >> 14));
}

static struct ibv_ah_attr path(bool ipv6)
{
	struct ibv_ah_attr attr = {
		.is_global = 1, .port_num = 1,
		.grh = { .sgid_index = xr_end.gid_index, .hop_limit = HOPS / 2,
			 .traffic_class = CLASS | ECN, .flow_label = FLOW },
	};
	struct packet to_us = packet_write(0);
	union ibv_gid own;

	memcpy(attr.grh.dgid.raw, to_us.saddr, sizeof(attr.grh.dgid.raw));
	if (ipv6) {
		gid_parse(OWN6, own.raw);
		attr.grh.sgid_index = gid_index(xr_end.ctx, own.raw);
		gid_parse(PEER6, attr.grh.dgid.raw);
	}
	return attr;
}

/* A request as it must be. */
static struct packet request(uint8_t opcode, bool ipv6)
{
	struct packet want = peer_request(opcode, 0);

	want.tos = CLASS;
	want.ttl = HOPS;
	want.sport = port_of(FLOW);
	want.payload = LENGTH;
	if (!ipv6)
		return want;
	want.ipv6 = true;
	want.frag = 0;
	want.flow = FLOW;
	gid_parse(OWN6, want.saddr);
	gid_parse(PEER6, want.daddr);
	return want;
}

static int to_rtr(const struct ibv_ah_attr *ah)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = WIRE_QPN,
		.max_dest_rd_atomic = 1, .min_rnr_timer = 1, .ah_attr = *ah,
	};

	return ibv_modify_qp(peer.qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			     IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			     IBV_QP_MIN_RNR_TIMER);
}

static int to_rts(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTS, .sq_psn = PEER_PSN };

	return ibv_modify_qp(peer.qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
			     IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC);
}

static void connection(bool ipv6)
{
	struct ibv_ah_attr ah = path(ipv6);
	struct packet want = request(XROCE_RC_SEND_ONLY, ipv6);
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	int ret;

	ret = end_state(peer.qp, IBV_QPS_RESET) ?:
	      end_step(&xr_end, peer.qp, NULL, 0, IBV_QPS_INIT) ?: to_rtr(&ah) ?: to_rts();
	if (!check(!ret, "to RTS: %s", strerror(ret)))
		return;
	peer_post(1, IBV_WR_SEND, LENGTH);
	peer_expect(&want);
	check(!ibv_query_qp(peer.qp, &attr, IBV_QP_AV, &init), "query");
	check(attr.ah_attr.grh.flow_label == FLOW && attr.ah_attr.grh.hop_limit == HOPS &&
	      attr.ah_attr.grh.traffic_class == (CLASS | ECN), "query: class %#x, flow %#x, hops %u",
	      attr.ah_attr.grh.traffic_class, attr.ah_attr.grh.flow_label,
	      attr.ah_attr.grh.hop_limit);
}

static void datagram(bool ipv6)
{
	struct ibv_sge sge = peer_sge(peer.out, LENGTH);
	struct ibv_send_wr wr = peer_wr(1, IBV_WR_SEND, &sge), *bad;
	struct packet want = request(XROCE_OP_UD | XROCE_RC_SEND_ONLY, ipv6);
	struct ibv_ah_attr attr = path(ipv6);
	struct ibv_ah *ah = ibv_create_ah(xr_end.pd, &attr);
	struct ibv_qp *qp = end_qp(&xr_end, IBV_QPT_UD, peer.cq, peer.cq, NULL, 1, 1);

	if (check(ah && qp, "objects") &&
	    check(!end_move(&xr_end, qp, &xr_end, 0, IBV_QPS_RTS), "RTS")) {
		wr.wr.ud.ah = ah;
		wr.wr.ud.remote_qpn = WIRE_QPN;
		wr.wr.ud.remote_qkey = END_QKEY;
		want.qkey = END_QKEY;
		want.sqpn = qp->qp_num;
		want.psn = END_PSN;
		want.ackreq = false;
		check(!ibv_post_send(qp, &wr, &bad), "post_send");
		peer_expect(&want);
	}
	if (qp)
		ibv_destroy_qp(qp);
	if (ah)
		ibv_destroy_ah(ah);
}

PEER_TEST(path_rc_ipv4, "Q1", "of a connection, IPv4") { connection(false); }
PEER_TEST(path_rc_ipv6, "Q1", "of a connection, IPv6") { connection(true); }
PEER_TEST(path_ud_ipv4, "Q1", "of datagrams, IPv4") { datagram(false); }
PEER_TEST(path_ud_ipv6, "Q1", "of datagrams, IPv6") { datagram(true); }

TEST_MAIN(harness_main);
