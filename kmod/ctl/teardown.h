/* SPDX-License-Identifier: GPL-2.0-only */
/* Destroying the objects of files and links, and links. */
#ifndef _XR_TEARDOWN_H
#define _XR_TEARDOWN_H

#include <linux/types.h>

struct xr_link;
struct xr_owner;

void xr_teardown(struct xr_link *link, struct xr_owner *own);
int xr_teardown_link(u32 id, bool force);
void xr_teardown_links(void);

#endif
