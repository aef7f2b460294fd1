/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's divisions. */
#ifndef XROCE_TEST_LINUX_MATH64_H
#define XROCE_TEST_LINUX_MATH64_H

#include <linux/types.h>

#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))

static inline u64 div_u64(u64 a, u32 b)
{
	return a / b;
}

static inline u64 div64_u64(u64 a, u64 b)
{
	return a / b;
}

static inline u64 mul_u64_u32_div(u64 a, u32 mul, u32 div)
{
	return (unsigned __int128)a * mul / div;
}

#endif /* XROCE_TEST_LINUX_MATH64_H */
