/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's minimum and maximum. As there, both sides have one type, or are constants. */
#ifndef XROCE_TEST_LINUX_MINMAX_H
#define XROCE_TEST_LINUX_MINMAX_H

/* abs() */
#include <stdlib.h>

#include <linux/types.h>

#define min(a, b) ({ __auto_type _a = (a); __auto_type _b = (b); _a < _b ? _a : _b; })
#define max(a, b) ({ __auto_type _c = (a); __auto_type _d = (b); _c > _d ? _c : _d; })
#define min3(a, b, c)		min(min(a, b), c)
#define max3(a, b, c)		max(max(a, b), c)
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define max_t(type, a, b)	max((type)(a), (type)(b))
#define clamp(value, low, high)	({ \
	__auto_type _e = (value); \
	__auto_type _f = (low); \
	__auto_type _g = (high); \
	_e < _f ? _f : _e > _g ? _g : _e; })

#endif /* XROCE_TEST_LINUX_MINMAX_H */
