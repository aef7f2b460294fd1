// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module's CRC by carry-less multiplication, compiled for user space, compared with the
 * tests' own: by table, and bit by bit. The last rows use wide registers, as the module does, from
 * XR_CLMUL_LONG bytes on.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "packet.h"

#ifdef __x86_64__
#pragma GCC target("avx,pclmul")
#include "../../kmod/bytes/clmul.c"

#define BTH_END(ipv6)	((ipv6) ? 60u : 40u)
#define LEN_MAX		4200u
#define L3_MAX		22u		/* two VLAN tags */
#define ALIGNMENTS	64u		/* of the widest registers */
#define SEED		1

static uint8_t bytes[L3_MAX + ALIGNMENTS + LEN_MAX + 16];

bool xr_clmul_is_512;
static bool in_wide;

/* Use registers of @bits from here on. Return: whether the CPU can. */
static bool use(unsigned int bits)
{
	if (!__builtin_cpu_supports("avx") || !__builtin_cpu_supports("pclmul")) {
		skip("the CPU has no AVX or no PCLMULQDQ");
		return false;
	}
	if (bits > 128 && (!__builtin_cpu_supports("avx2") ||
			   !__builtin_cpu_supports("vpclmulqdq"))) {
		skip("the CPU has no AVX2 or no VPCLMULQDQ");
		return false;
	}
	if (bits > 256 && !__builtin_cpu_supports("avx512f")) {
		skip("the CPU has no AVX512F");
		return false;
	}
	in_wide = bits > 128;
	xr_clmul_is_512 = bits > 256;
	return true;
}

static void fill(uint32_t l3, bool ipv6)
{
	size_t i;

	srandom(SEED);
	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = random();
	bytes[l3] = ipv6 ? 0x60 : 0x45;
}

static uint32_t bit_by_bit(uint32_t crc, const uint8_t *p, size_t n)
{
	int i;

	while (n--) {
		crc ^= *p++;
		for (i = 0; i < 8; i++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return crc;
}

static uint32_t state_after(const void *p, uint32_t len, bool ipv6)
{
	if (in_wide && len >= XR_CLMUL_LONG)
		return xr_clmul_wide_sum(p, len, ipv6);
	return ipv6 ? xr_clmul_ipv6(p, len) : xr_clmul_ipv4(p, len);
}

static uint32_t state_copied(const void *p, void *to, const void *from, uint32_t len, bool ipv6)
{
	if (in_wide && len >= XR_CLMUL_LONG)
		return xr_clmul_wide_copy(p, to, from, len, ipv6);
	return ipv6 ? xr_clmul_copy_ipv6(p, to, from, len) : xr_clmul_copy_ipv4(p, to, from, len);
}

static uint32_t state_divided(const void *p, uint32_t len, const void *q, uint32_t more, bool ipv6)
{
	if (in_wide && len + more >= XR_CLMUL_LONG)
		return xr_clmul_wide_pieces(p, len, q, more, ipv6);
	return ipv6 ? xr_clmul_pieces_ipv6(p, len, q, more) : xr_clmul_pieces_ipv4(p, len, q, more);
}

static uint32_t state_more(uint32_t crc, const void *p, uint32_t len)
{
	if (in_wide && len >= XR_CLMUL_LONG)
		return xr_clmul_wide_more(crc, p, len);
	return xr_clmul(crc, p, len);
}

static void same(uint32_t l3, uint32_t len, bool ipv6)
{
	uint32_t got = ~state_after(bytes + l3, len, ipv6);
	uint32_t want = __builtin_bswap32(packet_icrc(bytes, l3, l3 + len));

	check(got == want, "IPv%d, %u bytes at %u: %#x, not %#x",
	      ipv6 ? 6 : 4, len, l3, got, want);
}

/* Every length, at every alignment. Behind the headers, the right CRC continues bit by bit. */
static void headers(void)
{
	uint32_t l3, len, got, want;
	int ipv6;

	for (ipv6 = 0; ipv6 < 2; ipv6++) {
		for (l3 = 14; l3 < 14 + ALIGNMENTS && !test_failed(); l3++) {
			fill(l3, ipv6);
			same(l3, LEN_MAX, ipv6);
			len = BTH_END(ipv6);
			want = ~__builtin_bswap32(packet_icrc(bytes, l3, l3 + len));
			for (; len <= LEN_MAX; len += 4) {
				got = state_after(bytes + l3, len, ipv6);
				check(got == want, "IPv%d, %u bytes at %u: %#x, not %#x",
				      ipv6 ? 6 : 4, len, l3, got, want);
				want = bit_by_bit(want, bytes + l3 + len, 4);
			}
		}
	}
}

/* Every bit is covered, except those of the seven bytes that change in flight. */
static void every_bit(void)
{
	static const uint32_t lens[] = { 64, 68, 72, 76, 200, 352, 420 };
	uint32_t i, at, idle, crc, len;
	bool ipv6;

	for (i = 0; i < 2 * ARRAY_SIZE(lens) && !test_failed(); i++) {
		ipv6 = i % 2;
		len = lens[i / 2];
		idle = 0;
		fill(14, ipv6);
		crc = state_after(bytes + 14, len, ipv6);
		/* Not the first byte, which decides the layout of the header. */
		for (at = 8; at < len * 8; at++) {
			bytes[14 + at / 8] ^= 0x80 >> at % 8;
			same(14, len, ipv6);
			idle += state_after(bytes + 14, len, ipv6) == crc;
			bytes[14 + at / 8] ^= 0x80 >> at % 8;
		}
		check(idle == 56, "IPv%d: %u bits do not count", ipv6 ? 6 : 4,
		      idle);
	}
}

/*
 * As READ responses and requests are made: the payload is copied in whole blocks, of every
 * alignment, behind @xth bytes after the BTH. No byte beside the copy is written.
 */
static void copied(uint32_t xth)
{
	static uint8_t payload[LEN_MAX + ALIGNMENTS], was[sizeof(bytes)];
	uint32_t i, l3, len, at, got, want;
	const uint8_t *from;
	bool ipv6;

	srandom(SEED + 1);
	for (len = 0; len < sizeof(payload); len++)
		payload[len] = random();
	for (i = 0; i < 2 * ALIGNMENTS && !test_failed(); i++) {
		ipv6 = i % 2;
		from = payload + i / 2;
		l3 = 14 + i % 17;
		at = l3 + BTH_END(ipv6) + xth;
		fill(l3, ipv6);
		memcpy(was, bytes, sizeof(was));
		want = ~__builtin_bswap32(packet_icrc(bytes, l3, at));
		for (len = 16; len <= 4096; len += 16) {
			want = bit_by_bit(want, from + len - 16, 16);
			got = state_copied(bytes + l3, bytes + at, from, len, ipv6);
			check(got == want, "IPv%d, %u bytes at %u: %#x, not %#x",
			      ipv6 ? 6 : 4, len, at, got, want);
			memcpy(was + at, from, len);
			check(!memcmp(was, bytes, sizeof(was)),
			      "IPv%d, %u bytes at %u: wrong copy", ipv6 ? 6 : 4, len, at);
		}
	}
}

static uint8_t shared[4096];
static volatile bool changes;

static void *change(void *arg)
{
	volatile uint8_t *byte = shared + sizeof(shared) / 2;

	while (changes)
		++*byte;
	return arg;
}

/* Another thread writes to the payload: the CRC is that of the bytes that were copied. */
static void changing(void)
{
	const uint32_t at = 14 + BTH_END(false);
	pthread_t writer;
	uint32_t i, got;

	fill(14, false);
	changes = true;
	if (!check(!pthread_create(&writer, NULL, change, NULL), "no thread"))
		return;
	for (i = 0; i < 500000 && !test_failed(); i++) {
		got = state_copied(bytes + 14, bytes + at, shared, sizeof(shared), false);
		check(got == state_after(bytes + 14, BTH_END(false) + sizeof(shared), false),
		      "copy %u: the CRC is of other bytes", i);
	}
	changes = false;
	pthread_join(writer, NULL);
}

static void pieces(void)
{
	uint32_t off, len, got, want;

	fill(0, false);
	for (off = 0; off < ALIGNMENTS && !test_failed(); off++) {
		want = 0x12345678;
		for (len = 16; len <= LEN_MAX; len += 16) {
			want = bit_by_bit(want, bytes + off + len - 16, 16);
			got = state_more(0x12345678, bytes + off, len);
			check(got == want, "%u bytes at %u: %#x, not %#x", len,
			      off, got, want);
		}
	}
}

/* A message in two buffers, divided anywhere; bytes after either part are ignored. */
static void divided(void)
{
	static uint8_t second[LEN_MAX];
	uint32_t l3, len, at, got, want;
	int ipv6;

	for (ipv6 = 0; ipv6 < 2; ipv6++) {
		for (len = 96; len <= LEN_MAX; len += len < 400 ? 4 : 236) {
			l3 = 14 + len / 4 % 3 * 4;
			fill(l3, ipv6);
			want = __builtin_bswap32(packet_icrc(bytes, l3, l3 + len));
			for (at = XR_CLMUL_FIRST; at <= len - XR_CLMUL_BLOCK;
			     at += len < 400 ? 1 : 37) {
				memset(second, 0xa5, sizeof(second));
				memcpy(second, bytes + l3 + at, len - at);
				memset(bytes + l3 + at, 0x5a, len - at);
				got = ~state_divided(bytes + l3, at, second, len - at, ipv6);
				memcpy(bytes + l3 + at, second, len - at);
				check(got == want, "IPv%d, %u bytes and %u: %#x, not %#x",
				      ipv6 ? 6 : 4, at, len - at, got, want);
			}
		}
	}
}

static void all(void)
{
	headers();
	every_bit();
	copied(0);
	copied(4);
	copied(16);
	copied(XR_CLMUL_XTH);
	changing();
	pieces();
	divided();
}

TEST(headers, "D4", "headers and payload, of all lengths")
{
	if (use(128))
		headers();
}

TEST(every_bit, "D4", "every bit that is covered, and those that change in flight")
{
	if (use(128))
		every_bit();
}

TEST(copied, "D4", "headers, and a payload that is copied at the same time")
{
	if (use(128))
		copied(0);
}

TEST(copied_aeth, "D4", "the same behind an AETH")
{
	if (use(128))
		copied(4);
}

TEST(copied_reth, "D4", "the same behind a RETH, and behind immediate data, too")
{
	uint32_t xth;

	if (!use(128))
		return;
	for (xth = 8; xth <= XR_CLMUL_XTH && !test_failed(); xth += 4)
		copied(xth);
}

TEST(changing, "D4", "a payload that changes while it is copied")
{
	if (use(128))
		changing();
}

TEST(pieces, "D4", "whole blocks, at any offset")
{
	if (use(128))
		pieces();
}

TEST(divided, "D4", "a message in two buffers, divided anywhere")
{
	if (use(128))
		divided();
}

TEST(wide_256, "D4", "all of this in registers of 256 bits")
{
	if (use(256))
		all();
}

TEST(wide_512, "D4", "all of this in registers of 512 bits")
{
	if (use(512))
		all();
}

TEST_MAIN(harness_main);
#else
int main(void)
{
	return HARNESS_SKIPPED;
}
#endif
