/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rival that the pool is measured against: free memory as one list in the
 * order of addresses, in which the first piece that is long enough is split.
 */
#ifndef POOL_BENCH_LIST_H
#define POOL_BENCH_LIST_H

#include <linux/types.h>

/**
 * struct piece - what a free piece begins with
 * @length: entries of 8 bytes
 * @next: the next free piece, at a higher address
 */
struct piece {
	u64 length;
	struct piece *next;
};

/* The shortest piece that this fits into. */
#define PIECE_MIN	(sizeof(struct piece) / sizeof(u64))

/* Extents are added and tables freed by the same function. */
void list_free(struct piece **list, u64 *entry, u32 count);
/* Return: @count entries, or NULL. With @best from the shortest piece that fits. */
u64 *list_alloc(struct piece **list, u32 count, bool best);

#endif
