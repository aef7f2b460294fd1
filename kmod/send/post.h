/* SPDX-License-Identifier: GPL-2.0-only */
/* The doorbell of send queues of /dev/xroce (QP_SEND). */
#ifndef _XR_SEND_POST_H
#define _XR_SEND_POST_H

#include <linux/types.h>

struct xr_link;
struct xr_owner;

int xr_post_send(struct xr_link *link, const struct xr_owner *caller, u32 qpn);

#endif
