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

/*
 * Give frames to the device, which is up; @bytes: their length. Return: 0; -EBUSY: some frames stay
 * in the batch, in order.
 */
static int xr_tx_give(struct xr_tx_batch *batch, u32 bytes)
{
	struct net_device *dev = batch->dev;
	unsigned int i;
	u32 lost = 0;
	int done;

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

/* Send the frames before the first one that exceeds the MTU. Return: as xr_tx_flush(). */
static noinline int xr_tx_until_long(struct xr_tx_batch *batch)
{
	unsigned int all = batch->count, fit = 0;
	u32 bytes = 0;
	int ret;

	while (fit < all && !xr_tx_long(batch->dev, batch->frame[fit]))
		bytes += batch->frame[fit++]->len;
	if (!fit)
		return -EMSGSIZE;
	batch->count = fit;
	ret = xr_tx_give(batch, bytes);
	memmove(batch->frame + batch->count, batch->frame + fit,
		(all - fit) * sizeof(*batch->frame));
	batch->count += all - fit;
	/* With VLAN tags, all of them may fit. */
	return ret || !batch->count ? ret : -EMSGSIZE;
}

/* Some frames exceed the MTU, or have VLAN tags. Return: as xr_tx_flush(). */
static noinline int xr_tx_flush_long(struct xr_tx_batch *batch)
{
	unsigned int i;
	u32 bytes = 0;

	if (batch->whole)
		return xr_tx_until_long(batch);
	xr_tx_drop_long(batch);
	for (i = 0; i < batch->count; i++)
		bytes += batch->frame[i]->len;
	return batch->count ? xr_tx_give(batch, bytes) : 0;
}

/**
 * xr_tx_flush() - give the frames of a batch to the device
 * @batch: the batch; frames for which the device has no room stay in it, in order
 *
 * Frames that exceed the device's MTU are lost, unless @batch->whole is set.
 *
 * Return: 0; -EBUSY: some frames stay; -ENETDOWN: all stay, the device is down or gone; -EMSGSIZE:
 * some stay, and the first of these exceeds the MTU.
 */
int xr_tx_flush(struct xr_tx_batch *batch)
{
	u32 max, len, longest = 0, bytes = 0;
	unsigned int i;

	if (!batch->count)
		return 0;
	if (!xr_tx_is_up(batch->dev))
		return -ENETDOWN;
	max = READ_ONCE(batch->dev->mtu) + ETH_HLEN;
	/* Add up the lengths now: a frame belongs to the device once it is sent. */
	for (i = 0; i < batch->count; i++) {
		len = batch->frame[i]->len;
		longest = max(longest, len);
		bytes += len;
	}
	if (unlikely(longest > max))
		return xr_tx_flush_long(batch);
	return xr_tx_give(batch, bytes);
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
