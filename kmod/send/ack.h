/* SPDX-License-Identifier: GPL-2.0-only */
/* Responses to the requests of a queue pair (IBTA 9.7.5.1, 9.7.5.2). */
#ifndef _XR_SEND_ACK_H
#define _XR_SEND_ACK_H

struct xdp_buff;
struct xroce_ack;

int xr_ack_packet(struct xdp_buff *xdp, const struct xroce_ack *a);
int xr_ack_checked(struct xdp_buff *xdp, const struct xroce_ack *a);

#endif
