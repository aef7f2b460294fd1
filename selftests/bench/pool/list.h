/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The allocator that the pool is compared with: one list of free memory in address order,
 * of which a sufficiently long piece is split.
 */
#ifndef POOL_BENCH_LIST_H
#define POOL_BENCH_LIST_H

#include <linux/types.h>

/**
 * struct piece - header of a free piece
 * @length: entries of 8 bytes
 * @next: next free piece, at a higher address
 */
struct piece {
	u64 length;
	struct piece *next;
};

/* Entries of the shortest piece that can hold its header. */
#define PIECE_MIN	(sizeof(struct piece) / sizeof(u64))

/* Add an extent, or free a table. */
void list_free(struct piece **list, u64 *entry, u32 count);
/* Return: @count entries, or NULL. @best: use the shortest piece that fits. */
u64 *list_alloc(struct piece **list, u32 count, bool best);

#endif
