// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module's CRC by carry-less multiplication, compiled for user space, compared with the
 * tests' own: by table, and bit by bit.
 */
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
#define SEED		1

static uint8_t bytes[L3_MAX + LEN_MAX + 16];

static bool can(void)
{
	if (__builtin_cpu_supports("avx") && __builtin_cpu_supports("pclmul"))
		return true;
	skip("the CPU has no AVX or no PCLMULQDQ");
	return false;
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
	return ipv6 ? xr_clmul_ipv6(p, len) : xr_clmul_ipv4(p, len);
}

static void same(uint32_t l3, uint32_t len, bool ipv6)
{
	uint32_t got = ~state_after(bytes + l3, len, ipv6);
	uint32_t want = __builtin_bswap32(packet_icrc(bytes, l3, l3 + len));

	check(got == want, "IPv%d, %u bytes at %u: %#x, not %#x",
	      ipv6 ? 6 : 4, len, l3, got, want);
}

TEST(headers, "D4", "headers and payload, of many lengths")
{
	uint32_t l3, len;
	int ipv6;

	if (!can())
		return;
	for (ipv6 = 0; ipv6 < 2; ipv6++) {
		for (l3 = 14; l3 <= L3_MAX && !test_failed(); l3++) {
			fill(l3, ipv6);
			for (len = BTH_END(ipv6); len < 400; len += 4)
				same(l3, len, ipv6);
		}
		for (len = 400; len <= LEN_MAX && !test_failed(); len += 52)
			same(L3_MAX, len, ipv6);
	}
}

/* Every bit is covered, except those of the seven bytes that change in flight. */
TEST(every_bit, "D4", "every bit that is covered, and those that change in flight")
{
	static const uint32_t lens[] = { 64, 68, 72, 76, 200 };
	uint32_t i, at, idle, crc, len;
	bool ipv6;

	if (!can())
		return;
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

/* As READ responses are made: the payload is copied in whole blocks, at any offset. */
TEST(copied, "D4", "headers, and a payload that is copied at the same time")
{
	static uint8_t payload[LEN_MAX], was[sizeof(bytes)];
	uint32_t l3, len, at, got, want;
	int i, ipv6, aeth;

	if (!can())
		return;
	srandom(SEED + 1);
	for (len = 0; len < sizeof(payload); len++)
		payload[len] = random();
	for (i = 0; i < 4; i++) {
		ipv6 = i % 2;
		aeth = i / 2 * 4;
		for (len = 16; len <= 4096; len += len < 512 ? 16 : 512) {
			l3 = 14 + len / 16 % 3 * 4;
			at = l3 + BTH_END(ipv6) + aeth;
			fill(l3, ipv6);
			memcpy(was, bytes, sizeof(was));
			got = ~(ipv6 ? xr_clmul_copy_ipv6 : xr_clmul_copy_ipv4)
				(bytes + l3, bytes + at, payload + len % 7, len);
			want = __builtin_bswap32(packet_icrc(bytes, l3, at + len));
			check(got == want, "IPv%d, %u bytes at %u: %#x, not %#x",
			      ipv6 ? 6 : 4, len, at, got, want);
			memcpy(was + at, payload + len % 7, len);
			check(!memcmp(was, bytes, sizeof(was)),
			      "IPv%d, %u bytes at %u: wrong copy",
			      ipv6 ? 6 : 4, len, at);
		}
	}
}

TEST(pieces, "D4", "whole blocks, at any offset")
{
	uint32_t off, len, got, want;

	if (!can())
		return;
	fill(0, false);
	for (off = 0; off < 17; off++) {
		for (len = 16; len <= LEN_MAX; len += len < 300 ? 16 : 112) {
			got = xr_clmul(0x12345678, bytes + off, len);
			want = bit_by_bit(0x12345678, bytes + off, len);
			check(got == want, "%u bytes at %u: %#x, not %#x", len,
			      off, got, want);
		}
	}
}

/* A message in two buffers, divided anywhere; bytes after either part are ignored. */
TEST(divided, "D4", "a message in two buffers, divided anywhere")
{
	static uint8_t second[LEN_MAX];
	uint32_t l3, len, at, got, want;
	int ipv6;

	if (!can())
		return;
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
				got = ~(ipv6 ? xr_clmul_pieces_ipv6 :
					       xr_clmul_pieces_ipv4)
					(bytes + l3, at, second, len - at);
				memcpy(bytes + l3 + at, second, len - at);
				check(got == want, "IPv%d, %u bytes and %u: %#x, not %#x",
				      ipv6 ? 6 : 4, at, len - at, got, want);
			}
		}
	}
}

TEST_MAIN(harness_main);
#else
int main(void)
{
	return HARNESS_SKIPPED;
}
#endif
