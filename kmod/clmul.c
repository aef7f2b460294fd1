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
#include "clmul.h"

#define BLOCK	16

typedef long long v2 __attribute__((vector_size(BLOCK)));
typedef int v4 __attribute__((vector_size(BLOCK)));
typedef v2 v2_at __attribute__((__aligned__(1), __may_alias__));

/* x^(n + 32), x^(n - 32) modulo the polynomial: on by n bits. */
static const v2 on_128 = { 0x1751997d0, 0x0ccaa009e };
static const v2 on_512 = { 0x154442bd4, 0x1c6e41596 };
/* x^64 modulo the polynomial. */
static const v2 x_64 = { 0x163cd6124, 0 };
/* x^64 divided by the polynomial; the polynomial. */
static const v2 barrett = { 0x1f7011641, 0x1db710641 };

/* Product of half @a of @x and half @b of @y. */
#define MUL(x, a, y, b)	((v2)__builtin_ia32_pclmulqdq128(x, y, (a) | (b) << 4))

/* A byte for each one of a block, zeros before and behind. */
#define AROUND	BLOCK

struct mask {
	__u8 byte[AROUND + 64 + AROUND];
};

/*
 * Fields that change in flight, from the IP header on: TOS, TTL, both checksums,
 * and the byte before the queue pair number, as ones (IBTA A17.3.3).
 */
static const struct mask variant4 = { .byte = {
	[AROUND + 1] = 0xff, [AROUND + 8] = 0xff, [AROUND + 10] = 0xff,
	[AROUND + 11] = 0xff, [AROUND + 26] = 0xff, [AROUND + 27] = 0xff,
	[AROUND + 32] = 0xff,
} };

/* Traffic class and flow label, hop limit, checksum, and that byte. */
static const struct mask variant6 = { .byte = {
	[AROUND + 0] = 0x0f, [AROUND + 1] = 0xff, [AROUND + 2] = 0xff,
	[AROUND + 3] = 0xff, [AROUND + 7] = 0xff, [AROUND + 46] = 0xff,
	[AROUND + 47] = 0xff, [AROUND + 52] = 0xff,
} };

/* What stays of the message in its first block: not what is before it, nor those. */
static const struct mask stays4 = { .byte = {
	[AROUND + 0] = 0xff, [AROUND + 2] = 0xff, [AROUND + 3] = 0xff,
	[AROUND + 4] = 0xff, [AROUND + 5] = 0xff, [AROUND + 6] = 0xff,
	[AROUND + 7] = 0xff, [AROUND + 9] = 0xff, [AROUND + 12] = 0xff,
	[AROUND + 13] = 0xff, [AROUND + 14] = 0xff, [AROUND + 15] = 0xff,
} };

static const struct mask stays6 = { .byte = {
	[AROUND + 0] = 0xf0, [AROUND + 4] = 0xff, [AROUND + 5] = 0xff,
	[AROUND + 6] = 0xff, [AROUND + 8] = 0xff, [AROUND + 9] = 0xff,
	[AROUND + 10] = 0xff, [AROUND + 11] = 0xff, [AROUND + 12] = 0xff,
	[AROUND + 13] = 0xff, [AROUND + 14] = 0xff, [AROUND + 15] = 0xff,
} };

/*
 * What is added to that: the ones, and to the first four bytes the CRC of the eight
 * bytes of ones before the message, which is e3 20 bb de.
 */
static const struct mask added4 = { .byte = {
	[AROUND + 0] = 0xe3, [AROUND + 1] = 0xff ^ 0x20, [AROUND + 2] = 0xbb,
	[AROUND + 3] = 0xde, [AROUND + 8] = 0xff, [AROUND + 10] = 0xff,
	[AROUND + 11] = 0xff,
} };

static const struct mask added6 = { .byte = {
	[AROUND + 0] = 0x0f ^ 0xe3, [AROUND + 1] = 0xff ^ 0x20,
	[AROUND + 2] = 0xff ^ 0xbb, [AROUND + 3] = 0xff ^ 0xde, [AROUND + 7] = 0xff,
} };

static inline v2 load(const void *p)
{
	return *(const v2_at *)p;
}

/* The part of a mask for block @i of a message that begins @pad bytes in. */
static inline v2 part(const struct mask *m, int i, __u32 pad)
{
	return load(m->byte + AROUND + i * BLOCK - pad);
}

/* The first block of a packet, which begins @pad bytes in. */
static inline v2 first(const void *p, const struct mask *stays,
		       const struct mask *added, __u32 pad)
{
	return (load(p) & part(stays, 0, pad)) ^ part(added, 0, pad);
}

static inline v2 on(v2 x, v2 by, v2 next)
{
	return MUL(x, 0, by, 0) ^ MUL(x, 1, by, 1) ^ next;
}

/* Read @n more blocks. */
static inline v2 blocks(v2 x, const void *p, __u32 n)
{
	v2 x1, x2, x3;

	/* Four at a time: each waits for the one before it. */
	if (n >= 7) {
		x1 = load(p);
		x2 = load(p + BLOCK);
		x3 = load(p + 2 * BLOCK);
		p += 3 * BLOCK;
		n -= 3;
		do {
			x = on(x, on_512, load(p));
			x1 = on(x1, on_512, load(p + BLOCK));
			x2 = on(x2, on_512, load(p + 2 * BLOCK));
			x3 = on(x3, on_512, load(p + 3 * BLOCK));
			p += 4 * BLOCK;
			n -= 4;
		} while (n >= 4);
		x = on(x, on_128, x1);
		x = on(x, on_128, x2);
		x = on(x, on_128, x3);
	}
	for (; n; n--, p += BLOCK)
		x = on(x, on_128, load(p));
	return x;
}

static inline __u32 reduce(v2 x)
{
	const v2 low32 = { 0xffffffff, 0 };
	const v2 zero = {};
	v2 t;

	/* 128 to 96 bits, to 64. */
	x = MUL(x, 0, on_128, 1) ^ __builtin_shufflevector(x, zero, 1, 2);
	x = MUL(x & low32, 0, x_64, 0) ^
	    (v2)__builtin_shufflevector((v4)x, (v4)zero, 1, 2, 3, 4);
	t = MUL(x & low32, 0, barrett, 0);
	x ^= MUL(t & low32, 0, barrett, 1);
	return ((v4)x)[1];
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
	x = first(p, &stays4, &added4, pad);
	x = on(x, on_128, load(p + BLOCK) | part(&variant4, 1, pad));
	x = on(x, on_128, load(p + 2 * BLOCK) | part(&variant4, 2, pad));
	return reduce(blocks(x, p + 3 * BLOCK, (len + pad) / BLOCK - 3));
}

/* The same, of IPv6. */
__u32 xr_clmul_ipv6(const void *p, __u32 len)
{
	__u32 pad = -len % BLOCK, n = (len + pad) / BLOCK;
	v2 x;

	p -= pad;
	x = first(p, &stays6, &added6, pad);
	x = on(x, on_128, load(p + BLOCK) | part(&variant6, 1, pad));
	x = on(x, on_128, load(p + 2 * BLOCK) | part(&variant6, 2, pad));
	x = on(x, on_128, load(p + 3 * BLOCK) | part(&variant6, 3, pad));
	if (n == 4)
		return reduce(x);
	x = on(x, on_128, load(p + 4 * BLOCK) | part(&variant6, 4, pad));
	return reduce(blocks(x, p + 5 * BLOCK, n - 5));
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

	return reduce(blocks(x, p + BLOCK, len / BLOCK - 1));
}
#endif
