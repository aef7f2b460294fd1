// SPDX-License-Identifier: GPL-2.0-only
/*
 * Speed of the invariant CRC on this machine, in bytes of payload a nanosecond: part of
 * "make bench-native".
 *
 *   crc
 *
 * The functions are the module's, compiled for user space, except for the table: it is the bench's
 * own, for eight bytes at a time, as that of the kernel. A message is the headers of a READ
 * response over IPv4 and its payload, all of it in the cache. The last columns also copy the
 * payload behind the headers: with the table, memcpy() before, otherwise in the same pass. As in
 * the module, messages of less than XR_CLMUL_LONG bytes are not read in wide registers. A figure is
 * the median of 15 interleaved rounds.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness.h"
#include "median.h"
#include "packet.h"

#ifdef __x86_64__
#pragma GCC target("avx,pclmul")
#include "../../kmod/bytes/clmul.c"

#define ROUNDS		15
#define ROUND_BYTES	(16u << 20)
#define L3		(256u + 14)	/* headroom for XDP, Ethernet */
#define HEADERS		44u		/* IPv4, UDP, BTH, AETH */
#define PAYLOAD_MAX	4096u

bool xr_clmul_is_512;

static const uint32_t sizes[] = { 64, 256, 1024, PAYLOAD_MAX };

enum way { TABLE, IN_128, IN_256, IN_512, WAYS };
enum work { SUM, COPY, BOTH, WORKS };

static const char * const names[WORKS][WAYS] = {
	[SUM] = { "table", "128", "256", "512" },
	[COPY] = { "copy" },
	[BOTH] = { "+table", "+128", "+256", "+512" },
};

/* Pages, as in the kernel. */
static uint8_t frame[L3 + HEADERS + PAYLOAD_MAX] __attribute__((__aligned__(4096)));
static uint8_t payload[PAYLOAD_MAX] __attribute__((__aligned__(4096)));
static uint32_t table[8][256];

static void table_make(void)
{
	uint32_t i, bit, behind;

	for (i = 0; i < 256; i++) {
		table[0][i] = i;
		for (bit = 0; bit < 8; bit++)
			table[0][i] = table[0][i] >> 1 ^ (table[0][i] & 1 ? 0xedb88320 : 0);
	}
	for (behind = 1; behind < 8; behind++)
		for (i = 0; i < 256; i++)
			table[behind][i] = table[behind - 1][i] >> 8 ^
					   table[0][table[behind - 1][i] & 0xff];
}

/* Continue @crc. @len is a multiple of four. */
static uint32_t table_more(uint32_t crc, const uint8_t *p, uint32_t len)
{
	uint64_t w;
	uint32_t i;

	for (; len >= 8; len -= 8, p += 8) {
		memcpy(&w, p, 8);
		w ^= crc;
		crc = 0;
#pragma GCC unroll 8
		for (i = 0; i < 8; i++)
			crc ^= table[7 - i][w >> 8 * i & 0xff];
	}
	for (; len; len--, p++)
		crc = crc >> 8 ^ table[0][(crc ^ *p) & 0xff];
	return crc;
}

/* The headers are copied, to set the fields that change in flight. */
static uint32_t table_sum(const uint8_t *p, uint32_t len)
{
	static const uint8_t variant[] = { 1, 8, 10, 11, 26, 27, 32 };
	uint8_t headers[HEADERS];
	uint32_t i;

	memcpy(headers, p, sizeof(headers));
	for (i = 0; i < ARRAY_SIZE(variant); i++)
		headers[variant[i]] = 0xff;
	return table_more(table_more(0xdebb20e3, headers, sizeof(headers)),
			  p + sizeof(headers), len - sizeof(headers));
}

static bool can(enum way way)
{
	if (way == TABLE)
		return true;
	if (!__builtin_cpu_supports("avx") || !__builtin_cpu_supports("pclmul"))
		return false;
	if (way == IN_128)
		return true;
	if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("vpclmulqdq"))
		return false;
	return way == IN_256 || __builtin_cpu_supports("avx512f");
}

static uint32_t sum(enum way way, uint32_t size)
{
	const uint32_t len = HEADERS + size;

	if (way == TABLE)
		return table_sum(frame + L3, len);
	if (way == IN_128 || len < XR_CLMUL_LONG)
		return xr_clmul_ipv4(frame + L3, len);
	return xr_clmul_wide_sum(frame + L3, len, false);
}

static uint32_t copy_sum(enum way way, uint32_t size)
{
	void *to = frame + L3 + HEADERS;

	if (way == TABLE) {
		memcpy(to, payload, size);
		return table_sum(frame + L3, HEADERS + size);
	}
	if (way == IN_128 || size < XR_CLMUL_LONG)
		return xr_clmul_copy_ipv4(frame + L3, to, payload, size);
	return xr_clmul_wide_copy(frame + L3, to, payload, size, false);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

/* Return: bytes a nanosecond. */
static double measure(enum work work, enum way way, uint32_t size)
{
	uint32_t i, crc = 0, times = ROUND_BYTES / size;
	double start;

	xr_clmul_is_512 = way == IN_512;
	start = now();
	for (i = 0; i < times; i++) {
		if (work == SUM)
			crc = sum(way, size);
		else if (work == BOTH)
			crc = copy_sum(way, size);
		else
			memcpy(frame + L3 + HEADERS, payload, size);
		/* All of it is needed, each time. */
		asm volatile("" : : "r" (crc) : "memory");
	}
	return (double)times * size / (now() - start);
}

/* Print the row of a size. Return: whether all sums are right. */
static bool row(uint32_t size)
{
	static double speed[WORKS][WAYS][ROUNDS];
	int work, way, i;

	printf("%-6u", size);
	for (i = 0; i < ROUNDS; i++)
		for (work = 0; work < WORKS; work++)
			for (way = 0; way < WAYS; way++)
				if (names[work][way] && can(way))
					speed[work][way][i] = measure(work, way, size);
	for (work = 0; work < WORKS; work++) {
		for (way = 0; way < WAYS; way++) {
			if (!names[work][way])
				continue;
			if (can(way))
				printf(" %7.1f", median(speed[work][way], ROUNDS));
			else
				printf(" %7s", "-");
			if (can(way) &&
			    (__builtin_bswap32(~copy_sum(way, size)) !=
			     packet_icrc(frame, L3, L3 + HEADERS + size) ||
			     sum(way, size) != copy_sum(way, size))) {
				fprintf(stderr, "crc: %s: wrong\n", names[work][way]);
				return false;
			}
		}
	}
	putchar('\n');
	return true;
}

int main(void)
{
	int work, way;
	size_t i;

	table_make();
	for (i = 0; i < sizeof(payload); i++)
		payload[i] = random();
	frame[L3] = 0x45;
	printf("%-6s", "bytes");
	for (work = 0; work < WORKS; work++)
		for (way = 0; way < WAYS; way++)
			if (names[work][way])
				printf(" %7s", names[work][way]);
	putchar('\n');
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		if (!row(sizes[i]))
			return EXIT_FAILURE;
	return EXIT_SUCCESS;
}
#else
int main(void)
{
	return HARNESS_SKIPPED;
}
#endif
