// SPDX-License-Identifier: GPL-2.0-only
/*
 * DCQCN, "Congestion Control for Large-Scale RDMA Deployments" (SIGCOMM 2015): a congestion
 * notification cuts the rate by a part that follows how often they come; without any, the rate
 * comes back to where it was by halves, and then grows. It needs switches that mark packets (ECN),
 * and peers that notify.
 *
 * A connection begins without a rate, and with a window of XR_DCQCN_FIRST: many that begin at once
 * shall not lose more than they can repair. The window is then that of "none", but no more than the
 * rate fills twice.
 *
 * The constants of the paper are for 40 Gbit/s and round-trip times of some 50 microseconds. Here
 * they follow the path: what the paper does each 55 microseconds is done once in a round-trip time
 * if that is longer, the steps are parts of the highest rate at which packets have arrived, and so
 * is the byte counter. Times are looked at when a round-trip time has been measured.
 */
#include <linux/build_bug.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "xroce_cc.h"

#include "cc_list.h"

/* Time after which the rate grows, and alpha falls, in nanoseconds, at least (K, and the timer). */
#define XR_DCQCN_TIME		(55 * NSEC_PER_USEC)

/* Times in which the byte counter expires once at the highest rate: 10 MB at 40 Gbit/s. */
#define XR_DCQCN_BYTES		36

/* Expiries of timer and byte counter that bring the rate back by halves (F). */
#define XR_DCQCN_RECOVERY	5

/* Steps, as parts of the highest rate: 40 Mbit/s (R_AI), and ten times that (R_HAI). */
#define XR_DCQCN_STEP		1000
#define XR_DCQCN_HYPER		100

/* alpha counts in parts of 1 << XR_DCQCN_SHIFT, and has the weight 1 / 256 (g). */
#define XR_DCQCN_SHIFT		16
#define XR_DCQCN_WEIGHT		8

/* Packets that may be outstanding, before anything is known of the network, and at least. */
#define XR_DCQCN_FIRST		16u
#define XR_DCQCN_WINDOW		2u

/* Expiries that are made up for after a pause, at most. */
#define XR_DCQCN_LATE		64

/**
 * struct xr_dcqcn - xroce_cc::priv
 * @target: the rate before the last cut, and what was added since, in bytes a second; 0: there was
 *	no cut
 * @line: the highest rate at which packets have arrived
 * @timer: when the timer expired last, in nanoseconds of CLOCK_MONOTONIC
 * @calm: when alpha changed last, likewise
 * @bytes: bytes since the byte counter expired last
 * @alpha: how often the path is congested
 * @times: expiries of the timer since the last cut, at most 255
 * @counts: of the byte counter, likewise
 */
struct xr_dcqcn {
	u64 target;
	u64 line;
	u64 timer;
	u64 calm;
	u64 bytes;
	u32 alpha;
	u8 times;
	u8 counts;
};

static struct xr_dcqcn *xr_dcqcn(struct xroce_cc *c)
{
	BUILD_BUG_ON(sizeof(struct xr_dcqcn) > sizeof(c->priv));
	return (struct xr_dcqcn *)c->priv;
}

static void xr_cc_dcqcn_init(struct xroce_cc *c)
{
	xr_cc_none.init(c);
	c->cwnd = XR_DCQCN_FIRST << XROCE_CC_SHIFT;
	xr_dcqcn(c)->alpha = 1u << XR_DCQCN_SHIFT;
}

/* Return: the time of a step, in nanoseconds. */
static u32 xr_dcqcn_time(const struct xroce_cc *c)
{
	return max_t(u32, c->srtt, XR_DCQCN_TIME);
}

/* There were notifications: cut the rate. @line has been measured. */
static void xr_dcqcn_cut(struct xroce_cc *c, u64 now)
{
	struct xr_dcqcn *d = xr_dcqcn(c);

	if (!c->rate)
		c->rate = d->line;
	d->target = max(c->rate, XROCE_CC_RATE_MIN);
	c->rate -= (c->rate * d->alpha) >> (XR_DCQCN_SHIFT + 1);
	c->rate = max(c->rate, XROCE_CC_RATE_MIN);
	d->alpha -= d->alpha >> XR_DCQCN_WEIGHT;
	d->alpha += 1u << (XR_DCQCN_SHIFT - XR_DCQCN_WEIGHT);
	d->timer = now;
	d->calm = now;
	d->bytes = 0;
	d->times = 0;
	d->counts = 0;
}

/* The timer or the byte counter has expired. */
static void xr_dcqcn_grow(struct xroce_cc *c)
{
	struct xr_dcqcn *d = xr_dcqcn(c);

	if (min(d->times, d->counts) > XR_DCQCN_RECOVERY)
		d->target += div_u64(d->line, XR_DCQCN_HYPER);
	else if (max(d->times, d->counts) > XR_DCQCN_RECOVERY)
		d->target += div_u64(d->line, XR_DCQCN_STEP);
	/* Beyond that it does not bound anything. */
	d->target = min(d->target, 2 * d->line);
	c->rate = (c->rate + d->target) / 2;
}

/*
 * No more outstanding than the rate fills twice: acknowledgements, of which there are a few in a
 * window, then come often enough, and the parts of READs are short.
 */
static void xr_dcqcn_window(struct xroce_cc *c)
{
	u64 bytes = mul_u64_u32_div(c->rate, 2 * xr_dcqcn_time(c), NSEC_PER_SEC);
	u32 packets = min(div_u64(bytes, c->mtu), XROCE_CC_WINDOW_MAX);

	c->cwnd = min(c->cwnd, max(packets, XR_DCQCN_WINDOW) << XROCE_CC_SHIFT);
}

static void xr_cc_dcqcn_ack(struct xroce_cc *c, const struct xroce_cc_ack *a)
{
	u32 time = xr_dcqcn_time(c), late;
	struct xr_dcqcn *d = xr_dcqcn(c);
	u64 count;

	xr_cc_none.ack(c, a);
	if (!a->again && a->rtt)
		d->line = max(d->line, div_u64((u64)a->delivered * c->mtu * NSEC_PER_SEC, a->rtt));
	if (a->cnps && d->line)
		xr_dcqcn_cut(c, a->now);
	if (!d->target)
		return;
	for (late = 0; late < XR_DCQCN_LATE && a->now - d->calm >= time; late++) {
		d->alpha -= d->alpha >> XR_DCQCN_WEIGHT;
		d->calm += time;
	}
	for (late = 0; late < XR_DCQCN_LATE && a->now - d->timer >= time; late++) {
		d->times += d->times < U8_MAX;
		d->timer += time;
		xr_dcqcn_grow(c);
	}
	d->bytes += (u64)a->acked * c->mtu;
	count = max(mul_u64_u32_div(d->line, time, NSEC_PER_SEC) * XR_DCQCN_BYTES, 1ull);
	for (late = 0; late < XR_DCQCN_LATE && d->bytes >= count; late++) {
		d->counts += d->counts < U8_MAX;
		d->bytes -= count;
		xr_dcqcn_grow(c);
	}
	xr_dcqcn_window(c);
}

const struct xroce_cc_ops xr_cc_dcqcn = {
	.name = "dcqcn",
	.flags = XROCE_CC_ECN | XROCE_CC_PARTS,
	.init = xr_cc_dcqcn_init,
	.ack = xr_cc_dcqcn_ack,
};
