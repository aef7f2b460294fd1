/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Making untrusted text fit for output: names of regions, devices and processes, paths, and
 * what peers send. All such text must pass one of these functions before it is written to a
 * terminal or into JSON.
 */
#ifndef _XROCE_USER_TEXT_H
#define _XROCE_USER_TEXT_H

#include <stddef.h>

/* Bytes that text_utf8() and text_escape() need for a text of @n bytes. */
#define TEXT_SIZE(n)	(4 * (n) + 1)

/* Bytes that text_json() needs. */
#define TEXT_JSON_SIZE(n)	(6 * (n) + 1)

/* For a JSON string: each byte that is not UTF-8 becomes U+FFFD. Return: @to. */
char *text_utf8(const char *from, char *to);

/*
 * For a terminal: bytes that are not UTF-8, and characters that are not printable
 * (xroce_printable()), become \xNN per byte; newline and tab become \n and \t. Return: @to.
 */
char *text_escape(const char *from, char *to);

/*
 * For JSON output: characters of JSON text that are not ASCII become \uNNNN, which is equivalent.
 * The strict parser of json-c 0.18 refuses other bytes. Return: @to.
 */
char *text_json(const char *from, char *to);

/* Columns that a text takes on a terminal. */
int text_columns(const char *text);

/*
 * Cut @text, in place, to at most @columns columns, at the end of a character. Return: its
 * columns then.
 */
int text_cut(char *text, int columns);

#endif /* _XROCE_USER_TEXT_H */
