/* SPDX-License-Identifier: GPL-2.0-only */
/* Multicast datagrams: a copy for each member of the group. */
#ifndef _XR_DATA_MCAST_H
#define _XR_DATA_MCAST_H

struct xdp_buff;
struct xroce_recv;

int xr_mcast_packet(struct xdp_buff *xdp, const struct xroce_recv *r);

#endif
