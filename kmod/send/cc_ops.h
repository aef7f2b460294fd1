/* SPDX-License-Identifier: GPL-2.0-only */
/* What an algorithm of congestion control is, and what a connection keeps for it: see cc.h. */
#ifndef _XR_SEND_CC_OPS_H
#define _XR_SEND_CC_OPS_H

#include <linux/types.h>

/*
 * Packets that may be outstanding: without congestion control before anything is known of the
 * network, and whatever it is; and at most.
 */
#define XR_SEND_WINDOW		128u
#define XR_SEND_WINDOW_MIN	32u
#define XR_SEND_WINDOW_MAX	8192u

/* Request packets after which an acknowledgement is requested at the latest. */
#define XR_SEND_ACK	32u

/* xr_cc::cwnd counts packets in parts of 1 << XR_CC_SHIFT. */
#define XR_CC_SHIFT	8
#define XR_CC_PACKET	(1u << XR_CC_SHIFT)

/**
 * struct xr_cc_sample - what a measured round-trip time tells
 * @now: nanoseconds of CLOCK_MONOTONIC
 * @rtt: the time, in nanoseconds
 * @again: packets were sent again meanwhile: @rtt may be that of two attempts
 * @delivered: packets that arrived during that time
 * @inflight: packets that are outstanding, of requests and responses
 * @acked: packets that have arrived since the last sample
 * @lost: packets that were sent again since then
 * @marks: packets since then of which the network said that it is congested
 * @limited: since then something waited for the window or for the rate
 */
struct xr_cc_sample {
	u64 now;
	u32 rtt;
	bool again;
	u32 delivered;
	u32 inflight;
	u32 acked;
	u32 lost;
	u32 marks;
	bool limited;
};

/**
 * struct xr_cc_state - what an algorithm sees of a connection, and says
 * @priv: its own; 0 at the beginning
 * @cwnd: packets that may be outstanding, in parts of XR_CC_PACKET. A part of a packet counts as
 *	one: less than one packet in a round-trip time is a matter of @rate
 * @rate: bytes a second, of payload and headers; 0: as fast as @cwnd allows
 * @mtu: path MTU in bytes. Like those below, only for reading
 * @srtt: smoothed round-trip time in nanoseconds
 * @min_rtt: shortest round-trip time
 */
struct xr_cc_state {
	u64 priv[8];
	u32 cwnd;
	u64 rate;
	u32 mtu;
	u32 srtt;
	u32 min_rtt;
};

/**
 * struct xr_cc_ops - an algorithm
 * @name: name
 * @parts: READs are requested in parts of about half a window
 * @init: a connection begins; all else is 0
 * @ack: a round-trip time has been measured
 */
struct xr_cc_ops {
	const char *name;
	bool parts;
	void (*init)(struct xr_cc_state *c);
	void (*ack)(struct xr_cc_state *c, const struct xr_cc_sample *a);
};

extern const struct xr_cc_ops xr_cc_none;
extern const struct xr_cc_ops xr_cc_delay;

/**
 * struct xr_cc - congestion control of a connection
 * @ops: the algorithm
 * @state: its state
 * @window: packets that may be outstanding, 1 to XR_SEND_WINDOW_MAX
 * @quarter: packets after which an acknowledgement is requested
 * @every: packets from one that is timed to the next
 * @limited: something waited since the last sample
 * @lost: packets sent again so far
 * @delivered: xr_rtt::delivered at the last sample
 * @lost_then: @lost at that time
 * @cost: nanoseconds that a byte takes at the rate, in parts of 1 << XR_CC_COST_SHIFT; 0: it is not
 *	paced
 * @next: when the next packet may be sent, in nanoseconds of CLOCK_MONOTONIC
 * @clock: a time that has passed, likewise
 */
struct xr_cc {
	const struct xr_cc_ops *ops;
	struct xr_cc_state state;
	u32 window;
	u8 quarter;
	u8 every;
	bool limited;
	u32 lost;
	u32 lost_then;
	u32 delivered;
	u32 cost;
	u64 next;
	u64 clock;
};

#define XR_CC_COST_SHIFT	16

#endif
