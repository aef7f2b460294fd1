// SPDX-License-Identifier: GPL-2.0-only
/* Selective acknowledgements: see sack.h. */
#include "xroce_wire.h"

#include "defer/early.h"
#include "frame/tx.h"
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

/*
 * Build the one that waits, unless there is no hole any more. The lock of the responses is held, and
 * there is room in the batch. Return: 0 or -ENOMEM.
 */
int xr_sack_build(struct xr_qp *qp)
{
	struct xr_responses *rs = &qp->responses;
	struct xroce_sack sack;
	struct xr_tx_packet p = {
		.l2 = rs->l2,
		.l2_len = rs->l2_len,
		.opcode = XROCE_OP_SACK,
		.syndrome = XROCE_SYN_NAK_SEQ,
		.sack = &sack,
	};
	int ret = 0;

	if (xr_early_sack(qp, &sack, &p.psn, &p.msn))
		ret = xr_tx_build(&rs->batch, qp, &p);
	if (!ret)
		rs->sack = false;
	return ret;
}
