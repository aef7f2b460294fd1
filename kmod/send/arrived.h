/* SPDX-License-Identifier: GPL-2.0-only */
/* What has arrived out of order: score.h, holes.h. */
#ifndef _XR_SEND_ARRIVED_H
#define _XR_SEND_ARRIVED_H

#include <linux/bitops.h>
#include <linux/types.h>

/* PSNs from xr_send::una on that can be marked: the longest distance of a packet from a hole. */
#define XR_SCORE_PSNS	8192u

/* Requests that are missed by the peer and remembered. */
#define XR_HOLES		256u

/* Times of arrivals that are remembered. */
#define XR_SCORE_MARKS	16u

/**
 * struct xr_score_seen - the packets that have arrived out of order
 * @has: a bit for each PSN, modulo XR_SCORE_PSNS. Those of PSNs outside of xr_send::una to
 *	xr_score::high are 0
 * @mark: a ring
 * @mark.psn: what xr_score::high became about that time
 * @mark.at: the time, in nanoseconds of CLOCK_MONOTONIC
 * @marks: marks set since the first hole appeared
 * @hole: request packets that the peer misses or has missed, in the order of their PSNs: holes.h
 * @hole.psn: PSN of the packet
 * @hole.tries: times that it was sent again, modulo 256
 * @hole.top: what xr_send::top was when it was sent again: what is beyond was sent later
 * @hole.at: when that was, in nanoseconds of CLOCK_MONOTONIC; 0: it is to be sent again
 * @holes: their number
 * @due: those that are to be sent again
 */
struct xr_score_seen {
	unsigned long has[BITS_TO_LONGS(XR_SCORE_PSNS)];
	struct {
		u32 psn;
		u64 at;
	} mark[XR_SCORE_MARKS];
	u32 marks;
	struct {
		u32 psn : 24;
		u32 tries : 8;
		u32 top;
		u64 at;
	} hole[XR_HOLES];
	u32 holes;
	u32 due;
};

/**
 * enum xr_origin - what a packet of a response is a response to
 * @XR_ORIGIN_UNKNOWN: that cannot be told
 * @XR_ORIGIN_LATE: the first request
 * @XR_ORIGIN_AGAIN: a request for what was missing
 */
enum xr_origin {
	XR_ORIGIN_UNKNOWN,
	XR_ORIGIN_LATE,
	XR_ORIGIN_AGAIN,
};

/**
 * struct xr_score - what has arrived out of order
 * @seen: the packets; NULL until there is one
 * @open: there are holes; otherwise the rest has no meaning, except @seen and @reorder
 * @responses: bits set for packets of responses
 * @requests: bits set for request packets
 * @high: PSN after the last one that has arrived
 * @proof: PSN after the last one that would not have arrived before those in the holes, but for
 *	reordering; not beyond @high. Others the peer only keeps, and says itself what is lost
 * @lost: holes before it count as lost; not beyond @high
 * @next: holes before it have been sent again, except with @waits; not beyond @lost
 * @waits: some holes before @next have not been sent again, because an earlier hole of the same
 *	response is yet to be filled; then @next goes back to xr_send::una
 * @acked: all request packets before it are noted
 * @until: what @high was at @since
 * @credit: packets that may still be sent again: xr_send::window when holes appear, or are sent
 *	once more, and what fills holes
 * @since: when the oldest hole that does not count as lost appeared, in nanoseconds of
 *	CLOCK_MONOTONIC; 0: there is none
 * @scan: when a hole was last sent again; 0: none was
 * @scan_top: what xr_send::top was at that time
 * @sent: when the hole at xr_send::una was sent again; 0: it was not
 * @again: PSN with which that began
 * @single: that was one packet
 * @origin: of the packet that is due
 * @exact: @sent is the time itself; otherwise it was then or before
 * @top: what xr_send::top was at @sent
 * @late: five quarters of the time that the last hole that was sent again has existed
 * @stale: what xroce_qp::req_stale was when that hole was filled
 * @reorder: time after which a hole counts as lost, in nanoseconds
 * @sure: the last hole that was sent again had been lost indeed
 */
struct xr_score {
	struct xr_score_seen *seen;
	bool open;
	bool sure;
	u32 responses;
	u32 requests;
	u32 high;
	u32 proof;
	u32 lost;
	u32 next;
	bool waits;
	u32 acked;
	u32 until;
	u32 credit;
	u64 since;
	u64 scan;
	u32 scan_top;
	u32 top;
	u64 sent;
	u32 again;
	bool single;
	u8 origin;
	bool exact;
	u64 late;
	u32 stale;
	u64 reorder;
};

#endif
