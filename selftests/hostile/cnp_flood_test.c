// SPDX-License-Identifier: GPL-2.0-only
/*
 * Congestion notifications without congestion, for connections whose algorithm listens: faster than
 * they can come from a switch, and from others than the peer. pace_test has the responder's side.
 */
#include <string.h>

#include "xroce_cc.h"

#include "counters.h"
#include "wire_cnp.h"
#include "wire_post.h"

#define ROUNDS	20u
#define EACH	200u	/* notifications in a round */

static const struct wire_opts rc = { .sq = 16 };
static const char *const listening[] = { "delay", "dcqcn" };

/* Open two connections, of which @name is the algorithm. */
static bool both(struct wire *w, struct wire *beside, const char *name)
{
	struct wire_opts opts = { .sq = 16, .with = w, .peer = WIRE_QPN + 1 };

	if (!wire_open(w, &rc))
		return false;
	if (!wire_open(beside, &opts)) {
		wire_close(w);
		return false;
	}
	check_is(xroce_qp_cc(w->x, w->qpn, name), 0, "the algorithm");
	check_is(xroce_qp_cc(w->x, beside->qpn, name), 0, "that beside");
	return wire_no_timeout(w) && wire_no_timeout(beside);
}

/* What it may send is bounded by the interface, not by the peer. */
static void may_send(const struct xroce_qp_query *q, const char *name)
{
	check(!strcmp(q->cc, name), "the algorithm is %s", q->cc);
	check(q->cc_window >= 1 && (!q->cc_rate || q->cc_rate >= XROCE_CC_RATE_MIN),
	      "%u packets, %llu bytes a second", q->cc_window, q->cc_rate);
	check_is(q->state, XROCE_QPS_RTS, "state");
}

/* ROUNDS times @notify with @n, and a request of each connection. Return: what @w is then. */
static struct xroce_qp_query rounds(struct wire *w, struct wire *beside,
				    void (*notify)(struct wire *w, int n), int n)
{
	uint32_t i;

	for (i = 0; i < ROUNDS && !test_failed(); i++) {
		notify(w, n);
		wire_goes_on(w, i);
		wire_goes_on(beside, i);
	}
	return wire_query(w);
}

static void flooded(const char *name)
{
	struct xroce_qp_query was, q, quiet;
	struct wire w, beside;

	if (!both(&w, &beside, name))
		return;
	was = wire_query(&w);
	q = rounds(&w, &beside, wire_cnp_heard, EACH);
	quiet = wire_query(&beside);
	may_send(&q, name);
	check_is(q.req_cnps, ROUNDS * EACH, "notifications");
	check(q.cc_window < was.cc_window || (q.cc_rate && !was.cc_rate),
	      "they have changed nothing: window %u, rate %llu", q.cc_window, q.cc_rate);
	check_is(quiet.req_cnps, 0, "those beside");
	wire_close(&beside);
	wire_close(&w);
}

static void forged(const char *name)
{
	struct xroce_stat before = live_stat(), now;
	struct xroce_qp_query q, quiet;
	struct wire w, beside;

	if (!both(&w, &beside, name))
		return;
	q = rounds(&w, &beside, wire_cnp_forge, 10);
	quiet = wire_query(&beside);
	may_send(&q, name);
	check(!q.req_cnps && !quiet.req_cnps, "%llu, %llu notifications", q.req_cnps,
	      quiet.req_cnps);
	now = live_stat();
	check_is(now.cnp_rx, before.cnp_rx, "notifications of the link");
	check_is(now.drop_icrc - before.drop_icrc, ROUNDS * 10, "wrong CRCs");
	wire_close(&beside);
	wire_close(&w);
}

TEST(cnp_flood, "Q3 Q5", "thousands of notifications: it goes on, and the one beside is as before")
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(listening); i++)
		flooded(listening[i]);
}

TEST(cnp_forged, "Q3 Q5", "notifications of others change nothing")
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(listening); i++)
		forged(listening[i]);
}

/* READ, and answer with a response that a switch has marked. Return: notifications sent. */
static __u64 told(struct wire *w, const char *name)
{
	__u64 before = live_stat().cnp_tx, cnps = wire_query(w).req_cnps;
	static uint32_t n;
	struct packet got;

	check_is(xroce_qp_cc(w->x, w->qpn, name), 0, "the algorithm");
	wire_post(w, n, true, 64);
	do {
		if (!check(wire_take(w, WIRE_MS, &got, NULL), "no READ"))
			return 0;
	} while (got.opcode != XROCE_RC_READ_REQUEST);
	wire_respond(w, XROCE_RC_READ_RESPONSE_ONLY, n++, XROCE_SYN_ACK);
	w->req.payload = 64;
	w->req.tos = 3;
	wire_send(w);
	wire_completes(w);
	check_is(wire_query(w).req_cnps, cnps + 1, "marks");
	return live_stat().cnp_tx - before;
}

/* One that reacts itself would be slowed down twice. */
WIRE_TEST(cnp_reader, "D5 Q3", "a marked READ response is notified if nothing else reacts", &rc)
{
	live_parameter("cnp_interval", 0);
	if (wire_no_timeout(w)) {
		check_is(told(w, "none"), 1, "notifications of none");
		check_is(told(w, "delay"), 0, "notifications of delay");
		check_is(told(w, "dcqcn"), 0, "notifications of dcqcn");
		check_is(told(w, "none"), 1, "notifications of none");
	}
	live_parameter("cnp_interval", 50);
}

TEST_MAIN(live_main);
