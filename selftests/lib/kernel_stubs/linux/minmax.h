/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's clamp(), for unsigned numbers. */
#ifndef XROCE_TEST_LINUX_MINMAX_H
#define XROCE_TEST_LINUX_MINMAX_H

#include <linux/types.h>

static inline u32 clamp(u32 value, u32 low, u32 high)
{
	return value < low ? low : value > high ? high : value;
}

#endif /* XROCE_TEST_LINUX_MINMAX_H */
