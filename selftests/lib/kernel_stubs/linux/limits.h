/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's largest numbers. */
#ifndef XROCE_TEST_LINUX_LIMITS_H
#define XROCE_TEST_LINUX_LIMITS_H

#include <stdint.h>

#include_next <linux/limits.h>

#define U8_MAX	UINT8_MAX
#define U16_MAX	UINT16_MAX
#define S16_MAX	INT16_MAX
#define U32_MAX	UINT32_MAX
#define U64_MAX	UINT64_MAX

#endif /* XROCE_TEST_LINUX_LIMITS_H */
