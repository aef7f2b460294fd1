/* SPDX-License-Identifier: GPL-2.0-only */
/* Checking and setting the attributes of a requester. */
#ifndef _XR_SEND_ATTR_SET_H
#define _XR_SEND_ATTR_SET_H

#include <linux/types.h>

struct xr_qp;
struct xr_send_attr;

bool xr_send_attr_ok(const struct xr_send_attr *a);
void xr_send_set(struct xr_qp *qp, const struct xr_send_attr *attr);

#endif
