/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The round-trip time of a connection. One packet at a time is timed that asks for a response, one
 * of xr_cc::every, so that the clock is rarely read. If it is sent again meanwhile, the time is
 * only an upper limit (Karn). The local ACK timeout does not follow from it (attr_set.c), but
 * ends no earlier. The window that follows from it: cc.h.
 *
 * The lock of the send side is held for all functions.
 */
#ifndef _XR_SEND_RTT_H
#define _XR_SEND_RTT_H

#include <linux/types.h>

/**
 * struct xr_rtt - the round-trip time, in nanoseconds
 * @srtt: smoothed; 0: nothing is known
 * @var: smoothed deviation from it
 * @min: shortest of the last XR_RTT_MIN_AGE nanoseconds, or more, of packets that were sent once;
 *	0: there was none
 * @run: packets that arrive between two NAKs for a sequence error, smoothed; 0: there was none
 * @min_at: when @min was measured, in nanoseconds of CLOCK_MONOTONIC
 * @timing: a packet is being timed
 * @again: it has been sent again
 * @psn: its PSN, or that of the last one
 * @at: when it was sent
 * @before: @delivered at that time
 * @delivered: packets acknowledged, or received of responses, so far
 * @refused: @delivered at the last NAK for a sequence error
 */
struct xr_rtt {
	u32 srtt;
	u32 var;
	u32 min;
	u32 run;
	u64 min_at;
	bool timing;
	bool again;
	u32 psn;
	u64 at;
	u32 before;
	u32 delivered;
	u32 refused;
};

void xr_rtt_start(struct xr_rtt *r, u32 psn);
u32 xr_rtt_end(struct xr_rtt *r);
void xr_rtt_again(struct xr_rtt *r, u32 psn, u32 n);
void xr_rtt_reset(struct xr_rtt *r);
u64 xr_rtt_timeout(const struct xr_rtt *r);
unsigned long xr_rtt_ticks(const struct xr_rtt *r);

#endif
