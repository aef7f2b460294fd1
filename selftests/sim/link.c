// SPDX-License-Identifier: GPL-2.0-only
/*
 * A packet's times are known when it comes, as the queue is first in, first out. So a packet is one
 * event on each link: it arrives.
 */
#include <linux/ktime.h>
#include <linux/minmax.h>

#include "flow.h"
#include "link.h"
#include "packet.h"
#include "rng.h"

#define PS_PER_NS	1000ull
#define PS_PER_SEC	1000000000000ull

static void take(struct link *l, struct packet *p);

/* The first packet is at the other end. */
static void arrive(void *arg)
{
	struct link *l = arg;
	struct packet *p = l->first;

	link_look(l);
	l->first = p->next;
	if (l->first)
		event_start(&l->arrive, l->first->end);
	else
		l->last = NULL;
	p->next = NULL;
	if (++p->hop < p->route->hops) {
		take(p->route->hop[p->hop], p);
		return;
	}
	packet_count.delivered++;
	flow_arrived(p->flow, p);
	packet_free(p);
}

void link_open(struct link *l, u64 rate, u64 delay)
{
	*l = (struct link){ .rate = rate, .delay = delay };
	l->arrive.run = arrive;
	l->arrive.arg = l;
}

void link_close(struct link *l)
{
	struct packet *p;

	event_stop(&l->arrive);
	while ((p = l->first)) {
		l->first = p->next;
		packet_free(p);
	}
}

void link_look(struct link *l)
{
	u64 now = ktime_get_ns();

	while (l->waiting && l->waiting->begin <= now) {
		l->queued--;
		l->queued_bytes -= l->waiting->bytes;
		l->waiting = l->waiting->next;
	}
}

u64 link_holds(const struct link *l)
{
	const struct packet *p;
	u64 n = 0;

	for (p = l->first; p; p = p->next)
		n++;
	return n;
}

/* Return: whether RED hits the packet that comes. */
static bool hit(const struct link *l)
{
	const struct red *r = &l->red;
	u64 part;

	if (!r->max || l->queued_bytes < r->min)
		return false;
	if (l->queued_bytes >= r->max)
		return true;
	part = (l->queued_bytes - r->min) * r->percent * 10000 / (r->max - r->min);
	return rng_below(1000000) < part;
}

static void drop(struct link *l, struct packet *p)
{
	l->stats.dropped++;
	packet_count.dropped++;
	packet_free(p);
}

/* It goes behind those that wait, or is sent at once. */
static void append(struct link *l, struct packet *p)
{
	if (l->last)
		l->last->next = p;
	else
		l->first = p;
	l->last = p;
	if (p->begin > ktime_get_ns()) {
		if (!l->waiting)
			l->waiting = p;
		l->queued++;
		l->queued_bytes += p->bytes;
		l->stats.longest = max(l->stats.longest, l->queued);
		l->stats.longest_bytes = max(l->stats.longest_bytes, l->queued_bytes);
	}
	if (l->first == p)
		event_start(&l->arrive, p->end);
}

/* Return: picoseconds that bytes take. */
static u64 takes(const struct link *l, u64 bytes)
{
	return bytes * 8 * PS_PER_SEC / l->rate;
}

/* Set the times of a packet. A token bucket has it leave at once when there are tokens for it. */
static void transmit(struct link *l, struct packet *p)
{
	u64 now = ktime_get_ns() * PS_PER_NS;

	l->idle = max(l->idle, now);
	p->begin = l->idle / PS_PER_NS;
	l->idle += takes(l, p->bytes);
	p->end = l->idle / PS_PER_NS;
	if (l->burst) {
		p->end = max(now, l->idle - min(l->idle, takes(l, l->burst))) / PS_PER_NS;
		p->begin = p->end;
	}
	p->end += l->delay;
	if (l->jitter)
		p->end += rng_below(l->jitter);
	l->ends = max(l->ends, p->end);
	p->end = l->ends;
}

/* A packet has come to the queue of the link. */
static void take(struct link *l, struct packet *p)
{
	u64 now = ktime_get_ns();

	link_look(l);
	if (l->limit && l->waiting && l->queued_bytes + p->bytes > l->limit) {
		drop(l, p);
		return;
	}
	if (hit(l)) {
		if (!p->ect) {
			drop(l, p);
			return;
		}
		p->marked = true;
		l->stats.marked++;
	}
	transmit(l, p);
	l->stats.sent++;
	l->stats.sent_bytes += p->bytes;
	l->stats.waited += p->begin - now;
	l->stats.waited_bytes += (double)(p->begin - now) * p->bytes;
	append(l, p);
}

void link_send(struct packet *p, const struct route *route)
{
	p->route = route;
	p->hop = 0;
	take(route->hop[0], p);
}

void link_stats_reset(struct link *l)
{
	link_look(l);
	l->stats = (struct link_stats){ .longest = l->queued, .longest_bytes = l->queued_bytes };
}
