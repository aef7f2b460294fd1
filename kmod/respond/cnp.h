/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Congestion notification packets (IBTA A17.9). The tasklet that sends the responses of a
 * queue pair (respond/queue.h) sends them, before all queued responses.
 */
#ifndef _XR_RESPOND_CNP_H
#define _XR_RESPOND_CNP_H

#include <linux/types.h>

struct xr_qp;

int xr_cnp_queue(struct xr_qp *qp, const void *l2, u32 l2_len, u8 opcode);

#endif
