/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Congestion control of a connection. An algorithm hears of each measured round-trip time, what
 * arrived and what was lost meanwhile, and says how much may be outstanding and at which rate it is
 * sent: xroce_cc.h. It bounds request packets, and packets of READ responses, both of which the
 * requester causes. Retransmission does not depend on it: requester.h, resend.h.
 *
 * A responder that gets congestion notifications has it, too, but measures itself (respond/pace.h):
 * xr_cc_begin(), xr_cc_tell() and pacing.
 *
 * The lock of the send side is held for all functions, for a responder that of the responses.
 */
#ifndef _XR_SEND_CC_H
#define _XR_SEND_CC_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "xroce_cc.h"

#include "cc_list.h"

struct xr_rtt;

/* Request packets after which an acknowledgement is requested at the latest. */
#define XR_SEND_ACK		32u

/* Packets that are sent at once. */
#define XR_CC_BATCH		16u

/* xr_cc::cost counts nanoseconds in parts of 1 << XR_CC_COST_SHIFT. */
#define XR_CC_COST_SHIFT	16

/**
 * struct xr_cc - congestion control of a connection
 * @ops: functions of the algorithm; NULL: the connection has not begun, or has ended
 * @user: which one that is, with a lock of its own
 * @state: its state
 * @window: packets that may be outstanding, 1 to XROCE_CC_WINDOW_MAX
 * @quarter: packets after which an acknowledgement is requested
 * @every: packets from one that is timed to the next
 * @limited: something waited since the last sample
 * @lost: packets sent again so far
 * @delivered: xr_rtt::delivered at the last sample
 * @lost_then: @lost at that time
 * @cnps: xroce_qp::req_cnps at that time
 * @cost: nanoseconds that a byte takes at the rate, in parts of 1 << XR_CC_COST_SHIFT; 0: it is not
 *	paced
 * @next: when the next packet may be sent, in nanoseconds of CLOCK_MONOTONIC
 * @clock: a time that has passed, likewise
 */
struct xr_cc {
	const struct xroce_cc_ops *ops;
	struct xr_cc_user user;
	struct xroce_cc state;
	u32 window;
	u8 quarter;
	u8 every;
	bool limited;
	u32 lost;
	u32 lost_then;
	u32 delivered;
	u32 cnps;
	u32 cost;
	u64 next;
	u64 clock;
};

void xr_cc_start(struct xr_cc *cc, const struct xr_cc_choice *choice, u32 mtu, u32 cnps);
int xr_cc_restart(struct xr_cc *cc, const char *name, const struct xr_rtt *r);
void xr_cc_begin(struct xr_cc *cc, const struct xroce_cc_ops *ops, u32 mtu);
void xr_cc_tell(struct xr_cc *cc, const struct xroce_cc_ack *a, u64 least);
void xr_cc_end(struct xr_cc *cc);
u32 xr_cc_measured(struct xr_cc *cc, struct xr_rtt *r, u32 inflight, u32 cnps, u32 window);
void xr_cc_loss(struct xr_cc *cc, enum xroce_cc_loss how, u32 packets);
u64 xr_cc_paced(struct xr_cc *cc);

/* Return: nanoseconds until packets may be sent; 0: one may be now. */
static inline u64 xr_cc_wait(struct xr_cc *cc)
{
	return likely(!cc->cost) ? 0 : xr_cc_paced(cc);
}

/* @bytes are sent now. */
static inline void xr_cc_sent(struct xr_cc *cc, u32 bytes)
{
	if (unlikely(cc->cost))
		cc->next += ((u64)bytes * cc->cost) >> XR_CC_COST_SHIFT;
}

#endif
