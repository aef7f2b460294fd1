// SPDX-License-Identifier: GPL-2.0-only
/* The round-trip time of a connection: see rtt.h. */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "psn.h"
#include "rtt.h"

/* The shortest time is forgotten after so many nanoseconds: the path may have changed. */
#define XR_RTT_MIN_AGE	(10ull * NSEC_PER_SEC)

/* The window shrinks by this part with each measurement at most. */
#define XR_RTT_DECAY	8

/* Time for a response, in nanoseconds: before anything is known, and at least. */
#define XR_RTT_UNKNOWN	(4 * NSEC_PER_MSEC)
#define XR_RTT_TIMEOUT	(2 * NSEC_PER_MSEC)

/*
 * A path is hardly longer: the first answer has this time to come, in nanoseconds; a later one at
 * most XR_RTT_LONGEST. What is measured while much is lost may be longer by any amount.
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

/* What arrived during a round-trip time @ns decides on the window. */
static void xr_rtt_window(struct xr_rtt *r, u32 ns)
{
	u64 need = div_u64((u64)(r->delivered - r->before) * (r->min + r->min / 4), max(ns, 1u));
	u32 target = r->window;

	/* There is a queue. A packet that was sent again may have been lost as well, even twice. */
	if (ns > (r->again ? 4 * (u64)r->min : r->min + r->min / 2))
		target -= target / XR_RTT_DECAY;
	r->window = clamp(max_t(u64, need, target), XR_SEND_WINDOW_MIN, XR_SEND_WINDOW_MAX);
}

/* The packet that was timed is acknowledged, or a response to it has arrived. */
void xr_rtt_end(struct xr_rtt *r)
{
	u64 now;
	u32 ns;

	r->timing = false;
	now = ktime_get_ns();
	ns = min_t(u64, now - r->at, U32_MAX / 2);
	if (!r->min || (ns <= r->min && !r->again) || now - r->min_at > XR_RTT_MIN_AGE) {
		r->min = ns;
		r->min_at = now;
	}
	xr_rtt_window(r, ns);
	/* At most this long; a loss may be a part of it. */
	if (r->again && r->srtt)
		ns = min(ns, 2 * r->srtt);
	if (!r->srtt) {
		r->srtt = ns;
		r->var = ns / 2;
	} else {
		r->var += ((s32)abs((s32)(ns - r->srtt)) - (s32)r->var) / 4;
		r->srtt += (s32)(ns - r->srtt) / 8;
	}
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
	r->window = XR_SEND_WINDOW;
}

/* Return: nanoseconds without any response after which one is overdue. */
u64 xr_rtt_timeout(const struct xr_rtt *r)
{
	return r->srtt ? max_t(u64, (u64)r->srtt + r->var, XR_RTT_TIMEOUT) : XR_RTT_UNKNOWN;
}

/* Return: jiffies after which an answer should have come, with its variation. */
unsigned long xr_rtt_ticks(const struct xr_rtt *r)
{
	u64 ns = (u64)r->srtt + 4 * (u64)r->var;

	return nsecs_to_jiffies(r->srtt ? min(ns, XR_RTT_LONGEST) : XR_RTT_FIRST);
}
