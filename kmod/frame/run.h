/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Running the XDP program of a link on a frame that the module has kept: a deferred one, or one of
 * the link to itself. In softirq, under RCU.
 */
#ifndef _XR_FRAME_RUN_H
#define _XR_FRAME_RUN_H

#include <linux/types.h>
#include <net/xdp.h>

struct bpf_prog;
struct net_device;

/**
 * struct xr_run - a frame that the program is run on
 * @xdp: the frame, which the program may move and resize
 * @rxq: what @xdp has to name
 */
struct xr_run {
	struct xdp_buff xdp;
	struct xdp_rxq_info rxq;
};

void xr_run_open(struct xr_run *run, struct xdp_frame *frame, struct net_device *dev);
u32 xr_run_prog(struct xr_run *run, struct bpf_prog *prog);
struct xdp_frame *xr_run_response(struct xr_run *run, u32 act);
void xr_run_free(struct xr_run *run);

#endif
