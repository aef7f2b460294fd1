/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef XROCE_CLOCK_H
#define XROCE_CLOCK_H

#include <time.h>

/* Monotonic time in seconds. */
static inline double clock_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

#endif /* XROCE_CLOCK_H */
