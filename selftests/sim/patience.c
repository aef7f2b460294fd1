// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long a requester waits: for what it has sent again, for any answer, and for the local ACK
 * timeout. A model of xr_resend_overdue() and xr_requester_timeout() of the module.
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "flow.h"

/* 4.096 us times 2 to 14. */
#define TIMEOUT_NS	67108864ull

/* Timers of a host's connections make room for each other: XR_RESEND_SHARE of the module. */
#define SHARE_NS	(16 * NSEC_PER_USEC)

#define SHORT_NS	(50ull * NSEC_PER_USEC)
#define DOUBLE		6u	/* XR_PROBE_DOUBLE */
#define HEARD		3u	/* XR_PROBE_HEARD */

void requester_restart(struct requester *r)
{
	r->deadline = ktime_get_ns() + TIMEOUT_NS;
}

/* Nanoseconds without any answer after which something is lost. */
static u64 silence(const struct flow *f)
{
	u64 ns = xr_rtt_timeout(&f->requester.rtt) + f->kind.qps * SHARE_NS;

	return min(ns << f->requester.probes, TIMEOUT_NS);
}

static u64 period(const struct flow *f)
{
	u64 ns = silence(f), waited = ktime_get_ns() - f->requester.heard_at;

	return max(ns > waited ? ns - waited : 0ull, SHORT_NS);
}

/* Nothing has been heard for long: make the peer say how far it has come. */
static void probe(struct requester *r)
{
	if (r->holes.n) {
		holes_overdue(&r->holes, 0);
		r->credit = max(r->credit, 1u);
		return;
	}
	r->probe_first = true;
	r->probe_last = r->psn - r->una > 1;
}

/* Return: whether there has been silence, or something is sent again in vain. */
static bool overdue(struct flow *f)
{
	struct requester *r = &f->requester;
	bool heard = r->heard != r->heard_then;
	u64 timeout = xr_rtt_timeout(&r->rtt), now = ktime_get_ns();

	if (!heard && now - r->heard_at < silence(f))
		return false;
	r->heard_then = r->heard;
	r->heard_at = now;
	holes_overdue(&r->holes, heard ? timeout << HEARD : timeout << r->probes);
	return !heard && !(r->holes.due && r->credit);
}

static void tick(void *arg)
{
	struct flow *f = arg;
	struct requester *r = &f->requester;

	if (r->una == r->psn)
		return;
	if (overdue(f)) {
		r->probes = min(r->probes + 1, DOUBLE);
		probe(r);
	}
	event_start(&r->tick, ktime_get_ns() + period(f));
	requester_run(f);
}

static void timeout(void *arg)
{
	struct flow *f = arg;
	struct requester *r = &f->requester;
	u64 now = ktime_get_ns(), due, ticks = xr_rtt_ticks(&r->rtt) * (NSEC_PER_SEC / HZ);

	if (r->una == r->psn)
		return;
	/* On a long path no answer may have come yet. */
	due = r->deadline - TIMEOUT_NS + max(TIMEOUT_NS, ticks);
	if (now < due) {
		event_start(&r->timeout, due);
		return;
	}
	r->timeouts++;
	if (!requester_retries(f, XROCE_CC_LOSS_TIMEOUT))
		return;
	probe(r);
	requester_run(f);
}

void requester_watch_open(struct flow *f)
{
	f->requester.tick.run = tick;
	f->requester.tick.arg = f;
	f->requester.timeout.run = timeout;
	f->requester.timeout.arg = f;
}

void requester_watch_close(struct flow *f)
{
	event_stop(&f->requester.tick);
	event_stop(&f->requester.timeout);
}

void requester_watch(struct flow *f)
{
	struct requester *r = &f->requester;

	if (r->una == r->psn)
		return;
	if (!r->timeout.place)
		event_start(&r->timeout, r->deadline);
	if (r->tick.place)
		return;
	r->heard_then = r->heard;
	r->heard_at = ktime_get_ns();
	event_start(&r->tick, ktime_get_ns() + period(f));
}
