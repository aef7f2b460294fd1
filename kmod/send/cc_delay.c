// SPDX-License-Identifier: GPL-2.0-only
/*
 * Congestion control by delay, without the help of switches, though it listens to them.
 *
 * The shortest round-trip time tells how long the path is without a queue. The window grows by a
 * quarter of a packet in a round-trip time, and faster if there is no queue for long, until a
 * packet of this connection waits in the queue of the narrowest link. Then it shrinks to what the
 * path takes without a queue: by the part of the round-trip time that was waiting. All connections
 * there see the same queue, so it empties, and others can see how long the path is. The larger
 * window loses more, and both grow alike: so the shares become equal.
 *
 * All of them have to know the same shortest time for that. A connection that begins while others
 * fill the queue takes the time with that queue for the shortest one. So a connection that has not
 * seen its shortest time for long pauses for about a round-trip time; and one that sees a new
 * shortest time pauses, too, since the queue has never been empty before. One pause causes others,
 * until the queue is empty; and as all see that, and then wait for the same time, they pause
 * together the next time.
 *
 * If the queue is never even half empty, there is traffic that does not care for delay, as that of
 * most TCP. Then the window grows and shrinks as that of TCP does, by a packet in a round-trip time
 * and with losses, until the shortest time is seen again. That is not for connections that all do
 * the same in a queue of few packets, where it only causes losses: if these come in quick
 * succession, it ends at once, and does not begin again for a while.
 *
 * A delay of XR_DELAY_FREE is not a queue: that long hosts take, and batches. A loss is no
 * congestion, unless there are many, or there is a queue: networks lose for other reasons, and
 * queues show by delay before they are full. One that is full nevertheless has no room for a packet
 * of each connection: then a part of one has to do.
 *
 * A connection begins with XR_DELAY_FIRST packets, and doubles what it sends with each round-trip
 * time until there is a queue, or something is lost. Then it pauses, too, as do others that begin.
 */
#include <linux/build_bug.h>
#include <linux/limits.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "xroce_cc.h"

#include "cc_list.h"

/* Delay that counts as none, in nanoseconds: a quarter of the path, between these. */
#define XR_DELAY_FREE_MIN	(15u * NSEC_PER_USEC)
#define XR_DELAY_FREE		(250u * NSEC_PER_USEC)

/* Packets of a connection that begins. Others may begin as well, and queues be short. */
#define XR_DELAY_FIRST	4

/* Fewest packets, in parts: less than one in a round-trip time is a matter of the rate. */
#define XR_DELAY_LEAST	(XROCE_CC_PACKET / 16)

/* A window up to this is sent at its exact rate, in packets; a larger one is bounded by ACKs. */
#define XR_DELAY_EXACT	8

/* What the window grows by in a round-trip time, in parts, and as a part of a large window. */
#define XR_DELAY_STEP	(XROCE_CC_PACKET / 4)
#define XR_DELAY_SHARE	64

/*
 * What may wait in the queue, in parts: at first, and at least after losses, from where it grows
 * again by XR_DELAY_MORE in a round-trip time.
 */
#define XR_DELAY_ROOM	(XROCE_CC_PACKET + XROCE_CC_PACKET / 4)
#define XR_DELAY_TIGHT	(XROCE_CC_PACKET / 4)
#define XR_DELAY_MORE	(XROCE_CC_PACKET / 64)

/* Round-trip times without a queue after which that doubles. */
#define XR_DELAY_CALM	2

/* Samples after which the shortest of them counts, with that of as many before. */
#define XR_DELAY_SAMPLES	16

/* Losses are congestion if one of so many packets is lost. */
#define XR_DELAY_LOSSES	6

/*
 * Time without the shortest round-trip time until a pause, and if others fill the queue: the power
 * of two below the round-trip time, shifted by this. The same time for all that see the same queue.
 */
#define XR_DELAY_LONG	5
#define XR_DELAY_LONGER	6

/*
 * Samples, one in a round-trip time, that show more than half of the longest queue, after which
 * others fill it: if something was lost meanwhile, and otherwise.
 */
#define XR_DELAY_FULL	24
#define XR_DELAY_DEEP	72

/* The longest queue is forgotten by this part with each sample. */
#define XR_DELAY_FORGET	32

/* If others fill the queue: the part of the window that a loss leaves, in eighths. */
#define XR_DELAY_CUT	6

/*
 * So many losses, each of a window of less than XR_DELAY_WORTH packets, and at most XR_DELAY_SOON
 * windows after the one before, show that it is no use. For XR_DELAY_BAN samples, and twice as many
 * after each time, it does not begin again.
 */
#define XR_DELAY_VAIN	3
#define XR_DELAY_WORTH	8
#define XR_DELAY_SOON	4
#define XR_DELAY_BAN	96
#define XR_DELAY_BANS	4

/* Times are kept in units of 1 << XR_DELAY_CLOCK nanoseconds, and wrap after more than an hour. */
#define XR_DELAY_CLOCK	10

/**
 * struct xr_delay - xroce_cc::priv
 * @near: shortest round-trip time since @near_at, in nanoseconds; 0: none
 * @before: shortest in the time before, of the same length
 * @least: the shortest round-trip time of the last samples, in nanoseconds
 * @base: that of the XR_DELAY_SAMPLES before, and before these; 0: there are none
 * @floor: xroce_cc::min_rtt at the last sample, in nanoseconds; 0: none
 * @near_at: when @near began, in units of time, as the next
 * @round_at: when a round-trip time began
 * @hold: until then no loss counts; when the pause ends
 * @seen: when a time about as short as @floor was seen
 * @peak: the longest round-trip time of late, in nanoseconds
 * @kept: the window before the pause, in parts
 * @step: what the window grows by in a round-trip time, in parts
 * @acked: packets that have arrived since @round_at
 * @lost: losses since, or since the last that counted
 * @since: packets that have arrived since the last loss that counted
 * @full: samples since the queue was half empty; negative: others cannot be said to fill it until
 *	it is 0
 * @room: what may wait in the queue, in parts
 * @samples: number of the last samples
 * @calm: round-trip times without a queue
 * @vain: losses in quick succession
 * @bans: times that @full became negative
 * @queued: there was a queue at the last sample
 * @started: there has been a queue. Before, the window doubles each time
 * @paused: there is a pause
 * @crowded: others fill the queue
 * @lossy: something was lost since the queue was half empty
 */
struct xr_delay {
	u32 near;
	u32 before;
	u32 least;
	u32 base[2];
	u32 floor;
	u32 near_at;
	u32 round_at;
	u32 hold;
	u32 seen;
	u32 peak;
	u32 kept;
	u32 step;
	u16 acked;
	u16 lost;
	u16 since;
	s16 full;
	u32 room : 9;
	u32 samples : 5;
	u32 calm : 2;
	u32 vain : 2;
	u32 bans : 3;
	u32 queued : 1;
	u32 started : 1;
	u32 paused : 1;
	u32 crowded : 1;
	u32 lossy : 1;
};

static struct xr_delay *xr_delay(struct xroce_cc *c)
{
	BUILD_BUG_ON(sizeof(struct xr_delay) > sizeof(c->priv));
	return (struct xr_delay *)c->priv;
}

/* Return: @ns, a time or a duration, in units. */
static u32 xr_delay_units(u64 ns)
{
	return ns >> XR_DELAY_CLOCK;
}

/* Return: delay that counts as none on a path of @base nanoseconds, likewise. */
static u32 xr_delay_free(u32 base)
{
	return clamp(base / 4, (u32)XR_DELAY_FREE_MIN, (u32)XR_DELAY_FREE);
}

static void xr_cc_delay_init(struct xroce_cc *c)
{
	c->cwnd = XR_DELAY_FIRST * XROCE_CC_PACKET;
	xr_delay(c)->step = XR_DELAY_STEP;
	xr_delay(c)->room = XR_DELAY_ROOM;
}

/*
 * Return: the shortest round-trip time of the last half to whole one, so that jitter is no queue.
 * What has just begun may not wait so long.
 */
static u32 xr_delay_near(struct xroce_cc *c, u32 rtt, u32 now)
{
	struct xr_delay *d = xr_delay(c);

	if (!d->near || now - d->near_at > xr_delay_units(c->srtt / 2)) {
		d->before = d->near ?: rtt;
		d->near = rtt;
		d->near_at = now;
	}
	d->near = min(d->near, rtt);
	return d->started ? min(d->near, d->before) : d->near;
}

/*
 * Return: the round-trip time without a queue, in nanoseconds. The shortest one of all may be that
 * of a packet which took another path, and overtook others.
 */
static u32 xr_delay_base(struct xroce_cc *c, u32 rtt)
{
	struct xr_delay *d = xr_delay(c);

	d->least = d->samples ? min(d->least, rtt) : rtt;
	if (++d->samples == XR_DELAY_SAMPLES) {
		d->base[1] = d->base[0] ?: d->least;
		d->base[0] = d->least;
		d->samples = 0;
	}
	return d->base[0] ? min(max(d->base[0], d->base[1]), 2 * c->min_rtt) : c->min_rtt;
}

/* True if no loss counts now, or, in a pause, that it goes on. */
static bool xr_delay_held(const struct xr_delay *d, u32 now)
{
	return d->hold && (s32)(now - d->hold) < 0;
}

/* Nothing is known of the queue now, but what comes. */
static void xr_delay_anew(struct xr_delay *d, u32 now)
{
	d->started = true;
	d->step = XR_DELAY_STEP;
	d->calm = 0;
	/* What was sent before will still meet the queue. */
	d->near = 0;
	d->round_at = now;
}

/* There is a queue: a packet takes @near nanoseconds, and @base without one. */
static void xr_delay_shrink(struct xroce_cc *c, u32 near, u32 base, u32 now)
{
	c->cwnd = mul_u64_u32_div(c->cwnd, min(base + xr_delay_free(base), near), near);
	xr_delay_anew(xr_delay(c), now);
}

static void xr_delay_grow(struct xroce_cc *c, const struct xroce_cc_ack *a)
{
	u32 acked = min(a->acked, XROCE_CC_WINDOW_MAX) << XROCE_CC_SHIFT;
	struct xr_delay *d = xr_delay(c);
	u32 step = max(d->step, c->cwnd / XR_DELAY_SHARE);

	if (d->crowded)
		step = XROCE_CC_PACKET;
	if (!a->limited)
		return;
	/* Between two samples there is a round-trip time at least. */
	if (d->started)
		acked = min(acked, div_u64((u64)step * acked, c->cwnd));
	else
		acked = c->cwnd;
	c->cwnd += acked;
}

/* A round-trip time has passed. @calm: there is no queue. */
static void xr_delay_round(struct xroce_cc *c, bool calm, u32 now)
{
	struct xr_delay *d = xr_delay(c);

	if (!calm) {
		d->calm = 0;
		d->step = XR_DELAY_STEP;
	} else if (d->calm < XR_DELAY_CALM) {
		d->calm++;
	} else {
		d->step = 2 * max(d->step, c->cwnd / XR_DELAY_SHARE);
		d->step = max(min(d->step, c->cwnd / 2), XR_DELAY_STEP);
	}
	if (!d->lost && d->room < XR_DELAY_ROOM)
		d->room += XR_DELAY_MORE;
	d->acked = 0;
	d->lost = 0;
	d->round_at = now;
}

/*
 * Choose the rate: a window in a round-trip time, twice that until there has been a queue. @near:
 * the present round-trip time, @base: without a queue, both in nanoseconds. A path of at most
 * XR_DELAY_FREE is not paced: its delay comes from hosts and batches, not from the network.
 */
static void xr_delay_rate(struct xroce_cc *c, u32 near, u32 base)
{
	u64 bytes = (u64)c->cwnd * c->mtu >> XROCE_CC_SHIFT;
	struct xr_delay *d = xr_delay(c);

	c->rate = 0;
	if (c->srtt <= XR_DELAY_FREE)
		return;
	if (!d->started)
		bytes += bytes;
	else if (d->crowded || c->cwnd <= XR_DELAY_EXACT * XROCE_CC_PACKET)
		base = near;
	else
		bytes += bytes / 4;
	c->rate = div_u64(bytes * NSEC_PER_SEC, base);
}

/* The queue is half empty at least. */
static void xr_delay_dip(struct xr_delay *d)
{
	d->lossy = false;
	if (d->full > 0)
		d->full = 0;
}

/* A sample tells how long the queue is now, as a part of the longest one. */
static void xr_delay_compare(const struct xroce_cc *c, struct xr_delay *d, u32 rtt)
{
	/* What was behind a loss may have waited until that was mended. */
	rtt = min(rtt, c->srtt + c->srtt / 2);
	if (rtt > d->peak)
		d->peak = rtt;
	else
		d->peak -= (d->peak - rtt) / XR_DELAY_FORGET;
	if (rtt - min(rtt, d->floor) < (d->peak - min(d->peak, d->floor)) / 2)
		xr_delay_dip(d);
	else if (d->started)
		d->full = min_t(s32, d->full + 1, S16_MAX);
	if (d->full > (d->lossy ? XR_DELAY_FULL : XR_DELAY_DEEP))
		d->crowded = true;
}

/* Nobody else fills the queue, or no longer. */
static void xr_delay_alone(struct xr_delay *d)
{
	d->crowded = false;
	xr_delay_dip(d);
}

/* It is no use to compete with what fills the queue. */
static void xr_delay_give_up(struct xr_delay *d)
{
	d->crowded = false;
	d->vain = 0;
	d->full = -(XR_DELAY_BAN << d->bans);
	d->bans = min(d->bans + 1, XR_DELAY_BANS);
}

/*
 * Compare a round-trip time with the shortest one, and with that of a full queue. Return: whether
 * it is much shorter than any before, so that a pause shall begin: either the shortest time
 * included a queue, or other connections have begun to pause.
 */
static bool xr_delay_seen(struct xroce_cc *c, u32 rtt, u32 now)
{
	struct xr_delay *d = xr_delay(c);
	u32 none, recent = d->base[0] ? min(d->base[0], d->base[1]) : 0;
	bool lower = rtt < d->floor - d->floor / 16 || rtt < recent - recent / 8;

	/* Delay of hosts and batches is no queue that others fill. */
	if (c->srtt > XR_DELAY_FREE)
		xr_delay_compare(c, d, rtt);
	none = d->floor + d->floor / 8 + xr_delay_free(d->floor);
	if (!d->floor || rtt <= none) {
		d->seen = now;
		xr_delay_alone(d);
	}
	/*
	 * The module forgets the shortest time after a while: see rtt.h. But others that fill the
	 * queue do not let it become empty. If it is the path that has become longer, the window
	 * remains that of TCP.
	 */
	if (!d->crowded || c->min_rtt < d->floor)
		d->floor = c->min_rtt;
	/* If other traffic fills the queue, a shorter time may only mean that less of it waits. */
	return d->started && lower && !d->crowded;
}

/* True if a pause shall begin, since the shortest time has not been seen for long. */
static bool xr_delay_pauses(struct xroce_cc *c, u32 now)
{
	struct xr_delay *d = xr_delay(c);
	u32 wait = rounddown_pow_of_two(xr_delay_units(c->srtt) | 1);

	return d->started && now - d->seen > wait << (d->crowded ? XR_DELAY_LONGER : XR_DELAY_LONG);
}

/* Send a packet in a round-trip time, for one of them. @near: how long it is */
static void xr_delay_pause(struct xroce_cc *c, u32 near, u32 now)
{
	struct xr_delay *d = xr_delay(c);

	d->kept = c->cwnd;
	d->paused = true;
	d->started = true;
	d->near = near;
	d->hold = now + xr_delay_units(max(near - min(near, d->floor), near / 2));
	d->seen = now;
	c->cwnd = XR_DELAY_LEAST;
	c->rate = div_u64((u64)c->mtu * NSEC_PER_SEC, near);
}

/* Something was lost, and others fill the queue. */
static void xr_delay_cut(struct xroce_cc *c)
{
	struct xr_delay *d = xr_delay(c);
	u32 packets = max(c->cwnd / XROCE_CC_PACKET, 1u);

	c->cwnd = c->cwnd / 8 * XR_DELAY_CUT;
	if (packets >= XR_DELAY_WORTH)
		d->bans = 0;
	if (packets >= XR_DELAY_WORTH || d->since > XR_DELAY_SOON * packets)
		d->vain = 0;
	else if (++d->vain == XR_DELAY_VAIN)
		xr_delay_give_up(d);
	d->since = 0;
}

/*
 * What is lost shows that a queue is full only if there is one, or if it is much. Once in a
 * round-trip time.
 */
static void xr_cc_delay_loss(struct xroce_cc *c, u32 how, u64 ns)
{
	struct xr_delay *d = xr_delay(c);
	u32 now = xr_delay_units(ns);
	bool much;

	if (how == XROCE_CC_LOSS_RNR || d->paused)
		return;
	d->lost++;
	d->lossy = true;
	if (xr_delay_held(d, now))
		return;
	/* Before anything is measured, there is no time to shrink to. */
	much = how == XROCE_CC_LOSS_TIMEOUT || !c->srtt ||
	       d->lost * XR_DELAY_LOSSES > d->acked + c->cwnd / XROCE_CC_PACKET;
	if (!much && !d->queued && d->started)
		return;
	d->lost = 0;
	if (!d->started && c->srtt) {
		xr_delay_pause(c, c->srtt, now);
		return;
	}
	if (d->crowded) {
		xr_delay_cut(c);
	} else {
		d->room = max(d->room / 2u, XR_DELAY_TIGHT);
		if (much) {
			c->cwnd /= 2;
			xr_delay_anew(d, now);
		} else {
			xr_delay_shrink(c, max(d->near, c->min_rtt), c->min_rtt, now);
		}
	}
	c->cwnd = max(c->cwnd, XR_DELAY_LEAST);
	d->hold = now + xr_delay_units(c->srtt);
}

/*
 * A switch has marked packets: there is a queue, though it need not be one of this connection. What
 * marks keeps the queue of others short, too.
 */
static void xr_cc_delay_cnp(struct xroce_cc *c, u64 ns)
{
	struct xr_delay *d = xr_delay(c);
	u32 now = xr_delay_units(ns);

	xr_delay_alone(d);
	if (d->paused || xr_delay_held(d, now))
		return;
	c->cwnd = max(c->cwnd - c->cwnd / 8, XR_DELAY_LEAST);
	xr_delay_anew(d, now);
	d->hold = now + xr_delay_units(c->srtt);
}

static void xr_cc_delay_ack(struct xroce_cc *c, const struct xroce_cc_ack *a)
{
	u32 now = xr_delay_units(a->now), base, near, delay;
	struct xr_delay *d = xr_delay(c);
	bool lower, full;

	d->acked = min(d->acked + a->acked, XROCE_CC_WINDOW_MAX);
	d->since = min_t(u32, d->since + a->acked, U16_MAX);
	/* Of two attempts, nobody knows which the time is of. */
	if (a->again || !a->rtt)
		return;
	base = xr_delay_base(c, a->rtt);
	if (d->paused) {
		near = d->near;
		xr_delay_seen(c, a->rtt, now);
		if (xr_delay_held(d, now))
			return;
		c->cwnd = d->kept;
		d->paused = false;
		/* Of the pause: it is empty again. */
		d->near = 0;
		if (!d->crowded)
			xr_delay_shrink(c, near, min(base, d->floor), now);
		near = a->rtt;
	} else {
		near = xr_delay_near(c, a->rtt, now);
		lower = xr_delay_seen(c, a->rtt, now);
		if (lower || xr_delay_pauses(c, now)) {
			xr_delay_pause(c, near, now);
			return;
		}
		delay = near - min(near, base);
		delay -= min(delay, xr_delay_free(base));
		d->queued = delay;
		full = (u64)c->cwnd * delay > (u64)d->room * near;
		if (full && !d->started) {
			xr_delay_pause(c, near, now);
			return;
		}
		if (full && !d->crowded) {
			xr_delay_shrink(c, near, base, now);
		} else {
			if (!full || d->crowded)
				xr_delay_grow(c, a);
			if (now - d->round_at >= xr_delay_units(c->srtt))
				xr_delay_round(c, !delay, now);
		}
	}
	c->cwnd = clamp(c->cwnd, XR_DELAY_LEAST, XROCE_CC_WINDOW_MAX << XROCE_CC_SHIFT);
	xr_delay_rate(c, near, base);
}

const struct xroce_cc_ops xr_cc_delay = {
	.name = "delay",
	.flags = XROCE_CC_ECN | XROCE_CC_PARTS,
	.init = xr_cc_delay_init,
	.ack = xr_cc_delay_ack,
	.loss = xr_cc_delay_loss,
	.cnp = xr_cc_delay_cnp,
};
