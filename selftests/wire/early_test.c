// SPDX-License-Identifier: GPL-2.0-only
/* Packets that come before one that is missing: kept, executed in order, acknowledged at once. */
#include <string.h>
#include <unistd.h>

#include "counters.h"
#include "limit.h"
#include "live_qp.h"
#include "wire.h"

static const struct wire_opts rc;

#define KEPT	1024u		/* frames behind a hole at most */
#define FAR	8192u		/* distance from the hole from which on none is kept */

static uint32_t psn(const struct wire *w, uint32_t n)
{
	return ((w->opts.psn ? : WIRE_PSN) + n) & XROCE_PSN_MASK;
}

/* Prepare a WRITE of 8 bytes at @n * 8, with the PSN @n after the first. */
static void request(struct wire *w, uint32_t n)
{
	w->req.opcode = XROCE_RC_WRITE_ONLY;
	w->req.va = w->mr.iova + n * 8;
	w->req.dmalen = 8;
	w->req.payload = 8;
	w->req.psn = psn(w, n);
}

static void put(struct wire *w, uint32_t n)
{
	request(w, n);
	wire_send(w);
}

static void expect(struct wire *w, uint8_t syndrome, uint32_t n, uint32_t msn)
{
	struct packet want = wire_response(w, XROCE_RC_ACK);

	want.psn = psn(w, n);
	want.syndrome = syndrome;
	want.msn = msn;
	wire_expect(w, &want);
}

/* Whether each of the first @n requests has been executed, and no other. */
static void executed(const struct wire *w, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < WIRE_BYTES; i++)
		if (!check(!w->mem[i] == (i >= n * 8), "byte %u of request %u", i % 8, i / 8))
			return;
}

WIRE_TEST(early_kept, "D6 Q3", "packets behind a hole are executed when it is filled", &rc)
{
	put(w, 1);
	expect(w, XROCE_SYN_NAK_SEQ, 0, 0);
	wire_untouched(w);
	put(w, 2);
	put(w, 0);
	expect(w, XROCE_SYN_ACK, 2, 3);
	wire_quiet(w);
	executed(w, 3);
}

WIRE_TEST(early_reversed, "D6 Q3", "in whatever order they come", &rc)
{
	uint32_t n;

	put(w, 5);
	expect(w, XROCE_SYN_NAK_SEQ, 0, 0);
	for (n = 4; n; n--)
		put(w, n);
	wire_quiet(w);
	wire_untouched(w);
	put(w, 0);
	expect(w, XROCE_SYN_ACK, 5, 6);
	executed(w, 6);
}

/*
 * Each hole has a NAK, but only one. One behind a hole that is filled has it when the next packet
 * is not the one that is missing: a peer that has gone back sends all that follows anyway. What is
 * before it is acknowledged.
 */
WIRE_TEST(early_holes, "D6 Q3", "a NAK for each hole", &rc)
{
	put(w, 1);
	expect(w, XROCE_SYN_NAK_SEQ, 0, 0);
	put(w, 4);
	put(w, 6);
	wire_quiet(w);
	put(w, 0);
	expect(w, XROCE_SYN_ACK, 1, 2);
	wire_quiet(w);
	put(w, 4);
	expect(w, XROCE_SYN_NAK_SEQ, 2, 2);
	put(w, 4);
	wire_quiet(w);
	put(w, 2);
	expect(w, XROCE_SYN_ACK, 2, 3);
	wire_quiet(w);
	put(w, 3);
	expect(w, XROCE_SYN_ACK, 4, 5);
	put(w, 7);
	expect(w, XROCE_SYN_NAK_SEQ, 5, 5);
	put(w, 5);
	expect(w, XROCE_SYN_ACK, 7, 8);
	executed(w, 8);
}

/* What follows comes again, in order, with all that was lost. */
WIRE_TEST(early_back, "D6 Q3", "no NAK to a peer that has gone back", &rc)
{
	struct packet got;
	uint32_t n;

	put(w, 1);
	expect(w, XROCE_SYN_NAK_SEQ, 0, 0);
	put(w, 3);
	put(w, 5);
	for (n = 0; n < 6; n++) {
		put(w, n);
		/* How many there are depends on when frames are executed. */
		while (wire_take(w, WIRE_QUIET_MS, &got, NULL))
			check_is(got.syndrome, XROCE_SYN_ACK, "syndrome");
	}
	executed(w, 6);
}

WIRE_TEST(early_twice, "D6 Q3", "a NAK if a packet of a hole is lost again", &rc)
{
	put(w, 2);
	expect(w, XROCE_SYN_NAK_SEQ, 0, 0);
	put(w, 0);
	expect(w, XROCE_SYN_ACK, 0, 1);
	wire_quiet(w);
	put(w, 2);
	expect(w, XROCE_SYN_NAK_SEQ, 1, 1);
	put(w, 1);
	expect(w, XROCE_SYN_ACK, 2, 3);
	wire_quiet(w);
	executed(w, 3);
}

/*
 * Send packet 0, a READ or a WRITE, and 1 to 4 again. Return: whether each acknowledgement is of
 * one of them in turn. Behind the response to a READ they are queued.
 */
static bool in_turn(struct wire *w, bool read)
{
	uint32_t n, last = 0;
	struct packet got;

	request(w, 0);
	if (read) {
		w->req.opcode = XROCE_RC_READ_REQUEST;
		w->req.payload = 0;
	}
	wire_send(w);
	if (read)
		wire_comes(w, XROCE_RC_READ_RESPONSE_ONLY, psn(w, 0));
	for (n = 1; n < 5; n++)
		put(w, n);
	while (last < 4) {
		if (!check(wire_take(w, WIRE_MS, &got, NULL), "no acknowledgement"))
			return false;
		check_is(got.syndrome, XROCE_SYN_ACK, "syndrome");
		n = (got.psn - psn(w, 0)) & XROCE_PSN_MASK;
		if (n != last && n != last + 1)
			return false;
		last = n;
	}
	return true;
}

/*
 * A peer that goes back may forget what it has yet to send again if that is acknowledged. If this
 * machine is slow, the peer seems to have come to an end.
 */
static void ahead(struct wire *w, bool read)
{
	uint32_t n, tries = 20;

	do {
		put(w, 1);
		expect(w, XROCE_SYN_NAK_SEQ, 0, 0);
		for (n = 2; n < 6; n++)
			put(w, n);
		wire_quiet(w);
	} while (!in_turn(w, read) && --tries && wire_again(w));
	check(tries, "packets were acknowledged that had not come again");
	put(w, 5);
	expect(w, XROCE_SYN_ACK, 5, 6);
	/* Now it may hear of all. */
	put(w, 2);
	expect(w, XROCE_SYN_ACK, 5, 6);
	wire_quiet(w);
}

WIRE_TEST(early_ahead, "D6 Q3", "what was kept is acknowledged when the peer comes to it", &rc)
{
	ahead(w, false);
	executed(w, 6);
}

WIRE_TEST(early_ahead_read, "D6 Q3", "also behind the response to a READ", &rc)
{
	ahead(w, true);
}

/* An atomic shows how often it was executed. */
WIRE_TEST(early_once, "D6", "a packet that comes twice is executed once", &rc)
{
	struct packet want = wire_response(w, XROCE_RC_ATOMIC_ACK);
	__u64 value;
	int i;

	w->req.opcode = XROCE_RC_FETCH_ADD;
	w->req.va = w->mr.iova + 8;
	w->req.swap = 5;
	w->req.payload = 0;
	w->req.psn = psn(w, 1);
	want.psn = w->req.psn;
	want.syndrome = XROCE_SYN_ACK;
	want.msn = 2;
	for (i = 0; i < 3; i++)
		wire_send(w);
	expect(w, XROCE_SYN_NAK_SEQ, 0, 0);
	put(w, 0);
	expect(w, XROCE_SYN_ACK, 0, 1);
	wire_expect(w, &want);
	wire_quiet(w);
	memcpy(&value, w->mem + 8, sizeof(value));
	check_is(value, 5, "added");
}

/* It is judged when it is executed, as if it had just come. */
WIRE_TEST(early_refused, "D5 D6", "a refused packet behind a hole changes nothing before its turn", &rc)
{
	request(w, 1);
	w->req.rkey ^= 1;
	wire_send(w);
	expect(w, XROCE_SYN_NAK_SEQ, 0, 0);
	w->req.rkey ^= 1;
	put(w, 2);
	wire_quiet(w);
	put(w, 0);
	expect(w, XROCE_SYN_NAK_ACC, 1, 1);
	wire_quiet(w);
	executed(w, 1);
}

WIRE_TEST(early_corrupt, "D4 D6", "a packet with a wrong invariant CRC is not kept", &rc)
{
	request(w, 1);
	w->req.icrc_flip = 1;
	wire_counted(w, COUNTER(drop_icrc));
	w->req.icrc_flip = 0;
	put(w, 0);
	expect(w, XROCE_SYN_ACK, 0, 1);
	wire_quiet(w);
	executed(w, 1);
}

/*
 * Those for which there is no room are missing, like any other. The last one comes first: each
 * becomes the first one that is kept, so that none is given up on a slow host.
 */
WIRE_TEST(early_bounded, "D6 O3", "packets that are kept are bounded", &rc)
{
	struct packet got = {};
	uint32_t n;

	w->req.ackreq = false;
	put(w, KEPT);
	expect(w, XROCE_SYN_NAK_SEQ, 0, 0);
	for (n = KEPT - 1; n; n--)
		put(w, n);
	request(w, KEPT + 1);
	wire_counted(w, COUNTER(drop_defer));
	put(w, 0);
	/* One for each run of the work item. */
	do {
		if (!check(wire_take(w, WIRE_MS, &got, NULL), "no acknowledgement"))
			break;
	} while (got.psn != psn(w, KEPT));
	check(got.syndrome == XROCE_SYN_ACK && got.msn == KEPT + 1, "MSN %u", got.msn);
	wire_quiet(w);
	executed(w, KEPT + 1);
}

WIRE_TEST(early_reset, "D6 Q4", "what is kept does not survive the connection", &rc)
{
	put(w, 1);
	expect(w, XROCE_SYN_NAK_SEQ, 0, 0);
	if (!wire_again(w))
		return;
	put(w, 0);
	expect(w, XROCE_SYN_ACK, 0, 1);
	wire_quiet(w);
	executed(w, 1);
}

static void expect_sack(struct wire *w, uint32_t n, uint32_t msn, uint32_t lost, uint32_t bits)
{
	struct packet want = wire_response(w, XROCE_OP_SACK);

	want.psn = psn(w, n);
	want.syndrome = XROCE_SYN_NAK_SEQ;
	want.msn = msn;
	want.sack_lost = lost;
	want.sack_bits[0] = bits;
	wire_expect(w, &want);
}

WIRE_TEST(early_sack, "D6 Q3", "selective acknowledgements for a peer that asks for them", &rc)
{
	w->req.sack = true;
	put(w, 1);
	expect_sack(w, 0, 0, 1, 1 << 1);
	put(w, 2);
	expect_sack(w, 0, 0, 1, 3 << 1);
	/* Not asked for, and no hole that is not known. */
	w->req.ackreq = false;
	put(w, 3);
	wire_quiet(w);
	put(w, 6);
	expect_sack(w, 0, 0, 1, 0x4e);
	w->req.again = true;
	/* It was a loss, so the others are. */
	put(w, 0);
	expect_sack(w, 4, 4, 2, 1 << 2);
	put(w, 5);
	w->req.ackreq = true;
	put(w, 4);
	expect(w, XROCE_SYN_ACK, 6, 7);
	executed(w, 7);
}

/* Packets 0 to 2 from two ports, of which the first one comes last, as one that was sent again. */
static void two_ports(struct wire *w)
{
	w->req.sack = true;
	put(w, 1);
	expect_sack(w, 0, 0, 1, 1 << 1);
	w->req.sport++;
	put(w, 2);
	expect_sack(w, 0, 0, 1, 3 << 1);
	w->req.again = true;
	put(w, 0);
	w->req.again = false;
	expect(w, XROCE_SYN_ACK, 2, 3);
}

WIRE_TEST(early_ports, "D6 Q3", "from another port, what was sent again does not show a loss", &rc)
{
	two_ports(w);
	put(w, 4);
	expect_sack(w, 3, 3, 1, 1 << 1);
	put(w, 6);
	expect_sack(w, 3, 3, 1, 5 << 1);
}

/* Holes are not lost as long as that one was late. */
WIRE_TEST(early_ports_late, "D6 Q3", "it may overtake the first one, which shows how late that is",
	  &rc)
{
	two_ports(w);
	usleep(20000);
	/* Once more what was sent again: that says nothing. */
	w->req.again = true;
	put(w, 0);
	w->req.again = false;
	expect(w, XROCE_SYN_ACK, 2, 3);
	put(w, 0);
	expect(w, XROCE_SYN_ACK, 2, 3);
	put(w, 4);
	expect_sack(w, 3, 3, 0, 1 << 1);
	expect_sack(w, 3, 3, 1, 1 << 1);
	put(w, 3);
	expect(w, XROCE_SYN_ACK, 4, 5);
	executed(w, 5);
}

/* A peer that does not ask gets none, also behind packets that did. */
WIRE_TEST(early_unasked, "D6", "no selective acknowledgement without the bit", &rc)
{
	w->req.sack = true;
	put(w, 0);
	expect(w, XROCE_SYN_ACK, 0, 1);
	w->req.sack = false;
	put(w, 2);
	expect(w, XROCE_SYN_NAK_SEQ, 1, 1);
	wire_quiet(w);
}

/* The bitmap ends before what is kept does. */
WIRE_TEST(early_sack_far, "D6 Q3", "a selective acknowledgement of packets that are far away", &rc)
{
	struct packet want = wire_response(w, XROCE_OP_SACK);

	w->req.sack = true;
	want.psn = psn(w, 0);
	want.syndrome = XROCE_SYN_NAK_SEQ;
	want.sack_lost = 1;
	want.sack_bits[31] = 1u << 31;
	put(w, XROCE_SACK_BITS - 1);
	wire_expect(w, &want);
	put(w, XROCE_SACK_BITS);
	wire_expect(w, &want);
	want.sack_bits[1] = 1u << 3;
	put(w, 35);
	wire_expect(w, &want);
	put(w, FAR - 1);
	wire_expect(w, &want);
	wire_untouched(w);
}

/* Each of them by itself; the second one has no meaning without the first one. */
WIRE_TEST(early_bits, "D5 D6", "reserved bits of the BTH change nothing else", &rc)
{
	uint32_t i;

	for (i = 0; i < 4 && !test_failed() && wire_again(w); i++) {
		memset(w->mem, 0, WIRE_BYTES);
		w->req.sack = i & 1;
		w->req.again = i & 2;
		put(w, 1);
		if (w->req.sack)
			expect_sack(w, 0, 0, 1, 1 << 1);
		else
			expect(w, XROCE_SYN_NAK_SEQ, 0, 0);
		put(w, 0);
		expect(w, XROCE_SYN_ACK, 1, 2);
		/* A duplicate. */
		put(w, 0);
		expect(w, XROCE_SYN_ACK, 1, 2);
		wire_quiet(w);
		executed(w, 2);
	}
}

static const struct wire_opts wraps = { .psn = 0xfffffd };

/* Holes are at 0xfffffd, 0xffffff, 1 and 3. */
WIRE_TEST(early_wrap, "D5 D6 Q3", "holes on both sides of the wrap of the PSN", &wraps)
{
	static const uint32_t filled[] = { 2, 4, 6 };
	uint32_t i;

	put(w, 5);
	expect(w, XROCE_SYN_NAK_SEQ, 0, 0);
	put(w, 1);
	put(w, 7);
	put(w, 3);
	wire_quiet(w);
	wire_untouched(w);
	put(w, 0);
	expect(w, XROCE_SYN_ACK, 1, 2);
	expect(w, XROCE_SYN_NAK_SEQ, 2, 2);
	for (i = 0; i < ARRAY_SIZE(filled); i++) {
		put(w, filled[i]);
		expect(w, XROCE_SYN_ACK, filled[i] + 1, filled[i] + 2);
		if (filled[i] < 6)
			expect(w, XROCE_SYN_NAK_SEQ, filled[i] + 2, filled[i] + 2);
	}
	wire_quiet(w);
	executed(w, 8);
}

WIRE_TEST(early_sack_wrap, "D6 Q3", "a bitmap across the wrap of the PSN", &wraps)
{
	w->req.sack = true;
	put(w, 1);
	expect_sack(w, 0, 0, 1, 0x2);
	put(w, 4);
	expect_sack(w, 0, 0, 1, 0x12);
	w->req.again = true;
	put(w, 2);
	expect_sack(w, 0, 0, 4, 0x16);
	put(w, 0);
	expect(w, XROCE_SYN_ACK, 2, 3);
	expect_sack(w, 3, 3, 1, 0x2);
	put(w, 3);
	expect(w, XROCE_SYN_ACK, 4, 5);
	executed(w, 5);
}

/* The first of them is kept, whole, and no byte of the others. */
WIRE_TEST(early_differs, "D5 D6 Q5", "packets that come twice with different content", &rc)
{
	uint32_t i;

	put(w, 1);
	expect(w, XROCE_SYN_NAK_SEQ, 0, 0);
	w->req.pattern++;
	put(w, 1);
	w->req.va = w->mr.iova;
	w->req.dmalen = 64;
	w->req.payload = 64;
	wire_send(w);
	w->req.rkey ^= 1;
	wire_send(w);
	w->req.opcode = XROCE_RC_SEND_ONLY;
	wire_send(w);
	w->req.rkey ^= 1;
	w->req.pattern--;
	put(w, 0);
	expect(w, XROCE_SYN_ACK, 1, 2);
	wire_quiet(w);
	executed(w, 2);
	for (i = 0; i < 8; i++)
		check(w->mem[8 + i] == (char)packet_pattern(w->req.pattern, i), "byte %u", i);
}

/* Also while others are kept, of which each may be a little further away. */
WIRE_TEST(early_distance, "D6 Q3", "nothing is kept that is too far from the hole", &rc)
{
	request(w, FAR);
	wire_send(w);
	expect(w, XROCE_SYN_NAK_SEQ, 0, 0);
	wire_counted(w, COUNTER(drop_psn));
	put(w, 1);
	put(w, FAR - 1);
	wire_quiet(w);
	check_is(limit_used(XROCE_COUNT_DEFERRED), 2, "are kept");
	request(w, FAR);
	wire_counted(w, COUNTER(drop_defer));
	request(w, 0x7fffff);
	wire_counted(w, COUNTER(drop_defer));
	check_is(limit_used(XROCE_COUNT_DEFERRED), 2, "are kept");
}

static void destroys(struct wire *w)
{
	check(!xroce_qp_del(w->x, w->qpn), "QP_DEL");
}

static void resets(struct wire *w)
{
	check(!qp_move(w->x, w->qpn, XROCE_QPS_RESET, 0), "RESET");
}

static void fails(struct wire *w)
{
	check(!qp_move(w->x, w->qpn, XROCE_QPS_ERR, 0), "ERR");
}

static void refuses(struct wire *w)
{
	request(w, 0);
	w->req.rkey ^= 1;
	wire_send(w);
	expect(w, XROCE_SYN_NAK_ACC, 0, 0);
	fails(w);
}

TEST(early_closed, "D6 O3", "nothing is kept, nor charged, when the queue pair ends")
{
	static void (*const ends[])(struct wire *w) = { destroys, resets, fails, refuses };
	struct wire w;
	uint32_t i, n;

	for (i = 0; i <= ARRAY_SIZE(ends) && !test_failed(); i++) {
		if (!wire_open(&w, &rc))
			return;
		for (n = 1; n < 40; n += 2)
			put(&w, n);
		expect(&w, XROCE_SYN_NAK_SEQ, 0, 0);
		wire_quiet(&w);
		check_is(limit_used(XROCE_COUNT_DEFERRED), 20, "are kept");
		if (i < ARRAY_SIZE(ends)) {
			ends[i](&w);
			check_is(limit_used(XROCE_COUNT_DEFERRED), 0, "after end %u", i);
			wire_untouched(&w);
		}
		/* Or with its handle. */
		wire_close(&w);
		check_is(limit_used(XROCE_COUNT_DEFERRED), 0, "after end %u", i);
	}
}

static const struct wire_opts uc = { .type = XROCE_QPT_UC };
static const struct wire_opts ud = { .type = XROCE_QPT_UD, .recv = true };

/* A gap is no hole on UC and UD. */
static void unordered(const struct wire_opts *opts, size_t counter)
{
	struct xroce_sge_local sge;
	struct xroce_stat before;
	struct wire w;
	uint32_t i;

	if (!wire_open(&w, opts))
		return;
	before = live_stat();
	for (i = 0; i < 4; i++) {
		sge = (struct xroce_sge_local){ w.mr.iova, 1024, w.mr.lkey };
		check(!w.rq || !xroce_post_recv(w.rq, i, &sge, 1), "receive");
		w.req.psn = psn(&w, 2 * i + 1);
		w.req.sack = i & 1;
		w.req.again = i & 2;
		wire_counted(&w, counter);
	}
	check(live_stat().deferred == before.deferred, "deferred");
	check_is(limit_used(XROCE_COUNT_DEFERRED), 0, "are kept");
	wire_quiet(&w);
	wire_close(&w);
}

TEST(early_unreliable, "D5", "UC and UD keep nothing behind a gap")
{
	unordered(&uc, COUNTER(write));
	unordered(&ud, COUNTER(send));
}

#define READ_PACKETS	3u

static void put_read(struct wire *w, uint32_t n)
{
	request(w, n);
	w->req.opcode = XROCE_RC_READ_REQUEST;
	w->req.payload = 0;
	w->req.dmalen = READ_PACKETS * 1024;
	w->req.va = w->mr.iova;
	wire_send(w);
}

/* The peer goes back, and sends all of it again: two responses would be one too many. */
WIRE_TEST(early_read, "D5 D6 Q3", "a READ behind a hole is left to a peer that goes back", &rc)
{
	uint32_t i;

	put(w, 1);
	expect(w, XROCE_SYN_NAK_SEQ, 0, 0);
	put(w, 2);
	put_read(w, 3);
	put(w, 3 + READ_PACKETS);
	put(w, 0);
	expect(w, XROCE_SYN_ACK, 2, 3);
	wire_quiet(w);
	executed(w, 3);
	for (i = 1; i < 3; i++) {
		put(w, i);
		expect(w, XROCE_SYN_ACK, 2, 3);
	}
	put_read(w, 3);
	wire_read_comes(w, psn(w, 3), READ_PACKETS);
	put(w, 3 + READ_PACKETS);
	expect(w, XROCE_SYN_ACK, 3 + READ_PACKETS, 5);
}

/* It sends only what is missing. */
WIRE_TEST(early_read_sack, "D5 D6 Q3", "a READ behind a hole is executed when it is filled", &rc)
{
	w->req.sack = true;
	put_read(w, 1);
	expect_sack(w, 0, 0, 1, 1 << 1);
	w->req.again = true;
	put(w, 0);
	expect(w, XROCE_SYN_ACK, 0, 1);
	wire_read_comes(w, psn(w, 1), READ_PACKETS);
	wire_quiet(w);
}

TEST_MAIN(live_main);
