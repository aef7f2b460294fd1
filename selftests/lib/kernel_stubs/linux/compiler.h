/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel tells the compiler. */
#ifndef XROCE_TEST_LINUX_COMPILER_H
#define XROCE_TEST_LINUX_COMPILER_H

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

#endif /* XROCE_TEST_LINUX_COMPILER_H */
