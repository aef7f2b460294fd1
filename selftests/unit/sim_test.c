// SPDX-License-Identifier: GPL-2.0-only
/*
 * The simulator of selftests/sim/, with small cases: packets are neither lost nor made by it, a
 * seed gives one result, and its figures tell an algorithm that cares for the network from one that
 * does not.
 */
#include <string.h>

#include "xroce_cc.h"

#include "harness.h"
#include "run.h"
#include "spec.h"

static void simulate(const char *words, struct result *r)
{
	struct spec s;

	spec_default(&s);
	spec_words(&s, words);
	run(&s, r);
}

/* As many packets as the module ever has outstanding, whatever happens. */
static void most(struct xroce_cc *c)
{
	c->cwnd = XROCE_CC_WINDOW_MAX << XROCE_CC_SHIFT;
}

static void most_ack(struct xroce_cc *c, const struct xroce_cc_ack *a)
{
	(void)a;
	most(c);
}

static const struct xroce_cc_ops never_less = {
	.name = "never-less", .init = most, .ack = most_ack,
};

static void check_conserved(const char *words)
{
	struct result r;

	simulate(words, &r);
	check(r.count.sent > 1000, "%s: %llu packets", words, r.count.sent);
	check(r.count.sent == r.count.delivered + r.count.dropped + r.held,
	      "%s: sent %llu, delivered %llu, dropped %llu, on the way %llu", words, r.count.sent,
	      r.count.delivered, r.count.dropped, r.held);
}

TEST(sim_conserves_packets, "U5",
     "each packet that was sent was delivered, was dropped, or is on a link")
{
	check_conserved("cc=none flows=8");
	check_conserved("cc=none flows=8 op=READ");
	check_conserved("cc=delay flows=2 time=300ms");
	check_conserved("cc=dcqcn flows=4 red_min=30K red_max=90K");
	check_conserved("cc=none net=tree flows=64 rate=25G nic=25G rtt=20us time=3ms");
	check_conserved("cc=none net=incast flows=64 op=READ rate=25G nic=25G rtt=20us time=3ms");
}

TEST(sim_repeats, "U5", "a seed gives one result, and another seed another one")
{
	const char *words = "cc=delay flows=8 mice=2 jitter=10us";
	struct result a, b, c;
	char other[128];

	simulate(words, &a);
	simulate(words, &b);
	check(!memcmp(&a, &b, sizeof(a)), "packets: %llu, then %llu", a.count.sent, b.count.sent);
	snprintf(other, sizeof(other), "%s seed=2", words);
	simulate(other, &c);
	check(memcmp(&a, &c, sizeof(a)), "seeds 1 and 2: %llu packets", a.count.sent);
}

TEST(sim_fills_link, "U5", "one connection has what the link carries, WRITE and READ")
{
	const char *words[] = { "cc=none flows=1", "cc=none flows=1 op=READ",
				"cc=delay flows=1", "cc=delay flows=1 op=READ" };
	struct result r;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		simulate(words[i], &r);
		check(r.used > .95 && r.used < 1.02, "%s: %.3f of the link", words[i], r.used);
		/* 4096 bytes of 4154. */
		check(r.goodput > 93e6 && r.goodput < 100e6, "%s: %.1f Mbit/s", words[i],
		      r.goodput / 1e6);
	}
}

TEST(sim_window_limits, "U5", "what is outstanding bounds goodput: a message in a round trip")
{
	struct result r;

	simulate("cc=none flows=1 depth=1 size=4096 rtt=10ms rate=1G", &r);
	check(r.goodput > 4096 * 8 * 98 && r.goodput < 4096 * 8 * 100, "%.1f Mbit/s",
	      r.goodput / 1e6);
	check(r.queue < .001, "queue of %.3f packets", r.queue);
}

TEST(sim_delay_shares, "U5", "delay: two and eight connections fill the link and share it")
{
	const char *words[] = { "cc=delay flows=2", "cc=delay flows=8 rate=1G limit=500K" };
	struct result r;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		simulate(words[i], &r);
		check(r.used >= .95, "%s: %.3f of the link", words[i], r.used);
		check(r.jain >= .95, "%s: Jain's index %.3f", words[i], r.jain);
		check(r.dropped < .001, "%s: %.4f dropped", words[i], r.dropped);
	}
}

/* Mean of seeds: of any, much depends on who loses first. */
TEST(sim_beside_tcp, "U5", "delay: a connection beside TCP has a fair share, TCP too")
{
	double share = 0;
	struct result r;
	char words[96];
	int seed;

	for (seed = 1; seed <= 8; seed++) {
		snprintf(words, sizeof(words),
			 "cc=delay flows=1 tcp=1 burst=10K jitter=20us time=15s seed=%d", seed);
		simulate(words, &r);
		share += r.goodput / (r.goodput + r.tcp) / 8;
	}
	check(share > .35 && share < .65, "%.3f", share);
}

TEST(sim_marks, "U5", "a queue marks what an algorithm wants to be marked, and drops the rest")
{
	struct result r;

	simulate("cc=dcqcn flows=1 red_min=1K red_max=10K limit=12M warm=1us", &r);
	check(r.marked > 0, "%.4f marked", r.marked);
	check(!r.dropped, "%.4f dropped", r.dropped);
	simulate("cc=none flows=1 red_min=1K red_max=10K", &r);
	check(!r.marked, "%.4f marked", r.marked);
	check(r.dropped > .01, "%.4f dropped", r.dropped);
}

TEST(sim_overflows, "U5", "an algorithm that never sends less overflows the queue")
{
	struct result r;
	struct spec s;

	spec_default(&s);
	s.cc = &never_less;
	s.flows = 8;
	run(&s, &r);
	check(r.dropped > .05, "%.4f dropped", r.dropped);
	check(r.longest_bytes > 195000 && r.longest_bytes <= 200000, "longest queue %llu bytes",
	      r.longest_bytes);
}

TEST_MAIN(harness_main);
