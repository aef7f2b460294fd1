/* SPDX-License-Identifier: GPL-2.0-only */
/* Binding and invalidating windows by ioctl. */
#ifndef _XR_BIND_H
#define _XR_BIND_H

struct xr_link;
struct xr_owner;
struct xroce_mw_bind;
struct xroce_mw_inval;

int xr_mw_do_bind(struct xr_link *link, struct xr_owner *caller,
		  struct xroce_mw_bind *a);
int xr_mw_do_inval(struct xr_link *link, struct xr_owner *caller,
		   const struct xroce_mw_inval *a);

#endif
