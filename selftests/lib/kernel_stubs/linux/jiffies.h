/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's ticks, of 4 ms as in Debian's kernels. */
#ifndef XROCE_TEST_LINUX_JIFFIES_H
#define XROCE_TEST_LINUX_JIFFIES_H

#include <linux/types.h>

#define HZ	250

static inline unsigned long nsecs_to_jiffies(u64 ns)
{
	return ns / (1000000000 / HZ);
}

#endif /* XROCE_TEST_LINUX_JIFFIES_H */
