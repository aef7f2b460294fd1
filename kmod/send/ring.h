/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The send queue of a queue pair of XR_FORMAT_OWN, as the program sees it: a ring of struct
 * xroce_send_wqe. post.c copies what is posted to the send queue proper (send/queue.h).
 */
#ifndef _XR_SEND_RING_H
#define _XR_SEND_RING_H

struct xr_link;
struct xr_qp;
struct xroce_qp_add;

int xr_send_ring_init(struct xr_qp *qp, const struct xroce_qp_add *a);
int xr_send_ring_join(struct xr_link *link, struct xr_qp *qp, struct xroce_qp_add *a);
void xr_send_ring_leave(struct xr_qp *qp);
void xr_send_ring_free(struct xr_qp *qp);

#endif
