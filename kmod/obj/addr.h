/* SPDX-License-Identifier: GPL-2.0-only */
/* Ethernet addresses of a link's network device. */
#ifndef _XR_ADDR_H
#define _XR_ADDR_H

#include <linux/etherdevice.h>
#include <linux/netdevice.h>
#include <linux/types.h>

struct bpf_map;

void xr_addr_publish(struct bpf_map *map, const struct net_device *dev);
bool xr_addr_ours(struct net_device *dev, const void *frame);

/*
 * xr_addr_ours() for what is sent: most devices have one address. @frame is aligned to 2 bytes.
 * In softirq, under RCU.
 */
static inline bool xr_addr_own(struct net_device *dev, const void *frame)
{
	if (ether_addr_equal(dev->dev_addr, frame))
		return true;
	return unlikely(!netdev_uc_empty(dev) || netif_is_bridge_port(dev)) &&
	       xr_addr_ours(dev, frame);
}

#endif
