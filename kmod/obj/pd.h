/* SPDX-License-Identifier: GPL-2.0-only */
/* Protection domains (IBTA 10.2.3). */
#ifndef _XR_PD_H
#define _XR_PD_H

#include <linux/list.h>
#include <linux/types.h>

#include "own/limit.h"

struct xr_link;
struct xr_owner;
struct xroce_pd_query;

/**
 * struct xr_pd - protection domain
 * @id: its number on the link, from 1
 * @mrs: number of regions that are members
 * @qps: number of queue pairs that are members
 * @srqs: number of shared receive queues that are members
 * @mws: number of windows that are members
 * @windows: list of these windows
 * @owner: owner
 * @node: in @owner's list
 * @charge: its charge against limits
 *
 * @id and @owner do not change. The other fields are under the link's lock.
 */
struct xr_pd {
	u32 id;
	u32 mrs;
	u32 qps;
	u32 srqs;
	u32 mws;
	struct list_head windows;
	struct xr_owner *owner;
	struct list_head node;
	struct xr_charge charge;
};

int xr_pd_create(struct xr_link *link, struct xr_owner *owner, u32 *id);
int xr_pd_delete(struct xr_link *link, struct xr_owner *caller, u32 id);
void xr_pd_destroy(struct xr_link *link, struct xr_pd *pd);
int xr_pd_query(struct xr_link *link, struct xr_owner *caller, struct xroce_pd_query *q);
struct xr_pd *xr_pd_find(struct xr_link *link, const struct xr_owner *caller,
			 const struct xr_owner *owner, u32 id);

#endif
