// SPDX-License-Identifier: GPL-2.0-only
/* Congestion notification packets and their pacing. */
#include <linux/ktime.h>
#include <linux/module.h>

#include "xroce_wire.h"

#include "qp/qp.h"

#include "cnp.h"
#include "queue.h"

/* A sender that reacts needs no more; DCQCN uses 50 as well. */
static unsigned int cnp_interval = 50;
module_param(cnp_interval, uint, 0644);
MODULE_PARM_DESC(cnp_interval,
		 "microseconds between congestion notifications of a queue pair");

/*
 * True if the requester slows down its peer itself: the packet is one that it has asked for, and
 * its algorithm hears of marks. A responder that paces as well would be slowed down twice.
 */
static bool xr_cnp_heard(const struct xr_qp *qp, u8 opcode)
{
	return opcode >= XROCE_RC_READ_RESPONSE_FIRST && opcode <= XROCE_RC_READ_RESPONSE_ONLY &&
	       READ_ONCE(qp->send.listens);
}

/**
 * xr_cnp_queue() - queue a congestion notification
 * @qp: the queue pair that received a marked packet
 * @l2: Ethernet header of the packet
 * @l2_len: its length in bytes, ETH_HLEN to XR_TX_L2_MAX
 * @opcode: of the packet
 *
 * In softirq.
 *
 * Return: 0; -EAGAIN: one is queued already, the interval has not passed, or the peer need not be
 * told; -ENOENT: the queue pair is not connected, or is being destroyed.
 */
int xr_cnp_queue(struct xr_qp *qp, const void *l2, u32 l2_len, u8 opcode)
{
	struct xr_responses *rs = &qp->responses;
	u64 now = ktime_get_ns();
	int ret = 0;

	spin_lock(&rs->lock);
	if (!rs->active) {
		ret = -ENOENT;
	} else if (rs->cnp || now < rs->cnp_next || xr_cnp_heard(qp, opcode)) {
		ret = -EAGAIN;
	} else {
		rs->cnp = true;
		rs->cnp_next = now + (u64)READ_ONCE(cnp_interval) * NSEC_PER_USEC;
		xr_responses_start(qp, l2, l2_len);
	}
	spin_unlock(&rs->lock);
	return ret;
}
