/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* UTF-8, and names of regions: one rule for the module and the command. */
#ifndef _XROCE_TEXT_H
#define _XROCE_TEXT_H

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
 * xroce_printable() - may a terminal be sent this character?
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

/* What is wrong with a name. */
enum xroce_name_fault {
	XROCE_NAME_OK,
	XROCE_NAME_NOT_UTF8,
	XROCE_NAME_CONTROL,	/* a character that cannot be printed */
	XROCE_NAME_NUMBER,	/* it reads as a handle */
};

/**
 * xroce_name_check() - check the name of a region
 * @name: ends with a NUL; may be empty
 *
 * Return: enum xroce_name_fault.
 */
static inline enum xroce_name_fault xroce_name_check(const char *name)
{
	const unsigned char *s = (const unsigned char *)name;
	bool hex = s[0] == '0' && (s[1] | 0x20) == 'x', number = *s;
	unsigned int n;
	__u32 code;

	if (hex && s[2])
		s += 2;
	for (; *s; s += n) {
		n = xroce_utf8(s, &code);
		if (!n)
			return XROCE_NAME_NOT_UTF8;
		if (!xroce_printable(code))
			return XROCE_NAME_CONTROL;
		if (!(code >= '0' && code <= '9') &&
		    !(hex && (code | 0x20) >= 'a' && (code | 0x20) <= 'f'))
			number = false;
	}
	return number ? XROCE_NAME_NUMBER : XROCE_NAME_OK;
}

#endif /* _XROCE_TEXT_H */
