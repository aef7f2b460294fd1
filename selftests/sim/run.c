// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include <linux/minmax.h>
#include <linux/time64.h>

#include "cubic.h"
#include "flow.h"
#include "memory.h"
#include "network.h"
#include "rng.h"
#include "run.h"
#include "spec.h"
#include "trace.h"

/* How many connections there are: those that count, TCP, those with short messages. */
static u64 all_flows(const struct spec *s)
{
	return s->flows + s->tcp + s->mice;
}

static bool is_tcp(const struct spec *s, u64 i)
{
	return i >= s->flows && i < s->flows + s->tcp;
}

static bool is_mouse(const struct spec *s, u64 i)
{
	return i >= s->flows + s->tcp;
}

/* @f: connection @i, which may be TCP or one with short messages. */
static void open_flow(struct flow *f, const struct spec *s, const struct network *n, u32 i)
{
	bool mouse = is_mouse(s, i);
	struct flow_kind kind = {
		.ops = is_tcp(s, i) ? &cubic : s->cc,
		.read = s->read && i < s->flows,
		.mtu = s->mtu,
		.size = mouse ? s->mice_size : s->size,
		.depth = mouse ? 1 : s->depth,
		.qps = s->read && s->net != SPEC_TREE ? s->flows : 1,
	};
	u64 at = s->spread ? rng_next() % s->spread : 0;

	if (kind.read)
		network_route(n, s, i, &f->back, &f->out);
	else
		network_route(n, s, i, &f->out, &f->back);
	if (i < s->join)
		at += s->time / 3;
	flow_open(f, &kind, at);
}

static void of_flows(const struct spec *s, const struct flow *f, struct result *r)
{
	double seconds = (double)(s->time - s->warm) / NSEC_PER_SEC, rate, sum = 0, squares = 0;
	u64 i;

	for (i = 0; i < all_flows(s); i++) {
		r->again += f[i].requester.again;
		r->timeouts += f[i].requester.timeouts;
		r->ended += f[i].requester.ended;
		rate = (f[i].bytes - f[i].then) * 8 / seconds;
		if (is_tcp(s, i))
			r->tcp += rate;
		if (i >= s->flows)
			continue;
		sum += rate;
		squares += rate * rate;
	}
	r->goodput = sum;
	r->jain = squares ? sum * sum / squares / s->flows : 0;
}

static void of_ports(const struct spec *s, const struct network *n, struct result *r)
{
	double ns = s->time - s->warm, came = 0, dropped = 0, marked = 0;
	const struct link *l;
	u32 i;

	for (i = 0; i < n->ports; i++) {
		l = &n->link[i];
		r->used = max(r->used, l->stats.sent_bytes * 8e9 / ns / l->rate);
		r->queue = max(r->queue, l->stats.waited / ns);
		r->queue_bytes = max(r->queue_bytes, l->stats.waited_bytes / ns);
		r->longest = max(r->longest, l->stats.longest);
		r->longest_bytes = max(r->longest_bytes, l->stats.longest_bytes);
		r->peak = max(r->peak, l->stats.longest);
		came += l->stats.sent + l->stats.dropped;
		dropped += l->stats.dropped;
		marked += l->stats.marked;
	}
	r->dropped = came ? dropped / came : 0;
	r->marked = came ? marked / came : 0;
}

static int shorter(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static void of_mice(const struct spec *s, const struct flow *f, struct result *r)
{
	u64 *all, n = 0, i, j;

	for (i = s->flows + s->tcp; i < all_flows(s); i++)
		n += f[i].latencies;
	if (!n)
		return;
	all = memory_new(n, sizeof(*all));
	n = 0;
	for (i = s->flows + s->tcp; i < all_flows(s); i++)
		for (j = 0; j < f[i].latencies; j++)
			all[n++] = f[i].latency[j];
	qsort(all, n, sizeof(*all), shorter);
	r->p50 = all[n / 2];
	r->p99 = all[n * 99 / 100];
	free(all);
}

/* From now on figures count. */
static void warm(const struct spec *s, const struct network *n, struct flow *f, struct result *r)
{
	u64 i;

	for (i = 0; i < n->ports; i++) {
		r->peak = max(r->peak, n->link[i].stats.longest);
		link_stats_reset(&n->link[i]);
	}
	for (i = 0; i < all_flows(s); i++) {
		f[i].then = f[i].bytes;
		if (is_mouse(s, i))
			flow_timed(&f[i]);
	}
}

void run(const struct spec *spec, struct result *r)
{
	struct spec s = *spec;
	struct network n;
	struct flow *f;
	u64 i;

	s.warm = s.warm ?: s.time / 3;
	*r = (struct result){};
	packet_count = (struct packet_count){};
	events_reset();
	rng_seed(s.seed);
	network_open(&n, &s);
	f = memory_new(all_flows(&s), sizeof(*f));
	for (i = 0; i < all_flows(&s); i++)
		open_flow(&f[i], &s, &n, i);
	trace_open(&s, &n, f);
	events_until(s.warm);
	warm(&s, &n, f, r);
	events_until(s.time);
	of_ports(&s, &n, r);
	of_flows(&s, f, r);
	of_mice(&s, f, r);
	r->count = packet_count;
	r->held = network_holds(&n);
	trace_close();
	for (i = 0; i < all_flows(&s); i++)
		flow_close(&f[i]);
	network_close(&n);
	free(f);
}
