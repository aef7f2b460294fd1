/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Colours of values if options.color is set. They are those of ip(8). */
#ifndef _XROCE_COLOR_H
#define _XROCE_COLOR_H

/* Kinds of values. */
enum color {
	COLOR_NONE,
	COLOR_DEV,
	COLOR_INET,
	COLOR_INET6,
	COLOR_GOOD,
	COLOR_BAD,
};

/* Switch stdout to a colour, and back. No-ops unless options.color is set. */
void color_begin(enum color color);
void color_end(enum color color);

#endif /* _XROCE_COLOR_H */
