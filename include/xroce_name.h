/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Which names a region may have: one rule for the module and the command. */
#ifndef _XROCE_NAME_H
#define _XROCE_NAME_H

#include "xroce_utf8.h"

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

#endif /* _XROCE_NAME_H */
