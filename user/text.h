/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Texts of others, such as names of regions, made fit to be printed. */
#ifndef _XROCE_TEXT_H
#define _XROCE_TEXT_H

#include <stddef.h>

/* Bytes that text_utf8() and text_escape() need for a text of @n bytes. */
#define TEXT_SIZE(n)	(4 * (n) + 1)

/* Replace each byte that is not part of UTF-8 by U+FFFD. Return: @to. */
char *text_utf8(const char *from, char *to);

/* As text_utf8(), and write control characters as \n, \t or \x1b. Return: @to. */
char *text_escape(const char *from, char *to);

#endif /* _XROCE_TEXT_H */
