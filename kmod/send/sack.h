/* SPDX-License-Identifier: GPL-2.0-only */
/* Selective acknowledgements of the peer (struct xroce_sack). */
#ifndef _XR_SEND_SACK_H
#define _XR_SEND_SACK_H

#include <linux/types.h>

struct xdp_buff;
struct xr_qp;

bool xr_sack_note(struct xr_qp *qp, u32 psn, struct xdp_buff *xdp, u32 off);

#endif
