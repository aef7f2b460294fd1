/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The receive side of a queue pair: connecting it to its queues, starting and stopping it,
 * flushing posted work requests. recv/message.c receives the messages.
 */
#ifndef _XR_RECV_QUEUE_H
#define _XR_RECV_QUEUE_H

#include <linux/types.h>

#include "obj/ring.h"

struct xr_cq;
struct xr_link;
struct xr_qp;
struct xr_recv;
struct xroce_qp_add;

int xr_recv_queues_init(void);
void xr_recv_queues_exit(void);
int xr_recv_init(struct xr_recv *v, enum xr_format format, const struct xroce_qp_add *a);
int xr_recv_join(struct xr_link *link, struct xr_qp *qp,
		 struct xroce_qp_add *a);
void xr_recv_leave(struct xr_qp *qp);
void xr_recv_free(struct xr_recv *v);

void xr_recv_start(struct xr_qp *qp);
void xr_recv_reset(struct xr_qp *qp);
void xr_recv_stop(struct xr_qp *qp);
void xr_recv_close(struct xr_qp *qp);
void xr_recv_posted(struct xr_qp *qp);
void xr_recv_settle_cq(struct xr_link *link, struct xr_cq *cq);
int xr_recv_error(struct xr_qp *qp, u32 status);

#endif
