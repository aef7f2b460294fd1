/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The clock of timeouts and intervals. */
#ifndef _LIBXROCE_CLOCK_H
#define _LIBXROCE_CLOCK_H

#include <time.h>

#include <linux/types.h>

/* Nanoseconds of CLOCK_MONOTONIC. */
static inline __u64 now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

static inline __s64 now_ms(void)
{
	return now_ns() / 1000000;
}

/* For intervals that are printed or divided by. */
static inline double seconds(void)
{
	return now_ns() / 1e9;
}

#endif /* _LIBXROCE_CLOCK_H */
