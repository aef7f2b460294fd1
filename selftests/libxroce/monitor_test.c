// SPDX-License-Identifier: GPL-2.0-only
/*
 * The library's monitor: returns events of a link one by one, and has a descriptor for
 * poll(2).
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>

#include <arpa/inet.h>

#include "counters.h"
#include "wire.h"

static const struct wire_opts rc;

static long ms_since(const struct timespec *begin)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - begin->tv_sec) * 1000 +
	       (now.tv_nsec - begin->tv_nsec) / 1000000;
}

static struct xroce_monitor *open_monitor(__u32 what)
{
	struct xroce_monitor *m = xroce_monitor_open(LIVE_DEV, what);
	struct xroce_event e;

	check(m, "open: %s", strerror(errno));
	/* Discard events of earlier tests. */
	while (m && !xroce_monitor_next(m, &e, 0))
		;
	return m;
}

static bool readable(const struct xroce_monitor *m, int ms)
{
	struct pollfd p = { .fd = xroce_monitor_fd(m), .events = POLLIN };

	return poll(&p, 1, ms) == 1 && p.revents & POLLIN;
}

/* Send a packet whose source address is not that of the queue pair's peer. */
static void spoof(struct wire *w)
{
	w->req.saddr[15] ^= 8;
	wire_counted(w, COUNTER(drop_addr));
	w->req.saddr[15] ^= 8;
}

/* Send a request with an invalid key, which moves the queue pair to ERR. */
static void guess(struct wire *w)
{
	w->req.rkey ^= 1 << 20;
	wire_counted(w, COUNTER(acc_key));
	w->req.rkey ^= 1 << 20;
}

TEST(monitor_errors, "U3", "invalid arguments and timeouts")
{
	struct xroce_event e;
	struct xroce_monitor *m;
	struct timespec begin;
	int ret;

	m = xroce_monitor_open(LIVE_DEV, 0);
	check(!m && errno == EINVAL, "no kind of event: %s", strerror(errno));
	m = xroce_monitor_open(LIVE_DEV, 1 << 2);
	check(!m && errno == EINVAL, "an unknown flag: %s", strerror(errno));
	m = xroce_monitor_open(LIVE_SPARE, XROCE_MONITOR_REFUSED);
	check(!m && errno == ENOENT, "no link: %s", strerror(errno));
	m = xroce_monitor_open("nosuchdev0", XROCE_MONITOR_DROPPED);
	check(!m && errno == ENOENT, "no device: %s", strerror(errno));
	xroce_monitor_close(NULL);

	m = open_monitor(XROCE_MONITOR_REFUSED | XROCE_MONITOR_DROPPED);
	if (!m)
		return;
	check(!readable(m, 0), "readable without an event");
	check_is(xroce_monitor_next(m, &e, 0), -EAGAIN, "timeout 0");
	clock_gettime(CLOCK_MONOTONIC, &begin);
	ret = xroce_monitor_next(m, &e, 120);
	check(ret == -EAGAIN && ms_since(&begin) >= 119, "120 ms: %d after %ld ms", ret,
	      ms_since(&begin));
	xroce_monitor_close(m);
}

/* Each event is returned once, and only the kinds that were chosen. */
WIRE_TEST(monitor_both, "U3 D6", "a monitor of drops and refusals returns each once", &rc)
{
	struct xroce_monitor *m;
	struct xroce_event e = {};
	int i;

	m = open_monitor(XROCE_MONITOR_REFUSED | XROCE_MONITOR_DROPPED);
	for (i = 0; m && i < 3; i++) {
		spoof(w);
		check(readable(m, WIRE_MS), "not readable");
		check(!xroce_monitor_next(m, &e, WIRE_MS) &&
		      e.cause == XROCE_DROP_ADDR && e.qpn == w->qpn &&
		      e.peer[3] == (*(__be32 *)&w->req.saddr[12] ^ htonl(8)) &&
		      e.own[3] == *(__be32 *)&w->req.daddr[12] &&
		      e.epsn == w->req.psn && e.psn == w->req.psn,
		      "cause %s, PSN %#x", xroce_cause_str(e.cause), e.psn);
		check(xroce_monitor_next(m, &e, 0) == -EAGAIN, "more than one");
	}
	guess(w);
	check(!m || (!xroce_monitor_next(m, &e, WIRE_MS) &&
		     e.cause == XROCE_CAUSE_ACC_KEY && e.qpn == w->qpn),
	      "cause %s", xroce_cause_str(e.cause));
	xroce_monitor_close(m);
}

/* Several refusals before the monitor is opened: all are returned, one by one. */
TEST(monitor_refusals_wait, "U3 D6", "refusals from before the monitor was opened are returned")
{
	struct xroce_monitor *m = open_monitor(XROCE_MONITOR_REFUSED);
	struct xroce_event e;
	struct wire w;
	int i;

	xroce_monitor_close(m);
	if (!m || !wire_open(&w, &rc))
		return;
	for (i = 0; i < 3 && !test_failed(); i++) {
		guess(&w);
		wire_again(&w);
	}
	m = xroce_monitor_open(LIVE_DEV, XROCE_MONITOR_REFUSED);
	for (i = 0; m && i < 3; i++)
		check(!xroce_monitor_next(m, &e, 0) && e.cause == XROCE_CAUSE_ACC_KEY,
		      "refusal %d", i);
	check(m && xroce_monitor_next(m, &e, 0) == -EAGAIN, "a fourth refusal");
	/* Drops were not chosen. */
	spoof(&w);
	check(m && xroce_monitor_next(m, &e, 100) == -EAGAIN, "an event of a drop");
	xroce_monitor_close(m);
	wire_close(&w);
}

/* Drops from before the monitor was opened are not returned. */
WIRE_TEST(monitor_drops_begin_now, "U3 D6", "drops from before the monitor was opened are not",
	  &rc)
{
	struct xroce_monitor *m = open_monitor(XROCE_MONITOR_DROPPED);
	struct xroce_event e;

	/* Written while the lease of the closed monitor lasts, and not read. */
	xroce_monitor_close(m);
	spoof(w);
	m = xroce_monitor_open(LIVE_DEV, XROCE_MONITOR_DROPPED);
	check(m && xroce_monitor_next(m, &e, 0) == -EAGAIN,
	      "an event from before the monitor was opened");
	/* Refusals were not chosen. */
	guess(w);
	check(m && xroce_monitor_next(m, &e, 100) == -EAGAIN, "an event of a refusal");
	xroce_monitor_close(m);
}

TEST_MAIN(live_main);
