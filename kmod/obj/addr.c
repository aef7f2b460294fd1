// SPDX-License-Identifier: GPL-2.0-only
/*
 * A frame is for a link when its destination is an address of the link's network
 * device. The XDP program compares the device's own address, which the module writes
 * into the map "netdev" and keeps up to date; it asks for the others, as nothing tells
 * the module when the unicast list changes.
 *
 * Ours are, besides the device's own address:
 *
 * - its unicast list ("bridge fdb add ADDRESS dev DEV self"; addresses of VLAN devices
 *   on top of it, as a queue pair belongs to no VLAN). The list is not ours where the
 *   device is a port of a bridge, which puts the addresses of other machines there;
 * - of a port of a bridge, the bridge's own address.
 *
 * The addresses of a macvlan device on top are in the unicast list, too, and are not
 * ours: the stack gives such frames to the macvlan, which may be in another network
 * namespace, and whose owner is not the link's.
 */
#include <linux/bpf.h>
#include <linux/etherdevice.h>
#include <linux/netdevice.h>
#include <linux/rcupdate.h>

#include "xroce_map.h"

#include "addr.h"

/**
 * xr_addr_map() - get the map "netdev"
 * @fd: descriptor; 0 or -1: none
 *
 * Return: the map with a reference, NULL for none, or -EBADF or -EINVAL.
 */
struct bpf_map *xr_addr_map(int fd)
{
	struct bpf_map *map;

	if (fd == 0 || fd == -1)
		return NULL;
	map = bpf_map_get(fd);
	if (IS_ERR(map))
		return map;
	/* What the kernel keeps in a value itself must not be there. */
	if (map->map_type == BPF_MAP_TYPE_ARRAY && map->key_size == sizeof(u32) &&
	    map->value_size == sizeof(struct xroce_netdev) &&
	    map->max_entries == 1 && IS_ERR_OR_NULL(map->record))
		return map;
	bpf_map_put(map);
	return ERR_PTR(-EINVAL);
}

/**
 * xr_addr_publish() - tell the XDP program the address of the device
 * @map: the map "netdev" of its link; NULL: none
 * @dev: the device, which stays; NULL: it has gone
 *
 * A device that changes its address while this reads it tells afterwards, and this is
 * called again.
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

/* Is it an address of @dev, or in its unicast list? */
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

/* Return: 1 ends the walk: @upper is a macvlan device, and has the address. */
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
 * xr_addr_ours() - is a frame for a link's device?
 * @dev: the device, which goes away behind an RCU grace period
 * @frame: the frame, of ETH_ALEN bytes at least
 *
 * On the data path: in softirq, under RCU. It takes as long as the unicast list is.
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
