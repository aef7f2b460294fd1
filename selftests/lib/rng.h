/* SPDX-License-Identifier: GPL-2.0-only */
/* Random numbers; the same seed gives the same numbers. */
#ifndef XROCE_RNG_H
#define XROCE_RNG_H

#include <stdint.h>

void rng_seed(uint64_t seed);
uint64_t rng_next(void);

/* A number from 0 to @n - 1; @n is not 0. */
uint32_t rng_below(uint32_t n);

/* Fill @len bytes. */
void rng_fill(uint8_t *at, uint32_t len);

#endif /* XROCE_RNG_H */
