/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Counters of links, queue pairs and regions, as the tables in xroce_counter.h list them. */
#ifndef _LIBXROCE_COUNTER_H
#define _LIBXROCE_COUNTER_H

#include "priv.h"

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

#define FIELD	XROCE_COUNTER_FIELD
#define SKIP	XROCE_COUNTER_SKIP
#define COUNT(...)	(sizeof(struct { __VA_ARGS__ }) / sizeof(__u64))

/* Number of counters. Of queue pairs without the drops: of the responder, then of the requester. */
enum {
	LINK_COUNTERS = COUNT(XROCE_LINK_COUNTERS(FIELD, FIELD, FIELD, FIELD, SKIP)),
	QP_RESPONDER = COUNT(XROCE_QP_COUNTERS(FIELD, SKIP)),
	QP_COUNTERS = COUNT(XROCE_QP_COUNTERS(FIELD, FIELD)),
	MR_COUNTERS = COUNT(XROCE_MR_COUNTERS(FIELD)),
};

#undef FIELD
#undef SKIP
#undef COUNT

XROCE_HIDDEN extern const struct counter xroce_link_counters[LINK_COUNTERS];
/* And of the drops of queue pairs, which have the names and texts of the link's. */
#define QP_DROP_COUNTERS	\
	(xroce_link_counters + offsetof(struct xroce_stat, drop_qkey) / sizeof(__u64))

XROCE_HIDDEN extern const struct counter xroce_qp_counters[QP_COUNTERS];
XROCE_HIDDEN extern const struct counter xroce_mr_counters[MR_COUNTERS];

/* A counter's value in @sums, a structure of its type. */
static inline __u64 counter_value(const struct counter *c, const void *sums)
{
	return *(const __u64 *)((const char *)sums + c->offset);
}

/*
 * Read the counters of a link. In @sums, tx counts all responses sent, by the XDP program or
 * the module, and tx_more their bytes. Return: 0 or a negative errno.
 */
XROCE_HIDDEN int xroce_stat_read(const char *netdev, struct xroce_stat *sums);

/*
 * Open the map "mr_stat" of a link. Return: its descriptor, or a negative errno; -EOVERFLOW:
 * the link does not count accesses to regions.
 */
XROCE_HIDDEN int xroce_mr_stat_open(const char *netdev);

#endif /* _LIBXROCE_COUNTER_H */
