// SPDX-License-Identifier: GPL-2.0-only
/*
 * SPEC_ONE:    sender i --> port --> receiver;  receiver --> port of sender i
 * SPEC_TREE:   host --> leaf --> spine --> leaf --> host. A connection has one spine, by its number
 *              (ECMP). Those of a leaf's hosts go to those of other leaves, each to another one.
 * SPEC_INCAST: the same links; all go to the first host.
 */
#include <stdlib.h>

#include "memory.h"
#include "network.h"
#include "rng.h"
#include "spec.h"

static bool is_tree(const struct spec *s)
{
	return s->net != SPEC_ONE;
}

static u32 tree_hosts(const struct spec *s)
{
	return s->leaves * s->hosts;
}

/* A port of a switch, which has a queue. */
static void open_port(struct link *l, const struct spec *s, u64 rate, u64 delay)
{
	link_open(l, rate, delay);
	l->limit = s->limit;
	l->red = s->red;
	l->jitter = s->jitter;
}

/* Links: the port; the receiver's; a sender's; a port to a sender, of each. */
static void open_one(struct network *n, const struct spec *s)
{
	u32 i, senders = s->flows + s->tcp + s->mice;

	n->ports = 1;
	n->links = 2 + 2 * senders;
	n->link = memory_new(n->links, sizeof(*n->link));
	open_port(&n->link[0], s, s->rate, s->rtt / 2);
	n->link[0].burst = s->burst;
	link_open(&n->link[1], s->nic, s->rtt - s->rtt / 2);
	for (i = 2; i < n->links; i++)
		link_open(&n->link[i], s->nic, 0);
}

/* Links: leaf to spine; spine to leaf; leaf to host; host to leaf. */
static void open_tree(struct network *n, const struct spec *s)
{
	u32 i, hosts = tree_hosts(s), between = 2 * s->leaves * s->spines;

	n->ports = between + hosts;
	n->links = n->ports + hosts;
	n->link = memory_new(n->links, sizeof(*n->link));
	for (i = 0; i < between; i++)
		open_port(&n->link[i], s, s->rate, s->rtt / 8);
	for (; i < n->ports; i++)
		open_port(&n->link[i], s, s->nic, s->rtt / 8);
	for (; i < n->links; i++)
		link_open(&n->link[i], s->nic, s->rtt / 8);
}

void network_open(struct network *n, const struct spec *s)
{
	if (is_tree(s))
		open_tree(n, s);
	else
		open_one(n, s);
}

void network_close(struct network *n)
{
	u32 i;

	for (i = 0; i < n->links; i++)
		link_close(&n->link[i]);
	free(n->link);
}

static void hop(struct route *r, struct link *l)
{
	r->hop[r->hops++] = l;
}

/* From host @from to host @to, over the spine @spine. */
static void tree_route(const struct network *n, const struct spec *s, u32 from, u32 to, u32 spine,
		       struct route *r)
{
	u32 leaf = from / s->hosts, other = to / s->hosts, up = s->leaves * s->spines;

	*r = (struct route){};
	hop(r, &n->link[n->ports + from]);
	if (leaf != other) {
		hop(r, &n->link[leaf * s->spines + spine]);
		hop(r, &n->link[up + spine * s->leaves + other]);
	}
	hop(r, &n->link[2 * up + to]);
}

void network_route(const struct network *n, const struct spec *s, u32 i, struct route *data,
		   struct route *back)
{
	u32 hosts = tree_hosts(s), from, to;

	if (!is_tree(s)) {
		*data = (struct route){ .hops = 2, .hop = { &n->link[2 + 2 * i], &n->link[0] } };
		*back = (struct route){ .hops = 2, .hop = { &n->link[1], &n->link[3 + 2 * i] } };
		return;
	}
	if (s->net == SPEC_INCAST) {
		from = 1 + i % (hosts - 1);
		to = 0;
	} else {
		from = i % hosts;
		to = (from + s->hosts * (1 + i / hosts % (s->leaves - 1))) % hosts;
	}
	tree_route(n, s, from, to, rng_below(s->spines), data);
	tree_route(n, s, to, from, rng_below(s->spines), back);
}

u64 network_holds(const struct network *n)
{
	u64 packets = 0;
	u32 i;

	for (i = 0; i < n->links; i++)
		packets += link_holds(&n->link[i]);
	return packets;
}
