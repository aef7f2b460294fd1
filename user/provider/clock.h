/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The clock of completions' timestamps: CLOCK_MONOTONIC, in nanoseconds. */
#ifndef XP_CLOCK_H
#define XP_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t xp_clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

#endif
