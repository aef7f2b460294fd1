/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's type names, for those of its sources that tests compile too. */
#ifndef XROCE_TEST_LINUX_TYPES_H
#define XROCE_TEST_LINUX_TYPES_H

#include <stdbool.h>
#include <stddef.h>

#include_next <linux/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s16 s16;
typedef __s32 s32;
typedef __s64 s64;

struct list_head {
	struct list_head *next, *prev;
};

#endif /* XROCE_TEST_LINUX_TYPES_H */
