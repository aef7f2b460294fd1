/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Numbers with units, for output. arg.h parses sizes. */
#ifndef _XROCE_UNITS_H
#define _XROCE_UNITS_H

#include <linux/types.h>

#define UNITS_MAX	24	/* bytes of a text, with the NUL */

/*
 * Text of a number of bytes, with the largest unit of which it is a multiple, as in arguments:
 * 65536 is 64K, 65537 is 65537. Return: @text.
 */
char *units_exact(__u64 value, char text[UNITS_MAX]);

/* Text of a rate, with three digits and a unit, a power of 1000: 1500 is 1.50K. Return: @text. */
char *units_short(double value, char text[UNITS_MAX]);

#endif /* _XROCE_UNITS_H */
