/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The round-trip time of a connection, and the window that follows from it. One packet at a time is
 * timed, one of XR_RTT_EVERY, so that the clock is rarely read. If it is sent again meanwhile, the
 * time is only an upper limit (Karn). The local ACK timeout does not follow from it (state.c), but
 * ends no earlier.
 *
 * The window is five quarters of the product of the shortest round-trip time and of the rate at
 * which packets are acknowledged, so that hardly any wait in a queue, but not less than
 * XR_SEND_WINDOW_MIN: on a fast link batches matter more. It shrinks only while packets wait in a
 * queue, that is, take one and a half times the shortest time.
 *
 * The lock of the send side is held for all functions.
 */
#ifndef _XR_SEND_RTT_H
#define _XR_SEND_RTT_H

#include <linux/compiler.h>
#include <linux/types.h>

/*
 * Request packets of a queue pair that are sent and not acknowledged, and packets of READ responses
 * that are requested: before anything is known of the network, and whatever it is.
 */
#define XR_SEND_WINDOW		128u
#define XR_SEND_WINDOW_MIN	32u
#define XR_SEND_WINDOW_MAX	8192u

#define XR_RTT_EVERY	16u

/**
 * struct xr_rtt - the round-trip time, in nanoseconds
 * @srtt: smoothed; 0: nothing is known
 * @var: smoothed deviation from it
 * @min: shortest of the last XR_RTT_MIN_AGE nanoseconds, or more
 * @min_at: when that was, in nanoseconds of CLOCK_MONOTONIC
 * @window: packets that may be outstanding while nothing is lost, XR_SEND_WINDOW_MIN to
 *	XR_SEND_WINDOW_MAX
 * @timing: a packet is being timed
 * @again: it has been sent again
 * @psn: its PSN
 * @at: when it was sent
 * @before: @delivered at that time
 * @delivered: packets acknowledged, or received of responses, so far
 * @refused: @delivered at the last NAK for a sequence error
 */
struct xr_rtt {
	u32 srtt;
	u32 var;
	u32 min;
	u64 min_at;
	u32 window;
	bool timing;
	bool again;
	u32 psn;
	u64 at;
	u32 before;
	u32 delivered;
	u32 refused;
};

/* Whether one of the @packets of a request, or of the response to it, is one of XR_RTT_EVERY. */
static inline bool xr_rtt_sample(u32 psn, u32 packets)
{
	return (psn + packets - 1) / XR_RTT_EVERY != (psn - 1) / XR_RTT_EVERY;
}

void xr_rtt_start(struct xr_rtt *r, u32 psn);
void xr_rtt_end(struct xr_rtt *r);
void xr_rtt_again(struct xr_rtt *r, u32 psn, u32 n);
void xr_rtt_reset(struct xr_rtt *r);
u64 xr_rtt_timeout(const struct xr_rtt *r);
unsigned long xr_rtt_ticks(const struct xr_rtt *r);

#endif
