/* SPDX-License-Identifier: GPL-2.0-only */
/* Which of the packets of a window are there: a bit for each, by the PSN. */
#ifndef XROCE_SIM_BITS_H
#define XROCE_SIM_BITS_H

#include <linux/types.h>

#define BITS_PSNS	8192u	/* XROCE_CC_WINDOW_MAX */

struct bits {
	u64 word[BITS_PSNS / 64];
};

static inline bool bits_has(const struct bits *b, u32 psn)
{
	return b->word[psn % BITS_PSNS / 64] >> psn % 64 & 1;
}

/* Return: whether it was not there. */
static inline bool bits_add(struct bits *b, u32 psn)
{
	bool fresh = !bits_has(b, psn);

	b->word[psn % BITS_PSNS / 64] |= 1ull << psn % 64;
	return fresh;
}

/* Return: whether it was there. */
static inline bool bits_remove(struct bits *b, u32 psn)
{
	bool had = bits_has(b, psn);

	b->word[psn % BITS_PSNS / 64] &= ~(1ull << psn % 64);
	return had;
}

#endif /* XROCE_SIM_BITS_H */
