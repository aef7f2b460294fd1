/* SPDX-License-Identifier: GPL-2.0-only */
/* The counters of a link: the map "stat". */
#ifndef XROCE_COUNTERS_H
#define XROCE_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>

#include "xroce_map.h"

/* The index of a counter in struct xroce_stat, and the number of counters. */
#define COUNTER(name)	(offsetof(struct xroce_stat, name) / sizeof(__u64))
#define COUNTERS	(sizeof(struct xroce_stat) / sizeof(__u64))

/* Read map @fd and sum it over all CPUs. The test fails if the map cannot be read. */
void counters_read(int fd, struct xroce_stat *sum);

/* Note all counters of map @fd that are not 0, to explain a failure. */
void counters_note(int fd);

/**
 * counters_settled() - wait until packets have been received and the counters rest
 * @fd: map
 * @before: its counters before the packets were sent
 * @packets: number of packets to wait for; more may be received
 * @after: out: the counters after they stopped changing
 *
 * For packets without a response: the sender of an unreliable service knows only that a
 * packet has left, and a sender that is refused does not know which of its packets are
 * still under way. The test fails if packets are missing or the counters do not rest.
 *
 * Return: whether the packets were received and the counters rest.
 */
bool counters_settled(int fd, const struct xroce_stat *before, __u64 packets,
		      struct xroce_stat *after);

/* The name of a counter in struct xroce_stat. */
const char *counters_name(size_t counter);

/* Add @n to the counter with this index. */
void counters_add(struct xroce_stat *stat, size_t counter, __u64 n);

/* Check that each counter has moved by @delta, and name those that have not. */
void counters_check(const struct xroce_stat *before,
		    const struct xroce_stat *after,
		    const struct xroce_stat *delta);

#endif /* XROCE_COUNTERS_H */
