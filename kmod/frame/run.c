// SPDX-License-Identifier: GPL-2.0-only
/* Running the XDP program on a frame that the module has kept: see run.h. */
#include <linux/filter.h>
#include <linux/netdevice.h>

#include "pages.h"
#include "run.h"

/**
 * xr_run_open() - prepare a frame
 * @run: filled in
 * @frame: the frame; from now on @run has it
 * @dev: the device on which it arrives
 */
void xr_run_open(struct xr_run *run, struct xdp_frame *frame, struct net_device *dev)
{
	run->rxq = (struct xdp_rxq_info){
		.dev = dev,
		.mem = frame->mem,
	};
	run->xdp.rxq = &run->rxq;
	xdp_convert_frame_to_buff(frame, &run->xdp);
}

/* Return: XDP_*. */
u32 xr_run_prog(struct xr_run *run, struct bpf_prog *prog)
{
	struct bpf_net_context ctx, *old = bpf_net_ctx_set(&ctx);
	u32 act = bpf_prog_run(prog, &run->xdp);

	bpf_net_ctx_clear(old);
	return act;
}

/* Return: the frame of the response, which now is the caller's; NULL: xr_run_free() frees it. */
struct xdp_frame *xr_run_response(struct xr_run *run, u32 act)
{
	return act == XDP_TX ? xdp_convert_buff_to_frame(&run->xdp) : NULL;
}

void xr_run_free(struct xr_run *run)
{
	xr_pages_free(&run->xdp);
}
