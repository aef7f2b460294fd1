/* SPDX-License-Identifier: GPL-2.0-only */
/* Latencies of messages, and their quantiles. */
#ifndef XROCE_BENCH_LATENCY_H
#define XROCE_BENCH_LATENCY_H

#include <stdint.h>

/* Keep a latency. After a million of them the oldest ones are overwritten. */
void latency_add(int64_t ns);

/* Sort them, after the last was added. Return: how many are kept. */
unsigned int latency_sort(void);

/* Return: microseconds of the one that @percent of them do not exceed; there must be one. */
unsigned int latency_at(unsigned int percent);

#endif /* XROCE_BENCH_LATENCY_H */
