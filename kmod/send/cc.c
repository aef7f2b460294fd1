// SPDX-License-Identifier: GPL-2.0-only
/* Congestion control of a connection: see cc.h. */
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "cc.h"
#include "psn.h"
#include "send.h"

/* A packet is timed after so many others at the latest, so that the clock is rarely read. */
#define XR_CC_EVERY	32u

/* Slowest rate in bytes a second: a packet in a tenth of a second at the largest path MTU. */
#define XR_CC_RATE_MIN	(10 * 4096ull)

/*
 * Bursts that pacing leaves alone, in nanoseconds at the rate: a timer for less would cost more
 * than it smoothes.
 */
#define XR_CC_BURST	(250ull * NSEC_PER_USEC)

/* Time between acknowledgements that is short enough, in nanoseconds. */
#define XR_CC_QUIET	(50ull * NSEC_PER_USEC)

/* A packet waits no longer, in nanoseconds: about what one takes at the slowest rate. */
#define XR_CC_LONGEST	(100ull * NSEC_PER_MSEC)

static const struct xr_cc_ops *const xr_cc_all[] = { &xr_cc_none, &xr_cc_delay };
static const struct xr_cc_ops *xr_cc_default = &xr_cc_none;

static int xr_cc_set(const char *val, const struct kernel_param *kp)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(xr_cc_all); i++) {
		if (!sysfs_streq(val, xr_cc_all[i]->name))
			continue;
		WRITE_ONCE(xr_cc_default, xr_cc_all[i]);
		return 0;
	}
	return -ENOENT;
}

static int xr_cc_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%s\n", READ_ONCE(xr_cc_default)->name);
}

static const struct kernel_param_ops xr_cc_param = {
	.set = xr_cc_set,
	.get = xr_cc_get,
};

module_param_cb(cc, &xr_cc_param, NULL, 0644);
MODULE_PARM_DESC(cc, "Congestion control of new connections: none, delay");

/*
 * Return: packets after which an acknowledgement is requested: a sixteenth of the window, so that
 * bursts are small, but not more often than in XR_CC_QUIET; at least a quarter of the window.
 */
static u32 xr_cc_quarter(const struct xr_cc *cc)
{
	u32 most = clamp(cc->window / 4, 1u, XR_SEND_ACK), srtt = cc->state.srtt;

	if (srtt < 4 * XR_CC_QUIET)
		return most;
	return min(max3(cc->window / 16, (u32)(cc->window * XR_CC_QUIET / srtt), 1u), most);
}

/* Take over what the algorithm says, which may be anything. */
static void xr_cc_apply(struct xr_cc *cc)
{
	struct xr_cc_state *c = &cc->state;
	u64 rate = c->rate;

	c->cwnd = clamp(c->cwnd, 1u, XR_SEND_WINDOW_MAX << XR_CC_SHIFT);
	cc->window = DIV_ROUND_UP(c->cwnd, XR_CC_PACKET);
	cc->quarter = xr_cc_quarter(cc);
	cc->every = min(cc->quarter, XR_CC_EVERY);
	cc->cost = 0;
	if (rate)
		cc->cost = div64_u64((u64)NSEC_PER_SEC << XR_CC_COST_SHIFT,
				     max(rate, XR_CC_RATE_MIN));
}

/* A connection begins. @mtu: path MTU */
void xr_cc_start(struct xr_send *s, u32 mtu)
{
	struct xr_cc *cc = &s->cc;

	*cc = (struct xr_cc){ .ops = READ_ONCE(xr_cc_default), .state.mtu = mtu };
	xr_rtt_reset(&s->rtt);
	cc->ops->init(&cc->state);
	xr_cc_apply(cc);
}

/* The packet that was timed is acknowledged, or a response to it has arrived. */
void xr_cc_measured(struct xr_send *s)
{
	struct xr_cc *cc = &s->cc;
	struct xr_rtt *r = &s->rtt;
	struct xr_cc_sample a = {
		.again = r->again,
		.delivered = r->delivered - r->before,
		.inflight = xr_psn_distance(s->psn, s->una),
		.acked = r->delivered - cc->delivered,
		.lost = cc->lost - cc->lost_then,
		.limited = cc->limited,
	};

	a.rtt = xr_rtt_end(r);
	a.now = r->at + a.rtt;
	cc->delivered = r->delivered;
	cc->lost_then = cc->lost;
	cc->limited = false;
	cc->state.srtt = r->srtt;
	cc->state.min_rtt = r->min;
	cc->ops->ack(&cc->state, &a);
	xr_cc_apply(cc);
	s->window = min(s->window, cc->window);
}

/* Of a connection that is paced: see xr_cc_wait(). Return: XR_CC_BURST / 2 at least; 0. */
u64 xr_cc_paced(struct xr_cc *cc)
{
	if (cc->next <= cc->clock)
		return 0;
	cc->clock = ktime_get_ns();
	cc->next = min(cc->next, cc->clock + XR_CC_LONGEST);
	if (cc->next > cc->clock)
		return max(cc->next - cc->clock, XR_CC_BURST / 2);
	/* What was not used is lost, but for a burst. */
	cc->next = max(cc->next, cc->clock - XR_CC_BURST);
	return 0;
}
