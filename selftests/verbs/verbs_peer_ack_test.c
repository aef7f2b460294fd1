// SPDX-License-Identifier: GPL-2.0-only
/*
 * Acknowledgements to a reliable connection, of a peer that is not always right: which of them are
 * taken, and what they complete.
 */
#include "counters.h"
#include "verbs_peer.h"

PEER_TEST(ack_completes, "Q2 Q4", "an acknowledgement completes a message")
{
	peer_post(1, IBV_WR_SEND, 4);
	peer_expect_send(0, 4);
	peer_incomplete();
	peer_ack(0);
	peer_completes(1, IBV_WC_SUCCESS);
	check(peer_map().req_responses == 1, "responses: %llu", peer_map().req_responses);
}

/* A congested switch has marked the response: its sender is told, and it counts. */
PEER_TEST(ack_marked, "Q2 D5", "a marked acknowledgement, and a congestion notification")
{
	struct packet ack = peer_response(XROCE_RC_ACK, 0);

	peer_post(1, IBV_WR_SEND, 4);
	peer_expect_send(0, 4);
	ack.tos |= 3;
	peer_counted(&ack, COUNTER(ecn_ce));
	peer_completes(1, IBV_WC_SUCCESS);
	peer_expect_cnp();
	peer_quiet();
}

PEER_TEST(ack_coalesced, "Q2 Q4", "one acknowledgement of several messages")
{
	struct packet ack = peer_response(XROCE_RC_ACK, 1);

	peer_post_many(1, IBV_WR_SEND, 4, 3);
	peer_expect_three();
	peer_counted(&ack, COUNTER(req_rx));
	peer_completes(1, IBV_WC_SUCCESS);
	peer_completes(2, IBV_WC_SUCCESS);
	peer_incomplete();
	peer_ack(2);
	peer_completes(3, IBV_WC_SUCCESS);
}

PEER_TEST(ack_partial, "Q2", "of a part of a message")
{
	struct packet ack = peer_response(XROCE_RC_ACK, 1);

	peer_post(1, IBV_WR_SEND, 3 * PEER_MTU);
	peer_counted(&ack, COUNTER(req_rx));
	peer_incomplete();
	ack.psn = (PEER_PSN + 2) & XROCE_PSN_MASK;
	peer_send(&ack);
	peer_completes(1, IBV_WC_SUCCESS);
}

/* All values of the credit count, of which only one means that there is none. */
PEER_TEST(ack_credits, "Q2", "credits are ignored")
{
	uint32_t i;

	for (i = 0; i < 32; i++) {
		peer_post(i, IBV_WR_SEND, 4);
		peer_nak(i, i);
		peer_completes(i, IBV_WC_SUCCESS);
	}
}

PEER_TEST(ack_unsent, "Q2", "PSNs that have not been sent")
{
	static const uint32_t ahead[] = { 1, 2, 1000, 0x7ffffe };
	struct packet ack;
	uint32_t i;

	peer_post(1, IBV_WR_SEND, 4);
	for (i = 0; i < ARRAY_SIZE(ahead); i++) {
		ack = peer_response(XROCE_RC_ACK, ahead[i]);
		peer_ignored(&ack);
		ack.syndrome = XROCE_SYN_NAK_INV;
		peer_ignored(&ack);
	}
	peer_incomplete();
	peer_ack(0);
	peer_completes(1, IBV_WC_SUCCESS);
}

PEER_TEST(ack_old, "Q2", "PSNs that are acknowledged")
{
	static const uint32_t behind[] = { 1, 2, 1000, 0x7ffffe };
	struct packet ack;
	uint32_t i;

	peer_post_many(1, IBV_WR_SEND, 4, 2);
	peer_ack(0);
	peer_completes(1, IBV_WC_SUCCESS);
	for (i = 0; i < ARRAY_SIZE(behind); i++) {
		ack = peer_response(XROCE_RC_ACK, 1 - behind[i]);
		peer_ignored(&ack);
		ack.syndrome = XROCE_SYN_NAK_SEQ;
		peer_ignored(&ack);
		ack.syndrome = XROCE_SYN_NAK_INV;
		peer_ignored(&ack);
	}
	peer_incomplete();
	peer_ack(1);
	peer_completes(2, IBV_WC_SUCCESS);
	ack = peer_response(XROCE_RC_ACK, 1);
	peer_ignored(&ack);
}

/* The map claims that more has been sent. The module knows better. */
PEER_TEST(ack_map_lies, "Q2 D5", "PSNs that only the map says to have been sent")
{
	struct packet ack = peer_response(XROCE_RC_ACK, 3);
	struct xroce_qp lie;

	peer_post(1, IBV_WR_SEND, 4);
	peer_expect_send(0, 4);
	lie = peer_map();
	lie.req_top = (lie.req_top + 5) & XROCE_PSN_MASK;
	peer_map_put(lie);
	peer_ignored(&ack);
	peer_map_put(lie);
	ack.syndrome = XROCE_SYN_NAK_SEQ;
	peer_ignored(&ack);
	peer_incomplete();
	peer_ack(0);
	peer_completes(1, IBV_WC_SUCCESS);
}

/* Packets that are not the peer's. */
PEER_TEST(ack_foreign, "Q2 D4 D6", "wrong address, partition, ICRC, number, service, length")
{
	struct packet ack, bad;

	peer_post(1, IBV_WR_SEND, 4);
	ack = peer_response(XROCE_RC_ACK, 0);
	peer_foreign(&ack);
	bad = ack;
	bad.opcode |= XROCE_OP_UC;
	peer_counted(&bad, COUNTER(drop_opcode));
	bad = ack;
	bad.payload = 4;
	peer_counted(&bad, COUNTER(drop_length));
	peer_incomplete();
	peer_send(&ack);
	peer_completes(1, IBV_WC_SUCCESS);
}

/* Send @bad with the invariant CRC of @good. */
static void icrc_stale(const struct packet *good, struct packet bad)
{
	packet_stale(&bad, good);
	peer_counted(&bad, COUNTER(drop_icrc));
}

/* Change one after the other the bits that vary between the responses of a connection. */
static void icrc_fields(const struct packet *good)
{
	struct packet bad = *good;
	uint32_t i;

	for (i = 0; packet_vary(&bad, i) && !test_failed(); i++) {
		icrc_stale(good, bad);
		packet_vary(&bad, i);
	}
	for (i = 0; i < 24; i++) {
		bad.msn = good->msn ^ 1 << i;
		icrc_stale(good, bad);
	}
	bad.msn = good->msn;
	for (i = 0; i < 8; i++) {
		bad.syndrome = good->syndrome ^ 1 << i;
		icrc_stale(good, bad);
	}
}

/* Send a response with unusual fields, and the invariant CRC of these. */
static void icrc_unusual(struct packet p)
{
	p.ip_id = 0xa55a;
	p.frag ^= 0x4000;
	p.sport ^= 0x5aa5;
	p.tos = 0xfc;
	p.ttl = 3;
	p.udp_csum = 0x1234;
	p.se = !p.se;
	p.mig = !p.mig;
	p.ackreq = !p.ackreq;
	p.msn = 0xa5a5a5;
	peer_send(&p);
}

PEER_TEST(ack_icrc, "Q2 D4", "an acknowledgement whose fields and ICRC do not agree")
{
	struct packet ack = peer_response(XROCE_RC_ACK, 0);

	peer_post(1, IBV_WR_SEND, 4);
	icrc_fields(&ack);
	peer_incomplete();
	icrc_unusual(ack);
	peer_completes(1, IBV_WC_SUCCESS);
}

PEER_TEST(atomic_icrc, "Q2 D4", "the result of an atomic whose fields and ICRC do not agree")
{
	struct packet result = peer_response(XROCE_RC_ATOMIC_ACK, 0), bad;
	uint32_t bit;

	result.orig = PEER_SWAP;
	peer_post(1, IBV_WR_ATOMIC_FETCH_AND_ADD, 8);
	icrc_fields(&result);
	bad = result;
	for (bit = 0; bit < 64; bit++) {
		bad.orig = result.orig ^ 1ull << bit;
		icrc_stale(&result, bad);
	}
	peer_incomplete();
	peer_received(0);
	icrc_unusual(result);
	peer_completes(1, IBV_WC_SUCCESS);
}

PEER_TEST(ack_reserved, "Q2", "reserved syndromes are ignored")
{
	struct packet nak;
	uint32_t i;

	peer_post(1, IBV_WR_SEND, 4);
	nak = peer_response(XROCE_RC_ACK, 0);
	for (i = 0x40; i < 0x100; i++) {
		/* NAKs with a meaning are 0x60 to 0x63. */
		if (i >= XROCE_SYN_NAK_SEQ && i <= XROCE_SYN_NAK_OP)
			continue;
		nak.syndrome = i;
		peer_ignored(&nak);
	}
	peer_incomplete();
	peer_ack(0);
	peer_completes(1, IBV_WC_SUCCESS);
}

/* The response to a READ before it is missing. */
PEER_TEST(ack_passes_read, "Q3", "an acknowledgement shows that a response to a READ is lost")
{
	peer_post(1, IBV_WR_RDMA_READ, 8);
	peer_post(2, IBV_WR_SEND, 4);
	peer_expect_read(0, 8, 0);
	peer_expect_send(1, 4);
	peer_ack(1);
	peer_expect_read(0, 8, 0);
	peer_incomplete();
	peer_send_data(XROCE_RC_READ_RESPONSE_ONLY, 0, 0, 8);
	peer_completes(1, IBV_WC_SUCCESS);
	peer_completes(2, IBV_WC_SUCCESS);
	peer_received(8);
	check(peer_map().req_implied_naks == 1, "implied NAKs: %llu",
	      peer_map().req_implied_naks);
}

TEST_MAIN(harness_main);
