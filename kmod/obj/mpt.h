/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing the map "mpt", from which the XDP program judges keys. */
#ifndef _XR_MPT_H
#define _XR_MPT_H

#include <linux/types.h>

struct bpf_map;
struct xroce_mpt;

struct xroce_mpt *xr_mpt_entry(struct bpf_map *map, u32 index);
void xr_mpt_put_mr(struct xroce_mpt *m, const struct xroce_mpt *mr);
void xr_mpt_put_mw(struct xroce_mpt *m, const struct xroce_mpt *mw);
void xr_mpt_stop(struct xroce_mpt *m);
void xr_mpt_clear(struct xroce_mpt *m);

#endif
