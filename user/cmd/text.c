// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Making untrusted text fit for output. */
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "text.h"
#include "xroce_utf8.h"

static unsigned int character(const char *s, __u32 *code)
{
	return xroce_utf8((const unsigned char *)s, code);
}

char *text_utf8(const char *from, char *to)
{
	unsigned int n;
	char *p = to;
	__u32 code;

	for (; *from; from += n ? : 1) {
		n = character(from, &code);
		p = mempcpy(p, n ? from : "\xef\xbf\xbd", n ? : 3);
	}
	*p = 0;
	return to;
}

char *text_escape(const char *from, char *to)
{
	unsigned int n, i;
	char *p = to;
	__u32 code;

	for (; *from; from += n ? : 1) {
		n = character(from, &code);
		if (n && xroce_printable(code)) {
			p = mempcpy(p, from, n);
		} else if (*from == '\n' || *from == '\t') {
			p += sprintf(p, "\\%c", *from == '\n' ? 'n' : 't');
		} else {
			for (i = 0; i < (n ? : 1); i++)
				p += sprintf(p, "\\x%02x", (unsigned char)from[i]);
		}
	}
	*p = 0;
	return to;
}

char *text_json(const char *from, char *to)
{
	unsigned int n;
	char *p = to;
	__u32 code;

	for (; *from; from += n ? : 1) {
		n = character(from, &code);
		if (!n)
			code = 0xfffd;
		if (n == 1 && code != 0x7f)
			*p++ = *from;
		else if (code < 0x10000)
			p += sprintf(p, "\\u%04x", code);
		else
			p += sprintf(p, "\\u%04x\\u%04x",
				     0xd800 | (code - 0x10000) >> 10,
				     0xdc00 | (code & 0x3ff));
	}
	*p = 0;
	return to;
}

/* Columns of one character, independent of the user's locale. */
static int columns(__u32 code)
{
	static locale_t utf8;
	locale_t before;
	int n;

	if (code < 0x80)
		return 1;
	if (!utf8)
		utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL);
	if (!utf8)
		return 1;
	before = uselocale(utf8);
	n = wcwidth(code);
	uselocale(before);
	return n < 0 ? 1 : n;
}

/*
 * Find the characters that fit into @most columns. @end: out: the end of these. Return: their
 * columns.
 */
static int walk(const char *text, int most, const char **end)
{
	int sum = 0, one;
	unsigned int n;
	__u32 code;

	for (; *text; text += n ? : 1) {
		n = character(text, &code);
		one = n ? columns(code) : 1;
		if (sum + one > most)
			break;
		sum += one;
	}
	*end = text;
	return sum;
}

int text_columns(const char *text)
{
	const char *end;

	return walk(text, 1 << 30, &end);
}

int text_cut(char *text, int columns)
{
	const char *end;
	int n = walk(text, columns, &end);

	text[end - text] = 0;
	return n;
}
