/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Vector registers in the data path. The functions of clmul.c and vcopy.c are compiled for
 * AVX; call them only between xr_vector_begin() and xr_vector_end(), or the same with _alone.
 */
#ifndef _XR_VECTOR_H
#define _XR_VECTOR_H

#include <linux/jump_label.h>
#include <linux/math.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#ifdef CONFIG_X86_64
#include <asm/fpu/api.h>
#include <asm/simd.h>
#endif

/* Minimum bytes of a copy for which a vector section pays off. */
#define XR_VCOPY_MIN	256
#define XR_VCOPY_ROUND	128
/* Maximum bytes for which xr_copy_words() is faster than memcpy(). */
#define XR_WORDS_MAX	128

#ifdef CONFIG_X86_64
DECLARE_STATIC_KEY_FALSE(xr_vector_key);
DECLARE_STATIC_KEY_FALSE(xr_vcopy_key);

/* A section is held on this CPU: see xr_vector_hold(). */
DECLARE_PER_CPU(bool, xr_vector_held);

void xr_vector_init(void);
void xr_vcopy(void *dst, const void *src, size_t len);

/**
 * xr_vector_begin_alone() - xr_vector_begin() where no section can be held on this CPU
 *
 * In an XDP program: who holds one has bottom halves off and sends nothing. If one were held, this
 * would fail.
 *
 * Return: whether the section has begun; if so, xr_vector_end_alone() ends it.
 */
static inline bool xr_vector_begin_alone(void)
{
	if (!static_branch_likely(&xr_vector_key))
		return false;
	if (unlikely(!may_use_simd()))
		return false;
	/* Integer instructions only, so MXCSR need not be set up. */
	kernel_fpu_begin_mask(0);
	return true;
}

static inline void xr_vector_end_alone(void)
{
	kernel_fpu_end();
}

/**
 * xr_vector_begin() - begin a section that may use the vector registers
 *
 * Fails if this softirq has interrupted another user of the vector registers, unless that is a
 * section held on this CPU.
 *
 * Return: whether the section has begun; if so, xr_vector_end() ends it.
 */
static inline bool xr_vector_begin(void)
{
	/* Nobody else runs on the CPU that holds one. */
	return this_cpu_read(xr_vector_held) || xr_vector_begin_alone();
}

static inline void xr_vector_end(void)
{
	if (!this_cpu_read(xr_vector_held))
		xr_vector_end_alone();
}

/**
 * xr_vector_hold() - begin a section around other sections
 *
 * Until xr_vector_release(), a section that begins on this CPU is part of this one, and costs
 * little; preemption stays disabled. If this one cannot begin, the others are on their own. No
 * register keeps its value between them.
 *
 * The caller has bottom halves off, does not sleep until the release, and sends nothing; no section
 * begins in a hard interrupt. With PREEMPT_RT locks sleep, so nothing is held.
 */
static inline void xr_vector_hold(void)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT) || __this_cpu_read(xr_vector_held) || !xr_vector_begin())
		return;
	__this_cpu_write(xr_vector_held, true);
}

/* End the section of xr_vector_hold(), if there is one. */
static inline void xr_vector_release(void)
{
	if (!__this_cpu_read(xr_vector_held))
		return;
	__this_cpu_write(xr_vector_held, false);
	kernel_fpu_end();
}

/* Begin a vector section for a copy of @len bytes if it pays off. Return: whether it has. */
static __always_inline bool xr_vcopy_begin(size_t len)
{
	return len >= XR_VCOPY_MIN && static_branch_unlikely(&xr_vcopy_key) &&
	       xr_vector_begin();
}
#else
static inline void xr_vector_init(void)
{
}

static inline bool xr_vector_begin_alone(void)
{
	return false;
}

static inline void xr_vector_end_alone(void)
{
}

static inline bool xr_vector_begin(void)
{
	return false;
}

static inline void xr_vector_end(void)
{
}

static inline void xr_vector_hold(void)
{
}

static inline void xr_vector_release(void)
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
		/* Keeps the compiler from computing the end address by a multiplication. */
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

/* Copy without vector registers. */
static __always_inline void xr_copy_plain(void *dst, const void *src, size_t len)
{
	if (len <= XR_WORDS_MAX && !(len % sizeof(u64)))
		xr_copy_words(dst, src, len);
	else
		memcpy(dst, src, len);
}

/*
 * Copy with vector registers, in a vector section. Without fast short REP MOVSB, memcpy() is
 * a slower loop of words.
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

/* Copy, in a vector section of its own if that pays off. */
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
