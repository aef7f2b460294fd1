// SPDX-License-Identifier: GPL-2.0-only
/*
 * A peer that leaves out every second packet: what the responder keeps behind the holes is bounded,
 * charged to the owner of the queue pair, given up after a time, and leaves room for others.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "counters.h"
#include "limit.h"
#include "wire.h"

#define ALICE		1001u
#define BOB		1002u
#define KEPT_ALL	4096u	/* for all users together */
#define KEPT_QP		1024u	/* for a queue pair */
#define KEPT_USER	(KEPT_ALL / 2)	/* for one user, if nobody else has any */
#define QPS		3u	/* Alice's, more than there is room for */
#define HOLES		8192u	/* packets, of which every second one is left out */

/* A WRITE of 8 bytes with the PSN @n after the first. */
static void request(struct wire *w, uint32_t n)
{
	w->req.dmalen = 8;
	w->req.payload = 8;
	w->req.ackreq = false;
	w->req.psn = (WIRE_PSN + n) & XROCE_PSN_MASK;
}

/*
 * Every second packet before @end, the last one first: each becomes the first one that is kept, so
 * that none is given up on a slow host.
 */
static void holes(struct wire *w, uint32_t begin, uint32_t end)
{
	uint32_t n;

	for (n = end - 1; n + 1 > begin; n -= 2) {
		request(w, n);
		wire_send(w);
	}
}

static __u64 kept(void)
{
	return limit_used(XROCE_COUNT_DEFERRED);
}

static bool none_kept(void *arg)
{
	(void)arg;
	return !kept();
}

/* The first packet of a connection is executed. */
static void serves(struct wire *w)
{
	wire_send(w);
	wire_expect_ack(w, WIRE_PSN, 1);
	check(w->mem[0] == (char)packet_pattern(w->req.pattern, 0), "not written");
}

static const struct wire_opts rc;

WIRE_TEST(holes_bounded, "D6 O3 P2", "holes without end: what is kept is bounded, and given up", &rc)
{
	struct wire_opts opts = { .with = w, .peer = WIRE_QPN + 1 };
	struct xroce_stat before = live_stat();
	uint32_t begin = HOLES - 2 * KEPT_QP;
	struct wire beside;

	if (!wire_open(&beside, &opts))
		return;
	holes(w, begin, HOLES);
	request(w, begin - 1);
	wire_counted(w, COUNTER(drop_defer));
	check_is(kept(), KEPT_QP, "are kept");
	holes(w, 0, begin);
	check(kept() <= KEPT_QP, "%llu are kept", kept());
	serves(&beside);
	/* All of them, since nothing has come of the first one. */
	check(live_wait(none_kept, NULL), "%llu are kept", kept());
	check(live_stat().drop_psn - before.drop_psn >= KEPT_QP, "%llu given up",
	      live_stat().drop_psn - before.drop_psn);
	wire_untouched(w);
	request(w, 0);
	w->req.ackreq = true;
	wire_send(w);
	while (wire_take(w, WIRE_MS, &(struct packet){}, NULL) && !w->mem[0])
		;
	check(w->mem[0] == (char)packet_pattern(w->req.pattern, 0), "it does not go on");
	wire_close(&beside);
}

static void become(uid_t uid)
{
	check(!setresuid(uid, -1, -1), "setresuid: %s", strerror(errno));
}

static __u64 kept_by(__u32 uid)
{
	return limit_used_by(XROCE_F_USER, uid).used[XROCE_COUNT_DEFERRED];
}

/* As holes(), of all of Alice's in turn: so many that the last ones find no room. */
static void alice_holes(struct wire *alice)
{
	uint32_t i, n;

	for (n = KEPT_USER / QPS + 1; n; n--) {
		for (i = 0; i < QPS; i++) {
			request(&alice[i], 2 * n - 1);
			wire_send(&alice[i]);
		}
	}
}

/* As many of Alice's as there is room for, and then one of Bob's. */
static void beside_holes(struct wire *alice, struct wire *bob)
{
	struct packet good = bob->req;

	alice_holes(alice);
	request(&alice[0], 2 * KEPT_QP);
	wire_counted(&alice[0], COUNTER(drop_defer));
	check_is(kept_by(ALICE), KEPT_USER, "are kept for Alice");
	bob->req.psn = (WIRE_PSN + 1) & XROCE_PSN_MASK;
	bob->req.va += 64;
	wire_send(bob);
	check(wire_take(bob, WIRE_MS, &(struct packet){}, NULL), "no NAK");
	check_is(kept_by(BOB), 1, "are kept for Bob");
	bob->req = good;
	wire_send(bob);
	check(live_wait(none_kept, NULL), "%llu are kept", kept());
	wire_take(bob, WIRE_MS, &(struct packet){}, NULL);
	check(bob->mem[127] == (char)packet_pattern(good.pattern, 63), "Bob's second was not kept");
}

TEST(holes_users, "O3 P2", "what is kept for one user leaves room for another one's")
{
	struct wire_opts opts = { .beside = true };
	struct wire bob, alice[QPS];
	uint32_t n = 0;

	/* The first one sets up the peer's network device, which root may. */
	if (!wire_open(&bob, &rc))
		return;
	wire_close(&bob);
	become(BOB);
	if (wire_open(&bob, &opts)) {
		become(ALICE);
		opts.peer = WIRE_QPN + 1;
		for (n = 0; n < QPS && wire_open(&alice[n], &opts); n++)
			opts.peer++;
		become(0);
		if (n == QPS)
			beside_holes(alice, &bob);
		while (n)
			wire_close(&alice[--n]);
		bob.opts.beside = false;
		wire_close(&bob);
	}
	become(0);
}

TEST_MAIN(live_main);
