/* SPDX-License-Identifier: GPL-2.0-only */
/* Multicast datagrams: a copy for each member of the group. */
#ifndef _XR_RECV_MCAST_H
#define _XR_RECV_MCAST_H

#include <linux/types.h>

struct xdp_buff;
struct xr_link;
struct xroce_recv;

bool xr_mcast_has_member(const struct xr_link *link, const struct xdp_buff *xdp, u32 l3);
int xr_mcast_packet(struct xdp_buff *xdp, const struct xroce_recv *r);

#endif
