// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Texts of others, such as names of regions, made fit to be printed. */
#include <stdio.h>
#include <string.h>

#include <linux/types.h>

#include "text.h"

/* Return: bytes of the character that @s begins with (RFC 3629), or 0. */
static int character(const unsigned char *s)
{
	/* of the first byte, and of the code */
	static const struct {
		unsigned char mask, lead;
		__u32 least;
	} forms[] = {
		{ 0x80, 0x00, 0 }, { 0xe0, 0xc0, 0x80 },
		{ 0xf0, 0xe0, 0x800 }, { 0xf8, 0xf0, 0x10000 },
	};
	__u32 code;
	int n, i;

	for (n = 0; n < 4; n++)
		if ((*s & forms[n].mask) == forms[n].lead)
			break;
	if (n == 4)
		return 0;
	code = *s & (__u8)~forms[n].mask;
	for (i = 1; i <= n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	if (code < forms[n].least || code > 0x10ffff ||
	    (code >= 0xd800 && code < 0xe000))
		return 0;
	return n + 1;
}

char *text_utf8(const char *from, char *to)
{
	char *p = to;
	int n;

	while (*from) {
		n = character((const unsigned char *)from);
		if (n) {
			p = mempcpy(p, from, n);
			from += n;
		} else {
			p = mempcpy(p, "\xef\xbf\xbd", 3);
			from++;
		}
	}
	*p = 0;
	return to;
}

char *text_escape(const char *from, char *to)
{
	const unsigned char *s = (const unsigned char *)from;
	char *p = to;
	int n;

	for (; *s; s += n ? : 1) {
		n = character(s);
		if (*s == '\n' || *s == '\t')
			p += sprintf(p, "\\%c", *s == '\n' ? 'n' : 't');
		else if (*s < ' ' || *s == 0x7f)
			p += sprintf(p, "\\x%02x", *s);
		else
			p = mempcpy(p, n ? (char *)s : "\xef\xbf\xbd", n ? : 3);
	}
	*p = 0;
	return to;
}
