/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters of a queueing discipline, by netlink. An error ends the program. */
#ifndef XROCE_BENCH_QDISC_H
#define XROCE_BENCH_QDISC_H

#include <stdint.h>

/**
 * struct qdisc_stats - what it counts, in packets
 * @sent: has left it
 * @dropped: did not enter it, or was dropped in it
 * @queued: is in it now
 * @marked: got a congestion mark; of RED only
 */
struct qdisc_stats {
	uint32_t sent;
	uint32_t dropped;
	uint32_t queued;
	uint32_t marked;
};

/* @parent: the class it is in, as 1:1 is 0x10001. It needs a handle. */
void qdisc_read(const char *dev, uint32_t parent, struct qdisc_stats *s);

#endif /* XROCE_BENCH_QDISC_H */
