/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing the map "mpt", from which the XDP program judges keys. */
#ifndef _XR_MPT_H
#define _XR_MPT_H

#include <linux/types.h>

struct xr_link;
struct xr_mr;

void xr_mpt_set_mr(struct xr_link *link, const struct xr_mr *mr);
void xr_mpt_clear(struct xr_link *link, u32 index);

#endif
