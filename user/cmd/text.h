/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Text that comes from elsewhere (names of regions, devices and processes, paths,
 * words of peers), made fit to be printed. Nothing of the kind goes to a terminal or
 * into JSON without one of these.
 */
#ifndef _XROCE_USER_TEXT_H
#define _XROCE_USER_TEXT_H

#include <stddef.h>

/* Bytes that text_utf8() and text_escape() need for a text of @n bytes. */
#define TEXT_SIZE(n)	(4 * (n) + 1)

/* Bytes that text_json() needs. */
#define TEXT_JSON_SIZE(n)	(6 * (n) + 1)

/* For a value of JSON: each byte that is not UTF-8 becomes U+FFFD. Return: @to. */
char *text_utf8(const char *from, char *to);

/*
 * For people: what is not UTF-8, or would not show on a terminal as what it is
 * (xroce_printable()), is written byte by byte as \xNN, newline and tab as \n and \t.
 * Return: @to.
 */
char *text_escape(const char *from, char *to);

/*
 * For output: what is not ASCII in JSON's text becomes \uNNNN. It means the same, and
 * is readable by json-c 0.18, whose strict parser refuses other bytes.
 * Return: @to.
 */
char *text_json(const char *from, char *to);

/* Columns that a text takes on a terminal. */
int text_columns(const char *text);

/*
 * Cut @text, in place, to at most @columns, at the end of a character. Return: how
 * many it takes then.
 */
int text_cut(char *text, int columns);

#endif /* _XROCE_USER_TEXT_H */
