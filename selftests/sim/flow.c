// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "flow.h"
#include "memory.h"
#include "packet.h"

static void begin(void *arg)
{
	struct flow *f = arg;
	u32 i;

	for (i = 0; i < f->kind.depth; i++)
		f->posted[i] = ktime_get_ns();
	requester_run(f);
}

void flow_open(struct flow *f, const struct flow_kind *kind, u64 at)
{
	f->kind = *kind;
	f->packets = DIV_ROUND_UP(kind->size, kind->mtu);
	f->posted = memory_new(kind->depth, sizeof(*f->posted));
	f->begin.run = begin;
	f->begin.arg = f;
	requester_open(f);
	responder_open(f);
	event_start(&f->begin, at);
}

void flow_close(struct flow *f)
{
	event_stop(&f->begin);
	requester_close(f);
	free(f->posted);
	free(f->latency);
}

void flow_timed(struct flow *f)
{
	f->room = 1024;
	f->latency = memory_new(f->room, sizeof(*f->latency));
}

void flow_arrived(struct flow *f, struct packet *p)
{
	switch (p->kind) {
	case PACKET_WRITE:
	case PACKET_READ:
		responder_packet(f, p);
		break;
	default:
		requester_packet(f, p);
	}
}

u32 flow_posted(const struct flow *f)
{
	return (f->done + f->kind.depth) * f->packets;
}

u32 flow_payload(const struct flow *f, u32 psn)
{
	u32 off = psn % f->packets * f->kind.mtu;

	return min(f->kind.mtu, f->kind.size - off);
}

u64 flow_payloads(const struct flow *f, u32 psn, u32 end)
{
	u64 bytes = 0;

	while (psn != end)
		bytes += flow_payload(f, psn++);
	return bytes;
}

static void note_latency(struct flow *f, u64 ns)
{
	if (!f->latency)
		return;
	if (f->latencies == f->room) {
		f->room *= 2;
		f->latency = memory_more(f->latency, f->room, sizeof(*f->latency));
	}
	f->latency[f->latencies++] = ns;
}

void flow_completed(struct flow *f, u32 psn)
{
	u64 *posted;

	while (psn - f->done * f->packets >= f->packets) {
		posted = &f->posted[f->done % f->kind.depth];
		note_latency(f, ktime_get_ns() - *posted);
		*posted = ktime_get_ns();
		f->done++;
	}
}
