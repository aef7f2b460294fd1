// SPDX-License-Identifier: GPL-2.0-only
/* A binary heap, the next event at its top. */
#include <stdlib.h>

#include <linux/ktime.h>

#include "event.h"
#include "memory.h"

static struct event **heap;	/* from 1 on */
static u32 events, room;
static u64 clock_ns, started;

u64 ktime_get_ns(void)
{
	return clock_ns;
}

void events_reset(void)
{
	while (events)
		heap[events--]->place = 0;
	clock_ns = 0;
	started = 0;
}

static bool before(const struct event *a, const struct event *b)
{
	return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void put(struct event *e, u32 place)
{
	heap[place] = e;
	e->place = place;
}

static void up(struct event *e)
{
	u32 at = e->place;

	for (; at > 1 && before(e, heap[at / 2]); at /= 2)
		put(heap[at / 2], at);
	put(e, at);
}

static void down(struct event *e)
{
	u32 at = e->place, child;

	for (; (child = 2 * at) <= events; at = child) {
		if (child < events && before(heap[child + 1], heap[child]))
			child++;
		if (!before(heap[child], e))
			break;
		put(heap[child], at);
	}
	put(e, at);
}

void event_start(struct event *e, u64 at)
{
	if (!e->place) {
		if (events + 1 >= room) {
			room = room ? 2 * room : 1024;
			heap = memory_more(heap, room, sizeof(*heap));
		}
		e->place = ++events;
	}
	e->at = at;
	e->order = started++;
	up(e);
	down(e);
}

void event_stop(struct event *e)
{
	struct event *last;
	u32 place = e->place;

	if (!place)
		return;
	e->place = 0;
	last = heap[events--];
	if (last == e)
		return;
	last->place = place;
	up(last);
	down(last);
}

void events_until(u64 end)
{
	struct event *e;

	while (events && heap[1]->at < end) {
		e = heap[1];
		clock_ns = e->at;
		event_stop(e);
		e->run(e->arg);
	}
	clock_ns = end;
}
