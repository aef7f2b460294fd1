/* SPDX-License-Identifier: GPL-2.0-only */
/* Selective acknowledgements, one at a time for each queue pair: see defer/early.h. */
#ifndef _XR_RESPOND_SACK_H
#define _XR_RESPOND_SACK_H

#include <linux/types.h>

struct xr_qp;

void xr_sack_queue(struct xr_qp *qp, const void *l2, u32 l2_len);

#endif
