// SPDX-License-Identifier: GPL-2.0-only
/* IP addresses of this machine, and the network device to which the stack gives a frame. */
#include <linux/hash.h>
#include <linux/if_vlan.h>
#include <linux/igmp.h>
#include <linux/inetdevice.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netdevice.h>
#include <linux/rcupdate.h>
#include <linux/rtnetlink.h>
#include <net/addrconf.h>
#include <net/if_inet6.h>
#include <net/net_namespace.h>
#include <net/route.h>

#include "ip.h"

/*
 * The bridge or bond of a port; NULL: none. The device of a VRF only says which table is used.
 * Under RCU.
 */
static struct net_device *xr_ip_master(struct net_device *dev)
{
	struct net_device *master = netdev_master_upper_dev_get_rcu(dev);

	return master && !netif_is_l3_master(master) ? master : NULL;
}

/* The (outer) tag of a frame whose IP header is at @l3, protocol << 16 | TCI; 0: none. */
static u32 xr_ip_tag(const void *frame, u32 l3)
{
	const struct vlan_ethhdr *eth = frame;

	if (l3 < VLAN_ETH_HLEN || !eth_type_vlan(eth->h_vlan_proto))
		return 0;
	return ntohs(eth->h_vlan_proto) << 16 | ntohs(eth->h_vlan_TCI);
}

/*
 * The device to which the stack gives a frame with this (outer) tag, as of xr_ip_tag(): the VLAN
 * device, or the bridge or bond of a port. Under RCU.
 */
struct net_device *xr_ip_upper(struct net_device *dev, u32 tag)
{
	struct net_device *master = xr_ip_master(dev);
	__be16 proto = htons(tag >> 16);
	struct net_device *vlan = NULL;
	u16 id = tag & VLAN_VID_MASK;

	if (id)
		vlan = __vlan_find_dev_deep_rcu(dev, proto, id);
	if (id && !vlan && master)
		vlan = __vlan_find_dev_deep_rcu(master, proto, id);
	return vlan ?: master ?: dev;
}

/* True if a socket or rdma_cm has joined the group of IP on the device. Under RCU. */
static bool xr_ip_joined4(const struct in_device *in_dev, __be32 group)
{
	struct ip_mc_list __rcu **hash = rcu_dereference(in_dev->mc_hash);
	const struct ip_mc_list *mc;

	/* The stack makes the hash table if there are more than a few groups. */
	if (hash)
		hash += hash_32((__force u32)group, MC_HASH_SZ_LOG);
	mc = hash ? rcu_dereference(*hash) : rcu_dereference(in_dev->mc_list);
	while (mc && mc->multiaddr != group)
		mc = hash ? rcu_dereference(mc->next_hash) : rcu_dereference(mc->next_rcu);
	return mc;
}

/* The same for IPv6. As the stack does, walk the list. */
static bool xr_ip_joined6(const struct inet6_dev *idev, const struct in6_addr *group)
{
	const struct ifmcaddr6 *mc = rcu_dereference(idev->mc_list);

	while (mc && !ipv6_addr_equal(&mc->mca_addr, group))
		mc = rcu_dereference(mc->next);
	return mc;
}

/**
 * xr_ip_group() - which namespace takes a multicast datagram?
 * @dev: the link's device, which RCU keeps alive
 * @frame: the frame
 * @l3: offset of the IP header, which can be read
 * @tag: tag that the driver has removed from the frame, as of struct xroce_recv
 *
 * In softirq, under RCU. The device to which the stack gives the frame must be up and have an
 * address of the family. If it is the device of a VLAN, it must have joined the group, too: a queue
 * pair joins without naming a VLAN, and rdma_cm joins the group of IP on the device that it uses.
 * A VLAN device may be in another VRF or namespace than the link's device.
 *
 * Return: cookie of the namespace; 0: none.
 */
u64 xr_ip_group(struct net_device *dev, const void *frame, u32 l3, u32 tag)
{
	const struct ipv6hdr *ip6 = frame + l3;
	const struct iphdr *ip4 = frame + l3;
	const struct net_device *upper;
	const struct in_device *in_dev;
	const struct inet6_dev *idev;
	struct in6_addr group;
	bool takes, tagged;

	/* At most one tag. */
	if (l3 > (tag ? ETH_HLEN : VLAN_ETH_HLEN))
		return 0;
	tag = tag ?: xr_ip_tag(frame, l3);
	tagged = tag & VLAN_VID_MASK;
	upper = xr_ip_upper(dev, tag);
	/* Of a VLAN that this machine has. */
	if ((tagged && !is_vlan_dev(upper)) || !(READ_ONCE(upper->flags) & IFF_UP))
		return 0;
	if (ip4->version == 4) {
		in_dev = __in_dev_get_rcu(upper);
		takes = in_dev && rcu_access_pointer(in_dev->ifa_list) &&
			(!tagged || xr_ip_joined4(in_dev, READ_ONCE(ip4->daddr)));
	} else {
		group = ip6->daddr;
		idev = __in6_dev_get(upper);
		takes = idev && !list_empty(&idev->addr_list) &&
			(!tagged || xr_ip_joined6(idev, &group));
	}
	return takes ? dev_net(upper)->net_cookie : 0;
}

/* True if @dev has the IPv6 address or, unless @itself, a device of its VRF and namespace. */
static bool xr_ip_has6(const struct net_device *dev, const struct in6_addr *addr, bool itself)
{
#if IS_ENABLED(CONFIG_IPV6)
	/* With ipv6.disable=1 there is no table of addresses. */
	return ipv6_mod_enabled() &&
	       ipv6_chk_addr_and_flags(dev_net(dev), addr, dev, !itself, itself,
				       IFA_F_TENTATIVE);
#else
	return false;
#endif
}

/**
 * xr_ip_local() - check whether a packet's IP destination is an address of this machine
 * @dev: the link's device, which RCU keeps alive
 * @frame: the frame
 * @l3: offset of the IP header
 * @len: bytes of the frame that can be read, at least @l3
 *
 * In softirq, under RCU. As for the stack, an address of any device counts that is in the same VRF
 * and namespace as the device to which the stack gives the frame: a VLAN device or a bridge on top
 * of the link's device may be in others.
 *
 * Return: whether it is.
 */
bool xr_ip_local(struct net_device *dev, const void *frame, u32 l3, u32 len)
{
	const struct net_device *upper;
	const struct ipv6hdr *ip6 = frame + l3;
	const struct iphdr *ip4 = frame + l3;
	struct in6_addr addr;
	bool local = false;

	rcu_read_lock();
	upper = xr_ip_upper(dev, xr_ip_tag(frame, l3));
	if (len - l3 >= sizeof(*ip4) && ip4->version == 4) {
		local = inet_addr_type_dev_table(dev_net(upper), upper,
						 READ_ONCE(ip4->daddr)) == RTN_LOCAL;
	} else if (len - l3 >= sizeof(*ip6) && ip6->version == 6) {
		addr = ip6->daddr;
		local = xr_ip_has6(upper, &addr, false);
	}
	rcu_read_unlock();
	return local;
}

/* True if the device itself has the address. Under RCU. */
static bool xr_ip_on(const struct net_device *dev, const struct in6_addr *ip)
{
	const struct in_device *in = __in_dev_get_rcu(dev);
	const struct in_ifaddr *ifa;

	if (!ipv6_addr_v4mapped(ip))
		return xr_ip_has6(dev, ip, true);
	if (!in)
		return false;
	in_dev_for_each_ifa_rcu(ifa, in)
		if (ifa->ifa_local == ip->s6_addr32[3])
			return true;
	return false;
}

/* The same for a device and its bridge or bond in the namespace @net. */
static bool xr_ip_on_stack(struct net_device *dev, const struct net *net,
			     const struct in6_addr *ip)
{
	struct net_device *master = xr_ip_master(dev);

	return (net_eq(dev_net(dev), net) && xr_ip_on(dev, ip)) ||
	       (master && net_eq(dev_net(master), net) && xr_ip_on(master, ip));
}

/**
 * struct xr_ip_search - an IP address that is searched on VLAN devices
 * @dev: the link's device
 * @ip: the address
 * @vlan: number of the VLAN, or XR_IP_ANY_VLAN
 */
struct xr_ip_search {
	struct net_device *dev;
	const struct in6_addr *ip;
	u16 vlan;
};

/* As above, if @upper is a VLAN device of the link's device, or of its bridge, with the address. */
static int xr_ip_vlan(struct net_device *upper, struct netdev_nested_priv *priv)
{
	const struct xr_ip_search *s = priv->data;
	const struct net_device *real;

	if (!is_vlan_dev(upper))
		return 0;
	/* Not those of a macvlan device on top of the link's device. */
	real = vlan_dev_real_dev(upper);
	if (real != s->dev && real != xr_ip_master(s->dev))
		return 0;
	if (s->vlan != XR_IP_ANY_VLAN && vlan_dev_vlan_id(upper) != s->vlan)
		return 0;
	return xr_ip_on_stack(upper, dev_net(s->dev), s->ip);
}

/**
 * xr_ip_has() - check whether packets of a link may have a source address
 * @dev: the link's device, which RCU keeps alive
 * @ip: the address; IPv4 as ::ffff:a.b.c.d
 * @vlan: VLAN of the packets; VLAN_N_VID: none; XR_IP_ANY_VLAN: not known
 *
 * Addresses of the device, of its bridge or bond, of VLAN devices on top of these, and of their
 * bridges count, in the namespace of the device. Under RCU.
 *
 * Return: whether one of them has the address.
 */
bool xr_ip_has(struct net_device *dev, const struct in6_addr *ip, u16 vlan)
{
	struct xr_ip_search search = { dev, ip, vlan };
	struct netdev_nested_priv priv = { .data = &search };

	if ((vlan == XR_IP_ANY_VLAN || vlan >= VLAN_N_VID) &&
	    xr_ip_on_stack(dev, dev_net(dev), ip))
		return true;
	return vlan < VLAN_N_VID && netdev_walk_all_upper_dev_rcu(dev, xr_ip_vlan, &priv);
}
