/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A front end of a link other than /dev/xroce: a verbs device. It uses the link, so that the
 * link stays, until the link is deleted: then the front end is asked to go.
 */
#ifndef _XR_FRONT_H
#define _XR_FRONT_H

#include "link.h"

int xr_front_attach(struct xr_front *front, struct net_device *dev,
		    const struct xr_owner_ops *ops);
void xr_front_detach(struct xr_front *front);
void xr_front_rename(struct xr_front *front, const char *name);
int xr_front_remove(u32 link, bool force);

#endif
