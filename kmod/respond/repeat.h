/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pacing of READ responses that are sent again. A requester that takes responses only in order
 * asks for everything from the first one that is missing, as soon as another shows that. If it was
 * only late, the requester goes on with what comes, and soon asks from another one on. Each time
 * all that is outstanding would be sent again, in vain, and fill the path: the more of it is under
 * way, the more a response that overtakes others is ahead of them.
 *
 * A repetition is in vain for certain if the peer goes on behind what it has sent so far: what is
 * between was late. From then on there is a gap between packets that are sent again, which doubles
 * each time. So they wait in the queue, where later requests for them add nothing. The gap shrinks
 * with each repetition that is not shown to be in vain. Responses that are sent for the first time
 * are not paced, and losses alone do not lead to a gap.
 */
#ifndef _XR_RESPOND_REPEAT_H
#define _XR_RESPOND_REPEAT_H

#include <linux/types.h>

/**
 * struct xr_repeat - pacing of the READ responses of a queue pair that are sent again
 * @gap: between packets, in nanoseconds; 0: none
 * @next: when the next packet may be sent, in nanoseconds of CLOCK_MONOTONIC
 * @heard: when the peer last showed that a response was late, likewise
 *
 * Protected by xr_responses::lock.
 */
struct xr_repeat {
	u32 gap;
	u64 next;
	u64 heard;
};

void xr_repeat_vain(struct xr_repeat *rp);
void xr_repeat_more(struct xr_repeat *rp);
u64 xr_repeat_wait(struct xr_repeat *rp);
u64 xr_repeat_rate(const struct xr_repeat *rp, u32 mtu);
void xr_repeat_sent(struct xr_repeat *rp);

#endif
