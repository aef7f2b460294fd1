// SPDX-License-Identifier: GPL-2.0-only
/*
 * Congestion control that knows no congestion but a queue of its own: the window is five quarters
 * of the product of the shortest round-trip time and of the rate at which packets arrive, so that
 * hardly any wait, but not less than XR_CC_NONE_LEAST: on a fast link batches matter more. It
 * shrinks only while packets wait in a queue, that is, take one and a half times the shortest time.
 * Nothing is paced.
 */
#include <linux/math64.h>
#include <linux/minmax.h>

#include "xroce_cc.h"

#include "cc_list.h"

/* Packets that may be outstanding before anything is known of the network, and whatever it is. */
#define XR_CC_NONE_FIRST	128u
#define XR_CC_NONE_LEAST	32u

/* The window shrinks by this part with each measurement at most. */
#define XR_CC_DECAY	8

static void xr_cc_none_init(struct xroce_cc *c)
{
	c->cwnd = XR_CC_NONE_FIRST << XROCE_CC_SHIFT;
}

static void xr_cc_none_ack(struct xroce_cc *c, const struct xroce_cc_ack *a)
{
	u64 need = div_u64((u64)a->delivered * (c->min_rtt + c->min_rtt / 4), max(a->rtt, 1u));
	u32 target = c->cwnd;

	if (!c->min_rtt)
		return;
	/* There is a queue. A packet that was sent again may have been lost as well, even twice. */
	if (a->rtt > (a->again ? 4 * (u64)c->min_rtt : c->min_rtt + c->min_rtt / 2))
		target -= target / XR_CC_DECAY;
	need = min(need, XROCE_CC_WINDOW_MAX) << XROCE_CC_SHIFT;
	c->cwnd = max3((u32)need, target, XR_CC_NONE_LEAST << XROCE_CC_SHIFT);
}

const struct xroce_cc_ops xr_cc_none = {
	.name = "none",
	.init = xr_cc_none_init,
	.ack = xr_cc_none_ack,
};
