/* SPDX-License-Identifier: GPL-2.0-only */
/* The counters of a link: the map "stat". */
#ifndef XROCE_COUNTERS_H
#define XROCE_COUNTERS_H

#include <stddef.h>

#include "xroce_map.h"

/* A counter of struct xroce_stat as a number. */
#define COUNTER(name)	(offsetof(struct xroce_stat, name) / sizeof(__u64))
#define COUNTERS	(sizeof(struct xroce_stat) / sizeof(__u64))

/* Read map @fd, the sum of all CPUs. A failure fails the test. */
void counters_read(int fd, struct xroce_stat *sum);

/* Add @n to a counter by its number. */
void counters_add(struct xroce_stat *stat, size_t counter, __u64 n);

/* Check that each counter moved by what @delta says, and name those that did not. */
void counters_check(const struct xroce_stat *before,
		    const struct xroce_stat *after,
		    const struct xroce_stat *delta);

#endif /* XROCE_COUNTERS_H */
