// SPDX-License-Identifier: GPL-2.0-only
/* The module's copy with vector registers, compiled for user space. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

#ifdef __x86_64__
#pragma GCC target("avx")
#include "../../kmod/bytes/vcopy.c"

#define LEN_MAX		4096u
#define EDGE		64u

/* All lengths, at several offsets in a cache line; no byte beside them is written. */
TEST(vcopy, "D4", "whole rounds, at several offsets")
{
	static uint8_t from[LEN_MAX + EDGE], to[LEN_MAX + 2 * EDGE], want[sizeof(to)];
	uint32_t len, at, i;

	if (!__builtin_cpu_supports("avx")) {
		skip("the CPU has no AVX");
		return;
	}
	for (i = 0; i < sizeof(from); i++)
		from[i] = random();
	for (len = ROUND; len <= LEN_MAX; len += ROUND) {
		for (at = 0; at < EDGE; at += 7) {
			memset(to, 0xa5, sizeof(to));
			memcpy(want, to, sizeof(want));
			memcpy(want + EDGE / 2 + at, from + EDGE - 1 - at, len);
			xr_vcopy(to + EDGE / 2 + at, from + EDGE - 1 - at, len);
			check(!memcmp(to, want, sizeof(to)), "%u bytes at %u", len, at);
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
