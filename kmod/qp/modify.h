/* SPDX-License-Identifier: GPL-2.0-only */
/* Modifying queue pairs: see attr.h. */
#ifndef _XR_QP_MODIFY_H
#define _XR_QP_MODIFY_H

#include <linux/types.h>

struct xr_link;
struct xr_owner;
struct xr_qp_attr;

int xr_qp_modify(struct xr_link *link, struct xr_owner *caller, u32 qpn,
		 const struct xr_qp_attr *a);

#endif
