// SPDX-License-Identifier: GPL-2.0-only
/*
 * Responses to READs and atomics of a reliable connection, of a peer that loses, repeats and
 * invents them. Whatever it sends, only the bytes that were asked for are written.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "clock.h"
#include "counters.h"
#include "verbs_peer.h"
#include "verbs_post.h"

#define FIRST	XROCE_RC_READ_RESPONSE_FIRST
#define MIDDLE	XROCE_RC_READ_RESPONSE_MIDDLE
#define LAST	XROCE_RC_READ_RESPONSE_LAST
#define ONLY	XROCE_RC_READ_RESPONSE_ONLY
#define THREE	(2 * PEER_MTU + 5)	/* bytes of a response of three packets */

static const uint64_t original = 0x0102030405060708ull;

static void ignored(uint8_t opcode, uint32_t n, uint32_t off, uint32_t len)
{
	struct packet p = peer_data(opcode, n, off, len);

	peer_ignored(&p);
}

PEER_TEST(read_one, "Q2 V2", "responses of one packet")
{
	static const uint32_t lengths[] = { 1, 4, 7, PEER_MTU };
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		memset(peer.in, PEER_GUARD, PEER_MTU);
		peer_post(i, IBV_WR_RDMA_READ, lengths[i]);
		peer_expect_read(i, lengths[i], 0);
		peer_send_data(ONLY, i, 0, lengths[i]);
		peer_completes(i, IBV_WC_SUCCESS);
		peer_received(lengths[i]);
	}
}

PEER_TEST(read_zero, "Q2 Q1", "a READ of no bytes")
{
	peer_post(1, IBV_WR_RDMA_READ, 0);
	peer_expect_read(0, 0, 0);
	peer_send_data(ONLY, 0, 0, 0);
	peer_completes(1, IBV_WC_SUCCESS);
	peer_received(0);
}

PEER_TEST(read_several, "Q2 V2", "a response of three packets")
{
	peer_post(1, IBV_WR_RDMA_READ, THREE);
	peer_expect_read(0, THREE, 0);
	peer_send_data(FIRST, 0, 0, PEER_MTU);
	peer_send_data(MIDDLE, 1, PEER_MTU, PEER_MTU);
	peer_incomplete();
	peer_send_data(LAST, 2, 2 * PEER_MTU, 5);
	peer_completes(1, IBV_WC_SUCCESS);
	peer_received(THREE);
	check(peer_map().req_response_bytes == THREE, "%llu bytes",
	      peer_map().req_response_bytes);
}

/* Into elements that do not end where packets do. */
PEER_TEST(read_scattered, "Q2", "a READ into several elements")
{
	static const uint32_t lengths[] = { 1, 0, 1000, 50, 902 };
	struct ibv_sge sge[ARRAY_SIZE(lengths)];
	struct ibv_send_wr wr = peer_wr(1, IBV_WR_RDMA_READ, NULL);
	uint32_t i, len = 0;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		sge[i] = peer_sge(peer.in + len, lengths[i]);
		len += lengths[i];
	}
	wr.sg_list = sge;
	wr.num_sge = i;
	peer_post_list(&wr);
	peer_expect_read(0, len, 0);
	peer_send_data(FIRST, 0, 0, PEER_MTU);
	peer_send_data(LAST, 1, PEER_MTU, len - PEER_MTU);
	peer_completes(1, IBV_WC_SUCCESS);
	peer_received(len);
}

PEER_TEST(read_acknowledges, "Q2 Q4", "a response acknowledges what is before it")
{
	peer_post(1, IBV_WR_SEND, 4);
	peer_post(2, IBV_WR_RDMA_READ, 4);
	peer_send_data(ONLY, 1, 0, 4);
	peer_completes(1, IBV_WC_SUCCESS);
	peer_completes(2, IBV_WC_SUCCESS);
	peer_received(4);
}

/* A FLUSH names a range of the peer's memory, or a whole region; the response has no data. */
PEER_TEST(read_flush, "Q1 V7", "a FLUSH names a range, or a region")
{
	struct post_way way = { .qp = peer.qp, .ring = peer.ring, .peer = PEER_VA };
	struct request_op op = {
		.opcode = REQUEST_FLUSH, .flags = IBV_SEND_SIGNALED, .key = PEER_RKEY,
		.off = 64, .len = 3 * PEER_MTU,
	};
	struct packet want;
	uint32_t i;

	for (i = 0; i < 2; i++) {
		op.id = i;
		op.whole = i;
		post_request(&way, &op);
		want = peer_request(XROCE_RC_FLUSH, i);
		want.va += op.off;
		want.dmalen = i ? 0 : op.len;
		want.flush = XROCE_FLUSH_GLOBAL | i << XROCE_FLUSH_SEL_SHIFT;
		want.ackreq = false;
		peer_expect(&want);
		peer_send_data(ONLY, i, 0, 0);
		peer_completes(i, IBV_WC_SUCCESS);
	}
	peer_received(0);
}

PEER_TEST(read_lost_first, "Q3", "the first packet is lost")
{
	peer_post(1, IBV_WR_RDMA_READ, THREE);
	peer_expect_read(0, THREE, 0);
	peer_send_data(MIDDLE, 1, PEER_MTU, PEER_MTU);
	/* The packet only. */
	peer_expect_part(0, PEER_MTU, 0);
	peer_send_data(LAST, 2, 2 * PEER_MTU, 5);
	peer_incomplete();
	peer_send_data(ONLY, 0, 0, PEER_MTU);
	peer_completes(1, IBV_WC_SUCCESS);
	peer_received(THREE);
	check(peer_map().req_implied_naks == 1 && peer_map().req_retransmits == 1,
	      "%llu implied NAKs, %llu packets again", peer_map().req_implied_naks,
	      peer_map().req_retransmits);
}

PEER_TEST(read_lost_middle, "Q3", "a packet in the middle is lost")
{
	peer_post(1, IBV_WR_RDMA_READ, THREE);
	peer_expect_read(0, THREE, 0);
	peer_send_data(FIRST, 0, 0, PEER_MTU);
	peer_send_data(LAST, 2, 2 * PEER_MTU, 5);
	/* With the PSN of the packet that is missing. */
	peer_expect_part(1, PEER_MTU, PEER_MTU);
	/* It comes twice, once with other bytes, and so does the one that is behind it. */
	ignored(LAST, 2, 64, 5);
	peer_send_data(ONLY, 1, PEER_MTU, PEER_MTU);
	peer_completes(1, IBV_WC_SUCCESS);
	ignored(MIDDLE, 1, 64, PEER_MTU);
	peer_received(THREE);
}

/* With a local ACK timeout, 4.3 s, there is a timer that waits for what is late. */
static const struct peer_opts lost_opts = { .timeout = 20, .retries = 7, .reads = 4 };

/*
 * What is only late is waited for, for about this time; one of some tries takes less than half. How
 * many it needs depends on what else the machine does.
 */
#define LATE_MS		50
#define AT_ONCE_NS	(LATE_MS * 1000000 / 2)
#define TRIES		25

/* Wait for a request from packet @n on. If this test runs late there are others: probes. */
static void asked(uint32_t n)
{
	struct packet want = peer_request(XROCE_RC_READ_REQUEST, n), got;

	while (peer_take(&got))
		if (got.opcode == want.opcode && got.psn == want.psn)
			return;
}

/* A READ whose packet @lost is lost, and comes late, with @opcode: the next hole does not wait. */
static void lost_indeed(uint32_t lost, uint8_t opcode, uint32_t len)
{
	int64_t least = INT64_MAX, sent, took;
	uint32_t i, n;

	peer_post(1, IBV_WR_RDMA_READ, THREE);
	peer_post(2, IBV_WR_RDMA_READ, 4);
	peer_expect_read(0, THREE, 0);
	peer_expect_read(3, 4, 0);
	peer_send_data(FIRST, 0, 0, PEER_MTU);
	for (i = 1; i < 3; i++)
		if (i != lost)
			peer_send_data(i == 2 ? LAST : MIDDLE, i, i * PEER_MTU,
				       i == 2 ? 5 : PEER_MTU);
	peer_send_data(ONLY, 3, 0, 4);
	asked(lost);
	usleep(2 * LATE_MS * 1000);
	peer_skip();
	peer_send_data(opcode, lost, lost * PEER_MTU, len);
	peer_completes(1, IBV_WC_SUCCESS);
	peer_completes(2, IBV_WC_SUCCESS);

	for (i = 0, n = 4; i < TRIES && least >= AT_ONCE_NS; i++, n += 3) {
		peer_post(3 + i, IBV_WR_RDMA_READ, THREE);
		asked(n);
		sent = clock_ns();
		peer_send_data(MIDDLE, n + 1, PEER_MTU, PEER_MTU);
		asked(n);
		took = clock_ns() - sent;
		least = took < least ? took : least;
		peer_send_data(LAST, n + 2, 2 * PEER_MTU, 5);
		peer_send_data(ONLY, n, 0, PEER_MTU);
		peer_completes(3 + i, IBV_WC_SUCCESS);
	}
	peer_received(THREE);
	check(least < AT_ONCE_NS, "a hole is asked for after %lld ns",
	      (long long)least);
}

PEER_TEST_OPTS(read_lost_indeed, "Q3", "a packet comes again, as it should", &lost_opts)
{
	lost_indeed(1, ONLY, PEER_MTU);
}

/* rxe answers a request for a part with MIDDLE and LAST. */
PEER_TEST_OPTS(read_lost_rxe, "Q3", "a packet comes again, as rxe sends it", &lost_opts)
{
	lost_indeed(1, LAST, PEER_MTU);
}

PEER_TEST_OPTS(read_lost_rxe_last, "Q3", "the last packet comes again, as rxe sends it", &lost_opts)
{
	lost_indeed(2, LAST, 5);
}

PEER_TEST(read_lost_whole, "Q3", "a response is lost, the next one is not")
{
	peer_post_many(1, IBV_WR_RDMA_READ, 4, 2);
	peer_expect_read(0, 4, 0);
	peer_expect_read(1, 4, 0);
	peer_send_data(ONLY, 1, 0, 4);
	peer_expect_read(0, 4, 0);
	peer_incomplete();
	peer_send_data(ONLY, 0, 0, 4);
	peer_completes(1, IBV_WC_SUCCESS);
	peer_completes(2, IBV_WC_SUCCESS);
	peer_received(4);
}

PEER_TEST(read_reversed, "Q2 Q3", "packets in reverse order")
{
	peer_post(1, IBV_WR_RDMA_READ, THREE);
	peer_expect_read(0, THREE, 0);
	peer_send_data(LAST, 2, 2 * PEER_MTU, 5);
	peer_expect_part(0, 2 * PEER_MTU, 0);
	peer_send_data(MIDDLE, 1, PEER_MTU, PEER_MTU);
	peer_quiet();
	peer_incomplete();
	peer_send_data(FIRST, 0, 0, PEER_MTU);
	peer_completes(1, IBV_WC_SUCCESS);
	peer_received(THREE);
	check(peer_map().req_implied_naks == 1, "%llu implied NAKs", peer_map().req_implied_naks);
}

/* What is wrong does not fill a hole, and changes nothing. */
PEER_TEST(read_early_wrong, "Q2 Q5", "wrong lengths and opcodes behind a hole")
{
	peer_post(1, IBV_WR_RDMA_READ, THREE);
	peer_expect_read(0, THREE, 0);
	ignored(LAST, 2, 2 * PEER_MTU, 4);
	ignored(LAST, 2, 2 * PEER_MTU, 8);
	ignored(MIDDLE, 2, 2 * PEER_MTU, PEER_MTU);
	ignored(LAST, 1, PEER_MTU, PEER_MTU);
	ignored(ONLY, 1, PEER_MTU, 5);
	peer_received(0);
	peer_quiet();
	peer_send_data(FIRST, 0, 0, PEER_MTU);
	peer_send_data(MIDDLE, 1, PEER_MTU, PEER_MTU);
	peer_send_data(LAST, 2, 2 * PEER_MTU, 5);
	peer_completes(1, IBV_WC_SUCCESS);
	peer_received(THREE);
}

static const struct peer_opts lossy_opts = { .timeout = 16, .retries = 7, .reads = 4 };

/* The last packet is lost, and nothing follows. */
PEER_TEST_OPTS(read_lost_last, "Q3", "the last packet is lost", &lossy_opts)
{
	peer_post(1, IBV_WR_RDMA_READ, THREE);
	peer_expect_read(0, THREE, 0);
	peer_send_data(FIRST, 0, 0, PEER_MTU);
	peer_send_data(MIDDLE, 1, PEER_MTU, PEER_MTU);
	/* It may have asked earlier: the peer is slow. It asks again. */
	peer_skip();
	peer_expect_read(2, THREE, 2 * PEER_MTU);
	peer_send_data(ONLY, 2, 2 * PEER_MTU, 5);
	peer_completes(1, IBV_WC_SUCCESS);
	peer_received(THREE);
}

/* Code of the timeout 14: 0.07 s. */
static const struct peer_opts holes_opts = { .timeout = 14, .retries = 2, .reads = 4 };

/* The packets with an odd number, of @n. */
static void send_odd(uint32_t n)
{
	uint32_t i;

	for (i = 1; i < n; i += 2)
		peer_send_data(i + 1 < n ? MIDDLE : LAST, i, i * PEER_MTU, PEER_MTU);
}

/* Each packet is written where it belongs, and its holes do not keep the READ alive. */
PEER_TEST_OPTS(read_holes_endless, "Q3 Q4 Q5", "a response with holes that are never filled",
	       &holes_opts)
{
	const uint32_t n = PEER_BYTES / PEER_MTU;
	const uint32_t most = 100000;
	struct ibv_wc wc = {};
	uint32_t i, rounds;

	peer_post(1, IBV_WR_RDMA_READ, PEER_BYTES);
	peer_expect_read(0, PEER_BYTES, 0);
	for (rounds = 0; rounds < most && !ibv_poll_cq(peer.cq, 1, &wc); rounds++)
		send_odd(n);
	check(wc.status == IBV_WC_RETRY_EXC_ERR && wc.wr_id == 1, "status %d", wc.status);
	for (i = 0; i < PEER_BYTES; i++)
		if (!check(peer.in[i] == (i / PEER_MTU % 2 ? packet_pattern(PEER_PATTERN, i) :
							     PEER_GUARD), "byte %u", i))
			return;
	/* Less than what the peer has sent. */
	note("%u times, %llu packets again", rounds, peer_map().req_retransmits);
	check(peer_map().req_retransmits < (uint64_t)rounds * n, "%llu packets again",
	      peer_map().req_retransmits);
	peer_skip();
	peer_quiet();
}

#define MANY	8200u		/* packets: more than may be noted behind a hole */
#define PART	512u		/* of a READ that are requested at once */

/* Answer a part of a READ of MANY packets. The one in the middle is lost, and asked for again. */
static void answer_part(uint32_t n)
{
	uint32_t end = n + PART < MANY ? n + PART : MANY, lost = n + (end - n) / 2, i;

	peer_expect_part(n, (end - n) * PEER_MTU, n * PEER_MTU);
	for (i = n; i < end; i++)
		if (i != lost)
			peer_send_data(i == n ? FIRST : i + 1 < end ? MIDDLE : LAST, i,
				       i * PEER_MTU, PEER_MTU);
	peer_expect_part(lost, PEER_MTU, lost * PEER_MTU);
	peer_send_data(ONLY, lost, lost * PEER_MTU, PEER_MTU);
}

static const struct peer_opts one_opts = { .retries = 7, .reads = 1 };

PEER_TEST_OPTS(read_parts, "Q1 Q2 Q3 Q5", "a READ of more than 8192 packets, with a loss in each part",
	       &one_opts)
{
	const size_t len = (size_t)MANY * PEER_MTU;
	uint8_t *into = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ibv_mr *mr = ibv_reg_mr(xr_end.pd, into, len, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_sge sge = { (uintptr_t)into, len };
	struct ibv_send_wr wr = peer_wr(1, IBV_WR_RDMA_READ, &sge);
	uint32_t n;
	size_t i;

	if (!check(mr, "region"))
		return;
	sge.lkey = mr->lkey;
	peer_post_list(&wr);
	for (n = 0; n < MANY && !test_failed(); n += PART) {
		peer_incomplete();
		answer_part(n);
	}
	peer_completes(1, IBV_WC_SUCCESS);
	for (i = 0; i < len && into[i] == packet_pattern(PEER_PATTERN, i); i++)
		;
	check(i == len, "byte %zu of %zu", i, len);
	peer_received(0);
	check(!ibv_dereg_mr(mr), "deregister");
	munmap(into, len);
}

PEER_TEST(read_duplicate, "Q2 Q5", "packets that have arrived")
{
	peer_post(1, IBV_WR_RDMA_READ, THREE);
	peer_expect_read(0, THREE, 0);
	peer_send_data(FIRST, 0, 0, PEER_MTU);
	/* With other bytes, which must not be written. */
	ignored(FIRST, 0, 64, PEER_MTU);
	peer_send_data(MIDDLE, 1, PEER_MTU, PEER_MTU);
	ignored(MIDDLE, 1, 64, PEER_MTU);
	ignored(FIRST, 0, 64, PEER_MTU);
	peer_received(2 * PEER_MTU);
	peer_send_data(LAST, 2, 2 * PEER_MTU, 5);
	peer_completes(1, IBV_WC_SUCCESS);
	ignored(LAST, 2, 64, 5);
	peer_received(THREE);
}

/* A packet of a response as the peer sends it. */
struct part {
	uint8_t opcode;
	uint32_t len;
};

/* A READ of @len bytes; @parts in turn, of which the last one with a length ends it. */
struct bad {
	const char *what;
	uint32_t len;
	struct part parts[2];
};

static const struct bad bads[] = {
	{ "a longer ONLY", 100, { { ONLY, 104 } } },
	{ "a much longer ONLY", 1, { { ONLY, PEER_MTU } } },
	{ "an ONLY longer by its pad", 5, { { ONLY, 8 } } },
	{ "a shorter ONLY", 100, { { ONLY, 99 } } },
	{ "an empty ONLY", 100, { { ONLY, 0 } } },
	{ "an ONLY instead of an empty one", 0, { { ONLY, 1 } } },
	{ "a longer LAST", PEER_MTU + 40, { { FIRST, PEER_MTU }, { LAST, 44 } } },
	{ "a shorter LAST", PEER_MTU + 40, { { FIRST, PEER_MTU }, { LAST, 36 } } },
	{ "a MIDDLE instead of LAST", PEER_MTU + 40, { { FIRST, PEER_MTU }, { MIDDLE, PEER_MTU } } },
	{ "FIRST twice", 2 * PEER_MTU, { { FIRST, PEER_MTU }, { FIRST, PEER_MTU } } },
	{ "an ONLY after FIRST", PEER_MTU + 40, { { FIRST, PEER_MTU }, { ONLY, 40 } } },
	{ "a LAST too early", 3 * PEER_MTU, { { FIRST, PEER_MTU }, { LAST, PEER_MTU } } },
	{ "MIDDLE first", THREE, { { MIDDLE, PEER_MTU } } },
	{ "LAST first", 40, { { LAST, 40 } } },
	{ "ONLY for two packets", PEER_MTU + 40, { { ONLY, PEER_MTU } } },
	{ "FIRST for one packet", PEER_MTU, { { FIRST, PEER_MTU } } },
};

static void refuses(const struct bad *b)
{
	uint32_t n, off = 0;

	peer_post(1, IBV_WR_RDMA_READ, b->len);
	peer_post(2, IBV_WR_SEND, 4);
	for (n = 0; n < 2 && b->parts[n].opcode; n++) {
		peer_send_data(b->parts[n].opcode, n, off, b->parts[n].len);
		off += b->parts[n].len;
	}
	peer_completes(1, IBV_WC_BAD_RESP_ERR);
	peer_completes(2, IBV_WC_WR_FLUSH_ERR);
	peer_received(n == 2 ? b->parts[0].len : 0);
}

PEER_TEST(read_bad_response, "Q2 Q4 Q5", "wrong lengths and opcodes")
{
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(bads) && !test_failed(); i++) {
		refuses(&bads[i]);
		if (!check(!test_failed(), "%s", bads[i].what))
			return;
		peer_again();
	}
}

/* The end of a READ at the end of a region, in two packets, of which one is too long. */
PEER_TEST(read_bad_at_end, "Q5", "a response that is too long at the end of a region")
{
	struct ibv_sge sge = peer_sge(peer.in + PEER_BYTES - PEER_MTU - 4, PEER_MTU + 4);
	struct ibv_send_wr wr = peer_wr(1, IBV_WR_RDMA_READ, &sge);

	peer_post_list(&wr);
	peer_send_data(FIRST, 0, 0, PEER_MTU);
	peer_send_data(LAST, 1, 0, 8);
	peer_completes(1, IBV_WC_BAD_RESP_ERR);
	memset(peer.in + PEER_BYTES - PEER_MTU - 4, PEER_GUARD, PEER_MTU);
	peer_received(0);
}

/* Lengths that do not fit the opcode, whatever the READ. */
static const struct part misfits[] = {
	{ FIRST, PEER_MTU - 4 }, { FIRST, PEER_MTU + 4 }, { FIRST, 0 },
	{ MIDDLE, PEER_MTU - 1 }, { LAST, PEER_MTU + 4 }, { ONLY, PEER_MTU + 1 },
};

/* With another PSN than the one that is due the frame is dropped. */
PEER_TEST(read_length_of_opcode, "Q2 Q5 D6", "lengths that the opcode does not have")
{
	struct packet p;
	uint32_t i, n;

	peer_post(1, IBV_WR_RDMA_READ, THREE);
	peer_send_data(FIRST, 0, 0, PEER_MTU);
	for (i = 0; i < ARRAY_SIZE(misfits); i++) {
		for (n = 0; n < 4; n += n ? 1 : 2) {
			p = peer_data(misfits[i].opcode, n, 0, misfits[i].len);
			peer_counted(&p, COUNTER(drop_length));
		}
	}
	peer_incomplete();
	peer_received(PEER_MTU);
	peer_send_data(MIDDLE, 1, PEER_MTU, PEER_MTU);
	peer_send_data(LAST, 2, 2 * PEER_MTU, 5);
	peer_completes(1, IBV_WC_SUCCESS);
	peer_received(THREE);
}

/* It is due: the READ fails at once. */
static void wrong_at_once(const struct packet *p, enum ibv_wr_opcode opcode, uint32_t len)
{
	peer_post(1, opcode, len);
	peer_counted(p, COUNTER(req_rx));
	peer_completes(1, IBV_WC_BAD_RESP_ERR);
	peer_received(0);
	peer_again();
}

PEER_TEST(read_wrong_length, "Q2 Q5", "the same with the PSN that is due: BAD_RESP at once")
{
	struct packet p;
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(misfits) && !test_failed(); i++) {
		p = peer_data(misfits[i].opcode, 0, 0, misfits[i].len);
		wrong_at_once(&p, IBV_WR_RDMA_READ, THREE);
	}
	p = peer_response(XROCE_RC_ATOMIC_ACK, 0);
	p.payload = 4;
	wrong_at_once(&p, IBV_WR_ATOMIC_FETCH_AND_ADD, 8);
}

/* Responses to READs that were not sent. */
PEER_TEST(read_not_asked, "Q2 Q5", "responses to requests that were not READs")
{
	peer_post(1, IBV_WR_SEND, 4);
	ignored(ONLY, 0, 0, 4);
	ignored(FIRST, 0, 0, PEER_MTU);
	ignored(XROCE_RC_ATOMIC_ACK, 0, 0, 0);
	peer_incomplete();
	peer_post(2, IBV_WR_RDMA_READ, 4);
	/* The PSN of the SEND. */
	ignored(ONLY, 0, 0, 4);
	ignored(ONLY, 2, 0, 4);
	peer_incomplete();
	peer_received(0);
	peer_ack(0);
	peer_completes(1, IBV_WC_SUCCESS);
	peer_send_data(ONLY, 1, 0, 4);
	peer_completes(2, IBV_WC_SUCCESS);
	peer_received(4);
	ignored(ONLY, 1, 64, 4);
	ignored(ONLY, 2, 64, 4);
	peer_received(4);
}

static void send_atomic_ack(uint32_t n)
{
	struct packet p = peer_response(XROCE_RC_ATOMIC_ACK, n);

	p.orig = original;
	peer_send(&p);
}

PEER_TEST(atomic_value, "Q2 V2", "the value of an atomic")
{
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_ATOMIC_CMP_AND_SWP, IBV_WR_ATOMIC_FETCH_AND_ADD,
	};
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		peer_post(i, opcodes[i], 8);
		send_atomic_ack(i);
		peer_completes(i, IBV_WC_SUCCESS);
		check(!memcmp(peer.in, &original, 8), "%#x", peer.in[0]);
		memset(peer.in, PEER_GUARD, 8);
		peer_received(0);
	}
}

/* Into two elements, the first of which ends within a word. */
PEER_TEST(atomic_scattered, "Q2 Q5", "the value in two elements")
{
	struct ibv_sge sge[2] = { peer_sge(peer.in + 3, 5), peer_sge(peer.in + 8, 3) };
	struct ibv_send_wr wr = peer_wr(1, IBV_WR_ATOMIC_FETCH_AND_ADD, sge);

	wr.num_sge = 2;
	peer_post_list(&wr);
	send_atomic_ack(0);
	peer_completes(1, IBV_WC_SUCCESS);
	check(!memcmp(peer.in + 3, &original, 8), "%#x", peer.in[3]);
	memset(peer.in + 3, PEER_GUARD, 8);
	peer_received(0);
}

/* Responses of another operation. */
PEER_TEST(other_response, "Q2 Q5", "of an atomic to a READ, and the reverse")
{
	struct packet p = peer_response(XROCE_RC_ATOMIC_ACK, 0);

	wrong_at_once(&p, IBV_WR_RDMA_READ, 8);
	p = peer_data(ONLY, 0, 0, 8);
	wrong_at_once(&p, IBV_WR_ATOMIC_FETCH_AND_ADD, 8);
	p = peer_data(FIRST, 0, 0, PEER_MTU);
	wrong_at_once(&p, IBV_WR_ATOMIC_FETCH_AND_ADD, 8);
	/* With another PSN they are ignored. */
	peer_post(1, IBV_WR_RDMA_READ, 8);
	ignored(XROCE_RC_ATOMIC_ACK, 1, 0, 0);
	peer_received(0);
	peer_send_data(ONLY, 0, 0, 8);
	peer_completes(1, IBV_WC_SUCCESS);
	peer_received(8);
}

/* The response to an atomic is lost, and shown by the response to the next one. */
PEER_TEST(atomic_lost, "Q3", "an atomic is sent again with its PSN")
{
	struct packet p = peer_response(XROCE_RC_ATOMIC_ACK, 1), want;

	peer_post_many(1, IBV_WR_ATOMIC_FETCH_AND_ADD, 8, 2);
	want = peer_request(XROCE_RC_FETCH_ADD, 0);
	peer_expect(&want);
	want.psn = (PEER_PSN + 1) & XROCE_PSN_MASK;
	peer_expect(&want);
	peer_send(&p);
	want.psn = PEER_PSN;
	peer_expect(&want);
	peer_incomplete();
	send_atomic_ack(0);
	peer_completes(1, IBV_WC_SUCCESS);
	peer_completes(2, IBV_WC_SUCCESS);
}

PEER_TEST(read_deregistered, "Q4 Q5", "the region has gone meanwhile")
{
	struct ibv_mr *mr = ibv_reg_mr(xr_end.pd, peer.in, PEER_BYTES, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_sge sge = peer_sge(peer.in, THREE);
	struct ibv_send_wr wr = peer_wr(1, IBV_WR_RDMA_READ, &sge);
	struct packet first = peer_data(FIRST, 0, 0, PEER_MTU);

	if (!check(mr, "region"))
		return;
	sge.lkey = mr->lkey;
	peer_post_list(&wr);
	peer_counted(&first, COUNTER(req_rx));
	check(!ibv_dereg_mr(mr), "deregister");
	peer_send_data(MIDDLE, 1, PEER_MTU, PEER_MTU);
	peer_completes(1, IBV_WC_LOC_PROT_ERR);
	peer_received(PEER_MTU);
}

/* A NAK of a READ, of which a part has arrived. */
static void nak_within(uint8_t syndrome, enum ibv_wc_status status)
{
	peer_post(1, IBV_WR_RDMA_READ, THREE);
	peer_send_data(FIRST, 0, 0, PEER_MTU);
	peer_nak(syndrome, 1);
	peer_completes(1, status);
	peer_received(PEER_MTU);
}

PEER_TEST(read_refused, "Q4", "NAKs of READs, also in the middle")
{
	peer_post(1, IBV_WR_RDMA_READ, THREE);
	peer_nak(XROCE_SYN_NAK_ACC, 0);
	peer_completes(1, IBV_WC_REM_ACCESS_ERR);
	peer_again();
	nak_within(XROCE_SYN_NAK_ACC, IBV_WC_REM_ACCESS_ERR);
	peer_again();
	nak_within(XROCE_SYN_NAK_OP, IBV_WC_REM_OP_ERR);
}

static const struct peer_opts rnr_opts = { .retries = 1, .rnr_retries = 3, .reads = 4 };

/* RNR NAKs of the rest of a READ: they are counted as such. */
PEER_TEST_OPTS(read_rnr, "Q3", "RNR NAKs of the rest of a READ", &rnr_opts)
{
	uint32_t i;

	peer_post(1, IBV_WR_RDMA_READ, THREE);
	peer_expect_read(0, THREE, 0);
	peer_send_data(FIRST, 0, 0, PEER_MTU);
	for (i = 0; i < rnr_opts.rnr_retries; i++) {
		peer_nak(XROCE_SYN_RNR | 1, 1);
		peer_expect_read(1, THREE, PEER_MTU);
	}
	peer_send_data(FIRST, 1, PEER_MTU, PEER_MTU);
	peer_send_data(LAST, 2, 2 * PEER_MTU, 5);
	peer_completes(1, IBV_WC_SUCCESS);
	peer_received(THREE);
	check(peer_map().req_rnr_naks == 3 && !peer_map().req_implied_naks,
	      "%llu RNR NAKs, %llu implied", peer_map().req_rnr_naks,
	      peer_map().req_implied_naks);
}

TEST_MAIN(harness_main);
