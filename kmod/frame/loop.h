/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames of a link to itself: queue pairs of one device that are connected with each other, and
 * copies of datagrams to multicast groups that have members on the device of the sender. A
 * driver does not give a frame that it sends to the XDP program of the same device, so the
 * module runs the program on it, in softirq.
 *
 * Any host can have sent a frame that comes over the wire, but the sender of a frame of the loop is
 * known: a queue pair that is connected receives frames of its peer only, whatever they contain.
 */
#ifndef _XR_FRAME_LOOP_H
#define _XR_FRAME_LOOP_H

#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#define XR_LOOP_MAX	256u	/* frames */

struct bpf_prog;
struct net_device;
struct xdp_frame;

/**
 * struct xr_looped - a frame of a link to itself
 * @frame: the frame
 * @sender: number of the queue pair that has sent it, which may be gone by now
 */
struct xr_looped {
	struct xdp_frame *frame;
	u32 sender;
};

/**
 * struct xr_loop - frames of a link to itself
 * @lock: protects the fields below; taken with bottom halves off
 * @frame: ring of frames, oldest at @head
 * @head: position of the oldest
 * @count: number of frames
 * @to: number of the queue pair whose frame is being executed; 0: none. Has no lock
 * @dying: no frames are accepted
 * @prog: XDP program of the link, read under RCU
 * @dev: device of the link, likewise
 * @work: runs the XDP program on the frames, in softirq
 *
 * @prog and @dev do not change.
 */
struct xr_loop {
	spinlock_t lock;
	struct xr_looped frame[XR_LOOP_MAX];
	u32 head;
	u32 count;
	u32 to;
	bool dying;
	struct bpf_prog __rcu **prog;
	struct net_device **dev;
	struct work_struct work;
};

void xr_loop_init(struct xr_loop *loop, struct bpf_prog __rcu **prog, struct net_device **dev);
void xr_loop_close(struct xr_loop *loop);
int xr_loop_send(struct xr_loop *loop, struct xdp_frame **frames, u32 n, u32 sender);
/* In qp.c: this file knows no queue pairs. */
bool xr_loop_may(const struct xr_loop *loop, u32 to, u32 sender);
void xr_loop_wait(const struct xr_loop *loop, u32 qpn);

#endif
