// SPDX-License-Identifier: GPL-2.0-only
/* The round-trip time of a connection: see rtt.h. */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "psn.h"
#include "rtt.h"

/* The shortest time is forgotten after so many nanoseconds: the path may have changed. */
#define XR_RTT_MIN_AGE	(10ull * NSEC_PER_SEC)

/* Time for a response, in nanoseconds: before anything is known, and at least. */
#define XR_RTT_UNKNOWN	(4 * NSEC_PER_MSEC)
#define XR_RTT_TIMEOUT	(2 * NSEC_PER_MSEC)

/*
 * A path is hardly longer: the first answer has this time to come, in nanoseconds; a later one at
 * most XR_RTT_LONGEST. A time measured while much is lost may be longer by any amount.
 */
#define XR_RTT_FIRST	(100 * NSEC_PER_MSEC)
#define XR_RTT_LONGEST	(400ull * NSEC_PER_MSEC)

/* Time the packet @psn, which is sent now, for the first time. */
void xr_rtt_start(struct xr_rtt *r, u32 psn)
{
	r->timing = true;
	r->again = false;
	r->psn = psn;
	r->at = ktime_get_ns();
	r->before = r->delivered;
}

/*
 * The packet that was timed is acknowledged, or a response to it has arrived. Return: its time, in
 * nanoseconds.
 */
u32 xr_rtt_end(struct xr_rtt *r)
{
	u32 ns, measured;
	u64 now;

	r->timing = false;
	now = ktime_get_ns();
	ns = min_t(u64, now - r->at, U32_MAX / 2);
	measured = ns;
	/* At most this long; a loss may be a part of it, or an outage. */
	if (r->again)
		ns = min_t(u64, ns, r->srtt ? 2ull * r->srtt : XR_RTT_FIRST);
	if (!r->again && (!r->min || ns <= r->min || now - r->min_at > XR_RTT_MIN_AGE)) {
		r->min = ns;
		r->min_at = now;
	}
	if (!r->srtt) {
		r->srtt = ns;
		r->var = ns / 2;
	} else {
		r->var += ((s32)abs((s32)(ns - r->srtt)) - (s32)r->var) / 4;
		r->srtt += (s32)(ns - r->srtt) / 8;
	}
	return measured;
}

/* @n packets from @psn on are sent again: for which of both a response is, nobody knows. */
void xr_rtt_again(struct xr_rtt *r, u32 psn, u32 n)
{
	if (xr_psn_distance(r->psn, psn) < n)
		r->again = true;
}

/* A connection begins. */
void xr_rtt_reset(struct xr_rtt *r)
{
	*r = (struct xr_rtt){};
}

/* Return: nanoseconds without any response after which one is overdue. */
u64 xr_rtt_timeout(const struct xr_rtt *r)
{
	return r->srtt ? max_t(u64, r->srtt + 2ull * r->var, XR_RTT_TIMEOUT) : XR_RTT_UNKNOWN;
}

/* Return: jiffies after which an answer should have come, with its variation. */
unsigned long xr_rtt_ticks(const struct xr_rtt *r)
{
	u64 ns = (u64)r->srtt + 4 * (u64)r->var;

	return nsecs_to_jiffies(r->srtt ? min(ns, XR_RTT_LONGEST) : XR_RTT_FIRST);
}
