/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Local operations (IBTA 10.8.2, 10.6.5): BIND_MW, LOCAL_INV, and REG_MR of consumers in the
 * kernel. The requester executes them in their place among the requests, under the lock of the
 * send side.
 */
#ifndef _XR_SEND_LOCAL_H
#define _XR_SEND_LOCAL_H

#include <linux/types.h>

struct xr_qp;
struct xr_swqe;

u32 xr_local_execute(struct xr_qp *qp, const struct xr_swqe *w);
bool xr_local_waits(const struct xr_qp *qp, const struct xr_swqe *w);

#endif
