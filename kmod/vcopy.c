// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copying with the vector registers of x86-64, compiled for AVX: see vector.h.
 * For user space too.
 */
#ifdef __x86_64__
#include <linux/stddef.h>

#define ROUND	128	/* bytes a round */

typedef long long v4 __attribute__((vector_size(32)));
typedef v4 v4_at __attribute__((__aligned__(1), __may_alias__));

void xr_vcopy(void *dst, const void *src, unsigned long len);

/**
 * xr_vcopy() - copy bytes, upwards
 * @dst: where to
 * @src: where from; the two do not overlap
 * @len: how many; a multiple of 128
 */
void xr_vcopy(void *dst, const void *src, unsigned long len)
{
	const void *end = src + len;
	const v4_at *s;
	v4_at *d;

	for (; src < end; src += ROUND, dst += ROUND) {
		v4 a, b, c, e;

		s = src;
		d = dst;
		a = s[0];
		b = s[1];
		c = s[2];
		e = s[3];
		d[0] = a;
		d[1] = b;
		d[2] = c;
		d[3] = e;
	}
}
#endif
