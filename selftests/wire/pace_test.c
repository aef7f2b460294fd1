// SPDX-License-Identifier: GPL-2.0-only
/*
 * Responses to READs after congestion notifications: they are paced, slowly if there are many, and
 * go on as before when there are none. Responses that are sent again are paced if not needed.
 */
#include "xroce_cc.h"

#include "clock.h"
#include "counters.h"
#include "wire_cnp.h"
#include "wire_post.h"

#define MTU		256u
#define PACKETS		(WIRE_BYTES / MTU)	/* of the response to a READ */
#define LEAST		XROCE_CC_RATE_MIN	/* bytes a second, whatever the peer says */
#define FLOOD		2000
#define TRIES		1000

/* ECT(0): a switch may mark its responses. */
static const struct wire_opts ect = { .tos = 2, .mtu = XROCE_MTU_256 };

/* READ the whole region. */
static void ask(struct wire *w)
{
	w->req.opcode = XROCE_RC_READ_REQUEST;
	w->req.payload = 0;
	w->req.dmalen = WIRE_BYTES;
	wire_send(w);
}

/* The READ of @w->req is answered. */
static void answered(struct wire *w)
{
	wire_read_comes(w, w->req.psn, PACKETS);
	w->req.psn = (w->req.psn + PACKETS) & XROCE_PSN_MASK;
}

static void reads(struct wire *w)
{
	ask(w);
	answered(w);
}

/* READ and notify until responses are paced. */
static void pace(struct wire *w)
{
	int i;

	for (i = 0; i < TRIES && !wire_query(w).read_rate && !test_failed(); i++) {
		wire_cnp_heard(w, 1);
		reads(w);
		wire_cnp_heard(w, 1);
	}
	check(wire_query(w).read_rate >= LEAST, "%d READs: the rate is %llu", i, wire_query(w).read_rate);
}

/*
 * READ and notify until the rate is @least bytes a second, and never below. The rate recovers while
 * nothing is heard, so each look may come late.
 */
static void falls_to(struct wire *w, __u64 least)
{
	__u64 rate = 0;
	int i;

	for (i = 0; i < TRIES && rate != least && !test_failed(); i++) {
		wire_cnp_heard(w, 100);
		rate = wire_query(w).read_rate;
		check(rate >= least, "the rate is %llu, less than %llu", rate, least);
	}
	check_is(rate, least, "the rate in the end");
}

/* Notify until the rate does not fall below @least bytes a second. */
static void flood(struct wire *w, __u64 least)
{
	pace(w);
	falls_to(w, least);
	wire_cnp_heard(w, FLOOD);
	falls_to(w, least);
}

/* READ without notifications until nothing is paced. */
static void recover(struct wire *w)
{
	int i;

	for (i = 0; i < TRIES && wire_query(w).read_rate && !test_failed(); i++)
		reads(w);
	check_is(wire_query(w).read_rate, 0, "the rate");
}

WIRE_TEST(pace_recovers, "D5", "a notification slows responses down, and then they are as before",
	  &ect)
{
	__u64 first = 0, then = 0;
	int i;

	check_is(wire_query(w).read_rate, 0, "the rate");
	/* It recovers between two looks, too, if this test runs late: more than one try. */
	for (i = 0; i < 20 && (!then || then > first) && !test_failed(); i++) {
		pace(w);
		first = wire_query(w).read_rate;
		wire_cnp_heard(w, 1);
		then = wire_query(w).read_rate;
	}
	check(then && then <= first && then >= LEAST, "the rate was %llu, and is %llu", first, then);
	recover(w);
	/* Again from the beginning. */
	pace(w);
	recover(w);
}

/* Fifty packets a second, if they are longer. */
TEST(pace_least, "D5 Q3", "the slowest rate at a path MTU of 4096")
{
	static const struct wire_opts opts = { .tos = 2, .mtu = XROCE_MTU_4096 };
	struct wire w;
	int i;

	if (!wire_open(&w, &opts))
		return;
	for (i = 0; i < TRIES && !wire_query(&w).read_rate && !test_failed(); i++) {
		ask(&w);
		wire_read_comes(&w, w.req.psn, WIRE_BYTES / 4096);
		w.req.psn += WIRE_BYTES / 4096;
		wire_cnp_heard(&w, 100);
	}
	falls_to(&w, 50 * 4096);
	wire_cnp_heard(&w, FLOOD);
	falls_to(&w, 50 * 4096);
	wire_close(&w);
}

/* Once by the program, if nothing is paced, and then by the module. */
WIRE_TEST(pace_short, "D5", "READs of one packet are paced, too; other responses are sent", &ect)
{
	__u64 queued;
	int i;

	flood(w, LEAST);
	queued = live_stat().queued;
	w->req.opcode = XROCE_RC_READ_REQUEST;
	w->req.payload = 0;
	w->req.dmalen = 64;
	for (i = 0; i < 4; i++) {
		wire_send(w);
		wire_comes(w, XROCE_RC_READ_RESPONSE_ONLY, w->req.psn);
		w->req.psn = (w->req.psn + 1) & XROCE_PSN_MASK;
	}
	check(live_stat().queued >= queued + 4, "%llu are queued", live_stat().queued - queued);
	w->req.opcode = XROCE_RC_WRITE_ONLY;
	w->req.payload = 64;
	wire_send(w);
	wire_comes(w, XROCE_RC_ACK, w->req.psn);
}

/* What waits behind a READ: an acknowledgement takes the place of others, but not of a NAK. */
WIRE_TEST(pace_nak, "D5", "a NAK comes behind an ACK that waits, not in its place", &ect)
{
	struct packet got = {};

	flood(w, LEAST);
	ask(w);
	w->req.psn = (w->req.psn + PACKETS) & XROCE_PSN_MASK;
	w->req.opcode = XROCE_RC_WRITE_ONLY;
	w->req.payload = 64;
	w->req.dmalen = 64;
	wire_send(w);
	w->req.psn = (w->req.psn + 1) & XROCE_PSN_MASK;
	w->req.rkey ^= 1;
	wire_send(w);
	while (got.syndrome != XROCE_SYN_NAK_ACC && !test_failed())
		check(wire_take(w, WIRE_MS, &got, NULL), "no NAK");
	check(got.opcode == XROCE_RC_ACK && got.psn == w->req.psn, "opcode %#x, PSN %#x, not %#x",
	      got.opcode, got.psn, w->req.psn);
}

/* The connection beside is not paced: its response is complete before this one is. */
WIRE_TEST(pace_flood, "D5 Q3", "thousands of notifications: it goes on, so does the one beside",
	  &ect)
{
	struct wire_opts opts = { .tos = 2, .mtu = XROCE_MTU_256, .with = w, .peer = WIRE_QPN + 1 };
	struct packet got;
	struct wire beside;
	uint32_t i = 0;
	double took;

	if (!wire_open(&beside, &opts))
		return;
	flood(w, LEAST);
	took = clock_now();
	ask(w);
	ask(&beside);
	for (; i < PACKETS && !test_failed(); i++) {
		wire_cnp_send(w, 1);
		check(wire_take(&beside, WIRE_MS, &got, NULL), "%u responses beside", i);
	}
	check(wire_query(w).read_rate >= LEAST, "the rate is %llu", wire_query(w).read_rate);
	check_is(wire_query(&beside).read_rate, 0, "the rate beside");
	check_is(wire_query(&beside).req_cnps, 0, "notifications beside");
	for (i = 0; wire_take(w, 0, &got, NULL); i++)
		check_is(got.psn, (w->req.psn + i) & XROCE_PSN_MASK, "PSN");
	took = clock_now() - took;
	note("%u of %u packets have come before", i, PACKETS);
	check(i < PACKETS, "it is not paced");
	/* One by one, though the rate recovers between notifications, and not so many at once. */
	check(i <= 8 + 4 * took * LEAST / MTU, "in %.3f s", took);
	for (; i < PACKETS && !test_failed(); i++) {
		wire_cnp_send(w, 1);
		check(wire_take(w, WIRE_MS, &got, NULL), "%u responses", i);
		check_is(got.psn, (w->req.psn + i) & XROCE_PSN_MASK, "PSN");
	}
	w->req.psn = (w->req.psn + PACKETS) & XROCE_PSN_MASK;
	recover(w);
	wire_close(&beside);
}

WIRE_TEST(pace_forged, "D4 D5 Q5", "notifications of others change nothing", &ect)
{
	__u64 rate, then;
	int i;

	for (i = 0; i < 10; i++) {
		wire_cnp_forge(w, 50);
		reads(w);
	}
	check_is(wire_query(w).read_rate, 0, "the rate");
	check_is(wire_query(w).req_cnps, 0, "notifications");
	pace(w);
	rate = wire_query(w).read_rate;
	i = wire_query(w).req_cnps;
	wire_cnp_forge(w, 50);
	/* Behind them. */
	w->req.opcode = XROCE_RC_WRITE_ONLY;
	w->req.payload = 64;
	wire_send(w);
	wire_comes(w, XROCE_RC_ACK, w->req.psn);
	check_is(wire_query(w).req_cnps, i, "notifications");
	/* It recovers as time passes. */
	then = wire_query(w).read_rate;
	check(then >= rate || !then, "the rate was %llu, and is %llu", rate, then);
}

/* No switch can have marked what is not ECN-capable. */
TEST(pace_not_ect, "D5", "notifications for responses that are not ECN-capable change nothing")
{
	static const struct wire_opts opts = { .mtu = XROCE_MTU_256 };
	struct wire w;
	int i;

	if (!wire_open(&w, &opts))
		return;
	for (i = 0; i < 20; i++) {
		wire_cnp_heard(&w, 20);
		reads(&w);
	}
	check_is(wire_query(&w).read_rate, 0, "the rate");
	wire_close(&w);
}

/* A response waits for its timer each time that the queue pair ends or is connected again. */
WIRE_TEST(pace_ends, "D5", "a queue pair ends, or is connected again, while responses wait", &ect)
{
	struct packet got;
	int i;

	for (i = 0; i < 3 && !test_failed(); i++) {
		flood(w, LEAST);
		ask(w);
		check(wire_take(w, WIRE_MS, &got, NULL), "no response");
		if (i == 2)
			break;
		if (!wire_again(w))
			return;
		check_is(wire_query(w).read_rate, 0, "the rate");
		while (wire_take(w, 0, &got, NULL))
			;
		wire_quiet(w);
	}
}

/* READ the whole region once more, from packet @from on. */
static void ask_from(struct wire *w, uint32_t from)
{
	struct packet req = w->req;

	w->req.psn = (req.psn + from) & XROCE_PSN_MASK;
	w->req.va += from * MTU;
	w->req.dmalen = WIRE_BYTES - from * MTU;
	wire_send(w);
	w->req = req;
}

/* Ask again for everything, and before it has come for the end: what is between was only late. */
static void ask_early(struct wire *w)
{
	ask_from(w, 0);
	ask_from(w, PACKETS - 1);
}

/* Take responses to the end. Some may come twice. */
static void ends(struct wire *w)
{
	struct packet got = {};

	while (got.opcode != XROCE_RC_READ_RESPONSE_LAST && !test_failed())
		check(wire_take(w, WIRE_MS, &got, NULL), "no response");
}

/* The peer has all that comes before what it asks for, so it needs none of what is sent again. */
WIRE_TEST(pace_repeated, "D5", "responses that are sent again in vain are paced, for a while", &ect)
{
	/* The longest gap is 512 microseconds. */
	const __u64 slow = MTU * 1000000ull / 512;
	struct packet got;
	int i;

	flood(w, LEAST);
	ask(w);
	for (i = 0; i < 8; i++)
		ask_early(w);
	ends(w);
	/* Until nothing else slows them down. */
	for (i = 0; i < TRIES && wire_query(w).read_rate != slow && !test_failed(); i++) {
		ask_early(w);
		ends(w);
	}
	check_is(wire_query(w).read_rate, slow, "the rate");
	w->req.psn = (w->req.psn + PACKETS) & XROCE_PSN_MASK;
	/* Of the last repetition there may be more. */
	for (i = 0; i < TRIES && wire_query(w).read_rate && !test_failed(); i++) {
		while (wire_take(w, WIRE_QUIET_MS, &got, NULL))
			;
		reads(w);
	}
	check_is(wire_query(w).read_rate, 0, "the rate in the end");
}

WIRE_TEST(pace_lost, "D5", "responses that are sent again because they were lost are not paced",
	  &ect)
{
	uint32_t i;

	reads(w);
	w->req.psn = (w->req.psn - PACKETS) & XROCE_PSN_MASK;
	for (i = 0; i < PACKETS - 1 && !test_failed(); i++) {
		ask_from(w, i);
		wire_read_comes(w, w->req.psn + i, PACKETS - i);
	}
	check_is(wire_query(w).read_rate, 0, "the rate");
}

TEST_MAIN(live_main);
