// SPDX-License-Identifier: GPL-2.0-only
/*
 * NAKs to a reliable connection: what is sent again, how often and when, and which of them end the
 * connection.
 */
#include "clock.h"
#include "verbs_peer.h"
#include "verbs_peer_window.h"

#define WINDOW_MIN	32u		/* XR_SEND_WINDOW_MIN */

/* --- Sequence errors, and errors that end the connection. */

/* The first time only the packet that is missing: the peer might keep what follows. */
PEER_TEST(nak_sequence, "Q3", "sent again from the PSN of the NAK")
{
	peer_post_many(1, IBV_WR_SEND, 4, 3);
	peer_expect_three();
	peer_nak(XROCE_SYN_NAK_SEQ, 1);
	peer_completes(1, IBV_WC_SUCCESS);
	peer_expect_send(1, 4);
	peer_quiet();
	peer_ack(1);
	peer_completes(2, IBV_WC_SUCCESS);
	peer_expect_send(2, 4);
	peer_incomplete();
	peer_ack(2);
	peer_completes(3, IBV_WC_SUCCESS);
	check(peer_map().req_seq_naks == 1 && peer_map().req_retransmits == 2,
	      "%llu NAKs, %llu packets again", peer_map().req_seq_naks,
	      peer_map().req_retransmits);
}

/* A message is resumed at the packet that is missing. */
PEER_TEST(nak_sequence_middle, "Q3", "the same within a message")
{
	uint32_t again;

	peer_post(1, IBV_WR_RDMA_WRITE, 2 * PEER_MTU + 4);
	peer_expect_write(XROCE_RC_WRITE_FIRST, 0, 2 * PEER_MTU + 4);
	peer_expect_data(XROCE_RC_WRITE_MIDDLE, 1, PEER_MTU, PEER_MTU, false);
	peer_expect_data(XROCE_RC_WRITE_LAST, 2, 2 * PEER_MTU, 4, true);
	peer_nak(XROCE_SYN_NAK_SEQ, 1);
	peer_expect_data(XROCE_RC_WRITE_MIDDLE, 1, PEER_MTU, PEER_MTU, true);
	/* It has discarded the last one, too. */
	for (again = 0; again < 2; again++) {
		peer_nak(XROCE_SYN_NAK_SEQ, 2);
		peer_expect_data(XROCE_RC_WRITE_LAST, 2, 2 * PEER_MTU, 4, true);
	}
	peer_ack(2);
	peer_completes(1, IBV_WC_SUCCESS);
}

/*
 * A peer that refuses each packet once does not make a whole window be sent again for each: the
 * window is halved each time. It grows with what arrives.
 */
PEER_TEST(nak_window, "Q3 Q5", "NAK after NAK: less and less is sent again")
{
	const uint32_t all = 9 * PEER_LONG;
	uint32_t n, end, left = PEER_WINDOW;

	peer_post_many(1, IBV_WR_SEND, PEER_BYTES, 9);
	peer_expect_window(0, PEER_WINDOW, all);
	peer_quiet();
	for (n = 1; left > 2; n++) {
		/*
		 * Until it is known that the peer keeps nothing, only the packet that is missing;
		 * and once more behind the next one but one.
		 */
		if (n == 1 || n == 4) {
			peer_nak(XROCE_SYN_NAK_SEQ, n);
			peer_expect_long(n, true);
			peer_quiet();
			peer_ack(n++);
			left = (left + 3) / 2;
			peer_expect_window(n, n + left, all);
			peer_quiet();
			continue;
		}
		left = (left + 1) / 2;
		peer_nak(XROCE_SYN_NAK_SEQ, n);
		peer_expect_window(n, n + left, all);
		peer_quiet();
	}
	/* It grows by what is acknowledged; how far depends on how fast the peer is. */
	for (end = n - 1 + left; left < WINDOW_MIN && !test_failed(); end += left) {
		peer_ack(end - 1);
		left *= 2;
		peer_expect_window(end, end + left, all);
	}
	/* All that was sent before. */
	peer_ack(PEER_WINDOW - 1);
	peer_expect_window(PEER_WINDOW, all, all);
	peer_ack(all - 1);
	for (n = 1; n <= 9 && !test_failed(); n++)
		peer_completes(n, IBV_WC_SUCCESS);
	check(peer_map().req_seq_naks == 7, "%llu NAKs", peer_map().req_seq_naks);
}

/* Without progress it is sent again retry_cnt times. */
PEER_TEST(nak_sequence_endless, "Q3 Q4", "NAKs without progress")
{
	uint32_t i;

	peer_post(1, IBV_WR_SEND, 4);
	for (i = 0; i <= peer_usual.retries; i++) {
		peer_expect_send(0, 4);
		peer_nak(XROCE_SYN_NAK_SEQ, 0);
	}
	peer_completes(1, IBV_WC_RETRY_EXC_ERR);
	peer_quiet();
}

/* A NAK that ends the connection: the oldest fails, the others are flushed in order. */
static void nak_ends(uint8_t syndrome, enum ibv_wc_status status)
{
	peer_post_many(1, IBV_WR_SEND, 4, 4);
	peer_nak(syndrome, 1);
	peer_completes(1, IBV_WC_SUCCESS);
	peer_completes(2, status);
	peer_completes(3, IBV_WC_WR_FLUSH_ERR);
	peer_completes(4, IBV_WC_WR_FLUSH_ERR);
	check(peer_map().state == XROCE_QPS_ERR, "state %d", peer_map().state);
	peer_post(5, IBV_WR_SEND, 4);
	peer_completes(5, IBV_WC_WR_FLUSH_ERR);
}

PEER_TEST(nak_invalid, "Q4", "invalid request")
{
	nak_ends(XROCE_SYN_NAK_INV, IBV_WC_REM_INV_REQ_ERR);
}

PEER_TEST(nak_access, "Q4", "remote access error")
{
	nak_ends(XROCE_SYN_NAK_ACC, IBV_WC_REM_ACCESS_ERR);
}

PEER_TEST(nak_operational, "Q4", "remote operational error")
{
	nak_ends(XROCE_SYN_NAK_OP, IBV_WC_REM_OP_ERR);
}

PEER_TEST(nak_middle, "Q4", "a NAK of a packet within a message")
{
	peer_post(1, IBV_WR_SEND, 3 * PEER_MTU);
	peer_nak(XROCE_SYN_NAK_OP, 1);
	peer_completes(1, IBV_WC_REM_OP_ERR);
}

/* --- The receiver is not ready. */

static const struct peer_opts rnr_opts = { .retries = 7, .rnr_retries = 2, .reads = 4 };

#define RNR_CODE	28		/* 163.84 ms */
#define RNR_SECONDS	0.16384

PEER_TEST_OPTS(rnr_waits, "Q3", "sent again after the time of an RNR NAK", &rnr_opts)
{
	double start;
	uint32_t i;

	peer_post(1, IBV_WR_SEND, 4);
	peer_expect_send(0, 4);
	for (i = 0; i < rnr_opts.rnr_retries; i++) {
		start = clock_now();
		peer_nak(XROCE_SYN_RNR | RNR_CODE, 0);
		peer_expect_send(0, 4);
		check(clock_now() - start >= RNR_SECONDS, "after %f s", clock_now() - start);
	}
	/* Progress begins the count anew. */
	peer_ack(0);
	peer_completes(1, IBV_WC_SUCCESS);
	peer_post(2, IBV_WR_SEND, 4);
	for (i = 0; i < rnr_opts.rnr_retries; i++) {
		peer_expect_send(1, 4);
		peer_nak(XROCE_SYN_RNR | 1, 1);
	}
	peer_expect_send(1, 4);
	peer_ack(1);
	peer_completes(2, IBV_WC_SUCCESS);
	check(peer_map().req_rnr_naks == 4, "RNR NAKs: %llu", peer_map().req_rnr_naks);
}

PEER_TEST_OPTS(rnr_exhausted, "Q3 Q4", "more RNR NAKs than permitted", &rnr_opts)
{
	uint32_t i;

	peer_post_many(1, IBV_WR_SEND, 4, 2);
	peer_expect_data(XROCE_RC_SEND_ONLY, 0, 0, 4, false);
	peer_expect_send(1, 4);
	for (i = 0; i < rnr_opts.rnr_retries; i++) {
		peer_nak(XROCE_SYN_RNR | 1, 0);
		peer_expect_send(0, 4);
	}
	peer_nak(XROCE_SYN_RNR | 1, 0);
	peer_completes(1, IBV_WC_RNR_RETRY_EXC_ERR);
	peer_completes(2, IBV_WC_WR_FLUSH_ERR);
	peer_quiet();
}

static const struct peer_opts rnr_endless_opts = { .rnr_retries = 7, .reads = 4 };

PEER_TEST_OPTS(rnr_endless, "Q3", "7 permits any number", &rnr_endless_opts)
{
	uint32_t i;

	peer_post(1, IBV_WR_SEND, 4);
	for (i = 0; i < 20; i++) {
		peer_expect_send(0, 4);
		peer_nak(XROCE_SYN_RNR | 1, 0);
	}
	peer_expect_send(0, 4);
	peer_ack(0);
	peer_completes(1, IBV_WC_SUCCESS);
}

/* One packet finds out whether the peer is ready; then the window grows with what arrives. */
PEER_TEST_OPTS(rnr_one_packet, "Q3", "one packet until there is progress", &rnr_opts)
{
	struct packet nak = peer_response(XROCE_RC_ACK, 0);
	uint32_t i;

	peer_post_many(1, IBV_WR_SEND, 4, 6);
	for (i = 0; i < 6; i++)
		peer_expect_data(XROCE_RC_SEND_ONLY, i, 0, 4, i == 5);
	peer_nak(XROCE_SYN_RNR | 1, 0);
	peer_expect_send(0, 4);
	/* Of the packets that followed the first time: it has been sent again. */
	nak.syndrome = XROCE_SYN_NAK_SEQ;
	peer_ignored(&nak);
	peer_quiet();
	peer_ack(0);
	peer_expect_data(XROCE_RC_SEND_ONLY, 1, 0, 4, false);
	peer_expect_send(2, 4);
	peer_quiet();
	peer_ack(2);
	peer_expect_data(XROCE_RC_SEND_ONLY, 3, 0, 4, false);
	peer_expect_data(XROCE_RC_SEND_ONLY, 4, 0, 4, false);
	peer_expect_send(5, 4);
	peer_ack(5);
	for (i = 1; i <= 6; i++)
		peer_completes(i, IBV_WC_SUCCESS);
}

/* A peer that is never ready is asked less and less often: the waits grow to 0.1 s. */
#define RNR_LONG	2.0		/* seconds */
#define RNR_ASKED	80u
PEER_TEST_OPTS(rnr_grows, "Q3 Q5", "a peer that is never ready is asked less often",
	       &rnr_endless_opts)
{
	double start = clock_now(), asked = start, last = 0;
	uint32_t n = 0;

	peer_post(1, IBV_WR_SEND, 4);
	peer_expect_send(0, 4);
	while (clock_now() - start < RNR_LONG && !test_failed()) {
		asked = clock_now();
		peer_nak(XROCE_SYN_RNR | 1, 0);
		peer_expect_send(0, 4);
		last = clock_now() - asked;
		n++;
	}
	note("%u RNR NAKs, the last wait %f s", n, last);
	check(n < RNR_ASKED && last >= 0.09, "%u RNR NAKs, the last wait %f s", n, last);
	peer_ack(0);
	peer_completes(1, IBV_WC_SUCCESS);
	/* After progress it is as long as the peer asks. */
	peer_post(2, IBV_WR_SEND, 4);
	peer_expect_send(1, 4);
	asked = clock_now();
	peer_nak(XROCE_SYN_RNR | 1, 1);
	peer_expect_send(1, 4);
	check(clock_now() - asked < 0.09, "waits %f s", clock_now() - asked);
}

/* An RNR NAK shows that what is lost besides is not lost without end: retry_cnt begins anew. */
static const struct peer_opts rnr_lossy_opts = { .retries = 2, .rnr_retries = 7, .reads = 4 };

PEER_TEST_OPTS(rnr_restarts_retries, "Q3 Q4", "sequence NAKs before and behind RNR NAKs",
	       &rnr_lossy_opts)
{
	uint32_t i, k;

	peer_post(1, IBV_WR_SEND, 4);
	for (i = 0; i < 4; i++) {
		for (k = 0; k < rnr_lossy_opts.retries; k++) {
			peer_expect_send(0, 4);
			peer_nak(XROCE_SYN_NAK_SEQ, 0);
		}
		peer_expect_send(0, 4);
		peer_nak(XROCE_SYN_RNR | 1, 0);
	}
	/* And it ends as ever. */
	for (k = 0; k <= rnr_lossy_opts.retries; k++) {
		peer_expect_send(0, 4);
		peer_nak(XROCE_SYN_NAK_SEQ, 0);
	}
	peer_completes(1, IBV_WC_RETRY_EXC_ERR);
	peer_quiet();
}

TEST_MAIN(harness_main);
