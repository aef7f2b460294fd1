/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Congestion control of a connection. An algorithm hears of each measured round-trip time, what
 * arrived and what was lost meanwhile, and says how much may be outstanding and at which rate it is
 * sent. It bounds request packets, and packets of READ responses, both of which the requester
 * causes. Retransmission does not depend on it: requester.h, resend.h.
 *
 * The lock of the send side is held for all functions.
 */
#ifndef _XR_SEND_CC_H
#define _XR_SEND_CC_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "cc_ops.h"

struct xr_send;

void xr_cc_start(struct xr_send *s, u32 mtu);
void xr_cc_measured(struct xr_send *s);
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
