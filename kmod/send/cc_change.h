/* SPDX-License-Identifier: GPL-2.0-only */
/* Changing the algorithm of congestion control of a connection, under traffic. */
#ifndef _XR_SEND_CC_CHANGE_H
#define _XR_SEND_CC_CHANGE_H

#include <linux/types.h>

#include "cc_list.h"

struct xr_link;
struct xr_owner;

int xr_cc_change(struct xr_link *link, const struct xr_owner *caller, u32 qpn, const char *name);
xr_cc_evict_fn xr_cc_change_if;

#endif
