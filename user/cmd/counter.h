/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Counters of links, queue pairs and regions: their names and texts, and their sums over all
 * CPUs. The structures in xroce_map.h describe them, and struct xroce_qp_query those of queue
 * pairs.
 */
#ifndef _XROCE_COUNTER_H
#define _XROCE_COUNTER_H

#include <stddef.h>

#include "libxroce.h"

/**
 * struct counter - a counter of struct xroce_stat, struct xroce_qp_query or struct xroce_mr_stat
 * @name: name of the counter
 * @offset: its offset in the structure
 * @note: description of what it counts
 */
struct counter {
	const char *name;
	size_t offset;
	const char *note;
};

/* Number of counters that are shown. module_tx and module_tx_bytes are added to others. */
#define LINK_COUNTERS	(sizeof(struct xroce_stat) / sizeof(__u64) - 2)
#define MR_COUNTERS	(sizeof(struct xroce_mr_stat) / sizeof(__u64))
/* Of queue pairs without the drops: those of the responder, then those of the requester. */
#define QP_RESPONDER	6
#define QP_COUNTERS	(QP_RESPONDER + 11)

extern const struct counter *const link_counters;	/* LINK_COUNTERS */
extern const struct counter *const qp_counters;		/* QP_COUNTERS */
extern const struct counter *const mr_counters;		/* MR_COUNTERS */

/* A counter's value in @sums, a structure of its type. */
static inline __u64 counter_value(const struct counter *c, const void *sums)
{
	return *(const __u64 *)((const char *)sums + c->offset);
}

/**
 * counter_sum() - sum all CPUs' copies of a structure of counters
 * @fd: descriptor of a per-CPU array of such structures
 * @key: index in the array
 * @size: bytes of the structure
 * @sums: out: the structure
 *
 * Return: 0 or a negative errno.
 */
int counter_sum(int fd, __u32 key, size_t size, void *sums);

/*
 * Read the counters of a link. In @sums, tx counts all responses sent, by the XDP program or
 * the module, and tx_more their bytes. Return: 0 or a negative errno.
 */
int counter_of_link(const char *netdev, struct xroce_stat *sums);

#endif /* _XROCE_COUNTER_H */
