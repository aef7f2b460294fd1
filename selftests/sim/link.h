/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A link of one direction: a queue, a transmitter of a rate, and a delay. The queue drops what does
 * not fit, and may mark or drop before (RED on the present queue, as data centres have it).
 */
#ifndef XROCE_SIM_LINK_H
#define XROCE_SIM_LINK_H

#include <linux/types.h>

#include "event.h"

struct packet;

#define ROUTE_HOPS	4

/* The links of a way, in order. At its end is flow_arrived(). */
struct route {
	struct link *hop[ROUTE_HOPS];
	u8 hops;
};

/**
 * struct red - when a queue marks; bytes
 * @min: a packet that finds less is not marked
 * @max: one that finds more is always; 0: none is ever
 * @percent: probability just below @max
 */
struct red {
	u64 min;
	u64 max;
	u32 percent;
};

/**
 * struct link_stats - since link_stats_reset()
 * @sent: packets, and bytes, that went into the queue
 * @dropped: packets that did not
 * @marked: packets
 * @waited: nanoseconds that packets waited, in sum
 * @waited_bytes: the same for each byte of them
 * @longest: the longest queue in packets
 * @longest_bytes: in bytes
 */
struct link_stats {
	u64 sent;
	u64 sent_bytes;
	u64 dropped;
	u64 marked;
	u64 waited;
	double waited_bytes;
	u32 longest;
	u64 longest_bytes;
};

/**
 * struct link - a link
 * @rate: bits a second
 * @delay: nanoseconds from its end of transmission until a packet is at the other end
 * @jitter: up to so many more; packets do not overtake each other
 * @limit: bytes of the queue; 0: no limit
 * @burst: bytes of its bucket, if it is no transmitter, but a token bucket (tbf); or 0
 * @red: marking
 * @stats: figures
 * @queued: packets that wait, without the one that is being sent
 * @queued_bytes: their bytes
 * @first: the first packet between queue and end; @last: the last
 * @waiting: the first one that waits
 * @idle: when the transmitter has sent all, in picoseconds
 * @ends: when the last packet is at the other end, nanoseconds
 * @arrive: @first is at the other end
 */
struct link {
	u64 rate;
	u64 delay;
	u64 jitter;
	u64 limit;
	u64 burst;
	struct red red;
	struct link_stats stats;
	u32 queued;
	u64 queued_bytes;
	struct packet *first, *last, *waiting;
	u64 idle;
	u64 ends;
	struct event arrive;
};

void link_open(struct link *l, u64 rate, u64 delay);
void link_close(struct link *l);

/* Send a packet over the first link of its way. */
void link_send(struct packet *p, const struct route *route);

/* Let those begin that have begun by now, so that the queue is that of now. */
void link_look(struct link *l);

/* Packets between its queue and its end. */
u64 link_holds(const struct link *l);

void link_stats_reset(struct link *l);

#endif /* XROCE_SIM_LINK_H */
