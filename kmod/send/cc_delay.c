// SPDX-License-Identifier: GPL-2.0-only
/*
 * Congestion control by delay, without the help of switches.
 *
 * The shortest round-trip time tells how long the path is without a queue. The window grows by a
 * quarter of a packet in a round-trip time, and faster if there is no queue for long, until a
 * packet of this connection waits in the queue of the narrowest link. Then it shrinks to what the
 * path takes without a queue: by the part of the round-trip time that was waiting. All connections
 * there see the same queue, so it empties, and others can see how long the path is. The larger
 * window loses more, and both grow alike: so the shares become equal.
 *
 * A delay of XR_DELAY_FREE is not a queue: that long hosts take, and batches. A loss is no
 * congestion, unless there are many: networks lose for other reasons, and queues show by delay
 * before they are full.
 *
 * A connection begins at the rate XR_DELAY_RATE, for one round-trip time. Then it doubles what it
 * sends until there is a queue.
 */
#include <linux/build_bug.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "xroce_cc.h"

#include "cc_list.h"

/* Delay that counts as none, in nanoseconds. */
#define XR_DELAY_FREE	(250 * NSEC_PER_USEC)

/* A connection that begins: packets at most, and bytes a second. */
#define XR_DELAY_FIRST	64
#define XR_DELAY_RATE	12500000

/* Fewest packets, in parts: less than one in a round-trip time is a matter of the rate. */
#define XR_DELAY_LEAST	(XROCE_CC_PACKET / 16)

/* What the window grows by in a round-trip time. */
#define XR_DELAY_STEP	(XROCE_CC_PACKET / 4)

/* Round-trip times without a queue after which that doubles. */
#define XR_DELAY_CALM	3

/* Samples after which the shortest of them counts, with that of as many before. */
#define XR_DELAY_SAMPLES	16

/* Losses are congestion if one of so many packets is lost. */
#define XR_DELAY_LOSSES	6

/**
 * struct xr_delay - xroce_cc::priv
 * @near: shortest round-trip time since @near_at, in nanoseconds; 0: none
 * @before: shortest in the time before, of the same length
 * @near_at: in nanoseconds of CLOCK_MONOTONIC, as the next
 * @round_at: when a round-trip time began
 * @least: the shortest round-trip time of the last samples, in nanoseconds
 * @base: that of the XR_DELAY_SAMPLES before, and before these; 0: there are none
 * @samples: number of the last samples
 * @acked: packets that have arrived since @round_at
 * @lost: packets that were sent again since
 * @step: what the window grows by in a round-trip time, in parts
 * @calm: round-trip times without a queue
 * @started: there has been a queue. Before, the window doubles each time
 */
struct xr_delay {
	u32 near;
	u32 before;
	u64 near_at;
	u64 round_at;
	u32 least;
	u32 base[2];
	u32 acked;
	u32 lost;
	u32 step;
	u8 samples;
	u8 calm;
	bool started;
};

static struct xr_delay *xr_delay(struct xroce_cc *c)
{
	BUILD_BUG_ON(sizeof(struct xr_delay) > sizeof(c->priv));
	return (struct xr_delay *)c->priv;
}

static void xr_cc_delay_init(struct xroce_cc *c)
{
	c->cwnd = XR_DELAY_FIRST * XROCE_CC_PACKET;
	c->rate = XR_DELAY_RATE;
	xr_delay(c)->step = XR_DELAY_STEP;
}

/*
 * Return: the shortest round-trip time of the last half to whole one, so that jitter is no queue.
 * What has just begun may not wait so long.
 */
static u32 xr_delay_near(struct xroce_cc *c, const struct xroce_cc_ack *a)
{
	struct xr_delay *d = xr_delay(c);

	if (!d->near || a->now - d->near_at > c->srtt / 2) {
		d->before = d->near ?: a->rtt;
		d->near = a->rtt;
		d->near_at = a->now;
	}
	d->near = min(d->near, a->rtt);
	return d->started ? min(d->near, d->before) : d->near;
}

/*
 * Return: the round-trip time without a queue, in nanoseconds. The shortest one of all may be that
 * of a packet which took another path, and overtook others.
 */
static u32 xr_delay_base(struct xroce_cc *c, const struct xroce_cc_ack *a)
{
	struct xr_delay *d = xr_delay(c);

	d->least = d->samples ? min(d->least, a->rtt) : a->rtt;
	if (++d->samples == XR_DELAY_SAMPLES) {
		d->base[1] = d->base[0] ?: d->least;
		d->base[0] = d->least;
		d->samples = 0;
	}
	return d->base[0] ? min(max(d->base[0], d->base[1]), 2 * c->min_rtt) : c->min_rtt;
}

/* There is a queue: a packet takes @near nanoseconds, and @base without one. */
static void xr_delay_shrink(struct xroce_cc *c, const struct xroce_cc_ack *a, u32 near, u32 base)
{
	struct xr_delay *d = xr_delay(c);

	c->cwnd = mul_u64_u32_div(c->cwnd, base + XR_DELAY_FREE, near);
	d->started = true;
	d->step = XR_DELAY_STEP;
	d->calm = 0;
	/* What was sent before will still meet the queue. */
	d->near = 0;
	d->round_at = a->now;
}

static void xr_delay_grow(struct xroce_cc *c, const struct xroce_cc_ack *a)
{
	struct xr_delay *d = xr_delay(c);
	u32 acked = min(a->acked, XROCE_CC_WINDOW_MAX) << XROCE_CC_SHIFT;

	if (!a->limited)
		return;
	if (d->started)
		acked = min(acked, div_u64((u64)d->step * acked, c->cwnd));
	c->cwnd += acked;
}

/* A round-trip time has passed. */
static void xr_delay_round(struct xroce_cc *c, const struct xroce_cc_ack *a)
{
	struct xr_delay *d = xr_delay(c);

	/* Not a queue is what loses so much, or it is too short to show. */
	if (d->lost * XR_DELAY_LOSSES > d->acked) {
		c->cwnd -= c->cwnd / 4;
		d->started = true;
		d->step = XR_DELAY_STEP;
		d->calm = 0;
	} else if (d->calm < XR_DELAY_CALM) {
		d->calm++;
	} else {
		d->step = max(min(2 * d->step, c->cwnd / 2), XR_DELAY_STEP);
	}
	d->acked = 0;
	d->lost = 0;
	d->round_at = a->now;
}

/* Pace what is a matter of the network. Twice as fast as long as nothing is known. */
static void xr_delay_rate(struct xroce_cc *c, u32 base)
{
	u64 bytes = (u64)c->cwnd * c->mtu >> XROCE_CC_SHIFT;

	c->rate = 0;
	if (c->srtt <= XR_DELAY_FREE)
		return;
	if (!xr_delay(c)->started)
		bytes += bytes;
	else if (c->cwnd > 2 * XROCE_CC_PACKET)
		bytes += bytes / 4;
	c->rate = div_u64(bytes * NSEC_PER_SEC, base);
}

static void xr_cc_delay_ack(struct xroce_cc *c, const struct xroce_cc_ack *a)
{
	u32 base = xr_delay_base(c, a), near = xr_delay_near(c, a);
	u32 delay = near - min(near, base);
	struct xr_delay *d = xr_delay(c);

	delay -= min(delay, XR_DELAY_FREE);
	d->acked += a->acked;
	d->lost += a->lost;
	if (!d->round_at) {
		c->cwnd = min(2 * (a->delivered + a->inflight), 2u * XR_DELAY_FIRST) << XROCE_CC_SHIFT;
		d->round_at = a->now;
	} else if ((u64)c->cwnd * delay > (u64)XROCE_CC_PACKET * near) {
		xr_delay_shrink(c, a, near, base);
	} else {
		xr_delay_grow(c, a);
		if (a->now - d->round_at >= c->srtt)
			xr_delay_round(c, a);
	}
	c->cwnd = clamp(c->cwnd, XR_DELAY_LEAST, XROCE_CC_WINDOW_MAX << XROCE_CC_SHIFT);
	xr_delay_rate(c, base);
}

const struct xroce_cc_ops xr_cc_delay = {
	.name = "delay",
	.flags = XROCE_CC_PARTS,
	.init = xr_cc_delay_init,
	.ack = xr_cc_delay_ack,
};
