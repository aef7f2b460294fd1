// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests of a reliable connection, byte by byte, and acknowledgements and NAKs, of a peer
 * that is not always right.
 */
#include <string.h>

#include "clock.h"
#include "counters.h"
#include "on_cpu.h"
#include "verbs_peer.h"

/* --- The format of requests. */

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

/* The first packet of a WRITE of @len bytes. */
static void expect_write(uint8_t opcode, uint32_t n, uint32_t len)
{
	struct packet want = peer_request(opcode, n);

	want.dmalen = len;
	want.payload = len < PEER_MTU ? len : PEER_MTU;
	want.pad = -want.payload & 3;
	want.ackreq = len <= PEER_MTU;
	peer_expect(&want);
}

PEER_TEST(request_write, "Q1 V2", "WRITEs in one packet")
{
	static const uint32_t lengths[] = { 0, 1, PEER_MTU };
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		peer_post(i, IBV_WR_RDMA_WRITE, lengths[i]);
		expect_write(XROCE_RC_WRITE_ONLY, i, lengths[i]);
		peer_ack(i);
		peer_completes(i, IBV_WC_SUCCESS);
	}
	peer_post(i, IBV_WR_RDMA_WRITE_WITH_IMM, 6);
	expect_write(XROCE_RC_WRITE_ONLY_IMM, i, 6);
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
	expect_write(XROCE_RC_WRITE_ONLY, 0, 4);
	wr = peer_wr(2, IBV_WR_RDMA_READ, &in);
	wr.send_flags |= IBV_SEND_SOLICITED;
	peer_post_list(&wr);
	peer_expect_read(1, 4, 0);
}

PEER_TEST(request_write_split, "Q1 V2", "WRITEs in several packets")
{
	peer_post(1, IBV_WR_RDMA_WRITE, 2 * PEER_MTU + 1);
	expect_write(XROCE_RC_WRITE_FIRST, 0, 2 * PEER_MTU + 1);
	peer_expect_data(XROCE_RC_WRITE_MIDDLE, 1, PEER_MTU, PEER_MTU, false);
	peer_expect_data(XROCE_RC_WRITE_LAST, 2, 2 * PEER_MTU, 1, true);
	peer_post(2, IBV_WR_RDMA_WRITE_WITH_IMM, PEER_MTU + 4);
	expect_write(XROCE_RC_WRITE_FIRST, 3, PEER_MTU + 4);
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
	expect_write(XROCE_RC_WRITE_ONLY, i, 256);
	peer_nak(XROCE_SYN_NAK_SEQ, i);
	expect_write(XROCE_RC_WRITE_ONLY, i, 256);
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

#define WINDOW	128u			/* XR_SEND_WINDOW */
#define WINDOW_MIN	32u		/* XR_SEND_WINDOW_MIN */
#define SILENT	33u			/* one more than XR_SEND_ACK */
#define LONG	(PEER_BYTES / PEER_MTU)	/* packets of a message that is all of "out" */

static uint8_t long_opcode(uint32_t n)
{
	uint32_t in = n % LONG;

	return !in ? XROCE_RC_SEND_FIRST : in + 1 < LONG ? XROCE_RC_SEND_MIDDLE :
					   XROCE_RC_SEND_LAST;
}

static void expect_long(uint32_t n, bool ack)
{
	peer_expect_data(long_opcode(n), n, n % LONG * PEER_MTU, PEER_MTU, ack);
}

/*
 * Take the packets from @n on, before @end, of @all. Once the peer has been slow, it is asked more
 * often than every SILENT packets.
 */
static void expect_window(uint32_t n, uint32_t end, uint32_t all)
{
	uint32_t silent = 0;

	for (; n < end && !test_failed(); n++) {
		if (n + 1 == end || n + 1 == all) {
			expect_long(n, true);
			silent = 0;
		} else if (peer_expect_asking(long_opcode(n), n, n % LONG * PEER_MTU, PEER_MTU)) {
			silent = 0;
		} else {
			silent++;
			check(silent < SILENT, "%u packets up to %u ask for nothing", silent, n);
		}
	}
}

/* More packets than may be outstanding. */
PEER_TEST(request_window, "Q1", "no more packets than the window has")
{
	const uint32_t all = 9 * LONG;
	uint32_t n;

	peer_post_many(1, IBV_WR_SEND, PEER_BYTES, 9);
	for (n = 0; n < WINDOW; n++)
		expect_long(n, n % SILENT == SILENT - 1 || n == WINDOW - 1);
	peer_quiet();
	/* The window may be smaller now: the peer has been slow. */
	peer_ack(WINDOW - 1);
	expect_window(n, all, all);
	peer_ack(all - 1);
	for (n = 1; n <= 9; n++)
		peer_completes(n, IBV_WC_SUCCESS);
	check(!peer_map().req_retransmits, "%llu again", peer_map().req_retransmits);
}

/* --- Acknowledgements. */

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

static void expect_three(void)
{
	peer_expect_data(XROCE_RC_SEND_ONLY, 0, 0, 4, false);
	peer_expect_data(XROCE_RC_SEND_ONLY, 1, 0, 4, false);
	peer_expect_send(2, 4);
}

PEER_TEST(ack_coalesced, "Q2 Q4", "one acknowledgement of several messages")
{
	struct packet ack = peer_response(XROCE_RC_ACK, 1);

	peer_post_many(1, IBV_WR_SEND, 4, 3);
	expect_three();
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
	bad = ack;
	bad.saddr[15] ^= 4;
	peer_counted(&bad, COUNTER(drop_addr));
	bad = ack;
	bad.daddr[15] ^= 8;
	peer_counted(&bad, COUNTER(drop_addr));
	bad = ack;
	bad.pkey = 0xfffe;
	peer_counted(&bad, COUNTER(drop_pkey));
	bad = ack;
	bad.icrc_flip = 1;
	peer_counted(&bad, COUNTER(drop_icrc));
	bad = ack;
	bad.dqpn ^= 1;
	peer_counted(&bad, COUNTER(drop_qpn));
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

/* --- NAKs. */

/* The first time only the packet that is missing: the peer might keep what follows. */
PEER_TEST(nak_sequence, "Q3", "sent again from the PSN of the NAK")
{
	peer_post_many(1, IBV_WR_SEND, 4, 3);
	expect_three();
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
	expect_write(XROCE_RC_WRITE_FIRST, 0, 2 * PEER_MTU + 4);
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
	const uint32_t all = 9 * LONG;
	uint32_t n, end, left = WINDOW;

	peer_post_many(1, IBV_WR_SEND, PEER_BYTES, 9);
	expect_window(0, WINDOW, all);
	peer_quiet();
	for (n = 1; left > 2; n++) {
		/*
		 * Until it is known that the peer keeps nothing, only the packet that is missing;
		 * and once more behind the next one but one.
		 */
		if (n == 1 || n == 4) {
			peer_nak(XROCE_SYN_NAK_SEQ, n);
			expect_long(n, true);
			peer_quiet();
			peer_ack(n++);
			left = (left + 3) / 2;
			expect_window(n, n + left, all);
			peer_quiet();
			continue;
		}
		left = (left + 1) / 2;
		peer_nak(XROCE_SYN_NAK_SEQ, n);
		expect_window(n, n + left, all);
		peer_quiet();
	}
	/* It grows by what is acknowledged; how far depends on how fast the peer is. */
	for (end = n - 1 + left; left < WINDOW_MIN && !test_failed(); end += left) {
		peer_ack(end - 1);
		left *= 2;
		expect_window(end, end + left, all);
	}
	/* All that was sent before. */
	peer_ack(WINDOW - 1);
	expect_window(WINDOW, all, all);
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

/* --- No response. Codes of the timeout: 16: 0.27 s, 14: 0.07 s. */

static const struct peer_opts timeout_opts = { .timeout = 16, .retries = 7, .reads = 4 };

PEER_TEST_OPTS(timeout_resends, "Q3", "first and last packet are sent again", &timeout_opts)
{
	peer_post(1, IBV_WR_SEND, PEER_MTU + 4);
	peer_expect_data(XROCE_RC_SEND_FIRST, 0, 0, PEER_MTU, false);
	peer_expect_data(XROCE_RC_SEND_LAST, 1, PEER_MTU, 4, true);
	peer_expect_data(XROCE_RC_SEND_FIRST, 0, 0, PEER_MTU, true);
	peer_expect_data(XROCE_RC_SEND_LAST, 1, PEER_MTU, 4, true);
	peer_ack(1);
	peer_completes(1, IBV_WC_SUCCESS);
	check(peer_map().req_probes >= 1, "probes: %llu", peer_map().req_probes);
}

/*
 * What is lost is repaired by a probe, long before the local ACK timeout, 4.3 s. Without retries
 * a timeout, or a probe that counted as one, would end the connection.
 */
static const struct peer_opts probe_opts = { .timeout = 20, .reads = 4 };

static void probed(void)
{
	const struct xroce_qp q = peer_map();

	check(q.req_probes && !q.req_timeouts && q.state == XROCE_QPS_RTS,
	      "%llu probes, %llu timeouts, state %d", q.req_probes, q.req_timeouts, q.state);
}

/* A packet of a WRITE of three, sent again. */
static void await_part(uint8_t opcode, uint32_t n)
{
	struct packet want = peer_request(opcode, n);

	want.payload = n < 2 ? PEER_MTU : 4;
	want.dmalen = 2 * PEER_MTU + 4;
	want.pattern = packet_pattern(PEER_PATTERN, n * PEER_MTU);
	peer_await(&want);
}

PEER_TEST_OPTS(probe_lost_tail, "Q3", "the last packet of a WRITE is lost", &probe_opts)
{
	peer_post(1, IBV_WR_RDMA_WRITE, 2 * PEER_MTU + 4);
	expect_write(XROCE_RC_WRITE_FIRST, 0, 2 * PEER_MTU + 4);
	peer_expect_data(XROCE_RC_WRITE_MIDDLE, 1, PEER_MTU, PEER_MTU, false);
	peer_expect_data(XROCE_RC_WRITE_LAST, 2, 2 * PEER_MTU, 4, true);
	/* The oldest one makes the peer say how far it has come; the last one is missing. */
	await_part(XROCE_RC_WRITE_FIRST, 0);
	await_part(XROCE_RC_WRITE_LAST, 2);
	peer_ack(1);
	peer_ack(2);
	peer_completes(1, IBV_WC_SUCCESS);
	probed();
}

/* Also the acknowledgement of what a probe has sent again. */
PEER_TEST_OPTS(probe_lost_ack, "Q3", "an acknowledgement is lost, several times", &probe_opts)
{
	uint32_t i;

	peer_post(1, IBV_WR_SEND, 4);
	peer_expect_send(0, 4);
	for (i = 0; i < 4; i++)
		peer_expect_send(0, 4);
	peer_ack(0);
	peer_completes(1, IBV_WC_SUCCESS);
	probed();
	check(peer_map().req_probes >= 4, "%llu probes", peer_map().req_probes);
}

/* That NAK takes the one retry. */
static const struct peer_opts probe_nak_opts = { .timeout = 20, .retries = 1, .reads = 4 };

static void await_send(uint32_t n)
{
	struct packet want = peer_request(XROCE_RC_SEND_ONLY, n);

	want.payload = 4;
	peer_await(&want);
}

PEER_TEST_OPTS(probe_lost_nak, "Q3", "a packet is lost, and the NAK for it", &probe_nak_opts)
{
	uint32_t id;

	peer_post_many(1, IBV_WR_SEND, 4, 4);
	for (id = 0; id < 4; id++)
		peer_expect_data(XROCE_RC_SEND_ONLY, id, 0, 4, id == 3);
	/* The peer has executed the first one, and discards the last one. */
	await_send(0);
	await_send(3);
	peer_nak(XROCE_SYN_NAK_SEQ, 1);
	peer_completes(1, IBV_WC_SUCCESS);
	await_send(1);
	peer_ack(3);
	for (id = 2; id <= 4; id++)
		peer_completes(id, IBV_WC_SUCCESS);
	probed();
}

static void await_read(uint32_t n, uint32_t len, uint32_t off)
{
	struct packet want = peer_request(XROCE_RC_READ_REQUEST, n);

	want.va += off;
	want.dmalen = len;
	peer_await(&want);
}

PEER_TEST_OPTS(probe_lost_read, "Q3", "the request of a READ is lost", &probe_opts)
{
	peer_post(1, IBV_WR_RDMA_READ, PEER_MTU + 4);
	peer_expect_read(0, PEER_MTU + 4, 0);
	await_read(0, PEER_MTU + 4, 0);
	peer_send_data(XROCE_RC_READ_RESPONSE_FIRST, 0, 0, PEER_MTU);
	peer_send_data(XROCE_RC_READ_RESPONSE_LAST, 1, PEER_MTU, 4);
	peer_completes(1, IBV_WC_SUCCESS);
	peer_received(PEER_MTU + 4);
	probed();
}

PEER_TEST_OPTS(probe_lost_response, "Q3", "the last packet of a response is lost", &probe_opts)
{
	peer_post(1, IBV_WR_RDMA_READ, PEER_MTU + 4);
	peer_expect_read(0, PEER_MTU + 4, 0);
	peer_send_data(XROCE_RC_READ_RESPONSE_FIRST, 0, 0, PEER_MTU);
	await_read(1, 4, PEER_MTU);
	peer_send_data(XROCE_RC_READ_RESPONSE_ONLY, 1, PEER_MTU, 4);
	peer_completes(1, IBV_WC_SUCCESS);
	peer_received(PEER_MTU + 4);
	probed();
}

static const struct peer_opts exhausted_opts = { .timeout = 14, .retries = 2, .reads = 4 };

PEER_TEST_OPTS(timeout_exhausted, "Q3 Q4", "no response at all", &exhausted_opts)
{
	peer_post_many(1, IBV_WR_SEND, 4, 2);
	peer_expect_data(XROCE_RC_SEND_ONLY, 0, 0, 4, false);
	peer_expect_send(1, 4);
	peer_expect_send(0, 4);
	peer_expect_send(1, 4);
	peer_completes(1, IBV_WC_RETRY_EXC_ERR);
	peer_completes(2, IBV_WC_WR_FLUSH_ERR);
	peer_skip();
	peer_quiet();
	check(peer_map().req_timeouts == exhausted_opts.retries + 1u, "timeouts: %llu",
	      peer_map().req_timeouts);
}

TEST_MAIN(harness_main);
