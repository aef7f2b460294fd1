/* SPDX-License-Identifier: GPL-2.0-only */
/* A run, and its figures. */
#ifndef XROCE_SIM_RUN_H
#define XROCE_SIM_RUN_H

#include <linux/types.h>

#include "packet.h"

struct spec;

/**
 * struct result - figures of a run, after spec::warm but for those that say otherwise
 * @used: of the busiest port: part of its rate that it sent at
 * @goodput: payload of all connections but TCP and mice, bits a second
 * @tcp: of those of TCP, which are not in @goodput
 * @jain: Jain's index of theirs
 * @queue: mean queue of the port with the longest one, packets; @queue_bytes: bytes
 * @longest: the longest queue of a port, packets; @longest_bytes: bytes
 * @peak: the same from the beginning, packets
 * @dropped: packets that ports dropped, as a part of those that came to them
 * @marked: that they marked
 * @again: packets sent again, from the beginning
 * @timeouts: local ACK timeouts, likewise
 * @ended: connections that ended
 * @p50, @p99: latency of the mice's messages, nanoseconds; 0: there are none
 * @count: packets, from the beginning
 * @held: packets on links in the end
 */
struct result {
	double used;
	double goodput;
	double tcp;
	double jain;
	double queue;
	double queue_bytes;
	u32 longest;
	u64 longest_bytes;
	u32 peak;
	double dropped;
	double marked;
	u64 again;
	u64 timeouts;
	u32 ended;
	u64 p50, p99;
	struct packet_count count;
	u64 held;
};

void run(const struct spec *s, struct result *r);

#endif /* XROCE_SIM_RUN_H */
