/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Counters of links and of regions: their names, and their sums over the CPUs. */
#ifndef _XROCE_COUNTER_H
#define _XROCE_COUNTER_H

#include <stddef.h>

#include "libxroce.h"

/**
 * struct counter - a word of struct xroce_stat or struct xroce_mr_stat
 * @name: as in the structure
 * @offset: where it is
 * @note: what it counts, for people
 */
struct counter {
	const char *name;
	size_t offset;
	const char *note;
};

/* All of a structure, in its order, but for what the module sends, which is in "tx". */
#define LINK_COUNTERS	(offsetof(struct xroce_stat, module_tx) / sizeof(__u64))
#define MR_COUNTERS	(sizeof(struct xroce_mr_stat) / sizeof(__u64))

extern const struct counter *const link_counters;	/* LINK_COUNTERS */
extern const struct counter *const mr_counters;		/* MR_COUNTERS */

/* A counter's value in the structure that it is a word of. */
static inline __u64 counter_value(const struct counter *c, const void *sums)
{
	return *(const __u64 *)((const char *)sums + c->offset);
}

/**
 * counter_sum() - sum the CPUs' copies of a structure of counters
 * @fd: per-CPU array of structures
 * @key: which
 * @size: bytes of the structure
 * @sums: out: the structure
 *
 * Return: 0 or a negative errno.
 */
int counter_sum(int fd, __u32 key, size_t size, void *sums);

/*
 * Read the counters of a link; xroce_stat::tx is of all responses sent, tx_more of all
 * their bytes.
 * Return: 0 or a negative errno.
 */
int counter_of_link(const char *netdev, struct xroce_stat *sums);

#endif /* _XROCE_COUNTER_H */
