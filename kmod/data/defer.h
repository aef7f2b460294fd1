/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames deferred while on-demand memory is brought in, a queue for each queue
 * pair. To tell the peer to come again costs it milliseconds, the fault itself
 * takes microseconds.
 *
 * The first frame is one whose access has missed; those that come after it wait
 * behind it, so that the order is kept (xroce_qp::kept says so to the XDP
 * program). When the memory is there, a work item in softirq runs the program on
 * them, one after the other, as if they came only now: nothing has been decided
 * about them before, and every check is made again. What cannot be kept, or has
 * been kept for too long, is answered with an RNR NAK.
 */
#ifndef _XR_DEFER_H
#define _XR_DEFER_H

#include <linux/types.h>

struct xdp_buff;
struct xr_defer;
struct xr_odp_miss;
struct xr_qp;

void xr_defer_init(struct xr_defer *k);
void xr_defer_open(struct xr_defer *k);
void xr_defer_close(struct xr_qp *qp);
void xr_defer_free(struct xr_defer *k);
int xr_defer_missed(struct xr_qp *qp, const struct xr_odp_miss *miss,
		   struct xdp_buff *xdp);
int xr_defer_behind(struct xr_qp *qp, struct xdp_buff *xdp, bool busy);

#endif
