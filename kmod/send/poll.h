/* SPDX-License-Identifier: GPL-2.0-only */
/* Looking for work requests that programs have posted without ringing a doorbell. See poll.c. */
#ifndef _XR_SEND_POLL_H
#define _XR_SEND_POLL_H

#include <linux/types.h>

struct xr_link;
struct xr_owner;

bool xr_poll_round(struct xr_link *link, struct xr_owner *own);

#endif
