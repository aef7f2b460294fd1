/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef XROCE_CLOCK_H
#define XROCE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Monotonic time in seconds. */
static inline double clock_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/* The same in nanoseconds. */
static inline int64_t clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

/* Nanoseconds of the clock that counts instructions in a machine of "vm.sh --icount". */
static inline uint64_t clock_raw_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

#endif /* XROCE_CLOCK_H */
