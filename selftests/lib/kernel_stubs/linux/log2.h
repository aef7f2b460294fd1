/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's powers of two. */
#ifndef XROCE_TEST_LINUX_LOG2_H
#define XROCE_TEST_LINUX_LOG2_H

static inline unsigned long rounddown_pow_of_two(unsigned long n)
{
	return 1ul << (8 * sizeof(n) - 1 - __builtin_clzl(n));
}

#endif /* XROCE_TEST_LINUX_LOG2_H */
