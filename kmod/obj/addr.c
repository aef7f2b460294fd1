// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ethernet addresses of a link's network device.
 *
 * A frame is for a link if its destination is an address of the link's network device.
 * The XDP program compares the destination with the device's own address, which the
 * module writes into the map "netdev" and keeps up to date. For any other destination
 * the program calls the module, because nothing notifies the module when the unicast
 * list changes.
 *
 * The link's addresses, besides the device's own address:
 *
 * - the device's unicast list ("bridge fdb add ADDRESS dev DEV self", and the addresses of
 *   VLAN devices on top of it, because a queue pair belongs to no VLAN). If the device is
 *   a bridge port, its list does not count: the bridge adds addresses of other machines;
 * - for a bridge port, the bridge's own address.
 *
 * The addresses of macvlan devices on top are in the unicast list too, but do not count:
 * the stack passes such frames to the macvlan device, which may be in another network
 * namespace and have another owner than the link.
 */
#include <linux/bpf.h>
#include <linux/etherdevice.h>
#include <linux/netdevice.h>
#include <linux/rcupdate.h>
#include <linux/rtnetlink.h>

#include "xroce_map.h"

#include "addr.h"

/**
 * xr_addr_publish() - write the device's address to the map "netdev"
 * @map: the map "netdev" of its link; NULL: none
 * @dev: the device, to which the caller has a reference; NULL: it was unregistered
 *
 * If the address changes during the call, NETDEV_CHANGEADDR follows and the link's netdev
 * notifier calls this function again.
 */
void xr_addr_publish(struct bpf_map *map, const struct net_device *dev)
{
	struct xroce_netdev *n;
	u32 zero = 0;

	if (!map || !dev || dev->addr_len != ETH_ALEN)
		return;
	rcu_read_lock();
	n = map->ops->map_lookup_elem(map, &zero);
	WRITE_ONCE(n->addr, xroce_netdev_addr(dev->dev_addr));
	rcu_read_unlock();
}

/* True if @addr is the address of @dev or in its unicast list. Under RCU. */
static bool xr_addr_has(struct net_device *dev, const u8 *addr)
{
	const struct netdev_hw_addr *ha;

	if (ether_addr_equal(dev->dev_addr, addr))
		return true;
	list_for_each_entry_rcu(ha, &dev->uc.list, list)
		if (ether_addr_equal(ha->addr, addr))
			return true;
	return false;
}

/* If @upper is a macvlan device with this address, return 1, which ends the walk, or 0. */
static int xr_addr_macvlan(struct net_device *upper, struct netdev_nested_priv *priv)
{
	return netif_is_macvlan(upper) && xr_addr_has(upper, priv->data);
}

static bool xr_addr_of(struct net_device *dev, u8 *addr)
{
	struct netdev_nested_priv priv = { .data = addr };
	const struct net_device *bridge;

	if (ether_addr_equal(dev->dev_addr, addr))
		return true;
	if (netif_is_bridge_port(dev)) {
		bridge = netdev_master_upper_dev_get_rcu(dev);
		return bridge && ether_addr_equal(bridge->dev_addr, addr);
	}
	return xr_addr_has(dev, addr) &&
	       !netdev_walk_all_upper_dev_rcu(dev, xr_addr_macvlan, &priv);
}

/**
 * xr_addr_ours() - check whether a frame's destination is an address of a link
 * @dev: the link's device, which RCU keeps alive
 * @frame: the frame, at least ETH_ALEN bytes
 *
 * In softirq, under RCU. The time is proportional to the length of the unicast list.
 *
 * Return: whether it is.
 */
bool xr_addr_ours(struct net_device *dev, const void *frame)
{
	u8 addr[ETH_ALEN] __aligned(2);
	bool ours = false;

	memcpy(addr, frame, sizeof(addr));
	if (!is_valid_ether_addr(addr))
		return false;
	rcu_read_lock();
	if (dev->addr_len == ETH_ALEN)
		ours = xr_addr_of(dev, addr);
	rcu_read_unlock();
	return ours;
}
