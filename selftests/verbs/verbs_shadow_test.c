// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random requests of xroce's requester, and some of the peer's, compared with a model: to rxe,
 * within a device, and to another device of xroce; on clean links, on impaired ones, and if the
 * peer falls silent.
 * verbs_shadow.sh makes the devices and the disciplines (netem). Frames of a device to itself
 * are on no link.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "counters.h"
#include "harness.h"
#include "rng.h"
#include "setting.h"
#include "verbs_flow.h"
#include "verbs_netem.h"

#define OPS	500	/* requests on a clean link; on others a fifth of that, or as many */
#define ENOUGH	400	/* requests after which impairment shows in the counters */
#define WARM	40	/* requests before the peer falls silent */

/**
 * struct pairing - the ends of connections
 * @path: devices and addresses
 * @netdev: of the client's link
 * @out: netdev whose queueing discipline is that of requests; NULL: there is none
 * @back: likewise for responses
 */
struct pairing {
	struct flow_path path;
	const char *netdev;
	const char *out;
	const char *back;
};

static const struct pairing to_rxe = {
	{ "xr0", "10.77.0.2", "rxe0", "10.77.0.1" }, "x0", "i0", "c0",
};
static const struct pairing loop = {
	{ "xr0", "10.77.0.2", "xr0", "10.77.0.2" }, "x0", NULL, NULL,
};
static const struct pairing veth = {
	{ "xr1", "10.79.0.2", "xr2", "10.79.0.3" }, "p0", "m2", "m1",
};

/**
 * struct link - impairment
 * @pairing: the ends
 * @out: arguments of netem for requests
 * @back: for responses
 * @bit: index of a counter that shows the impairment
 * @all: do as many requests as on a clean link
 */
struct link {
	const struct pairing *pairing;
	const char *out;
	const char *back;
	size_t bit;
	bool all;
};

static bool impair_both(const struct pairing *p, const char *out, const char *back)
{
	return (!p->out || !out || netem_set(p->out, out)) &&
	       (!p->back || !back || netem_set(p->back, back));
}

static void seed(void)
{
	uint64_t value = setting("XROCE_SEED", time(NULL));

	rng_seed(value);
	note("XROCE_SEED=%llu", (long long)value);
}

/*
 * Responses may be ignored after a request has been sent twice. Behind an RNR NAK, rxe sends
 * another NAK for the requests that were under way.
 */
static bool ignores_none(const struct link *link, const struct xroce_stat *after,
			 const struct xroce_stat *before)
{
	return !link->out && !link->back && after->req_timeout == before->req_timeout &&
	       after->req_retransmit == before->req_retransmit;
}

static void report(const struct link *link, const struct xroce_stat *before, uint32_t ops)
{
	struct xroce_stat after;

	flows_note();
	if (!netdev_counters(link->pairing->netdev, &after))
		return;
#define MOVED(name)	((long long)(after.name - before->name))
	note("sent %lld, again %lld, timeouts %lld, responses %lld, ignored %lld, wrong CRC %lld",
	     MOVED(req_tx), MOVED(req_retransmit), MOVED(req_timeout), MOVED(req_rx),
	     MOVED(req_ignored), MOVED(drop_icrc));
	check(!MOVED(nak_inv) && !MOVED(nak_acc) && !MOVED(nak_op) && !MOVED(drop_error),
	      "a request has been refused");
	check(MOVED(req_tx) > 0 && MOVED(req_rx) > 0, "no requests");
#undef MOVED
	if (ignores_none(link, &after, before))
		check(after.req_ignored == before->req_ignored, "responses have been ignored");
	if (ops < ENOUGH || test_failed())
		return;
	flows_all();
	if (link->out || link->back)
		check(((__u64 *)&after)[link->bit] != ((const __u64 *)before)[link->bit],
		      "nothing was impaired");
}

/*
 * On impaired links the timeout is 134 ms. On others it is 4.3 s: the machine may stand still, and
 * rxe cannot take requests twice that have windows (verbs_flow.c).
 */
static struct flow_path path_of(const struct pairing *p, uint8_t timeout, bool impaired)
{
	struct flow_path path = p->path;

	path.timeout = patient_code(timeout);
	path.retry = 7;
	path.impaired = impaired;
	return path;
}

static void random_requests(const struct link *link)
{
	const struct pairing *p = link->pairing;
	bool clean = !link->out && !link->back;
	uint32_t ops = setting("XROCE_SHADOW_OPS", OPS) / (clean || link->all ? 1 : 5);
	struct flow_path path = path_of(p, clean ? 20 : 15, !clean);
	struct xroce_stat before;

	seed();
	if (netdev_counters(p->netdev, &before) && flows_open(&path) &&
	    impair_both(p, link->out, link->back))
		flows_run(ops);
	impair_both(p, "", "");
	report(link, &before, ops);
	flows_close();
}

/*
 * The peer falls silent for longer than the retries take: requests end as the model says. The
 * retries are long enough for a machine that stands still while the peer still answers.
 */
static void silence(const struct pairing *p)
{
	struct flow_path path = path_of(p, 15, true);

	seed();
	if (flows_open(&path)) {
		flows_run(WARM);
		if (!test_failed() && impair_both(p, "loss 100%", "loss 100%"))
			flows_silent();
	}
	impair_both(p, "", "");
	flows_close();
}

/* The link of the client is down, so that nothing can be sent. */
static void down(const struct pairing *p)
{
	struct flow_path path = path_of(p, 15, true);
	char command[128];

	seed();
	if (flows_open(&path)) {
		flows_run(WARM);
		snprintf(command, sizeof(command),
			 "nsenter --net=/run/netns/xr ip link set %s down", p->netdev);
		if (!test_failed() && check(!system(command), "%s", command))
			flows_silent();
	}
	snprintf(command, sizeof(command), "nsenter --net=/run/netns/xr ip link set %s up",
		 p->netdev);
	check(!system(command), "%s", command);
	flows_close();
}

/* Wait for a local ACK timeout. */
static bool timed_out(const struct pairing *p, const struct xroce_stat *before)
{
	double end = clock_now() + patience(60);
	struct xroce_stat now;

	do {
		usleep(10000);
		if (!netdev_counters(p->netdev, &now))
			return false;
	} while (now.req_timeout == before->req_timeout && clock_now() < end);
	return check(now.req_timeout != before->req_timeout, "no timeout");
}

/* The peer is silent for a while, shorter than the retries take. */
static void pause_short(const struct pairing *p)
{
	/* 1.1 s: tc must be done before seven more have passed. */
	struct flow_path path = path_of(p, 18, true);
	struct xroce_stat before;

	seed();
	if (netdev_counters(p->netdev, &before) && flows_open(&path) &&
	    impair_both(p, "loss 100%", "loss 100%") && flows_post(8) &&
	    timed_out(p, &before) && impair_both(p, "", "")) {
		flows_run(WARM);
		flows_note();
	}
	impair_both(p, "", "");
	flows_close();
}

/* To rxe, and to xroce. */
#define LINKS_OPS_TEST(name, ids, about, out, back, counter, all) \
	static const struct link name[] = { \
		{ &to_rxe, out, back, COUNTER(counter), false }, \
		{ &veth, out, back, COUNTER(counter), all }, \
	}; \
	TEST(requester_rxe_##name, ids, "to rxe, " about) { random_requests(&name[0]); } \
	TEST(requester_veth_##name, ids, "to xroce, " about) { random_requests(&name[1]); }
#define LINKS_TEST(name, ids, about, out, back, counter) \
	LINKS_OPS_TEST(name, ids, about, out, back, counter, false)

/*
 * In both directions; to xroce with so many requests that each kind of them meets the impairment.
 * rxe sometimes does not go on for good.
 */
#define BOTH_TEST(name, about, how, counter) \
	LINKS_OPS_TEST(name, "V7 D4", about " in both directions", how, how, counter, true)

#define LATE1		"delay 1ms reorder 99%"
#define LATE5		"delay 1ms reorder 95%"

TEST(requester_loop_clean, "V7 V6", "within a device")
{
	random_requests(&(struct link){ &loop, NULL, NULL, COUNTER(req_tx) });
}

LINKS_TEST(clean, "V7 V6", "a clean link", NULL, NULL, req_tx)
LINKS_TEST(loss_out, "V7 D4", "1% of its packets lost", "loss 1%", NULL, req_retransmit)
LINKS_TEST(loss_back, "V7 D4", "1% of responses lost", NULL, "loss 1%", req_retransmit)
BOTH_TEST(loss1, "1% lost", "loss 1%", req_retransmit)
BOTH_TEST(loss5, "5% lost", "loss 5%", req_retransmit)
LINKS_TEST(duplicate_out, "V7 D4", "1% of its packets doubled", "duplicate 1%", NULL, req_tx)
LINKS_TEST(duplicate_back, "V7 D4", "1% of responses doubled", NULL, "duplicate 1%", req_ignored)
BOTH_TEST(duplicate3, "3% doubled", "duplicate 3%", req_ignored)
LINKS_TEST(reorder_out, "V7 D4", "1% of its packets late", LATE1, NULL, req_retransmit)
LINKS_TEST(reorder_back, "V7 D4", "1% of responses late", NULL, LATE1, req_ignored)
LINKS_TEST(reorder5, "V7 D4", "5% late in both directions", LATE5, LATE5, req_retransmit)
BOTH_TEST(reorder25, "25% overtake", "delay 1ms reorder 25%", req_retransmit)
BOTH_TEST(jitter, "a delay of 1 ms, more or less,", "delay 1ms 0.5ms", req_retransmit)

TEST(requester_veth_mixed, "V7 D4", "to xroce, 1% lost, 3% doubled, all late by more or less")
{
	static const char how[] = "delay 1ms 0.5ms loss 1% duplicate 3%";

	random_requests(&(struct link){ &veth, how, how, COUNTER(req_retransmit), true });
}

/* Write the module parameter cc. */
static bool controlled(const char *name)
{
	FILE *f = fopen("/sys/module/xroce/parameters/cc", "w");
	int err = f ? 0 : errno;

	if (f && fputs(name, f) < 0)
		err = errno;
	if (f && fclose(f))
		err = errno;
	errno = err;
	return !err;
}

TEST(requester_veth_cc_delay, "V7 D4", "to xroce, with cc=delay")
{
	static const char how[] = "delay 1ms 0.5ms loss 1%";

	if (check(controlled("delay"), "delay: %s", strerror(errno)))
		random_requests(&(struct link){ &veth, how, how, COUNTER(req_retransmit), true });
	check(controlled("none"), "none: %s", strerror(errno));
}

TEST(requester_cc_unknown, "V7", "there is no such congestion control")
{
	check(!controlled("none2") && errno == ENOENT, "none2: %s", strerror(errno));
	check(!controlled("\n") && errno == ENOENT, "an empty line: %s", strerror(errno));
}

LINKS_TEST(corrupt_out, "V7 D4", "a wrong bit in 1% of its packets", "corrupt 1%", NULL,
	   req_retransmit)
LINKS_TEST(corrupt_back, "V7 D4", "a wrong bit in 1% of responses", NULL, "corrupt 1%", drop_icrc)
LINKS_TEST(corrupt5, "V7 D4", "a wrong bit in 5% in both directions", "corrupt 5%", "corrupt 5%",
	   drop_icrc)
TEST(requester_rxe_pause, "V7", "rxe does not answer for a while") { pause_short(&to_rxe); }
TEST(requester_veth_pause, "V7", "xroce does not answer for a while") { pause_short(&veth); }
TEST(requester_rxe_silence, "V7", "rxe does not answer any more") { silence(&to_rxe); }
TEST(requester_veth_silence, "V7", "xroce does not answer any more") { silence(&veth); }
TEST(requester_veth_down, "V7", "the link is down") { down(&veth); }

TEST_MAIN(harness_main);
