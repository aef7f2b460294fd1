// SPDX-License-Identifier: GPL-2.0-only
/*
 * Giving frames to the driver by ndo_xdp_xmit(), or as socket buffers if the driver has none, in
 * softirq. They are dropped in process context as well.
 */
#include <linux/etherdevice.h>
#include <linux/filter.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <net/xdp.h>

#include "xroce_map.h"

#include "bytes/frame.h"
#include "obj/addr.h"

#include "batch.h"
#include "loop.h"

/* Send a frame as a socket buffer. Return: whether the device took it; if not, it is freed. */
static bool xr_tx_skb(struct net_device *dev, struct xdp_frame *frame)
{
	struct sk_buff *skb = xdp_build_skb_from_frame(frame, dev);

	if (!skb) {
		xdp_return_frame(frame);
		return false;
	}
	/* The builder took the Ethernet header off, as for a received packet. */
	skb_push(skb, ETH_HLEN);
	skb_reset_mac_header(skb);
	/* For what looks at packets on their way: queueing disciplines, bonds, tcpdump. */
	skb_set_network_header(skb, xr_frame_l2_len(skb->data));
	skb->dev = dev;
	return dev_queue_xmit(skb) == NET_XMIT_SUCCESS;
}

/*
 * Count frames that the device has accepted. In softirq or with bottom halves off, so that
 * nothing else on this CPU counts at the same time.
 */
static void xr_tx_count(struct xr_tx_batch *batch, s64 frames, s64 bytes)
{
	batch->sent += frames;
	batch->sent_bytes += bytes;
	this_cpu_add(*batch->stat_frames, frames);
	this_cpu_add(*batch->stat_bytes, bytes);
}

/* Count frames that the device has not accepted. */
static void xr_tx_count_lost(struct xr_tx_batch *batch, u32 frames)
{
	batch->lost += frames;
	this_cpu_add(batch->stat->drop_tx, frames);
}

/*
 * Send a batch as socket buffers. Return: frames that are used up. If the last of these was
 * lost, *@lost is its length in bytes.
 */
static int xr_tx_slow(struct xr_tx_batch *batch, u32 *lost)
{
	unsigned int i = 0;
	u32 len;

	while (i < batch->count && !*lost) {
		len = batch->frame[i]->len;
		if (!xr_tx_skb(batch->dev, batch->frame[i++]))
			*lost = len;
	}
	return i;
}

static int xr_tx_fast(struct xr_tx_batch *batch)
{
	struct net_device *dev = batch->dev;

	if (!dev->netdev_ops->ndo_xdp_xmit ||
	    !(dev->xdp_features & NETDEV_XDP_ACT_NDO_XMIT))
		return -EOPNOTSUPP;
	return dev->netdev_ops->ndo_xdp_xmit(dev, batch->count, batch->frame,
					     XDP_XMIT_FLUSH);
}

/* Free a frame that cannot be sent, and count it. */
void xr_tx_lose(struct xr_tx_batch *batch, struct xdp_frame *frame)
{
	xr_tx_count_lost(batch, 1);
	xdp_return_frame(frame);
}

/* True if a frame exceeds the MTU of the device. VLAN tags do not count. */
static bool xr_tx_long(const struct net_device *dev, const struct xdp_frame *frame)
{
	return frame->len > READ_ONCE(dev->mtu) + xr_frame_l2_len(frame->data);
}

/* Drop the frames that exceed the MTU of the device, and count them as lost. */
static noinline void xr_tx_drop_long(struct xr_tx_batch *batch)
{
	unsigned int i, n = 0;

	for (i = 0; i < batch->count; i++) {
		if (xr_tx_long(batch->dev, batch->frame[i]))
			xr_tx_lose(batch, batch->frame[i]);
		else
			batch->frame[n++] = batch->frame[i];
	}
	batch->count = n;
}

/* The bytes of a batch. Frames that exceed the MTU of the device have been dropped. */
static u32 xr_tx_bytes(struct xr_tx_batch *batch)
{
	u32 max = READ_ONCE(batch->dev->mtu) + ETH_HLEN, len, longest = 0, bytes = 0;
	unsigned int i;

	for (i = 0; i < batch->count; i++) {
		len = batch->frame[i]->len;
		longest = max(longest, len);
		bytes += len;
	}
	if (likely(longest <= max))
		return bytes;
	xr_tx_drop_long(batch);
	for (i = 0, bytes = 0; i < batch->count; i++)
		bytes += batch->frame[i]->len;
	return bytes;
}

/**
 * xr_tx_flush() - give the frames of a batch to the device
 * @batch: the batch; frames for which the device has no room stay in it, in order
 *
 * Frames that exceed the device's MTU are lost.
 *
 * Return: 0; -EBUSY: some frames stay; -ENETDOWN: all stay, the device is down or gone.
 */
int xr_tx_flush(struct xr_tx_batch *batch)
{
	struct net_device *dev = batch->dev;
	u32 bytes, lost = 0;
	unsigned int i;
	int done;

	if (!batch->count)
		return 0;
	if (!xr_tx_is_up(dev))
		return -ENETDOWN;
	/* Add up the lengths now: a frame belongs to the device once it is sent. */
	bytes = xr_tx_bytes(batch);
	if (unlikely(!batch->count))
		return 0;
	/* To ourselves: no wire, and no program of the driver that would see the frames. */
	if (unlikely(xr_addr_own(dev, batch->frame[0]->data)))
		done = xr_loop_send(batch->loop, batch->frame, batch->count, batch->qpn);
	else
		done = xr_tx_fast(batch);
	if (done < 0)
		done = xr_tx_slow(batch, &lost);
	if (unlikely(lost))
		xr_tx_count_lost(batch, 1);
	for (i = done; unlikely(i < batch->count); i++)
		bytes -= batch->frame[i]->len;
	xr_tx_count(batch, done - !!lost, bytes - lost);
	batch->count -= done;
	if (likely(!batch->count))
		return 0;
	memmove(batch->frame, batch->frame + done,
		batch->count * sizeof(*batch->frame));
	return -EBUSY;
}

/*
 * A frame that the XDP program has made, and has already counted as sent, is added to a
 * batch: subtract it here, because xr_tx_flush() counts it.
 */
void xr_tx_lend(struct xr_tx_batch *batch, const struct xdp_frame *frame)
{
	xr_tx_count(batch, -1, -(s64)frame->len);
}

/* Free the frames of a batch, and count them as lost. */
void xr_tx_drop(struct xr_tx_batch *batch)
{
	xr_tx_count_lost(batch, batch->count);
	while (batch->count)
		xdp_return_frame(batch->frame[--batch->count]);
}
