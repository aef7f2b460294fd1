/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames deferred while on-demand memory is brought in, one queue for each queue pair. An
 * RNR NAK costs the peer milliseconds, a page fault takes microseconds.
 *
 * The first frame is one whose access has missed. Later frames wait behind it, so that the
 * order is kept; xroce_qp::deferred tells the XDP program to defer them. Once the memory is
 * resident, a work item in softirq runs the program on the frames in order, as if they had
 * just arrived: all checks are made again. On RC, a frame that misses and cannot be deferred,
 * or that has waited for too long, is answered with an RNR NAK. A frame for which there is no
 * room behind others is dropped (drop_defer).
 */
#ifndef _XR_ODP_DEFER_H
#define _XR_ODP_DEFER_H

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
