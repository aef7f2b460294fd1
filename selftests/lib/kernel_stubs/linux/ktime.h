/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's clock, which the program supplies. */
#ifndef XROCE_TEST_LINUX_KTIME_H
#define XROCE_TEST_LINUX_KTIME_H

#include <linux/types.h>

/* Return: CLOCK_MONOTONIC in nanoseconds. */
u64 ktime_get_ns(void);

#endif /* XROCE_TEST_LINUX_KTIME_H */
