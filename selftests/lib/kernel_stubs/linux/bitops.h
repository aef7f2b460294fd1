/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's bit operations. */
#ifndef XROCE_TEST_LINUX_BITOPS_H
#define XROCE_TEST_LINUX_BITOPS_H

#include <linux/types.h>

#define BITS_PER_LONG		(8 * sizeof(long))
#define BITS_TO_LONGS(bits)	(((bits) + BITS_PER_LONG - 1) / BITS_PER_LONG)

static inline void __set_bit(u32 bit, unsigned long *map)
{
	map[bit / BITS_PER_LONG] |= 1ul << bit % BITS_PER_LONG;
}

static inline bool test_bit(u32 bit, const unsigned long *map)
{
	return map[bit / BITS_PER_LONG] >> bit % BITS_PER_LONG & 1;
}

static inline int fls(unsigned int x)
{
	return x ? 32 - __builtin_clz(x) : 0;
}

static inline unsigned long __ffs64(u64 x)
{
	return __builtin_ctzll(x);
}

#endif /* XROCE_TEST_LINUX_BITOPS_H */
