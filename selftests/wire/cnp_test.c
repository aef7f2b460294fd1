// SPDX-License-Identifier: GPL-2.0-only
/*
 * Congestion notifications that the module sends (IBTA A17.9): when, how often, and their
 * contents. ecn_test has the verdicts on marked packets.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "counters.h"
#include "wire.h"

#define ECN_CE		3
#define DSCP		0x68
#define NEVER		4000000000u	/* more than an hour, longer than any test */
#define SECOND		1000000u
#define INTERVAL	"/sys/module/xroce/parameters/cnp_interval"

static const struct wire_opts rc;

static void set_interval(unsigned int us)
{
	live_parameter("cnp_interval", us);
}

TEST(cnp_interval, "D5", "the default of the module's parameter")
{
	char text[16] = "";
	int fd = open(INTERVAL, O_RDONLY | O_CLOEXEC);

	check(fd >= 0 && read(fd, text, sizeof(text) - 1) > 0 &&
	      !strcmp(text, "50\n"), "cnp_interval is %s", text);
	close(fd);
}

static struct packet notification(const struct wire *w)
{
	struct packet want = wire_response(w, XROCE_OP_CNP);

	want.tos = w->tos & ~3;
	want.mig = false;
	want.becn = true;
	want.payload = 16;
	return want;
}

/* Check a notification, including its reserved bytes. */
static void expect_cnp(const struct wire *w, const struct packet *got,
		       const struct frame *bytes)
{
	static const uint8_t zeros[16];
	struct packet want = notification(w);

	check(!packet_diff(&want, got), "the notification differs");
	check(!memcmp(bytes->bytes + bytes->len - 20, zeros, 16),
	      "the reserved bytes are not zero");
}

/* Expect an ACK if @acked, and a notification if @told, in any order. */
static void expect_both(struct wire *w, bool acked, bool told)
{
	struct packet got, ack = wire_response(w, XROCE_RC_ACK);
	struct frame bytes;
	int left = acked + told;

	ack.psn = w->req.psn;
	ack.syndrome = XROCE_SYN_ACK;
	ack.msn = (w->req.psn - WIRE_PSN + 1) & XROCE_PSN_MASK;
	for (; left && !test_failed(); left--) {
		if (!check(wire_take(w, WIRE_MS, &got, &bytes), "%d are missing",
			   left))
			return;
		if (got.opcode == XROCE_OP_CNP) {
			check(told, "a notification came");
			expect_cnp(w, &got, &bytes);
			told = false;
		} else {
			check(acked && !packet_diff(&ack, &got), "the ACK differs");
			acked = false;
		}
	}
	wire_quiet(w);
}

/* Check that the payload of the request is at the start of the region. */
static void written(const struct wire *w)
{
	uint32_t i;

	for (i = 0; i < w->req.payload; i++)
		if (w->mem[i] != (char)packet_pattern(w->req.pattern, i))
			break;
	check(i == w->req.payload, "byte %u differs", i);
}

static void moved(const struct xroce_stat *before, __u64 ce, __u64 tx)
{
	struct xroce_stat now = live_stat();

	check(now.ecn_ce - before->ecn_ce == ce &&
	      now.cnp_tx - before->cnp_tx == tx,
	      "ecn_ce %llu, cnp_tx %llu; not %llu, %llu",
	      now.ecn_ce - before->ecn_ce, now.cnp_tx - before->cnp_tx, ce, tx);
}

static void sent(const struct wire_opts *opts)
{
	struct xroce_stat before = live_stat();
	bool acked = opts->type != XROCE_QPT_UC;
	struct wire w;

	if (!wire_open(&w, opts))
		return;
	set_interval(NEVER);
	w.req.tos = DSCP | ECN_CE;
	wire_send(&w);
	expect_both(&w, acked, true);
	written(&w);
	moved(&before, 1, 1);
	set_interval(50);
	wire_close(&w);
}

TEST(cnp_ipv4, "D4 D5 D6", "a marked WRITE causes an ACK and a notification")
{
	/* The queue pair's ECT(0) is on ACKs, but not on notifications. */
	static const struct wire_opts opts = { .tos = DSCP | 2 };

	sent(&rc);
	sent(&opts);
}

TEST(cnp_ipv6, "D1 D4 D5", "a marked WRITE over IPv6")
{
	static const struct wire_opts opts = { .ipv6 = true, .tos = DSCP | 1 };

	sent(&opts);
}

TEST(cnp_uc, "D2 D5", "a marked WRITE on UC, without an ACK")
{
	static const struct wire_opts opts = { .type = XROCE_QPT_UC };

	sent(&opts);
}

/* Other code points cause no notification, even with an interval of 0. */
WIRE_TEST(cnp_code_points, "D5 D6", "only the code point CE causes a notification", &rc)
{
	struct xroce_stat before = live_stat();
	int i;

	set_interval(0);
	for (i = 0; i < 8 && !test_failed(); i++) {
		w->req.tos = (i & 4 ? DSCP : 0) | (i & 3);
		wire_send(w);
		expect_both(w, true, (i & 3) == ECN_CE);
		w->req.psn++;
	}
	moved(&before, 2, 2);
	set_interval(50);
}

/* One notification per interval and queue pair; marked packets in between are counted. */
WIRE_TEST(cnp_apart, "D5 D6", "one notification per interval and queue pair", &rc)
{
	struct xroce_stat before = live_stat();
	struct wire_opts opts = { .peer = 0x22 };
	struct wire other;
	int i;

	opts.with = w;
	if (!wire_open(&other, &opts))
		goto out;
	set_interval(NEVER);
	w->req.tos = other.req.tos = ECN_CE;
	for (i = 0; i < 5 && !test_failed(); i++) {
		wire_send(w);
		expect_both(w, true, !i);
		w->req.psn++;
	}
	wire_send(&other);
	expect_both(&other, true, true);
	moved(&before, 6, 2);
	set_interval(50);
	wire_close(&other);
out:
}

/* Send a request, take the ACK. Return: whether there was a notification, too. */
static bool told(struct wire *w)
{
	__u64 before = live_stat().cnp_tx;
	bool again;

	wire_send(w);
	again = check(wire_take(w, WIRE_MS, &(struct packet){}, NULL), "no ACK") &&
		live_stat().cnp_tx > before;
	if (again)
		check(wire_take(w, WIRE_MS, &(struct packet){}, NULL), "a packet is missing");
	w->req.psn++;
	return again;
}

/*
 * The second notification is sent after the interval, and not before. The first one is sent
 * after @begun and the second one before it is seen, so the test may be slow.
 */
WIRE_TEST(cnp_paced, "D5 D6", "another notification after the interval", &rc)
{
	double begun, now;

	set_interval(SECOND);
	w->req.tos = ECN_CE;
	begun = clock_now();
	check(told(w), "the first notification is missing");
	do {
		usleep(10000);
		now = clock_now();
		if (told(w))
			break;
	} while (now - begun < 60 && !test_failed());
	check(clock_now() - begun >= 1, "%.3f s apart", clock_now() - begun);
	check(now - begun < 60, "no notification after %.3f s", now - begun);
	set_interval(50);
}

/* A packet with a wrong ICRC, or not from the peer, causes no notification. */
WIRE_TEST(cnp_unsent, "D4 D5 D6", "no notification for a wrong ICRC or another peer", &rc)
{
	struct xroce_stat before = live_stat(), now;

	w->req.tos = ECN_CE;
	w->req.icrc_flip = 1;
	wire_send(w);
	wire_quiet(w);
	w->req.icrc_flip = 0;
	w->req.saddr[15] ^= 8;
	wire_send(w);
	wire_quiet(w);
	now = live_stat();
	check(now.drop_icrc - before.drop_icrc == 1 &&
	      now.drop_addr - before.drop_addr == 1, "drop_icrc, drop_addr");
	moved(&before, 0, 0);
	w->req.saddr[15] ^= 8;
	wire_send(w);
	expect_both(w, true, true);
	moved(&before, 1, 1);
}

/* A notification is sent among the queued packets of a READ response. */
WIRE_TEST(cnp_among_responses, "D2 D5", "a notification while a READ is answered", &rc)
{
	struct packet want, got;
	struct frame bytes;
	int responses = 0, cnps = 0;

	w->req.opcode = XROCE_RC_READ_REQUEST;
	w->req.payload = 0;
	w->req.dmalen = WIRE_BYTES;
	w->req.tos = ECN_CE;
	wire_send(w);
	while (responses < (int)WIRE_BYTES / 1024 || !cnps) {
		if (!check(wire_take(w, WIRE_MS, &got, &bytes),
			   "%d responses, %d notifications", responses, cnps))
			break;
		if (got.opcode == XROCE_OP_CNP) {
			expect_cnp(w, &got, &bytes);
			cnps++;
			continue;
		}
		want = wire_response(w, got.opcode);
		want.psn = (WIRE_PSN + responses++) & XROCE_PSN_MASK;
		want.payload = 1024;
		want.syndrome = got.opcode == XROCE_RC_READ_RESPONSE_MIDDLE ? 0 :
			       XROCE_SYN_ACK;
		want.msn = got.opcode == XROCE_RC_READ_RESPONSE_MIDDLE ? 0 : 1;
		check(!packet_diff(&want, &got), "response %d differs",
		      responses);
	}
	wire_quiet(w);
	check(cnps == 1, "%d notifications", cnps);
}

/* A received notification is counted if its ICRC is right, and never answered. */
WIRE_TEST(cnp_for_us, "D4 D5 D6", "a received notification is counted, not answered", &rc)
{
	struct xroce_stat before = live_stat(), now;
	struct xroce_qp_query q = { .qpn = w->qpn };

	packet_cnp(&w->req);
	w->req.tos = ECN_CE;
	wire_send(w);
	w->req.icrc_flip = 0x80;
	wire_send(w);
	wire_quiet(w);
	now = live_stat();
	check(now.cnp_rx - before.cnp_rx == 1 &&
	      now.drop_icrc - before.drop_icrc == 1, "cnp_rx %llu, drop_icrc %llu",
	      now.cnp_rx - before.cnp_rx, now.drop_icrc - before.drop_icrc);
	moved(&before, 0, 0);
	check_is(xroce_qp_query(w->x, &q), 0, "QP_QUERY");
	check_is(q.req_cnps, 1, "notifications that the queue pair has received");
}

TEST_MAIN(live_main);
