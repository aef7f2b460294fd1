// SPDX-License-Identifier: GPL-2.0-only
/* Frames of a link to itself: see loop.h. */
#include <linux/delay.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netdevice.h>
#include <linux/udp.h>
#include <net/xdp.h>

#include "xroce_wire.h"

#include "bytes/frame.h"

#include "loop.h"
#include "run.h"

/* Frames per run of the work item, before it yields to other work on this CPU. */
#define XR_LOOP_BUDGET	32

/* Add frames until there are @max. Return: as xr_loop_send(). */
static int xr_loop_add(struct xr_loop *loop, struct xdp_frame **frames, u32 n, u32 max,
		       u32 sender)
{
	u32 i;

	spin_lock(&loop->lock);
	n = loop->dying || loop->count >= max ? 0 : min(n, max - loop->count);
	for (i = 0; i < n; i++)
		loop->frame[(loop->head + loop->count++) % XR_LOOP_MAX] =
			(struct xr_looped){ frames[i], sender };
	spin_unlock(&loop->lock);
	if (n)
		queue_work(system_bh_wq, &loop->work);
	return n;
}

/**
 * xr_loop_send() - send frames to the link itself
 * @loop: of the link
 * @frames: the frames; their memory is that of frame/tx.c
 * @n: number of frames
 * @sender: number of the queue pair that sends them
 *
 * With bottom halves off. One place is left for the response to the frame that is being executed.
 *
 * Return: number of frames that are consumed, from the first on; there is no room for the rest.
 */
int xr_loop_send(struct xr_loop *loop, struct xdp_frame **frames, u32 n, u32 sender)
{
	return xr_loop_add(loop, frames, n, XR_LOOP_MAX - 1, sender);
}

/* Return: false: there is none. */
static bool xr_loop_take(struct xr_loop *loop, struct xr_looped *frame)
{
	bool any;

	spin_lock(&loop->lock);
	any = loop->count;
	if (any) {
		*frame = loop->frame[loop->head];
		loop->head = (loop->head + 1) % XR_LOOP_MAX;
		loop->count--;
	}
	spin_unlock(&loop->lock);
	return any;
}

/* The destination in the BTH of a frame, which we have made; 0: it is too short for one. */
static u32 xr_loop_to(const struct xdp_frame *frame)
{
	u32 off = xr_frame_l2_len(frame->data);
	const struct xroce_bth *bth;

	/* A frame has an IP header, of which both versions have the version at the same place. */
	if (frame->len <= off)
		return 0;
	off += *(const u8 *)(frame->data + off) >> 4 == 6 ? sizeof(struct ipv6hdr) :
							    sizeof(struct iphdr);
	off += sizeof(struct udphdr);
	if (frame->len < off + sizeof(*bth))
		return 0;
	bth = frame->data + off;
	return ntohl(bth->dqpn) & XROCE_QPN_MASK;
}

/**
 * xr_loop_wait() - wait for frames that were judged by the previous peer of a queue pair
 * @loop: of its link
 * @qpn: its number; it is not ready to receive, and xr_qp::peer is that of the next connection
 *
 * Sleeps.
 */
void xr_loop_wait(const struct xr_loop *loop, u32 qpn)
{
	/*
	 * Pairs with xr_loop_frame(): it sees the new peer, or its frame is seen here; and what the
	 * caller writes next comes after that frame.
	 */
	smp_mb();
	while (smp_load_acquire(&loop->to) == qpn)
		usleep_range(10, 100);
}

/* Run the XDP program on a frame. A response that it makes is another frame to the link. */
static void xr_loop_frame(struct xr_loop *loop, struct net_device *dev, struct bpf_prog *prog,
			  const struct xr_looped *looped)
{
	struct xdp_frame *frame = looped->frame;
	u32 act, to = xr_loop_to(frame);
	struct xr_run run;

	WRITE_ONCE(loop->to, to);
	/* Pairs with xr_loop_wait(). */
	smp_mb();
	if (unlikely(!xr_loop_may(loop, to, looped->sender))) {
		xdp_return_frame(frame);
		WRITE_ONCE(loop->to, 0);
		return;
	}
	xr_run_open(&run, frame, dev);
	act = xr_run_prog(&run, prog);
	/* Pairs with xr_loop_wait(). */
	smp_store_release(&loop->to, 0);
	frame = xr_run_response(&run, act);
	/* A datagram to a group has been delivered, and does not go to the stack. */
	if (!frame)
		xr_run_free(&run);
	else if (!xr_loop_add(loop, &frame, 1, XR_LOOP_MAX, to))
		xdp_return_frame(frame);	/* the link is being closed */
}

static void xr_loop_work(struct work_struct *work)
{
	struct xr_loop *loop = container_of(work, struct xr_loop, work);
	int budget = XR_LOOP_BUDGET;
	struct xr_looped frame;
	struct net_device *dev;
	struct bpf_prog *prog;

	/* As around a driver's programs. Bottom halves are off: see system_bh_wq. */
	rcu_read_lock();
	prog = rcu_dereference(*loop->prog);
	/* The device is freed after an RCU grace period. */
	dev = READ_ONCE(*loop->dev);
	while (budget && xr_loop_take(loop, &frame)) {
		budget--;
		if (prog && dev)
			xr_loop_frame(loop, dev, prog, &frame);
		else
			xdp_return_frame(frame.frame);
	}
	rcu_read_unlock();
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
	struct xr_looped frame;

	spin_lock_bh(&loop->lock);
	loop->dying = true;
	spin_unlock_bh(&loop->lock);
	/* A run that was under way may have queued the item again. */
	disable_work_sync(&loop->work);
	local_bh_disable();
	while (xr_loop_take(loop, &frame))
		xdp_return_frame(frame.frame);
	local_bh_enable();
}
