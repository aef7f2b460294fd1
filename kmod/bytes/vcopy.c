// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copying with the vector registers of x86-64, compiled for AVX: see vector.h. Also compiled
 * for user space.
 */
#ifdef __x86_64__
#include <linux/stddef.h>

#define ROUND	128	/* bytes */

typedef long long v4 __attribute__((vector_size(32)));
typedef v4 v4_at __attribute__((__aligned__(1), __may_alias__));

void xr_vcopy(void *dst, const void *src, unsigned long len);

static inline __attribute__((__always_inline__)) void copy(void *dst, const void *src)
{
	const v4_at *s = src;
	v4_at *d = dst;
	v4 a = s[0], b = s[1], c = s[2], e = s[3];

	d[0] = a;
	d[1] = b;
	d[2] = c;
	d[3] = e;
}

/**
 * xr_vcopy() - copy bytes in ascending order
 * @dst: destination
 * @src: source; it does not overlap with @dst
 * @len: number of bytes; a multiple of 128
 */
void xr_vcopy(void *dst, const void *src, unsigned long len)
{
	for (; len >= 4 * ROUND; len -= 4 * ROUND, src += 4 * ROUND, dst += 4 * ROUND) {
		copy(dst, src);
		copy(dst + ROUND, src + ROUND);
		copy(dst + 2 * ROUND, src + 2 * ROUND);
		copy(dst + 3 * ROUND, src + 3 * ROUND);
	}
	for (; len; len -= ROUND, src += ROUND, dst += ROUND)
		copy(dst, src);
}
#endif
