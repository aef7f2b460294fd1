/* SPDX-License-Identifier: GPL-2.0-only */
/* A batch of frames that the module sends itself; frame/tx.h builds them. */
#ifndef _XR_FRAME_BATCH_H
#define _XR_FRAME_BATCH_H

#include <linux/if_ether.h>
#include <linux/if_vlan.h>
#include <linux/netdevice.h>
#include <linux/percpu.h>
#include <linux/types.h>

#define XR_TX_L2_MAX	(ETH_HLEN + 2 * VLAN_HLEN)
/* Size of a buffer for an Ethernet header; always copied as a whole, three words. */
#define XR_TX_L2_ROOM	24
#define XR_TX_BATCH	16

struct xdp_frame;
struct xr_loop;
struct xroce_stat;

/**
 * struct xr_tx_batch - frames of a queue pair that are sent together
 * @dev: network device; set for each run, under RCU
 * @frame: frames that the device has not accepted yet
 * @count: number of frames
 * @stat_frames: counter of the link for frames that the device has accepted
 * @stat_bytes: likewise for their bytes
 * @loop: frames of the link to itself
 * @qpn: number of the queue pair, which sends them
 * @stat: counters of the link
 * @whole: frames that exceed the MTU of the device, and those behind them, stay: they are packets
 *	of a reliable connection, which could not go on without them
 * @sent: frames that the device has accepted, in all batches of the queue pair; a frame of
 *	the XDP program, which is counted as sent in its map, is subtracted until then
 * @sent_bytes: bytes of these frames, counted likewise
 * @lost: frames that the device did not accept, in all batches
 *
 * Protected by xr_responses::lock, or xr_send::lock. @stat_frames to @whole do not
 * change.
 */
struct xr_tx_batch {
	struct net_device *dev;
	struct xdp_frame *frame[XR_TX_BATCH];
	unsigned int count;
	u64 __percpu *stat_frames;
	u64 __percpu *stat_bytes;
	struct xr_loop *loop;
	u32 qpn;
	struct xroce_stat __percpu *stat;
	bool whole;
	u64 sent;
	u64 sent_bytes;
	u64 lost;
};

static inline bool xr_tx_is_up(const struct net_device *dev)
{
	return dev && netif_running(dev) && netif_carrier_ok(dev);
}

int xr_tx_flush(struct xr_tx_batch *batch);
void xr_tx_lend(struct xr_tx_batch *batch, const struct xdp_frame *frame);
void xr_tx_lose(struct xr_tx_batch *batch, struct xdp_frame *frame);
void xr_tx_drop(struct xr_tx_batch *batch);

#endif
