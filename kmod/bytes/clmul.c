// SPDX-License-Identifier: GPL-2.0-only
/*
 * The message is a polynomial over GF(2), its first bit the highest power. What
 * has been read is 128 bits that are congruent to it; to read on is to multiply
 * them by a power of x, which two constants do, one for each half. At the end
 * they are divided by the CRC's polynomial, by way of its reciprocal (Barrett).
 *
 * Bits are in reflected order, which a carry-less product keeps but for one
 * place: constants are those of 33 bits. Zeros before a message do not count, so
 * that it can be read in whole blocks from a little before its beginning.
 *
 * Compiled for AVX: nothing in here may run outside of a section that may use
 * the vector registers.
 */
#ifdef __x86_64__
#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stddef.h>
#endif

#include "clmul.h"

#define BLOCK	XR_CLMUL_BLOCK
#define ROUND	(8 * BLOCK)

typedef long long v2 __attribute__((vector_size(BLOCK)));
typedef int v4 __attribute__((vector_size(BLOCK)));
typedef v2 v2_at __attribute__((__aligned__(1), __may_alias__));
typedef long long v4l_at __attribute__((vector_size(2 * BLOCK), __aligned__(1),
					__may_alias__));

/* x^(n + 32), x^(n - 32) modulo the polynomial: on by n bits. */
static const v2 on_128 = { 0x1751997d0, 0x0ccaa009e };
static const v2 on_512 = { 0x154442bd4, 0x1c6e41596 };
/* x^96 divided by the polynomial, but for its last bit; the polynomial. */
static const v2 barrett = { 0xb4e5b025f7011641, 0x1db710641 };

/* Product of half @a of @x and half @b of @y. */
#define MUL(x, a, y, b)	((v2)__builtin_ia32_pclmulqdq128(x, y, (a) | (b) << 4))

/* A byte for each one of a block, zeros before and behind. */
#define AROUND	BLOCK

struct mask {
	__u8 byte[AROUND + 64 + AROUND];
};

/**
 * struct masks - for headers, from the IP header on
 * @stays: what stays of the message in its first block: not what is before it, nor what
 *	changes in flight
 * @added: what is added to that: ones where it changes, and to the first four bytes the
 *	CRC of the eight bytes of ones before the message, which is e3 20 bb de
 * @variant: what changes in flight, as ones (IBTA A17.3.3)
 */
struct masks {
	struct mask stays;
	struct mask added;
	struct mask variant;
};

/* TOS, TTL, both checksums, and the byte before the queue pair number. */
static const struct masks masks4 = {
	.stays = { .byte = {
		[AROUND + 0] = 0xff, [AROUND + 2] = 0xff, [AROUND + 3] = 0xff,
		[AROUND + 4] = 0xff, [AROUND + 5] = 0xff, [AROUND + 6] = 0xff,
		[AROUND + 7] = 0xff, [AROUND + 9] = 0xff, [AROUND + 12] = 0xff,
		[AROUND + 13] = 0xff, [AROUND + 14] = 0xff, [AROUND + 15] = 0xff,
	} },
	.added = { .byte = {
		[AROUND + 0] = 0xe3, [AROUND + 1] = 0xff ^ 0x20,
		[AROUND + 2] = 0xbb, [AROUND + 3] = 0xde, [AROUND + 8] = 0xff,
		[AROUND + 10] = 0xff, [AROUND + 11] = 0xff,
	} },
	.variant = { .byte = {
		[AROUND + 1] = 0xff, [AROUND + 8] = 0xff, [AROUND + 10] = 0xff,
		[AROUND + 11] = 0xff, [AROUND + 26] = 0xff, [AROUND + 27] = 0xff,
		[AROUND + 32] = 0xff,
	} },
};

/* Traffic class and flow label, hop limit, checksum, and that byte. */
static const struct masks masks6 = {
	.stays = { .byte = {
		[AROUND + 0] = 0xf0, [AROUND + 4] = 0xff, [AROUND + 5] = 0xff,
		[AROUND + 6] = 0xff, [AROUND + 8] = 0xff, [AROUND + 9] = 0xff,
		[AROUND + 10] = 0xff, [AROUND + 11] = 0xff, [AROUND + 12] = 0xff,
		[AROUND + 13] = 0xff, [AROUND + 14] = 0xff, [AROUND + 15] = 0xff,
	} },
	.added = { .byte = {
		[AROUND + 0] = 0x0f ^ 0xe3, [AROUND + 1] = 0xff ^ 0x20,
		[AROUND + 2] = 0xff ^ 0xbb, [AROUND + 3] = 0xff ^ 0xde,
		[AROUND + 7] = 0xff,
	} },
	.variant = { .byte = {
		[AROUND + 0] = 0x0f, [AROUND + 1] = 0xff, [AROUND + 2] = 0xff,
		[AROUND + 3] = 0xff, [AROUND + 7] = 0xff, [AROUND + 46] = 0xff,
		[AROUND + 47] = 0xff, [AROUND + 52] = 0xff,
	} },
};

/*
 * The masks for a message that begins @pad bytes in. One pointer: the compiler would
 * make a sum for each of its loads.
 */
static __always_inline const struct masks *shifted(const struct masks *m, __u32 pad)
{
	m = (const void *)m - pad;
	asm("" : "+r" (m));
	return m;
}

static __always_inline v2 load(const void *p)
{
	return *(const v2_at *)p;
}

/*
 * Load block @i, and copy it if @copy, a constant. Others may be writing to it: what is
 * copied is what has been loaded.
 */
static __always_inline v2 take(bool copy, void *to, const void *p, int i)
{
	v2 x = load(p + i * BLOCK);

	if (copy) {
		asm volatile("" : "+x" (x));
		*(v2_at *)(to + i * BLOCK) = x;
	}
	return x;
}

/* The part of a mask for block @i. */
static __always_inline v2 part(const struct mask *m, int i)
{
	return load(m->byte + AROUND + i * BLOCK);
}

/* The first block of a packet. */
static __always_inline v2 first(const void *p, const struct masks *m)
{
	return (load(p) & part(&m->stays, 0)) ^ part(&m->added, 0);
}

/* One of those that follow. */
static __always_inline v2 next(const void *p, const struct masks *m, int i)
{
	return load(p + i * BLOCK) | part(&m->variant, i);
}

static __always_inline v2 on(v2 x, v2 by, v2 with)
{
	return MUL(x, 0, by, 0) ^ MUL(x, 1, by, 1) ^ with;
}

/* Read four more blocks, the first of them block @i, each into one of four @x. */
static __always_inline void four(v2 *x, bool copy, void *to, const void *p, int i)
{
	x[0] = on(x[0], on_512, take(copy, to, p, i));
	x[1] = on(x[1], on_512, take(copy, to, p, i + 1));
	x[2] = on(x[2], on_512, take(copy, to, p, i + 2));
	x[3] = on(x[3], on_512, take(copy, to, p, i + 3));
}

/* Read a round of them; if @copy, copied in larger pieces, and read where they are then. */
static __always_inline void eight(v2 *x, bool copy, void *to, const void *p)
{
	if (copy) {
		const v4l_at *from = p;
		v4l_at *at = to;

		at[0] = from[0];
		at[1] = from[1];
		at[2] = from[2];
		at[3] = from[3];
		/* Others may be writing to where they have been. */
		asm volatile("" : : : "memory");
		p = to;
	}
	four(x, false, NULL, p, 0);
	four(x, false, NULL, p, 4);
}

/* Read @n more blocks, and copy them to @to if @copy. */
static __always_inline v2 blocks(v2 x, bool copy, void *to, const void *p, __u32 n)
{
	/* Four at a time: each waits for the one before it. */
	if (n >= 7) {
		v2 w[4] = { x };

		w[1] = take(copy, to, p, 0);
		w[2] = take(copy, to, p, 1);
		w[3] = take(copy, to, p, 2);
		to += 3 * BLOCK;
		p += 3 * BLOCK;
		for (n -= 3; n >= 16; n -= 16, to += 2 * ROUND, p += 2 * ROUND) {
			eight(w, copy, to, p);
			eight(w, copy, to + ROUND, p + ROUND);
		}
		if (n >= 8) {
			eight(w, copy, to, p);
			to += ROUND;
			p += ROUND;
			n -= 8;
		}
		if (n >= 4) {
			four(w, copy, to, p, 0);
			to += 4 * BLOCK;
			p += 4 * BLOCK;
			n -= 4;
		}
		x = on(w[0], on_128, w[1]);
		x = on(x, on_128, w[2]);
		x = on(x, on_128, w[3]);
	}
	for (; n; n--, to += BLOCK, p += BLOCK)
		x = on(x, on_128, take(copy, to, p, 0));
	return x;
}

static __always_inline __u32 reduce(v2 x)
{
	const v2 zero = {};

	/* 128 to 96 bits, to 32: what is left is in the third word. */
	x = MUL(x, 0, on_128, 1) ^ __builtin_shufflevector(x, zero, 1, 2);
	x ^= MUL(MUL(x, 0, barrett, 0), 0, barrett, 1);
	return ((v4)x)[2];
}

/* The first blocks of a packet: headers, and what follows. */
static __always_inline v2 begin4(const void *p, const struct masks *m)
{
	v2 x = on(first(p, m), on_128, next(p, m, 1));

	return on(x, on_128, next(p, m, 2));
}

static __always_inline v2 begin6(const void *p, const struct masks *m)
{
	v2 x = on(first(p, m), on_128, next(p, m, 1));

	x = on(x, on_128, next(p, m, 2));
	return on(x, on_128, next(p, m, 3));
}

/**
 * xr_clmul_ipv4() - the CRC's state after headers and what follows them
 * @p: IP header without options; XR_CLMUL_BEFORE bytes before it may be read
 * @len: bytes from there on; a multiple of four, and at least as many as IP
 *	header, UDP header and BTH have
 */
__u32 xr_clmul_ipv4(const void *p, __u32 len)
{
	__u32 pad = -len % BLOCK;
	v2 x;

	p -= pad;
	x = begin4(p, shifted(&masks4, pad));
	return reduce(blocks(x, false, NULL, p + 3 * BLOCK, (len + pad) / BLOCK - 3));
}

/* The same, of IPv6. */
__u32 xr_clmul_ipv6(const void *p, __u32 len)
{
	__u32 pad = -len % BLOCK, n = (len + pad) / BLOCK;
	const struct masks *m = shifted(&masks6, pad);
	v2 x;

	p -= pad;
	x = begin6(p, m);
	if (n == 4)
		return reduce(x);
	x = on(x, on_128, next(p, m, 4));
	return reduce(blocks(x, false, NULL, p + 5 * BLOCK, n - 5));
}

/* The block that begins with the last @have bytes before @p, and goes on at @q. */
static __always_inline v2 seam(const void *p, const void *q, __u32 have)
{
	struct {
		v2_at first, second;
	} at = { load(p - BLOCK), load(q) };

	return load((void *)&at.second - have);
}

/* From block @i of the first piece on, of @len bytes; then @more in the second. */
static __always_inline __u32 both(v2 x, const void *p, int i, __u32 len, const void *q,
				  __u32 more)
{
	__u32 have = len % BLOCK;

	x = blocks(x, false, NULL, p + i * BLOCK, len / BLOCK - i);
	if (have) {
		x = on(x, on_128, seam(p + len, q, have));
		q += BLOCK - have;
		more -= BLOCK - have;
	}
	return reduce(blocks(x, false, NULL, q, more / BLOCK));
}

/**
 * xr_clmul_pieces_ipv4() - as xr_clmul_ipv4(), of a message in two pieces
 * @p: the first
 * @len: its bytes, XR_CLMUL_FIRST at least
 * @q: the second
 * @more: its bytes, XR_CLMUL_BLOCK at least; the sum of both is a multiple of four
 */
__u32 xr_clmul_pieces_ipv4(const void *p, __u32 len, const void *q, __u32 more)
{
	__u32 pad = -(len + more) % BLOCK;

	p -= pad;
	return both(begin4(p, shifted(&masks4, pad)), p, 3, len + pad, q, more);
}

/* The same, of IPv6. */
__u32 xr_clmul_pieces_ipv6(const void *p, __u32 len, const void *q, __u32 more)
{
	__u32 pad = -(len + more) % BLOCK;
	const struct masks *m = shifted(&masks6, pad);
	v2 x;

	p -= pad;
	x = on(begin6(p, m), on_128, next(p, m, 4));
	return both(x, p, 5, len + pad, q, more);
}

/**
 * xr_clmul_copy_ipv4() - put a payload behind headers; the CRC's state after both
 * @p: IP header, as of xr_clmul_ipv4()
 * @to: where the payload belongs: right behind the BTH, or four bytes on
 * @from: where it is; who writes to it meanwhile does not make the CRC a wrong one
 * @len: bytes; a multiple of 16, not 0
 */
__u32 xr_clmul_copy_ipv4(const void *p, void *to, const void *from, __u32 len)
{
	__u32 pad = 3 * BLOCK - (to - p);
	v2 x = begin4(p - pad, shifted(&masks4, pad));

	return reduce(blocks(x, true, to, from, len / BLOCK));
}

/* The same, of IPv6. */
__u32 xr_clmul_copy_ipv6(const void *p, void *to, const void *from, __u32 len)
{
	__u32 pad = 4 * BLOCK - (to - p);
	v2 x = begin6(p - pad, shifted(&masks6, pad));

	return reduce(blocks(x, true, to, from, len / BLOCK));
}

/**
 * xr_clmul() - go on with a CRC
 * @crc: its state
 * @p: bytes
 * @len: how many; a multiple of 16, not 0
 */
__u32 xr_clmul(__u32 crc, const void *p, __u32 len)
{
	const v2 state = { crc, 0 };
	v2 x = load(p) ^ state;

	return reduce(blocks(x, false, NULL, p + BLOCK, len / BLOCK - 1));
}
#endif
