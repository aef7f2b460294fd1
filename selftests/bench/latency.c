// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "latency.h"

#define LATENCIES	(1u << 20)

static uint32_t latency[LATENCIES];	/* in microseconds */
static unsigned int added;

void latency_add(int64_t ns)
{
	latency[added++ % LATENCIES] = ns / 1000;
}

static unsigned int kept(void)
{
	return added < LATENCIES ? added : LATENCIES;
}

static int by_value(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

unsigned int latency_sort(void)
{
	qsort(latency, kept(), sizeof(*latency), by_value);
	return kept();
}

unsigned int latency_at(unsigned int percent)
{
	unsigned int n = kept();

	return latency[n - 1 - (uint64_t)n * (100 - percent) / 100];
}
