/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Congestion control: what an algorithm is, for the module and for BPF programs (struct_ops).
 *
 * An algorithm belongs to the requester of a connection on RC. It hears of each measured
 * round-trip time, of losses and of congestion notifications, and says how many packets may be
 * outstanding and how fast they are sent. Request packets count, and the packets of READ responses,
 * both of which a requester causes.
 *
 * The lock of the connection is held for all functions, with bottom halves off. They do not sleep.
 * What they write is bounded by the module: see struct xroce_cc.
 */
#ifndef _XROCE_CC_H
#define _XROCE_CC_H

#include <linux/types.h>

/* Length of the name of an algorithm, with its terminating 0. */
#define XROCE_CC_NAME_MAX	16

/* xroce_cc::cwnd counts packets in parts of 1 << XROCE_CC_SHIFT. */
#define XROCE_CC_SHIFT		8
#define XROCE_CC_PACKET		(1u << XROCE_CC_SHIFT)

/* Most packets that may be outstanding, whatever an algorithm says. */
#define XROCE_CC_WINDOW_MAX	8192u

/* Slowest rate in bytes a second: a packet of the largest path MTU in a tenth of a second. */
#define XROCE_CC_RATE_MIN	(10 * 4096ull)

/**
 * enum xroce_cc_loss - how a loss was noticed
 * @XROCE_CC_LOSS_NAK: one packet that the peer misses, or a response behind which others have
 *	arrived, is sent or requested again
 * @XROCE_CC_LOSS_RNR: the peer was not ready, which is no congestion
 * @XROCE_CC_LOSS_TIMEOUT: nothing has arrived for the local ACK timeout: all is sent again
 */
enum xroce_cc_loss {
	XROCE_CC_LOSS_NAK,
	XROCE_CC_LOSS_RNR,
	XROCE_CC_LOSS_TIMEOUT,
};

/* Bits of xroce_cc_ops::flags. */
#define XROCE_CC_ECN	(1u << 0)	/* packets carry ECT(0): switches may mark them */
#define XROCE_CC_PARTS	(1u << 1)	/* READs are requested in parts of about half a window */
#define XROCE_CC_FLAGS	(XROCE_CC_ECN | XROCE_CC_PARTS)

/**
 * struct xroce_cc_ack - what a measured round-trip time tells
 * @now: nanoseconds of CLOCK_MONOTONIC
 * @rtt: the time, in nanoseconds
 * @delivered: packets that arrived during that time
 * @inflight: packets that are outstanding, of requests and responses
 * @acked: packets that have arrived since the last call
 * @lost: packets that were sent again since then
 * @cnps: congestion notifications since then: CNPs of the peer, and packets of responses that a
 *	switch has marked
 * @again: 1: packets were sent again meanwhile: @rtt may be that of two attempts
 * @limited: 1: since then something waited for the window or for the rate
 */
struct xroce_cc_ack {
	__u64 now;
	__u32 rtt;
	__u32 delivered;
	__u32 inflight;
	__u32 acked;
	__u32 lost;
	__u32 cnps;
	__u8 again;
	__u8 limited;
};

/**
 * struct xroce_cc - what an algorithm sees of a connection, and says
 * @priv: its own; 0 at the beginning
 * @rate: bytes a second, of payload and headers, XROCE_CC_RATE_MIN at least; 0: as fast as @cwnd
 *	allows
 * @cwnd: packets that may be outstanding, in parts of XROCE_CC_PACKET. A part of a packet counts as
 *	one: less than one packet in a round-trip time is a matter of @rate. 1 packet to
 *	XROCE_CC_WINDOW_MAX; what is written beyond that is bounded
 * @mtu: path MTU in bytes. Like those below, only for reading
 * @srtt: smoothed round-trip time in nanoseconds; 0: nothing has been measured
 * @min_rtt: shortest round-trip time of packets that were sent once, in nanoseconds; 0: there was
 *	none
 * @inflight: packets that are outstanding, of requests and responses
 */
struct xroce_cc {
	__u64 priv[8];
	__u64 rate;
	__u32 cwnd;
	__u32 mtu;
	__u32 srtt;
	__u32 min_rtt;
	__u32 inflight;
};

/**
 * struct xroce_cc_ops - an algorithm
 * @init: a connection begins, or changes to this algorithm. All that it writes is 0
 * @release: a connection ends, or changes to another algorithm; may be NULL
 * @ack: a round-trip time has been measured
 * @loss: see enum xroce_cc_loss; @now is in nanoseconds of CLOCK_MONOTONIC; may be NULL
 * @cnp: CNPs have arrived, or marked responses; it precedes @ack, in
 *	which they count, too; may be NULL
 * @flags: XROCE_CC_ECN, XROCE_CC_PARTS
 * @name: name, of letters, digits, '_', '-' and '.'
 */
struct xroce_cc_ops {
	void (*init)(struct xroce_cc *cc);
	void (*release)(struct xroce_cc *cc);
	void (*ack)(struct xroce_cc *cc, const struct xroce_cc_ack *ack);
	void (*loss)(struct xroce_cc *cc, __u32 how, __u64 now);
	void (*cnp)(struct xroce_cc *cc, __u64 now);
	__u32 flags;
	char name[XROCE_CC_NAME_MAX];
};

#endif
