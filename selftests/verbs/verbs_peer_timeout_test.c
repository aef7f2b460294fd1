// SPDX-License-Identifier: GPL-2.0-only
/*
 * A peer of a reliable connection that does not respond: probes, and the local ACK timeout. Codes
 * of the timeout: 16: 0.27 s, 14: 0.07 s.
 */
#include "verbs_peer.h"

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
	peer_expect_write(XROCE_RC_WRITE_FIRST, 0, 2 * PEER_MTU + 4);
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
