/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The loop of clmul.c for wide registers, of several blocks each: their lanes are multiplied
 * one by one (VPCLMULQDQ). clmul.c includes this file once for each width, with
 *
 *   WIDE(name)		name of a function for this width
 *   WIDE_BYTES		bytes of a register
 *   WIDE_CPU		features of the CPU
 *   WIDE_MUL		the compiler's function for the product
 *   WIDE_NEAR		factors that advance each lane by one register
 *   WIDE_FAR		factors that advance each lane by four registers
 *
 * It has no guard for this reason.
 */
#define LANES	(WIDE_BYTES / BLOCK)
#define ON_CPU	__attribute__((__target__(WIDE_CPU)))
#define LANE(w, i)	__builtin_shufflevector(w, w, 2 * (i), 2 * (i) + 1)

typedef long long WIDE(vw) __attribute__((vector_size(WIDE_BYTES)));
typedef WIDE(vw) WIDE(vw_at) __attribute__((__aligned__(1), __may_alias__));

static const WIDE(vw) WIDE(near) = WIDE_NEAR;
static const WIDE(vw) WIDE(far) = WIDE_FAR;

/* As take(), for register @i. */
static __always_inline ON_CPU WIDE(vw) WIDE(take)(bool copy, void *to, const void *p, int i)
{
	WIDE(vw) x = *(const WIDE(vw_at) *)(p + i * WIDE_BYTES);

	if (copy) {
		asm volatile("" : "+v" (x));
		*(WIDE(vw_at) *)(to + i * WIDE_BYTES) = x;
	}
	return x;
}

/* As on(). */
static __always_inline ON_CPU WIDE(vw) WIDE(fold)(WIDE(vw) x, WIDE(vw) by, WIDE(vw) with)
{
	return (WIDE(vw))WIDE_MUL(x, by, 0x00) ^ (WIDE(vw))WIDE_MUL(x, by, 0x11) ^ with;
}

/* As blocks(), for at least four registers: @n is WIDE_MIN or more. */
static __always_inline ON_CPU v2 WIDE(blocks)(v2 x, bool copy, void *to, const void *p, __u32 n)
{
	const v2 zero = {};
	WIDE(vw) w[4];

	x = on(x, on_128, zero);
	/* The state becomes the first lane; the instruction clears the others. */
	asm("vmovdqa %1, %x0" : "=x" (w[0]) : "x" (x));
	w[0] ^= WIDE(take)(copy, to, p, 0);
	w[1] = WIDE(take)(copy, to, p, 1);
	w[2] = WIDE(take)(copy, to, p, 2);
	w[3] = WIDE(take)(copy, to, p, 3);
	for (n -= 4 * LANES; n >= 4 * LANES; n -= 4 * LANES) {
		to += 4 * WIDE_BYTES;
		p += 4 * WIDE_BYTES;
		w[0] = WIDE(fold)(w[0], WIDE(far), WIDE(take)(copy, to, p, 0));
		w[1] = WIDE(fold)(w[1], WIDE(far), WIDE(take)(copy, to, p, 1));
		w[2] = WIDE(fold)(w[2], WIDE(far), WIDE(take)(copy, to, p, 2));
		w[3] = WIDE(fold)(w[3], WIDE(far), WIDE(take)(copy, to, p, 3));
	}
	to += 4 * WIDE_BYTES;
	p += 4 * WIDE_BYTES;
	w[1] = WIDE(fold)(w[0], WIDE(near), w[1]);
	w[2] = WIDE(fold)(w[1], WIDE(near), w[2]);
	w[3] = WIDE(fold)(w[2], WIDE(near), w[3]);
	for (; n >= LANES; n -= LANES, to += WIDE_BYTES, p += WIDE_BYTES)
		w[3] = WIDE(fold)(w[3], WIDE(near), WIDE(take)(copy, to, p, 0));
	x = on(LANE(w[3], 0), on_128, LANE(w[3], 1));
#if LANES == 4
	x = on(x, on_128, LANE(w[3], 2));
	x = on(x, on_128, LANE(w[3], 3));
#endif
	for (; n; n--, to += BLOCK, p += BLOCK)
		x = on(x, on_128, take(copy, to, p, 0));
	return x;
}

static noinline ON_CPU v2 WIDE(sum)(v2 x, const void *p, __u32 n)
{
	return WIDE(blocks)(x, false, NULL, p, n);
}

static noinline ON_CPU v2 WIDE(copy)(v2 x, void *to, const void *p, __u32 n)
{
	return WIDE(blocks)(x, true, to, p, n);
}

#undef LANE
#undef LANES
#undef ON_CPU
#undef WIDE
#undef WIDE_BYTES
#undef WIDE_CPU
#undef WIDE_MUL
#undef WIDE_NEAR
#undef WIDE_FAR
