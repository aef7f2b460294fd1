// SPDX-License-Identifier: GPL-2.0-only
/* Congestion control of a connection: see cc.h. */
#include <linux/errno.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "cc.h"
#include "rtt.h"

/* A packet is timed after so many others at the latest, so that the clock is rarely read. */
#define XR_CC_EVERY	32u

/*
 * Bursts that pacing leaves alone, in nanoseconds at the rate: a timer for less would cost more
 * than it smoothes.
 */
#define XR_CC_BURST	(250ull * NSEC_PER_USEC)

/* Time between acknowledgements that is short enough, in nanoseconds. */
#define XR_CC_QUIET	(50ull * NSEC_PER_USEC)

/* A window of more packets opens at once, if it is paced. Of fewer, one more is many. */
#define XR_CC_OPEN	8u

/* A packet waits no longer, in nanoseconds: about what one takes at the slowest rate. */
#define XR_CC_LONGEST	(100ull * NSEC_PER_MSEC)

/*
 * Return: packets after which an acknowledgement is requested: a sixteenth of the window, so that
 * bursts are small, or those of XR_CC_QUIET, if they are more; at most a quarter of the window. On
 * a short path not within a batch if the window has two: the end of a message asks, too.
 */
static u32 xr_cc_quarter(const struct xr_cc *cc)
{
	u32 most = clamp(cc->window / 4, 1u, XR_SEND_ACK), srtt = cc->state.srtt;

	if (srtt < 4 * XR_CC_QUIET)
		return cc->window < 2 * XR_CC_BATCH ? most : max(most, XR_CC_BATCH);
	return min(max3(cc->window / 16, (u32)(cc->window * XR_CC_QUIET / srtt), 1u), most);
}

/* Take over what the algorithm says, which may be anything. */
static void xr_cc_apply(struct xr_cc *cc)
{
	struct xroce_cc *c = &cc->state;

	c->cwnd = clamp(c->cwnd, 1u, XROCE_CC_WINDOW_MAX << XROCE_CC_SHIFT);
	cc->window = DIV_ROUND_UP(c->cwnd, XROCE_CC_PACKET);
	cc->quarter = xr_cc_quarter(cc);
	cc->every = min(cc->quarter, XR_CC_EVERY);
	cc->cost = 0;
	if (c->rate) {
		c->rate = max(c->rate, XROCE_CC_RATE_MIN);
		cc->cost = div64_u64((u64)NSEC_PER_SEC << XR_CC_COST_SHIFT, c->rate);
	}
}

/* The algorithm begins. */
static void xr_cc_init(struct xr_cc *cc, const struct xroce_cc_ops *ops)
{
	cc->ops = ops;
	ops->init(&cc->state);
	xr_cc_apply(cc);
}

/**
 * xr_cc_start() - a connection begins
 * @cc: congestion control, which has ended or never begun
 * @choice: the algorithm of its link; NULL: nothing will be measured, as only RC responds
 * @mtu: path MTU
 * @cnps: xroce_qp::req_cnps
 */
void xr_cc_start(struct xr_cc *cc, const struct xr_cc_choice *choice, u32 mtu, u32 cnps)
{
	*cc = (struct xr_cc){ .state.mtu = mtu, .cnps = cnps };
	xr_cc_init(cc, choice ? xr_cc_join(&cc->user, choice) : &xr_cc_none);
}

/**
 * xr_cc_restart() - change the algorithm
 * @cc: congestion control, which has begun, on RC
 * @name: of the new algorithm; NULL: "none"
 * @r: what is known of the path
 *
 * Return: 0; -ENOENT: there is no such algorithm, and nothing has changed.
 */
int xr_cc_restart(struct xr_cc *cc, const char *name, const struct xr_rtt *r)
{
	const struct xroce_cc_ops *old = cc->ops, *ops = xr_cc_rejoin(&cc->user, name);

	if (!ops)
		return -ENOENT;
	if (old->release)
		old->release(&cc->state);
	cc->state = (struct xroce_cc){
		.mtu = cc->state.mtu,
		.srtt = r->srtt,
		.min_rtt = r->min,
		.inflight = cc->state.inflight,
	};
	xr_cc_init(cc, ops);
	return 0;
}

/* A built-in algorithm begins, for a caller that measures itself. Nothing has to end. */
void xr_cc_begin(struct xr_cc *cc, const struct xroce_cc_ops *ops, u32 mtu)
{
	*cc = (struct xr_cc){ .state.mtu = mtu };
	xr_cc_init(cc, ops);
}

/* Of xr_cc_begin(): @a is what has been measured. A rate is at least @least bytes a second. */
void xr_cc_tell(struct xr_cc *cc, const struct xroce_cc_ack *a, u64 least)
{
	cc->ops->ack(&cc->state, a);
	if (cc->state.rate)
		cc->state.rate = max(cc->state.rate, least);
	xr_cc_apply(cc);
}

/* The connection ends. */
void xr_cc_end(struct xr_cc *cc)
{
	const struct xroce_cc_ops *ops = cc->ops;

	cc->ops = NULL;
	if (ops && ops->release)
		ops->release(&cc->state);
	xr_cc_leave(&cc->user);
}

/**
 * xr_cc_measured() - the packet that was timed is acknowledged, or a response to it has arrived
 * @cc: congestion control
 * @r: round-trip time; it is timing
 * @inflight: packets that are outstanding, of requests and responses
 * @cnps: xroce_qp::req_cnps
 * @window: packets that may be outstanding: xr_cc::window, or less, since a loss, or until what
 *	arrives has opened it
 *
 * Return: packets that may be outstanding now.
 */
u32 xr_cc_measured(struct xr_cc *cc, struct xr_rtt *r, u32 inflight, u32 cnps, u32 window)
{
	bool open = window == cc->window;
	struct xroce_cc_ack a = {
		.again = r->again,
		.delivered = r->delivered - r->before,
		.inflight = inflight,
		.acked = r->delivered - cc->delivered,
		.lost = cc->lost - cc->lost_then,
		.cnps = cnps - cc->cnps,
		.limited = cc->limited,
	};
	const struct xroce_cc_ops *ops = cc->ops;

	a.rtt = xr_rtt_end(r);
	a.now = r->at + a.rtt;
	cc->delivered = r->delivered;
	cc->lost_then = cc->lost;
	cc->cnps = cnps;
	cc->limited = false;
	cc->state.srtt = r->srtt;
	cc->state.min_rtt = r->min;
	cc->state.inflight = inflight;
	if (unlikely(a.cnps && ops->cnp))
		ops->cnp(&cc->state, a.now);
	ops->ack(&cc->state, &a);
	xr_cc_apply(cc);
	/* What is not paced would be a burst: it grows by what arrives. */
	if (open && cc->cost && cc->window > XR_CC_OPEN)
		return cc->window;
	return min(window, cc->window);
}

/* @packets are sent again, or responses of so many are requested again: see enum xroce_cc_loss. */
void xr_cc_loss(struct xr_cc *cc, enum xroce_cc_loss how, u32 packets)
{
	if (how == XROCE_CC_LOSS_NAK)
		cc->lost += packets;
	if (!cc->ops || !cc->ops->loss)
		return;
	cc->ops->loss(&cc->state, how, ktime_get_ns());
	xr_cc_apply(cc);
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
	/* Time that was not used is lost, except for a burst. */
	cc->next = max(cc->next, cc->clock - XR_CC_BURST);
	return 0;
}
