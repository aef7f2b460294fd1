/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames that wait until they can be executed, one queue for each queue pair.
 *
 * The first frame is one whose access has missed on-demand memory: an RNR NAK costs the peer
 * milliseconds, a page fault takes microseconds. Or, on RC, a packet before it is missing: early.h.
 * Later frames wait behind it, so that the order is kept; xroce_qp::deferred tells the XDP program
 * to defer them. Once the memory is resident, or the packet has come, a work item in softirq runs
 * the program on the frames in order, as if they had just arrived: all checks are made again.
 *
 * On RC, a frame that misses and cannot be deferred, or that has waited for too long, is answered
 * with an RNR NAK. A frame for which there is no room behind one that waits for memory is dropped
 * (drop_defer), and those that follow, too.
 * Their number is limited: limit.h (queue pair), own/limit.h (user, link), own/charge.c
 * (charged).
 */
#ifndef _XR_DEFER_DEFER_H
#define _XR_DEFER_DEFER_H

#include <linux/types.h>

struct xdp_buff;
struct xr_defer;
struct xr_odp_miss;
struct xr_qp;

void xr_defer_init(struct xr_defer *k);
void xr_defer_open(struct xr_defer *k);
void xr_defer_close(struct xr_qp *qp);
int xr_defer_missed(struct xr_qp *qp, const struct xr_odp_miss *miss,
		   struct xdp_buff *xdp);
int xr_defer_behind(struct xr_qp *qp, struct xdp_buff *xdp, bool busy);
int xr_defer_early(struct xr_qp *qp, struct xdp_buff *xdp);
void xr_defer_again(struct xr_qp *qp, struct xdp_buff *xdp);

#endif
