/* SPDX-License-Identifier: GPL-2.0-only */
/* Receiving messages of a queue pair into its receive work requests. */
#ifndef _XR_RECV_MESSAGE_H
#define _XR_RECV_MESSAGE_H

struct xdp_buff;
struct xroce_recv;

int xr_recv_packet(struct xdp_buff *xdp, const struct xroce_recv *r);

#endif
