/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Congestion notification packets (IBTA A17.9). They go out with the responses of a
 * queue pair (response.h) but are none: nothing waits for them.
 */
#ifndef _XR_CNP_H
#define _XR_CNP_H

#include <linux/types.h>

struct xr_qp;

int xr_cnp_queue(struct xr_qp *qp, const void *l2, u32 l2_len);

#endif
