/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Vector registers in the data path: clmul.c and vcopy.c are compiled for AVX,
 * and run between xr_vector_begin() and xr_vector_end() only.
 */
#ifndef _XR_VECTOR_H
#define _XR_VECTOR_H

#include <linux/jump_label.h>
#include <linux/math.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#ifdef CONFIG_X86_64
#include <asm/fpu/api.h>
#include <asm/simd.h>
#endif

/* Fewer bytes are not worth the section. */
#define XR_VCOPY_MIN	256
#define XR_VCOPY_ROUND	128
/* More are not worth a loop of our own. */
#define XR_WORDS_MAX	128

#ifdef CONFIG_X86_64
DECLARE_STATIC_KEY_FALSE(xr_vector_key);
DECLARE_STATIC_KEY_FALSE(xr_vcopy_key);

void xr_vector_init(void);
void xr_vcopy(void *dst, const void *src, size_t len);

/**
 * xr_vector_begin() - begin a section that may use the vector registers
 *
 * Not in the midst of someone else's section, which a softirq may find itself.
 *
 * Return: whether it has begun.
 */
static inline bool xr_vector_begin(void)
{
	if (!static_branch_likely(&xr_vector_key) || !may_use_simd())
		return false;
	/* For integers only: MXCSR does not matter. */
	kernel_fpu_begin_mask(0);
	return true;
}

static inline void xr_vector_end(void)
{
	kernel_fpu_end();
}

/* Begin a section to copy so many bytes in, if it is worth one. */
static __always_inline bool xr_vcopy_begin(size_t len)
{
	return len >= XR_VCOPY_MIN && static_branch_unlikely(&xr_vcopy_key) &&
	       xr_vector_begin();
}
#else
static inline void xr_vector_init(void)
{
}

static inline bool xr_vector_begin(void)
{
	return false;
}

static inline void xr_vector_end(void)
{
}

static inline bool xr_vcopy_begin(size_t len)
{
	return false;
}
#endif

/* Copy a multiple of eight bytes. */
static __always_inline void xr_copy_words(u64 *to, const u64 *from, size_t len)
{
	u64 a, b, c, d;

	for (; len >= 4 * sizeof(u64); len -= 4 * sizeof(u64)) {
		/* Or the compiler works out beforehand where it ends, with a product. */
		OPTIMIZER_HIDE_VAR(len);
		a = get_unaligned(from);
		b = get_unaligned(from + 1);
		c = get_unaligned(from + 2);
		d = get_unaligned(from + 3);
		put_unaligned(a, to);
		put_unaligned(b, to + 1);
		put_unaligned(c, to + 2);
		put_unaligned(d, to + 3);
		from += 4;
		to += 4;
	}
	for (; len; len -= sizeof(u64))
		put_unaligned(get_unaligned(from++), to++);
}

/* Without the vector registers. */
static __always_inline void xr_copy_plain(void *dst, const void *src, size_t len)
{
	if (len <= XR_WORDS_MAX && !(len % sizeof(u64)))
		xr_copy_words(dst, src, len);
	else
		memcpy(dst, src, len);
}

/*
 * Like memcpy(), which on a CPU without fast strings is a loop of words. In a vector
 * section.
 */
static __always_inline void xr_copy_vector(void *dst, const void *src, size_t len)
{
#ifdef CONFIG_X86_64
	if (len >= XR_VCOPY_ROUND && static_branch_unlikely(&xr_vcopy_key)) {
		size_t whole = round_down(len, XR_VCOPY_ROUND);

		xr_vcopy(dst, src, whole);
		dst += whole;
		src += whole;
		len -= whole;
	}
#endif
	xr_copy_plain(dst, src, len);
}

/* The same outside of one. */
static __always_inline void xr_copy(void *dst, const void *src, size_t len)
{
	if (xr_vcopy_begin(len)) {
		xr_copy_vector(dst, src, len);
		xr_vector_end();
	} else {
		xr_copy_plain(dst, src, len);
	}
}

#endif
