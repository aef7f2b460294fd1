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

TEST_MAIN(harness_main);
