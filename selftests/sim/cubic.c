// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>

#include <linux/build_bug.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "xroce_cc.h"

#include "cubic.h"

/* RFC 9438: C, in packets and seconds, and beta. */
#define C	0.4
#define BETA	0.7

/* Packets in the beginning, and at least. */
#define FIRST	10
#define LEAST	2

/* Delay that ends slow start: an eighth of the path, but within these, in nanoseconds. */
#define DELAY_MIN	(4u * NSEC_PER_MSEC)
#define DELAY_MAX	(16u * NSEC_PER_MSEC)

/**
 * struct state - xroce_cc::priv
 * @most: the window before the last loss, in packets (W_max)
 * @cut: the window after it; 0: slow start
 * @reno: the window of Reno (W_est)
 * @at: when it was, nanoseconds
 * @hold: until then no loss counts
 */
struct state {
	double most;
	double cut;
	double reno;
	u64 at;
	u64 hold;
};

static struct state *state(struct xroce_cc *c)
{
	BUILD_BUG_ON(sizeof(struct state) > sizeof(c->priv));
	return (struct state *)c->priv;
}

static double window(const struct xroce_cc *c)
{
	return (double)c->cwnd / XROCE_CC_PACKET;
}

static void set(struct xroce_cc *c, double packets)
{
	c->cwnd = clamp(packets, (double)LEAST, (double)XROCE_CC_WINDOW_MAX) * XROCE_CC_PACKET;
}

static void init(struct xroce_cc *c)
{
	set(c, FIRST);
}

/* The window that CUBIC has @seconds after the loss. */
static double curve(const struct state *s, double seconds)
{
	double x = seconds - cbrt((s->most - s->cut) / C);

	return C * x * x * x + s->most;
}

static void ack(struct xroce_cc *c, const struct xroce_cc_ack *a)
{
	double now = window(c), target;
	struct state *s = state(c);

	if (!a->limited)
		return;
	if (!s->cut) {
		set(c, now + a->acked);
		if (a->rtt < c->min_rtt + clamp(c->min_rtt / 8, (u32)DELAY_MIN, (u32)DELAY_MAX))
			return;
		s->most = s->cut = s->reno = window(c);
		s->at = a->now;
		return;
	}
	s->reno += 3 * (1 - BETA) / (1 + BETA) * a->acked / now;
	target = clamp(curve(s, (double)(a->now + c->srtt - s->at) / NSEC_PER_SEC), now, 1.5 * now);
	set(c, max(now + (target - now) * a->acked / now, s->reno));
}

static void loss(struct xroce_cc *c, u32 how, u64 now)
{
	struct state *s = state(c);
	double had = window(c);

	if (how == XROCE_CC_LOSS_RNR || now < s->hold)
		return;
	/* Fast convergence: leave room for others. */
	s->most = s->cut && had < s->most ? had * (1 + BETA) / 2 : had;
	s->cut = s->reno = max(had * BETA, (double)LEAST);
	s->at = now;
	s->hold = now + c->srtt;
	set(c, how == XROCE_CC_LOSS_TIMEOUT ? LEAST : s->cut);
}

const struct xroce_cc_ops cubic = {
	.name = "cubic",
	.init = init,
	.ack = ack,
	.loss = loss,
};
