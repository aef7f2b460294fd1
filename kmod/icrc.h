/* SPDX-License-Identifier: GPL-2.0-only */
/* The invariant CRC (IBTA 7.8.1, A17.3.3). */
#ifndef _XR_ICRC_H
#define _XR_ICRC_H

#include <linux/types.h>

struct xdp_buff;

int xr_icrc(struct xdp_buff *xdp, u32 l3, u32 end, u32 *crc);
int xr_icrc_check(struct xdp_buff *xdp, u32 l3, u32 end);
int xr_icrc_put(struct xdp_buff *xdp, u32 l3, u32 end);

#endif
