/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing the map "mpt", from which the XDP program judges keys. */
#ifndef _XR_MPT_H
#define _XR_MPT_H

#include <linux/types.h>

struct xr_link;
struct xr_mr;
struct xr_mw;
struct xroce_mpt;

void xr_mpt_set_mr(struct xr_link *link, const struct xr_mr *mr);
struct xroce_mpt *xr_mpt_entry(const struct xr_link *link, u32 index);
void xr_mpt_bind_mw(const struct xr_mw *mw);
void xr_mpt_stop_mw(const struct xr_mw *mw);
void xr_mpt_unbind_mw(const struct xr_mw *mw);
void xr_mpt_clear(struct xr_link *link, u32 index);

#endif
