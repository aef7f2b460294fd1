/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Numbers for people. */
#ifndef _XROCE_UNITS_H
#define _XROCE_UNITS_H

#include <linux/types.h>

#define UNITS_MAX	24	/* bytes of a text, with the NUL */

/*
 * Of bytes, with the largest unit that it is a multiple of, as where they are
 * read: 65536 is 64K, 65537 is 65537.
 */
char *units_exact(__u64 value, char text[UNITS_MAX]);

/* Of a rate, three digits and a unit, powers of 1000: 1500 is 1.50K. */
char *units_short(double value, char text[UNITS_MAX]);

#endif /* _XROCE_UNITS_H */
