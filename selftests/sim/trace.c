// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>

#include <linux/ktime.h>
#include <linux/minmax.h>

#include "event.h"
#include "flow.h"
#include "network.h"
#include "spec.h"
#include "trace.h"

static FILE *to;
static const struct spec *spec;
static struct link *port;
static const struct flow *flow;
static u64 before[TRACE_FLOWS];
static struct event look;

static u32 traced(void)
{
	return min(spec->flows + spec->tcp, (u64)TRACE_FLOWS);
}

static void line(void *arg)
{
	u64 now = ktime_get_ns();
	u32 i;

	(void)arg;
	link_look(port);
	fprintf(to, "%.3f,%u,%llu", now / 1e6, port->queued, port->queued_bytes);
	for (i = 0; i < traced(); i++) {
		fprintf(to, ",%.3f", (flow[i].bytes - before[i]) * 8e3 / spec->step);
		before[i] = flow[i].bytes;
	}
	fprintf(to, "\n");
	event_start(&look, now + spec->step);
}

void trace_open(const struct spec *s, const struct network *n, const struct flow *f)
{
	u32 i;

	if (!s->trace)
		return;
	to = fopen(s->trace, "w");
	if (!to) {
		perror(s->trace);
		exit(1);
	}
	spec = s;
	port = &n->link[0];
	flow = f;
	fprintf(to, "ms,packets,bytes");
	for (i = 0; i < traced(); i++) {
		before[i] = 0;
		fprintf(to, ",flow%u", i);
	}
	fprintf(to, "\n");
	look.run = line;
	event_start(&look, s->step);
}

void trace_close(void)
{
	if (!to)
		return;
	event_stop(&look);
	fclose(to);
	to = NULL;
}
