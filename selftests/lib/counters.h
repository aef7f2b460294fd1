/* SPDX-License-Identifier: GPL-2.0-only */
/* The counters of a link: the map "stat". */
#ifndef XROCE_COUNTERS_H
#define XROCE_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>

#include "xroce_map.h"

/* A counter of struct xroce_stat as a number. */
#define COUNTER(name)	(offsetof(struct xroce_stat, name) / sizeof(__u64))
#define COUNTERS	(sizeof(struct xroce_stat) / sizeof(__u64))

/* Read map @fd, the sum of all CPUs. A failure fails the test. */
void counters_read(int fd, struct xroce_stat *sum);

/**
 * counters_settled() - wait until packets have come, and then for rest
 * @fd: map
 * @before: its counters before the packets were sent
 * @packets: that have to come since; more may
 * @after: out: the counters when none of them moved any more
 *
 * For what its sender is not told of: who sends over an unreliable service knows
 * when a packet has left, and who has been refused does not know what else was
 * under way. Packets that do not come, and no rest, fail the test.
 *
 * Return: whether they came, and all was still.
 */
bool counters_settled(int fd, const struct xroce_stat *before, __u64 packets,
		      struct xroce_stat *after);

/* The name of a counter, as in the structure. */
const char *counters_name(size_t counter);

/* Add @n to a counter by its number. */
void counters_add(struct xroce_stat *stat, size_t counter, __u64 n);

/* Check that each counter moved by what @delta says, and name those that did not. */
void counters_check(const struct xroce_stat *before,
		    const struct xroce_stat *after,
		    const struct xroce_stat *delta);

#endif /* XROCE_COUNTERS_H */
