// SPDX-License-Identifier: GPL-2.0-only
/* Which packets of a requester ask for an acknowledgement: those that somebody waits for. */
#include <string.h>

#include "counters.h"
#include "verbs_peer.h"

#define HALF	32u	/* work requests of half a send queue, see verbs_peer.c */

/* A SEND of 4 bytes, without a completion. */
static void post_quietly(uint64_t id)
{
	struct ibv_sge sge = peer_sge(peer.out, 4);
	struct ibv_send_wr wr = peer_wr(id, IBV_WR_SEND, &sge);

	wr.send_flags = 0;
	peer_post_list(&wr);
}

static void expect_unasked(uint32_t n)
{
	peer_expect_data(XROCE_RC_SEND_ONLY, n, 0, 4, false);
}

/*
 * Two of them, the first with @flags: by one call, since one that comes later may have to ask. The
 * first does not ask.
 */
static void send_two(unsigned int flags)
{
	struct ibv_sge sge = peer_sge(peer.out, 4);
	struct ibv_send_wr second = peer_wr(2, IBV_WR_SEND, &sge);
	struct ibv_send_wr first = peer_wr(1, IBV_WR_SEND, &sge);

	second.send_flags = 0;
	first.send_flags = flags;
	first.next = &second;
	peer_post_list(&first);
	expect_unasked(0);
}

/* Nothing was sent again since it may be lost. */
static void none_again(void)
{
	check(!peer_map().req_retransmits, "%llu again",
	      (unsigned long long)peer_map().req_retransmits);
}

PEER_TEST(ask_completion, "Q1 Q4", "a message that makes a completion asks, others do not")
{
	post_quietly(1);
	expect_unasked(0);
	post_quietly(2);
	expect_unasked(1);
	peer_quiet();
	peer_post(3, IBV_WR_SEND, 4);
	peer_expect_send(2, 4);
	peer_ack(2);
	peer_completes(3, IBV_WC_SUCCESS);
	peer_incomplete();
	none_again();
}

PEER_TEST(ask_behind, "Q1 Q4", "the last message of a list asks for those before it")
{
	send_two(IBV_SEND_SIGNALED);
	peer_expect_send(1, 4);
	peer_ack(1);
	peer_completes(1, IBV_WC_SUCCESS);
	peer_incomplete();
	/* That one is answered. */
	post_quietly(3);
	expect_unasked(2);
	peer_quiet();
}

PEER_TEST(ask_response, "Q1 Q4", "the response to a READ answers what precedes it")
{
	post_quietly(1);
	expect_unasked(0);
	peer_post(2, IBV_WR_RDMA_READ, 4);
	peer_expect_read(1, 4, 0);
	peer_send_data(XROCE_RC_READ_RESPONSE_ONLY, 1, 0, 4);
	peer_completes(2, IBV_WC_SUCCESS);
	peer_incomplete();
	peer_quiet();
}

PEER_TEST(ask_half, "Q1", "half a send queue of messages without completion asks")
{
	uint32_t n;

	for (n = 0; n < HALF - 1; n++) {
		post_quietly(n);
		expect_unasked(n);
	}
	post_quietly(n);
	peer_expect_send(n, 4);
	peer_ack(n);
	post_quietly(n + 1);
	expect_unasked(n + 1);
	none_again();
}

PEER_TEST(ask_error, "Q1 Q4", "an error that waits behind a message has its last packet ask")
{
	struct ibv_sge bad = peer_sge(peer.out, 4);
	struct ibv_send_wr wr = peer_wr(2, IBV_WR_SEND, &bad);

	post_quietly(1);
	expect_unasked(0);
	bad.lkey ^= 1;
	peer_post_list(&wr);
	peer_expect_send(0, 4);
	peer_incomplete();
	peer_ack(0);
	peer_completes(2, IBV_WC_LOC_PROT_ERR);
	none_again();
}

PEER_TEST(ask_sqd, "Q1 Q4 V6", "a send queue that drains asks")
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_SQD };
	int ret;

	send_two(0);
	expect_unasked(1);
	ret = ibv_modify_qp(peer.qp, &attr, IBV_QP_STATE);
	check(!ret, "SQD: %s", strerror(ret));
	/* Not the first one. */
	peer_expect_send(1, 4);
	peer_quiet();
	none_again();
}

static const struct peer_opts timed_opts = { .timeout = 19, .retries = 7, .reads = 4 };

PEER_TEST_OPTS(ask_later, "Q1 Q3", "without another message the last packet asks", &timed_opts)
{
	struct packet want = peer_request(XROCE_RC_SEND_ONLY, 1);

	send_two(0);
	expect_unasked(1);
	want.payload = 4;
	want.pattern = packet_pattern(PEER_PATTERN, 0);
	want.ackreq = true;
	/* Not the first one, as if something were lost. */
	peer_expect(&want);
	peer_ack(1);
	peer_incomplete();
}

TEST_MAIN(harness_main);
