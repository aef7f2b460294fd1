/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Characters of UTF-8, and which may be printed: one rule for the module and the command. */
#ifndef _XROCE_UTF8_H
#define _XROCE_UTF8_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdbool.h>
#include <linux/types.h>
#endif

/**
 * xroce_utf8() - decode one character (RFC 3629)
 * @s: ends with a NUL
 * @code: out: its code point
 *
 * Return: its bytes; 0: @s does not begin with a character.
 */
static inline unsigned int xroce_utf8(const unsigned char *s, __u32 *code)
{
	/* lead byte, and the smallest code point, by number of bytes */
	static const struct {
		__u8 mask, lead;
		__u32 least;
	} forms[] = {
		{ 0x80, 0x00, 0 }, { 0xe0, 0xc0, 0x80 },
		{ 0xf0, 0xe0, 0x800 }, { 0xf8, 0xf0, 0x10000 },
	};
	unsigned int n, i;

	for (n = 0; n < 4; n++)
		if ((*s & forms[n].mask) == forms[n].lead)
			break;
	if (n == 4)
		return 0;
	*code = *s & (__u8)~forms[n].mask;
	/* A NUL is no continuation, so that nothing behind it is read. */
	for (i = 1; i <= n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (s[i] & 0x3f);
	}
	if (*code < forms[n].least || *code > 0x10ffff ||
	    (*code >= 0xd800 && *code <= 0xdfff))
		return 0;
	return n + 1;
}

/**
 * xroce_printable() - check whether a character may be sent to a terminal
 * @code: its code point
 *
 * Control characters (C0, DEL, C1) may move the cursor or change the terminal. The
 * others here break a line or change its direction, so that text reads differently
 * from what it is.
 */
static inline bool xroce_printable(__u32 code)
{
	if (code < 0x20 || (code >= 0x7f && code <= 0x9f))
		return false;
	return code != 0x061c && code != 0x200e && code != 0x200f &&
	       !(code >= 0x2028 && code <= 0x202e) &&
	       !(code >= 0x2066 && code <= 0x2069) && code != 0xfeff;
}

#endif /* _XROCE_UTF8_H */
