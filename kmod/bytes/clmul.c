// SPDX-License-Identifier: GPL-2.0-only
/*
 * CRC-32 by carry-less multiplication: see clmul.h.
 *
 * The message is a polynomial over GF(2); its first bit is the coefficient of the highest
 * power. The state is 128 bits that are congruent to the part read so far. To read n more
 * bits, the state is multiplied by x^n with two constants, one for each half. At the end it
 * is reduced modulo the CRC's polynomial by means of the reciprocal (Barrett).
 *
 * Bits are in reflected order. The carry-less product of reflected factors is reflected, too,
 * but shifted by one bit, which constants of 33 bits make up for. Leading zeros do not
 * change the state, so a message is read in whole blocks that begin up to XR_CLMUL_BEFORE
 * bytes before it, where masks clear the other bytes.
 *
 * The xr_clmul_wide functions read most of the message in wider registers, see clmul_wide.h.
 *
 * Compiled for AVX: call these functions only in a section that may use vector registers.
 */
#ifdef __x86_64__
#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stddef.h>
#define noinline __attribute__((__noinline__))
#endif

#include "clmul.h"

#define BLOCK	XR_CLMUL_BLOCK
#define ROUND	(8 * BLOCK)
/* Minimum number of blocks for wide registers: clmul_wide.h needs four of 512 bits. */
#define WIDE_MIN	16

typedef long long v2 __attribute__((vector_size(BLOCK)));
typedef int v4 __attribute__((vector_size(BLOCK)));
typedef v2 v2_at __attribute__((__aligned__(1), __may_alias__));
typedef long long v4l_at __attribute__((vector_size(2 * BLOCK), __aligned__(1),
					__may_alias__));

/* x^(n + 32) and x^(n - 32) modulo the polynomial: factors that advance the state by n bits. */
static const v2 on_128 = { 0x1751997d0, 0x0ccaa009e };
static const v2 on_512 = { 0x154442bd4, 0x1c6e41596 };
/* The quotient of x^96 and the polynomial, without its last bit; the polynomial. */
static const v2 barrett = { 0xb4e5b025f7011641, 0x1db710641 };

/* Product of half @a of @x and half @b of @y. */
#define MUL(x, a, y, b)	((v2)__builtin_ia32_pclmulqdq128(x, y, (a) | (b) << 4))

/* A mask for the first 64 bytes, and zeros on both sides, so that it can be loaded shifted. */
#define AROUND	BLOCK

struct mask {
	__u8 byte[AROUND + 64 + AROUND];
};

/**
 * struct masks - masks for the headers, from the IP header on
 * @stays: AND mask of the first block: clears bytes before the message, and fields that
 *	change in flight
 * @added: XOR mask of the first block: sets fields that change in flight, and adds to the
 *	first four bytes the state after the eight bytes of ones that precede the message,
 *	e3 20 bb de
 * @variant: OR mask of the other blocks: fields that change in flight (IBTA A17.3.3)
 */
struct masks {
	struct mask stays;
	struct mask added;
	struct mask variant;
};

/* Variant fields: TOS, TTL, both checksums, the byte before the queue pair number. */
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

/* Variant fields: traffic class, flow label, hop limit, UDP checksum, and the same byte. */
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
 * The masks for a message that begins @pad bytes into its first block. The asm keeps one
 * pointer in a register; the compiler would compute an address for each load.
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
 * Load block @i, and store it to @to if @copy, a constant, is set. The asm makes sure that
 * the stored bytes are those of the CRC, even if others write to the source.
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

/* Load the part of a mask for block @i. */
static __always_inline v2 part(const struct mask *m, int i)
{
	return load(m->byte + AROUND + i * BLOCK);
}

/* Load the first block of a packet. */
static __always_inline v2 first(const void *p, const struct masks *m)
{
	return (load(p) & part(&m->stays, 0)) ^ part(&m->added, 0);
}

/* Load block @i of a packet, not the first one, and set its variant fields. */
static __always_inline v2 next(const void *p, const struct masks *m, int i)
{
	return load(p + i * BLOCK) | part(&m->variant, i);
}

/* Advance the state @x by the bits that the factors @by are for, and add block @with. */
static __always_inline v2 on(v2 x, v2 by, v2 with)
{
	return MUL(x, 0, by, 0) ^ MUL(x, 1, by, 1) ^ with;
}

/* Read four blocks from block @i on, each into one of the four states @x. */
static __always_inline void four(v2 *x, bool copy, void *to, const void *p, int i)
{
	x[0] = on(x[0], on_512, take(copy, to, p, i));
	x[1] = on(x[1], on_512, take(copy, to, p, i + 1));
	x[2] = on(x[2], on_512, take(copy, to, p, i + 2));
	x[3] = on(x[3], on_512, take(copy, to, p, i + 3));
}

/* Read eight blocks into four states. With @copy, copy them first, then read the copy. */
static __always_inline void eight(v2 *x, bool copy, void *to, const void *p)
{
	if (copy) {
		const v4l_at *from = p;
		v4l_at *at = to;

		at[0] = from[0];
		at[1] = from[1];
		at[2] = from[2];
		at[3] = from[3];
		/* Read the copy, not registers or the source: others may write to the source. */
		asm volatile("" : : : "memory");
		p = to;
	}
	four(x, false, NULL, p, 0);
	four(x, false, NULL, p, 4);
}

/* Read @n blocks, and copy them to @to if @copy, a constant, is set. */
static __always_inline v2 blocks(v2 x, bool copy, void *to, const void *p, __u32 n)
{
	/* Four independent states, because a product waits for the one before it. */
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

#define WIDE(name)	name##_256
#define WIDE_BYTES	32
#define WIDE_CPU	"avx2,vpclmulqdq"
#define WIDE_MUL	__builtin_ia32_vpclmulqdq_v4di
#define WIDE_NEAR	{ 0x0f1da05aa, 0x15a546366, 0x0f1da05aa, 0x15a546366 }
#define WIDE_FAR	{ 0x1e88ef372, 0x14a7fe880, 0x1e88ef372, 0x14a7fe880 }
#include "clmul_wide.h"

#define WIDE(name)	name##_512
#define WIDE_BYTES	64
#define WIDE_CPU	"avx512f,vpclmulqdq"
#define WIDE_MUL	__builtin_ia32_vpclmulqdq_v8di
#define WIDE_NEAR	{ 0x154442bd4, 0x1c6e41596, 0x154442bd4, 0x1c6e41596, \
			  0x154442bd4, 0x1c6e41596, 0x154442bd4, 0x1c6e41596 }
#define WIDE_FAR	{ 0x11542778a, 0x1322d1430, 0x11542778a, 0x1322d1430, \
			  0x11542778a, 0x1322d1430, 0x11542778a, 0x1322d1430 }
#include "clmul_wide.h"

/* Reduce the state to the CRC's 32 bits. */
static __always_inline __u32 reduce(v2 x)
{
	const v2 zero = {};

	/* From 128 bits to 96, then to 32: the result is the third word. */
	x = MUL(x, 0, on_128, 1) ^ __builtin_shufflevector(x, zero, 1, 2);
	x ^= MUL(MUL(x, 0, barrett, 0), 0, barrett, 1);
	return ((v4)x)[2];
}

/* Read the first three blocks of a packet over IPv4, which have all variant fields. */
static __always_inline v2 begin4(const void *p, const struct masks *m)
{
	v2 x = on(first(p, m), on_128, next(p, m, 1));

	return on(x, on_128, next(p, m, 2));
}

/* Read the first four blocks of a packet over IPv6. The fifth may have a variant field, too. */
static __always_inline v2 begin6(const void *p, const struct masks *m)
{
	v2 x = on(first(p, m), on_128, next(p, m, 1));

	x = on(x, on_128, next(p, m, 2));
	return on(x, on_128, next(p, m, 3));
}

/**
 * xr_clmul_ipv4() - compute the CRC's state after a packet
 * @p: IP header without options; XR_CLMUL_BEFORE bytes before it may be read
 * @len: bytes from the IP header on; a multiple of four, and at least the length of IP
 *	header, UDP header and BTH
 *
 * Return: the state; the invariant CRC is its complement.
 */
__u32 xr_clmul_ipv4(const void *p, __u32 len)
{
	__u32 pad = -len % BLOCK;
	v2 x;

	p -= pad;
	x = begin4(p, shifted(&masks4, pad));
	return reduce(blocks(x, false, NULL, p + 3 * BLOCK, (len + pad) / BLOCK - 3));
}

/* The same for IPv6. */
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

/* The block that consists of the @have bytes before @p and of the first bytes at @q. */
static __always_inline v2 seam(const void *p, const void *q, __u32 have)
{
	struct {
		v2_at first, second;
	} at = { load(p - BLOCK), load(q) };

	return load((void *)&at.second - have);
}

/* Read @n blocks, at least WIDE_MIN, in wide registers. */
static noinline v2 wide(v2 x, const void *p, __u32 n)
{
	return xr_clmul_512() ? sum_512(x, p, n) : sum_256(x, p, n);
}

/* Read @n blocks; in wide registers if there are enough, and @is_wide, a constant, is set. */
static __always_inline v2 some(bool is_wide, v2 x, const void *p, __u32 n)
{
	return is_wide && n >= WIDE_MIN ? wide(x, p, n) : blocks(x, false, NULL, p, n);
}

/* A message in two pieces: @len bytes at @p, and then @more bytes at @q. */
struct pieces {
	const void *p;
	__u32 len;
	const void *q;
	__u32 more;
};

/*
 * Read a message in two pieces, from block @i of the first piece on. @is_wide is as in some().
 * Return: the reduced state.
 */
static __always_inline __u32 both(bool is_wide, v2 x, struct pieces m, int i)
{
	__u32 have = m.len % BLOCK;

	x = some(is_wide, x, m.p + i * BLOCK, m.len / BLOCK - i);
	if (have) {
		x = on(x, on_128, seam(m.p + m.len, m.q, have));
		m.q += BLOCK - have;
		m.more -= BLOCK - have;
	}
	return reduce(some(is_wide, x, m.q, m.more / BLOCK));
}

/**
 * xr_clmul_pieces_ipv4() - like xr_clmul_ipv4(), for a packet in two pieces
 * @p: the first piece, from the IP header on
 * @len: bytes of the first piece, at least XR_CLMUL_FIRST
 * @q: the second piece
 * @more: bytes of the second piece, at least XR_CLMUL_BLOCK; @len + @more is a multiple of
 *	four
 */
__u32 xr_clmul_pieces_ipv4(const void *p, __u32 len, const void *q, __u32 more)
{
	__u32 pad = -(len + more) % BLOCK;

	p -= pad;
	return both(false, begin4(p, shifted(&masks4, pad)),
		    (struct pieces){ p, len + pad, q, more }, 3);
}

/* The same for IPv6. */
__u32 xr_clmul_pieces_ipv6(const void *p, __u32 len, const void *q, __u32 more)
{
	__u32 pad = -(len + more) % BLOCK;
	const struct masks *m = shifted(&masks6, pad);
	v2 x;

	p -= pad;
	x = on(begin6(p, m), on_128, next(p, m, 4));
	return both(false, x, (struct pieces){ p, len + pad, q, more }, 5);
}

/**
 * xr_clmul_copy_ipv4() - copy a payload behind its headers, and compute the CRC's state
 * @p: IP header, as for xr_clmul_ipv4()
 * @to: destination of the payload: up to XR_CLMUL_XTH bytes after the BTH
 * @from: payload; if it changes meanwhile, the CRC is that of the copy
 * @len: bytes of payload; a multiple of XR_CLMUL_BLOCK, not 0
 *
 * Return: the state after headers and payload, as xr_clmul_ipv4().
 */
__u32 xr_clmul_copy_ipv4(const void *p, void *to, const void *from, __u32 len)
{
	__u32 off = to - p, pad = -off % BLOCK;
	v2 x;

	p -= pad;
	x = begin4(p, shifted(&masks4, pad));
	/* Behind a RETH. */
	if (off > 3 * BLOCK)
		x = on(x, on_128, load(p + 3 * BLOCK));
	return reduce(blocks(x, true, to, from, len / BLOCK));
}

/* The same for IPv6. */
__u32 xr_clmul_copy_ipv6(const void *p, void *to, const void *from, __u32 len)
{
	__u32 off = to - p, pad = -off % BLOCK;
	const struct masks *m = shifted(&masks6, pad);
	v2 x;

	p -= pad;
	x = begin6(p, m);
	if (off > 4 * BLOCK)
		x = on(x, on_128, next(p, m, 4));
	return reduce(blocks(x, true, to, from, len / BLOCK));
}

/**
 * xr_clmul() - continue a CRC
 * @crc: the state so far
 * @p: bytes to read
 * @len: number of bytes; a multiple of XR_CLMUL_BLOCK, not 0
 *
 * Return: the new state.
 */
__u32 xr_clmul(__u32 crc, const void *p, __u32 len)
{
	const v2 state = { crc, 0 };
	v2 x = load(p) ^ state;

	return reduce(blocks(x, false, NULL, p + BLOCK, len / BLOCK - 1));
}

/* Read the headers of a packet: blocks up to @i, the first one behind them, at most one more. */
static __always_inline v2 begin(const void *p, __u32 pad, bool ipv6, __u32 i)
{
	const struct masks *m = shifted(ipv6 ? &masks6 : &masks4, pad);
	v2 x = ipv6 ? begin6(p, m) : begin4(p, m);

	return i > (ipv6 ? 4 : 3) ? on(x, on_128, next(p, m, i - 1)) : x;
}

/**
 * xr_clmul_wide_sum() - xr_clmul_ipv4() or xr_clmul_ipv6(), in wide registers
 * @p: IP header
 * @len: bytes, at least XR_CLMUL_LONG
 * @ipv6: the IP header is IPv6
 *
 * Return: the state.
 */
__u32 xr_clmul_wide_sum(const void *p, __u32 len, bool ipv6)
{
	__u32 pad = -len % BLOCK, i = ipv6 ? 5 : 3;

	p -= pad;
	return reduce(wide(begin(p, pad, ipv6, i), p + i * BLOCK, (len + pad) / BLOCK - i));
}

/* xr_clmul_pieces_ipv4() or xr_clmul_pieces_ipv6(), in wide registers. */
__u32 xr_clmul_wide_pieces(const void *p, __u32 len, const void *q, __u32 more, bool ipv6)
{
	__u32 pad = -(len + more) % BLOCK, i = ipv6 ? 5 : 3;

	p -= pad;
	return both(true, begin(p, pad, ipv6, i), (struct pieces){ p, len + pad, q, more }, i);
}

/**
 * xr_clmul_wide_copy() - xr_clmul_copy_ipv4() or xr_clmul_copy_ipv6(), in wide registers
 * @p: IP header
 * @to: destination of the payload
 * @from: payload; if it changes meanwhile, the CRC is that of the copy
 * @len: bytes of payload, at least XR_CLMUL_LONG
 * @ipv6: the IP header is IPv6
 *
 * Return: the state.
 */
__u32 xr_clmul_wide_copy(const void *p, void *to, const void *from, __u32 len, bool ipv6)
{
	__u32 pad = -(__u32)(to - p) % BLOCK, i = (to - p + pad) / BLOCK, n = len / BLOCK;
	v2 x = begin(p - pad, pad, ipv6, i);

	return reduce(xr_clmul_512() ? copy_512(x, to, from, n) : copy_256(x, to, from, n));
}

/* xr_clmul(), in wide registers; @len is at least XR_CLMUL_LONG. */
__u32 xr_clmul_wide_more(__u32 crc, const void *p, __u32 len)
{
	const v2 state = { crc, 0 };

	return reduce(wide(load(p) ^ state, p + BLOCK, len / BLOCK - 1));
}
#endif
