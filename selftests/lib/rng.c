// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "rng.h"

static uint64_t state;

void rng_seed(uint64_t seed)
{
	state = seed;
}

/* splitmix64 */
uint64_t rng_next(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

uint32_t rng_below(uint32_t n)
{
	return (rng_next() >> 32) % n;
}

void rng_fill(uint8_t *at, uint32_t len)
{
	uint64_t v;

	for (; len >= sizeof(v); at += sizeof(v), len -= sizeof(v)) {
		v = rng_next();
		memcpy(at, &v, sizeof(v));
	}
	v = rng_next();
	memcpy(at, &v, len);
}
