/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pacing of READ responses. A requester that receives marked responses sends congestion
 * notifications, and the responder cuts its rate as DCQCN does (send/cc_dcqcn.c), which is what the
 * responders of other devices do. It needs to know the rate from which to cut: the first
 * notification begins to measure it, and a later one ends that. The rate then recovers, and when it
 * has reached what was measured, or after XR_PACE_CALM without notifications, the responses are
 * sent as fast as they can be again.
 *
 * A responder knows no round-trip time. In its place is the time that XR_PACE_STEP packets take at
 * the rate: as that grows with each cut, a path that is long gets few cuts before it shows an
 * effect.
 *
 * Only responses that are ECN-capable can have been marked: a notification for others means
 * nothing. Acknowledgements are not paced, but wait behind READ responses, as the order wants.
 * Whatever is told, the rate is XR_PACE_LEAST packets a second at least, and XROCE_CC_RATE_MIN: a
 * peer that floods slows down its own connection, without a local ACK timeout.
 */
#ifndef _XR_RESPOND_PACE_H
#define _XR_RESPOND_PACE_H

#include <linux/types.h>

#include "send/cc.h"

struct xr_qp;
struct xr_responses;

/**
 * struct xr_pace - pacing of a responder that has got a congestion notification
 * @cc: DCQCN, the rate, and when the next packet may be sent; the lock is that of the responses
 * @since: when it was changed, or since when the rate is measured, in nanoseconds of
 *	CLOCK_MONOTONIC
 * @cut: when it was cut last, likewise
 * @heard: when a notification came last, likewise
 * @bytes: of the responses that had been sent at @since, while the rate is measured
 * @line: the rate that was measured, in bytes a second; 0: it is being measured, and nothing is
 *	paced
 * @packets: READ responses sent since @since
 *
 * Protected by xr_responses::lock.
 */
struct xr_pace {
	struct xr_cc cc;
	u64 since;
	u64 cut;
	u64 heard;
	u64 bytes;
	u64 line;
	u32 packets;
};

void xr_pace_cnp(struct xr_qp *qp);
void xr_pace_update(struct xr_qp *qp);
void xr_pace_end(struct xr_responses *rs);
u64 xr_pace_rate(struct xr_qp *qp);

/* A packet of a READ response, of @bytes, is sent now. */
static inline void xr_pace_sent(struct xr_pace *p, u32 bytes)
{
	p->packets++;
	xr_cc_sent(&p->cc, bytes);
}

#endif
