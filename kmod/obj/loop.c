// SPDX-License-Identifier: GPL-2.0-only
/* Frames of a link to itself: see loop.h. */
#include <linux/filter.h>
#include <linux/netdevice.h>
#include <net/xdp.h>

#include "loop.h"

/* Frames per run of the work item, before it yields to other work on this CPU. */
#define XR_LOOP_BUDGET	32

/* Add frames until there are @max. Return: as xr_loop_send(). */
static int xr_loop_add(struct xr_loop *loop, struct xdp_frame **frames, u32 n, u32 max)
{
	u32 i;

	spin_lock(&loop->lock);
	n = loop->closed || loop->count >= max ? 0 : min(n, max - loop->count);
	for (i = 0; i < n; i++)
		loop->frame[(loop->head + loop->count++) % XR_LOOP_MAX] = frames[i];
	spin_unlock(&loop->lock);
	if (n)
		queue_work(system_bh_wq, &loop->work);
	return n;
}

/**
 * xr_loop_send() - send frames to the link itself
 * @loop: of the link
 * @frames: the frames; their memory is that of data/tx.c
 * @n: number of frames
 *
 * With bottom halves off. One place is left for the response to the frame that is being executed.
 *
 * Return: number of frames that are consumed, from the first on; there is no room for the rest.
 */
int xr_loop_send(struct xr_loop *loop, struct xdp_frame **frames, u32 n)
{
	return xr_loop_add(loop, frames, n, XR_LOOP_MAX - 1);
}

static struct xdp_frame *xr_loop_take(struct xr_loop *loop)
{
	struct xdp_frame *frame = NULL;

	spin_lock(&loop->lock);
	if (loop->count) {
		frame = loop->frame[loop->head];
		loop->head = (loop->head + 1) % XR_LOOP_MAX;
		loop->count--;
	}
	spin_unlock(&loop->lock);
	return frame;
}

/* Run the XDP program on a frame. A response that it makes is another frame to the link. */
static void xr_loop_frame(struct xr_loop *loop, struct net_device *dev, struct bpf_prog *prog,
			  struct xdp_frame *frame)
{
	struct xdp_rxq_info rxq = {
		.dev = dev,
		.mem.type = MEM_TYPE_PAGE_SHARED,
	};
	struct bpf_net_context ctx, *old;
	struct xdp_buff xdp;
	u32 act;

	xdp.rxq = &rxq;
	xdp_convert_frame_to_buff(frame, &xdp);
	old = bpf_net_ctx_set(&ctx);
	act = bpf_prog_run(prog, &xdp);
	bpf_net_ctx_clear(old);
	frame = act == XDP_TX ? xdp_convert_buff_to_frame(&xdp) : NULL;
	/* A datagram to a group has been delivered, and does not go to the stack. */
	if (!frame)
		page_frag_free(xdp.data_hard_start);
	else if (!xr_loop_add(loop, &frame, 1, XR_LOOP_MAX))
		xdp_return_frame(frame);	/* the link is being closed */
}

static void xr_loop_work(struct work_struct *work)
{
	struct xr_loop *loop = container_of(work, struct xr_loop, work);
	int budget = XR_LOOP_BUDGET;
	struct xdp_frame *frame;
	struct net_device *dev;
	struct bpf_prog *prog;

	rcu_read_lock_bh();
	prog = rcu_dereference_bh(*loop->prog);
	/* The device is freed after an RCU grace period. */
	dev = READ_ONCE(*loop->dev);
	while (budget && (frame = xr_loop_take(loop))) {
		budget--;
		if (prog && dev)
			xr_loop_frame(loop, dev, prog, frame);
		else
			xdp_return_frame(frame);
	}
	rcu_read_unlock_bh();
	if (!budget)
		queue_work(system_bh_wq, &loop->work);
}

void xr_loop_init(struct xr_loop *loop, struct bpf_prog __rcu **prog, struct net_device **dev)
{
	loop->prog = prog;
	loop->dev = dev;
	spin_lock_init(&loop->lock);
	INIT_WORK(&loop->work, xr_loop_work);
}

/* Drop all frames, and wait until none is being executed. Sleeps. */
void xr_loop_close(struct xr_loop *loop)
{
	struct xdp_frame *frame;

	spin_lock_bh(&loop->lock);
	loop->closed = true;
	spin_unlock_bh(&loop->lock);
	/* A run that was under way may have queued the item again. */
	disable_work_sync(&loop->work);
	local_bh_disable();
	while ((frame = xr_loop_take(loop)))
		xdp_return_frame(frame);
	local_bh_enable();
}
