// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include <linux/time64.h>

#include "harness.h"
#include "run.h"
#include "spec.h"
#include "table.h"
#include "xroce_cc.h"

static const char *const algorithms[] = { "none", "delay", "dcqcn" };

#define SLOW	"red_min=30K red_max=90K "
#define GBIT	"rate=1G nic=10G rtt=1ms limit=500K red_min=50K red_max=200K red_percent=50 time=3s "
#define TEN	"rate=10G nic=10G limit=2M red_min=50K red_max=400K red_percent=20 size=1M time=400ms "
#define HUNDRED	"rate=100G nic=100G limit=8M red_min=400K red_max=1600K red_percent=20 size=1M " \
		"time=60ms "
#define TREE	"rate=100G nic=25G leaves=4 spines=4 hosts=16 rtt=20us limit=4M red_min=100K " \
		"red_max=400K red_percent=20 size=1M time=60ms "

/*
 * Queues hold about what switches of that rate do. They mark for algorithms that want it. The first
 * rows are those of bench/flows.sh.
 */
static const struct {
	const char *name;
	const char *words;
} rows[] = {
	{ "100M/1ms/2", SLOW "flows=2" },
	{ "100M/1ms/8", SLOW "flows=8" },
	{ "100M/1ms/8/READ", SLOW "flows=8 op=READ" },
	{ "100M/1ms/tcp", "flows=1 tcp=1 burst=10K jitter=20us time=15s" },
	{ "1G/1ms/8", GBIT "flows=8" },
	{ "1G/1ms/100", GBIT "flows=100" },
	{ "1G/1ms/tcp", "rate=1G limit=500K flows=1 tcp=1 time=5s" },
	{ "10G/100us/8", TEN "rtt=100us flows=8" },
	{ "10G/100us/8/READ", TEN "rtt=100us flows=8 op=READ" },
	{ "10G/100us/1000", TEN "rtt=100us flows=1000" },
	{ "10G/10ms/8", TEN "rtt=10ms spread=10ms limit=12M time=4s flows=8" },
	{ "100G/20us/8", HUNDRED "rtt=20us flows=8" },
	{ "100G/20us/8/mice", HUNDRED "rtt=20us flows=8 mice=16" },
	{ "100G/20us/256", HUNDRED "rtt=20us flows=256" },
	{ "100G/20us/1000", HUNDRED "rtt=20us flows=1000" },
	{ "100G/1ms/8", HUNDRED "rtt=1ms flows=8 time=300ms" },
	{ "100G/10ms/16", HUNDRED "rtt=10ms spread=10ms limit=60M flows=16 time=1500ms" },
	{ "tree/64", TREE "net=tree flows=64" },
	{ "tree/64/READ", TREE "net=tree flows=64 op=READ" },
	{ "tree/incast/256", TREE "net=incast flows=256 limit=8M" },
	{ "tree/incast/64/READ", TREE "net=incast flows=64 op=READ" },
};

void table_head(void)
{
	printf("%-26s %5s %8s %6s %7s %8s %7s %6s %6s %6s %7s %5s\n", "row", "used", "Gbit/s", "jain",
	       "queue", "KB", "longest", "peak", "drop%", "mark%", "again", "times");
}

void table_row(const char *name, const struct spec *s)
{
	char text[64];
	struct result r;

	run(s, &r);
	snprintf(text, sizeof(text), "%s %s", name, s->cc->name);
	printf("%-26s %5.2f %8.3f %6.3f %7.1f %8.1f %7u %6u %6.2f %6.2f %7llu %5llu", text, r.used,
	       r.goodput / 1e9, r.jain, r.queue, r.queue_bytes / 1e3, r.longest, r.peak,
	       100 * r.dropped, 100 * r.marked, r.again, r.timeouts);
	if (r.p50)
		printf(" p50=%.0fus p99=%.0fus", r.p50 / 1e3, r.p99 / 1e3);
	if (s->tcp)
		printf(" tcp=%.3f", r.tcp / 1e9);
	if (r.ended)
		printf(" ended=%u", r.ended);
	printf("\n");
	fflush(stdout);
}

static bool wanted(const char *name, int words, char **word)
{
	int i;

	for (i = 0; i < words; i++)
		if (strstr(name, word[i]))
			return true;
	return !words;
}

int table(int words, char **word)
{
	struct spec s;
	size_t i, j;
	char name[64];

	table_head();
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		for (j = 0; j < ARRAY_SIZE(algorithms); j++) {
			spec_default(&s);
			spec_words(&s, rows[i].words);
			snprintf(name, sizeof(name), "cc=%s", algorithms[j]);
			spec_words(&s, name);
			if (!(s.cc->flags & XROCE_CC_ECN))
				s.red.max = 0;
			snprintf(name, sizeof(name), "%s %s", rows[i].name, algorithms[j]);
			if (wanted(name, words, word))
				table_row(rows[i].name, &s);
		}
	}
	return 0;
}
