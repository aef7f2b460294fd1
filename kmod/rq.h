/* SPDX-License-Identifier: GPL-2.0-only */
/* Receive queues: rings that programs write, of one queue pair or shared. */
#ifndef _XR_RQ_H
#define _XR_RQ_H

#include <linux/types.h>

#include "uapi/xroce.h"

#include "ring.h"

/**
 * struct xr_wqe - a receive work request, copied out of the program's reach
 * @wr_id: the program's
 * @num_sge: elements of @sge that count
 * @sge: where to put the message
 */
struct xr_wqe {
	u64 wr_id;
	u32 num_sge;
	struct xroce_sge_local sge[XROCE_RQ_SGE_MAX];
};

/**
 * struct xr_rq - receive queue
 * @mask: number of entries, less one
 * @max_sge: elements in an entry
 * @head: index of the next entry to take
 * @ring: the entries; without memory there is no queue
 *
 * @head is under a lock of who uses it.
 */
struct xr_rq {
	u32 mask;
	u32 max_sge;
	u32 head;
	struct xr_ring ring;
};

int xr_rq_init(struct xr_rq *rq, u32 entries, u32 max_sge);
u32 xr_rq_count(const struct xr_rq *rq);
int xr_rq_take(struct xr_rq *rq, struct xr_wqe *wqe);
void xr_rq_forget(struct xr_rq *rq);

#endif
