/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's random numbers, from the seed of the test. */
#ifndef XROCE_TEST_LINUX_RANDOM_H
#define XROCE_TEST_LINUX_RANDOM_H

#include <linux/types.h>

#include "fuzz.h"

static inline u32 get_random_u32_below(u32 below)
{
	return rng_below(below);
}

static inline u8 get_random_u8(void)
{
	return rng_below(256);
}

static inline void get_random_bytes(void *to, size_t bytes)
{
	u8 *byte = to;

	while (bytes--)
		*byte++ = get_random_u8();
}

#endif /* XROCE_TEST_LINUX_RANDOM_H */
