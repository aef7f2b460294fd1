// SPDX-License-Identifier: GPL-2.0-only
/*
 * Selective acknowledgements to a reliable connection, of a peer that lies: only what it asked for
 * is sent again, a bounded number of times, and only what it has executed is complete.
 */
#include <string.h>

#include "counters.h"
#include "verbs_peer.h"

PEER_TEST(nak_kept, "Q3", "if the acknowledgement jumps, nothing else is sent again")
{
	peer_keep();
	check(peer_map().req_retransmits == 1, "%llu packets again", peer_map().req_retransmits);
	peer_post(4, IBV_WR_SEND, 4);
	peer_expect_kept(3, true, false);
	peer_ack(3);
	peer_completes(4, IBV_WC_SUCCESS);
}

PEER_TEST(sack_single, "Q3", "only what is missing and counts as lost is sent again")
{
	uint32_t n;

	peer_keep();
	peer_post_many(4, IBV_WR_SEND, 4, 5);
	for (n = 3; n < 8; n++)
		peer_expect_kept(n, n == 7, false);
	/* 3 and 5 are missing, 6 counts as late. */
	peer_sack(3, 3, 1 << 1 | 1 << 4);
	peer_expect_kept(3, true, true);
	peer_expect_kept(5, true, true);
	peer_quiet();
	peer_ack(7);
	for (n = 4; n < 9; n++)
		peer_completes(n, IBV_WC_SUCCESS);
}

/* Whatever a peer says, each packet is sent again once. */
PEER_TEST(sack_lies, "Q3 Q5", "selective acknowledgements that make no sense")
{
	uint32_t n, i;

	peer_keep();
	peer_post_many(4, IBV_WR_SEND, 4, 3);
	for (n = 3; n < 6; n++)
		peer_expect_kept(n, n == 5, false);
	/* Not sent, all lost, and the one that is missing is kept. */
	peer_sack(3, UINT32_MAX, ~0u);
	peer_expect_kept(3, true, true);
	for (i = 0; i < 20; i++)
		peer_sack(3, i % 2 ? 1024 : 0, i % 3 ? 0 : ~0u);
	peer_expect_kept(4, true, true);
	peer_expect_kept(5, true, true);
	peer_quiet();
	/* Of packets that are acknowledged, or have not been sent. */
	peer_sack(2, 3, 1);
	peer_sack(6, 3, 1);
	peer_quiet();
	check(peer_map().state == XROCE_QPS_RTS, "state %d", peer_map().state);
	peer_ack(5);
	for (n = 4; n < 7; n++)
		peer_completes(n, IBV_WC_SUCCESS);
}

/* Five SENDs of 4 bytes, with the numbers 4 to 8, to a peer that keeps packets. */
static void five(void)
{
	uint32_t n;

	peer_keep();
	peer_post_many(4, IBV_WR_SEND, 4, 5);
	for (n = 3; n < 8; n++)
		peer_expect_kept(n, n == 7, false);
}

/* A NAK of the second one ends the connection: what the peer has kept was not executed. */
PEER_TEST(sack_refused, "Q4 Q5", "a request that was kept, and is refused then, fails")
{
	uint32_t id;

	five();
	peer_sack(3, 5, 0x1e);
	peer_expect_kept(3, true, true);
	peer_nak(XROCE_SYN_NAK_ACC, 4);
	peer_completes(4, IBV_WC_SUCCESS);
	peer_completes(5, IBV_WC_REM_ACCESS_ERR);
	for (id = 6; id <= 8; id++)
		peer_completes(id, IBV_WC_WR_FLUSH_ERR);
}

/* It is complete when it has been acknowledged, and not before. */
PEER_TEST(sack_forgotten, "Q3 Q4", "what the peer has kept, and forgets, is sent again")
{
	uint32_t n;

	five();
	peer_sack(3, 5, 0x1e);
	peer_expect_kept(3, true, true);
	peer_ack(3);
	peer_completes(4, IBV_WC_SUCCESS);
	peer_quiet();
	peer_incomplete();
	/* It has dropped all of them. */
	peer_sack(4, 4, 0);
	for (n = 4; n < 8; n++)
		peer_expect_kept(n, true, true);
	peer_ack(7);
	for (n = 5; n < 9; n++)
		peer_completes(n, IBV_WC_SUCCESS);
}

/* The packets from @n to 7 are sent again, and nothing else is. */
static void again_from(uint32_t n)
{
	uint64_t want = 1 + 8 - n, got;

	for (; n < 8; n++)
		peer_expect_kept(n, true, true);
	peer_quiet();
	got = peer_map().req_retransmits;
	check(got == want, "%lu packets again, not %lu", got, want);
}

/* The end: all are acknowledged. */
static void five_done(void)
{
	uint32_t id;

	check(peer_map().state == XROCE_QPS_RTS, "state %d", peer_map().state);
	peer_ack(7);
	for (id = 4; id <= 8; id++)
		peer_completes(id, IBV_WC_SUCCESS);
	peer_quiet();
}

PEER_TEST(sack_endless, "Q3 Q5", "all is lost, a thousand times: each is sent again once")
{
	uint32_t i;

	five();
	for (i = 0; i < 1000; i++)
		peer_sack(3, i % 2 ? 1024 : UINT32_MAX, 0);
	again_from(3);
	five_done();
}

/* Kept now and lost then, each with the others. */
PEER_TEST(sack_alternates, "Q3 Q5", "bitmaps that contradict each other")
{
	struct packet p;
	uint32_t i;

	five();
	for (i = 0; i < 1000; i++) {
		p = peer_selective(3, i % 1026, 0);
		memset(p.sack_bits, i % 3 ? i % 3 > 1 ? 0xaa : 0x55 : 0, sizeof(p.sack_bits));
		peer_send(&p);
	}
	again_from(3);
	peer_incomplete();
	five_done();
}

PEER_TEST(sack_unsent, "Q2 Q5", "of packets that have not been sent, or are acknowledged")
{
	static const uint32_t others[] = { 0, 2, 8, 9, 100, 0x7fffff, 0x800003, -1u };
	struct packet p;
	uint32_t i;

	five();
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		p = peer_selective(others[i], 1024, ~0u);
		peer_ignored(&p);
	}
	peer_quiet();
	peer_incomplete();
	five_done();
	/* Nothing is outstanding. */
	for (i = 3; i < 9; i++) {
		p = peer_selective(i, 1024, 0);
		peer_ignored(&p);
	}
	peer_quiet();
}

/* A forger does not know all of it. */
PEER_TEST(sack_foreign, "Q2 Q5 D4 D6", "wrong address, partition, ICRC, number, service")
{
	struct packet good, bad;

	five();
	good = peer_selective(3, 5, 0);
	peer_foreign(&good);
	bad = good;
	bad.opcode ^= XROCE_OP_UC;
	bad.payload = 136;
	peer_counted(&bad, COUNTER(drop_opcode));
	peer_quiet();
	check(!peer_map().req_sacks && peer_map().req_retransmits == 1, "%llu, %llu again",
	      peer_map().req_sacks, peer_map().req_retransmits);
	five_done();
}

PEER_TEST(sack_lengths, "Q5 D6", "no bitmap, a part of it, one that is too long")
{
	static const uint32_t cuts[] = { 1, 2, 3, 4, 64, 127, 128, 129, 131, 132, 133, 136 };
	struct packet p;
	uint32_t i;

	five();
	for (i = 0; i < ARRAY_SIZE(cuts); i++) {
		p = peer_selective(3, 5, 0);
		p.xth_cut = cuts[i];
		peer_counted(&p, COUNTER(drop_length));
	}
	for (i = 1; i < 2000; i += 1 + i / 2) {
		p = peer_selective(3, 5, 0);
		p.payload = i;
		p.pad = -i & 3;
		peer_counted(&p, COUNTER(drop_length));
	}
	peer_quiet();
	five_done();
}

/* PSNs that belong to the response of a READ, and a READ that is kept. */
PEER_TEST(sack_within_read, "Q3 Q5", "bits and PSNs within the response to a READ")
{
	const uint32_t len = 2 * PEER_MTU + 4;
	struct packet read = peer_request(XROCE_RC_READ_REQUEST, 4);

	peer_keep();
	read.dmalen = len;
	read.sack = true;
	peer_post(4, IBV_WR_SEND, 4);
	peer_expect_kept(3, true, false);
	peer_post(5, IBV_WR_RDMA_READ, len);
	peer_expect(&read);
	peer_post(6, IBV_WR_SEND, 4);
	peer_expect_kept(7, true, false);
	/* The READ is kept, and so is the middle of its response; then its end only. */
	peer_sack(3, 5, 0x16);
	peer_expect_kept(3, true, true);
	peer_quiet();
	peer_sack(3, 5, 0x18);
	read.again = true;
	peer_expect(&read);
	/* As if it had executed a part of it. */
	peer_sack(5, 3, 0x7);
	peer_completes(4, IBV_WC_SUCCESS);
	peer_skip();
	peer_incomplete();
	peer_received(0);
	peer_send_data(XROCE_RC_READ_RESPONSE_FIRST, 4, 0, PEER_MTU);
	peer_send_data(XROCE_RC_READ_RESPONSE_MIDDLE, 5, PEER_MTU, PEER_MTU);
	peer_incomplete();
	peer_send_data(XROCE_RC_READ_RESPONSE_LAST, 6, 2 * PEER_MTU, 4);
	peer_completes(5, IBV_WC_SUCCESS);
	peer_received(len);
	peer_ack(7);
	peer_completes(6, IBV_WC_SUCCESS);
}

/* After an RNR NAK one packet is sent in order: what is behind it has not been sent any more. */
static const struct peer_opts rnr_opts = { .retries = 7, .rnr_retries = 7, .reads = 4 };

PEER_TEST_OPTS(sack_rewound, "Q3 Q5", "of packets that are about to be sent again in order",
	       &rnr_opts)
{
	five();
	peer_nak(XROCE_SYN_RNR | 1, 3);
	peer_expect_kept(3, true, true);
	peer_sack(3, 1024, ~0u);
	peer_expect_kept(3, true, true);
	peer_quiet();
	/* Beyond the one that has been sent since. */
	peer_sack(6, 1024, ~0u);
	peer_completes(4, IBV_WC_SUCCESS);
	peer_completes(5, IBV_WC_SUCCESS);
	peer_completes(6, IBV_WC_SUCCESS);
	peer_skip();
	peer_incomplete();
	peer_ack(7);
	peer_completes(7, IBV_WC_SUCCESS);
	peer_completes(8, IBV_WC_SUCCESS);
}

/* What is sent again is bounded by time, and the local ACK timeout ends it. Code 14: 0.07 s. */
static const struct peer_opts lost_opts = { .timeout = 14, .retries = 2, .reads = 4 };

PEER_TEST_OPTS(sack_without_progress, "Q3 Q4 Q5", "a connection without progress ends", &lost_opts)
{
	const uint64_t most = 1u << 20;
	struct packet p;
	struct ibv_wc wc = {};
	uint64_t n;

	peer_post_many(1, IBV_WR_SEND, 4, 3);
	p = peer_selective(0, 1024, 0);
	for (n = 0; n < most && !ibv_poll_cq(peer.cq, 1, &wc); n++) {
		p.sack_bits[0] = n % 2 ? 0x6 : 0;
		peer_send(&p);
	}
	check(wc.status == IBV_WC_RETRY_EXC_ERR && wc.wr_id == 1, "status %d", wc.status);
	peer_completes(2, IBV_WC_WR_FLUSH_ERR);
	peer_completes(3, IBV_WC_WR_FLUSH_ERR);
	note("%lu acknowledgements, %llu packets again", n, peer_map().req_retransmits);
	peer_skip();
	peer_quiet();
}

TEST_MAIN(harness_main);
