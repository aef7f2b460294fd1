// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests of a reliable connection, byte by byte, and how many packets of them may be outstanding.
 */
#include <string.h>

#include "on_cpu.h"
#include "verbs_peer.h"
#include "verbs_peer_window.h"

PEER_TEST(request_send, "Q1 V2", "SENDs in one packet")
{
	static const uint32_t lengths[] = { 0, 1, 2, 3, 4, PEER_MTU };
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		peer_post(i, IBV_WR_SEND, lengths[i]);
		peer_expect_send(i, lengths[i]);
		peer_ack(i);
		peer_completes(i, IBV_WC_SUCCESS);
	}
}

PEER_TEST(request_send_split, "Q1 V2", "SENDs in several packets")
{
	peer_post(1, IBV_WR_SEND, 3 * PEER_MTU + 5);
	peer_expect_data(XROCE_RC_SEND_FIRST, 0, 0, PEER_MTU, false);
	peer_expect_data(XROCE_RC_SEND_MIDDLE, 1, PEER_MTU, PEER_MTU, false);
	peer_expect_data(XROCE_RC_SEND_MIDDLE, 2, 2 * PEER_MTU, PEER_MTU, false);
	peer_expect_data(XROCE_RC_SEND_LAST, 3, 3 * PEER_MTU, 5, true);
	peer_ack(3);
	peer_completes(1, IBV_WC_SUCCESS);
	peer_post(2, IBV_WR_SEND, 2 * PEER_MTU);
	peer_expect_data(XROCE_RC_SEND_FIRST, 4, 0, PEER_MTU, false);
	peer_expect_data(XROCE_RC_SEND_LAST, 5, PEER_MTU, PEER_MTU, true);
	peer_ack(5);
	peer_completes(2, IBV_WC_SUCCESS);
}

/* A SEND with another word, in one packet and in two. */
static void send_word(enum ibv_wr_opcode opcode, uint8_t only, uint8_t last)
{
	peer_post(1, opcode, 7);
	peer_expect_data(only, 0, 0, 7, true);
	peer_post(2, opcode, PEER_MTU + 2);
	peer_expect_data(XROCE_RC_SEND_FIRST, 1, 0, PEER_MTU, false);
	peer_expect_data(last, 2, PEER_MTU, 2, true);
	peer_ack(2);
	peer_completes(1, IBV_WC_SUCCESS);
	peer_completes(2, IBV_WC_SUCCESS);
}

PEER_TEST(request_send_imm, "Q1", "immediate data is in the last packet")
{
	send_word(IBV_WR_SEND_WITH_IMM, XROCE_RC_SEND_ONLY_IMM, XROCE_RC_SEND_LAST_IMM);
}

PEER_TEST(request_send_inv, "Q1", "a key to invalidate is in the last packet")
{
	send_word(IBV_WR_SEND_WITH_INV, XROCE_RC_SEND_ONLY_INV, XROCE_RC_SEND_LAST_INV);
}

PEER_TEST(request_solicited, "Q1", "a solicited event is in the last packet")
{
	struct ibv_sge sge = peer_sge(peer.out, PEER_MTU + 4);
	struct ibv_send_wr wr = peer_wr(1, IBV_WR_SEND, &sge);
	struct packet want = peer_request(XROCE_RC_SEND_LAST, 1);

	wr.send_flags |= IBV_SEND_SOLICITED;
	peer_post_list(&wr);
	peer_expect_data(XROCE_RC_SEND_FIRST, 0, 0, PEER_MTU, false);
	want.se = true;
	want.payload = 4;
	want.pattern = packet_pattern(PEER_PATTERN, PEER_MTU);
	peer_expect(&want);
}

PEER_TEST(request_write, "Q1 V2", "WRITEs in one packet")
{
	static const uint32_t lengths[] = { 0, 1, PEER_MTU };
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		peer_post(i, IBV_WR_RDMA_WRITE, lengths[i]);
		peer_expect_write(XROCE_RC_WRITE_ONLY, i, lengths[i]);
		peer_ack(i);
		peer_completes(i, IBV_WC_SUCCESS);
	}
	peer_post(i, IBV_WR_RDMA_WRITE_WITH_IMM, 6);
	peer_expect_write(XROCE_RC_WRITE_ONLY_IMM, i, 6);
	peer_ack(i);
	peer_completes(i, IBV_WC_SUCCESS);
}

/* Nothing else takes a receive, whose completion could be solicited. */
PEER_TEST(request_not_solicited, "Q1", "a solicited event of a WRITE and a READ")
{
	struct ibv_sge out = peer_sge(peer.out, 4), in = peer_sge(peer.in, 4);
	struct ibv_send_wr wr = peer_wr(1, IBV_WR_RDMA_WRITE, &out);

	wr.send_flags |= IBV_SEND_SOLICITED;
	peer_post_list(&wr);
	peer_expect_write(XROCE_RC_WRITE_ONLY, 0, 4);
	wr = peer_wr(2, IBV_WR_RDMA_READ, &in);
	wr.send_flags |= IBV_SEND_SOLICITED;
	peer_post_list(&wr);
	peer_expect_read(1, 4, 0);
}

PEER_TEST(request_write_split, "Q1 V2", "WRITEs in several packets")
{
	peer_post(1, IBV_WR_RDMA_WRITE, 2 * PEER_MTU + 1);
	peer_expect_write(XROCE_RC_WRITE_FIRST, 0, 2 * PEER_MTU + 1);
	peer_expect_data(XROCE_RC_WRITE_MIDDLE, 1, PEER_MTU, PEER_MTU, false);
	peer_expect_data(XROCE_RC_WRITE_LAST, 2, 2 * PEER_MTU, 1, true);
	peer_post(2, IBV_WR_RDMA_WRITE_WITH_IMM, PEER_MTU + 4);
	peer_expect_write(XROCE_RC_WRITE_FIRST, 3, PEER_MTU + 4);
	peer_expect_data(XROCE_RC_WRITE_LAST_IMM, 4, PEER_MTU, 4, true);
	peer_ack(4);
	peer_completes(1, IBV_WC_SUCCESS);
	peer_completes(2, IBV_WC_SUCCESS);
}

PEER_TEST(request_read, "Q1 V2", "READs use the PSNs of their responses")
{
	peer_post(1, IBV_WR_RDMA_READ, 5);
	peer_expect_read(0, 5, 0);
	/* The PSNs of the response belong to the READ. */
	peer_post(2, IBV_WR_RDMA_READ, 2 * PEER_MTU + 1);
	peer_expect_read(1, 2 * PEER_MTU + 1, 0);
	peer_post(3, IBV_WR_RDMA_READ, 0);
	peer_expect_read(4, 0, 0);
	peer_post(4, IBV_WR_SEND, 4);
	peer_expect_send(5, 4);
}

PEER_TEST(request_atomic, "Q1 V2", "both atomics")
{
	struct packet want = peer_request(XROCE_RC_CMP_SWAP, 0);

	peer_post(1, IBV_WR_ATOMIC_CMP_AND_SWP, 8);
	peer_expect(&want);
	peer_post(2, IBV_WR_ATOMIC_FETCH_AND_ADD, 8);
	want = peer_request(XROCE_RC_FETCH_ADD, 1);
	peer_expect(&want);
}

PEER_TEST(request_inline, "Q1 Q5", "the message is in the work request")
{
	static const uint32_t lengths[] = { 1, 2, 3, 64, 255, 256 };
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		sge = peer_sge(peer.out, lengths[i]);
		sge.lkey = 0;		/* not used */
		wr = peer_wr(i, IBV_WR_SEND, &sge);
		wr.send_flags |= IBV_SEND_INLINE;
		peer_post_list(&wr);
		peer_expect_send(i, lengths[i]);
	}
	wr = peer_wr(i, IBV_WR_RDMA_WRITE, &sge);
	wr.send_flags |= IBV_SEND_INLINE;
	peer_post_list(&wr);
	/* It is in the work request, also if it is sent again. */
	memset(peer.out, 0, PEER_MTU);
	peer_expect_write(XROCE_RC_WRITE_ONLY, i, 256);
	peer_nak(XROCE_SYN_NAK_SEQ, i);
	peer_expect_write(XROCE_RC_WRITE_ONLY, i, 256);
}

/* A SEND of consecutive elements with these lengths and flags. Return: bytes. */
static uint32_t post_sges(const uint32_t *lengths, uint32_t n, unsigned int flags)
{
	struct ibv_send_wr wr = peer_wr(1, IBV_WR_SEND, NULL);
	struct ibv_sge sge[32];
	uint32_t i, off = 0;

	for (i = 0; i < n; i++) {
		sge[i] = peer_sge(peer.out + off, lengths[i]);
		off += lengths[i];
	}
	wr.sg_list = sge;
	wr.num_sge = n;
	wr.send_flags |= flags;
	peer_post_list(&wr);
	return off;
}

PEER_TEST(request_32_sges, "Q1", "a message out of 32 elements")
{
	uint32_t lengths[32], len, i;

	for (i = 0; i < 32; i++)
		lengths[i] = i % 5 ? 61 + i : 0;
	len = post_sges(lengths, 32, 0);
	check(len > PEER_MTU && len < 2 * PEER_MTU + 1, "%u bytes", len);
	peer_expect_data(XROCE_RC_SEND_FIRST, 0, 0, PEER_MTU, false);
	peer_expect_data(XROCE_RC_SEND_LAST, 1, PEER_MTU, len - PEER_MTU, true);
}

/*
 * A CPU takes its frames out of a block of 32 KiB, which is cleared when it is new, and is used
 * again as it is when all its frames are free. Fill several blocks with bytes of which few are
 * zero. Return: the number of the next PSN.
 */
static uint32_t dirty_frames(void)
{
	uint32_t i;

	for (i = 0; i < 96 && !test_failed(); i++) {
		peer_post(i, IBV_WR_SEND, PEER_MTU);
		peer_expect_send(i, PEER_MTU);
		peer_ack(i);
		peer_completes(i, IBV_WC_SUCCESS);
	}
	return i;
}

/* What is in the frame behind the last element, or behind an inline message, must not leave. */
PEER_TEST(request_pad, "Q1 Q5", "the pad behind elements is zero, in a used frame, too")
{
	static const uint32_t pairs[][2] = {
		{ 1, 1 }, { 2, 3 }, { 3, 2 }, { 2, 1 }, { 3, 3 }, { 1, 5 }, { 6, 3 }, { 3, 0 },
	};
	uint32_t i, len, n;

	if (!on_cpu(0, 0))
		return;
	n = dirty_frames();
	for (i = 0; i < 4 * ARRAY_SIZE(pairs) && !test_failed(); i++) {
		len = post_sges(pairs[i % ARRAY_SIZE(pairs)], 2, i % 2 ? IBV_SEND_INLINE : 0);
		peer_expect_send(n + i, len);
		peer_ack(n + i);
		peer_completes(1, IBV_WC_SUCCESS);
	}
}

PEER_TEST(request_ackreq, "Q1", "the last of several messages asks for an acknowledgement")
{
	peer_post_many(1, IBV_WR_SEND, 4, 3);
	peer_expect_data(XROCE_RC_SEND_ONLY, 0, 0, 4, false);
	peer_expect_data(XROCE_RC_SEND_ONLY, 1, 0, 4, false);
	peer_expect_data(XROCE_RC_SEND_ONLY, 2, 0, 4, true);
}

/* More packets than may be outstanding. */
PEER_TEST(request_window, "Q1", "no more packets than the window has")
{
	const uint32_t all = 9 * PEER_LONG;
	uint32_t n;

	peer_post_many(1, IBV_WR_SEND, PEER_BYTES, 9);
	for (n = 0; n < PEER_WINDOW; n++)
		peer_expect_long(n, n % PEER_SILENT == PEER_SILENT - 1 || n == PEER_WINDOW - 1);
	peer_quiet();
	/* The window may be smaller now: the peer has been slow. */
	peer_ack(PEER_WINDOW - 1);
	peer_expect_window(n, all, all);
	peer_ack(all - 1);
	for (n = 1; n <= 9; n++)
		peer_completes(n, IBV_WC_SUCCESS);
	check(!peer_map().req_retransmits, "%llu again", peer_map().req_retransmits);
}

TEST_MAIN(harness_main);
