/* SPDX-License-Identifier: GPL-2.0-only */
/* As the kernel has them. */
#ifndef XROCE_TEST_LINUX_BITOPS_H
#define XROCE_TEST_LINUX_BITOPS_H

#include <linux/types.h>

static inline int fls(unsigned int x)
{
	return x ? 32 - __builtin_clz(x) : 0;
}

static inline unsigned long __ffs64(u64 x)
{
	return __builtin_ctzll(x);
}

#endif /* XROCE_TEST_LINUX_BITOPS_H */
