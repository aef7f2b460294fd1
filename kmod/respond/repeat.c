// SPDX-License-Identifier: GPL-2.0-only
/* The gap between READ responses that are sent again: see repeat.h. */
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "repeat.h"

/* Bounds of a gap that grows, in nanoseconds. Below half of the first one there is none. */
#define XR_REPEAT_SHORT		((u32)(64 * NSEC_PER_USEC))
#define XR_REPEAT_LONG		((u32)(512 * NSEC_PER_USEC))

/* With each repetition the gap shrinks by this part. */
#define XR_REPEAT_DECAY		256

/* After this time without a late response, in nanoseconds, there is no gap. */
#define XR_REPEAT_CALM		(2 * (u64)NSEC_PER_SEC)

/* A repetition is in vain: the peer has got from before what it has not come to yet. */
void xr_repeat_vain(struct xr_repeat *rp)
{
	rp->gap = clamp(2 * rp->gap, XR_REPEAT_SHORT, XR_REPEAT_LONG);
	rp->heard = ktime_get_ns();
}

/* A response is to be sent again. */
void xr_repeat_more(struct xr_repeat *rp)
{
	rp->gap -= rp->gap / XR_REPEAT_DECAY;
	if (rp->gap < XR_REPEAT_SHORT / 2)
		rp->gap = 0;
}

/* Return: the gap at @now, in nanoseconds; 0: there is none, or none any more. */
static u32 xr_repeat_gap(const struct xr_repeat *rp, u64 now)
{
	return now - rp->heard > XR_REPEAT_CALM ? 0 : rp->gap;
}

/* Return: nanoseconds until a packet may be sent again. */
u64 xr_repeat_wait(struct xr_repeat *rp)
{
	u64 now = ktime_get_ns();

	rp->gap = xr_repeat_gap(rp, now);
	return rp->gap && now < rp->next ? rp->next - now : 0;
}

/* Return: bytes a second that are sent again at a path MTU of @mtu; 0: as fast as possible. */
u64 xr_repeat_rate(const struct xr_repeat *rp, u32 mtu)
{
	u32 gap = xr_repeat_gap(rp, ktime_get_ns());

	return gap ? div_u64((u64)mtu * NSEC_PER_SEC, gap) : 0;
}

/* A packet has been built again. */
void xr_repeat_sent(struct xr_repeat *rp)
{
	if (rp->gap)
		rp->next = ktime_get_ns() + rp->gap;
}
