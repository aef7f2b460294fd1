// SPDX-License-Identifier: GPL-2.0-only
/* Selective acknowledgements: see sack.h. */
#include "qp/qp.h"

#include "queue.h"
#include "sack.h"

/**
 * xr_sack_queue() - send a selective acknowledgement soon
 * @qp: queue pair, RC
 * @l2: Ethernet header of a request
 * @l2_len: its length in bytes, ETH_HLEN to XR_TX_L2_MAX
 *
 * In softirq. It is made when it is sent, of what is there then.
 */
void xr_sack_queue(struct xr_qp *qp, const void *l2, u32 l2_len)
{
	struct xr_responses *rs = &qp->responses;

	spin_lock(&rs->lock);
	if (rs->active) {
		rs->sack = true;
		xr_responses_start(qp, l2, l2_len);
	}
	spin_unlock(&rs->lock);
}
