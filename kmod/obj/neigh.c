// SPDX-License-Identifier: GPL-2.0-only
/*
 * The Ethernet address of a link's peer: what routes and neighbours of the namespace say of it, as
 * for a packet of the stack that leaves by the link's network device.
 */
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/netdevice.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/neighbour.h>
#include <net/route.h>

#include "ip.h"
#include "neigh.h"

static struct dst_entry *xr_neigh_route4(const struct net_device *dev,
					 const struct xr_neigh *neigh)
{
	struct flowi4 fl = {
		.flowi4_oif = dev->ifindex,
		.saddr = neigh->from.s6_addr32[3],
		.daddr = neigh->to.s6_addr32[3],
	};
	struct rtable *rt = ip_route_output_key(dev_net(dev), &fl);

	if (IS_ERR(rt))
		return NULL;
	if (rt->rt_type == RTN_UNICAST)
		return &rt->dst;
	ip_rt_put(rt);
	return NULL;
}

static struct dst_entry *xr_neigh_route6(const struct net_device *dev,
					 const struct xr_neigh *neigh)
{
#if IS_ENABLED(CONFIG_IPV6)
	struct flowi6 fl = {
		.flowi6_oif = dev->ifindex,
		.saddr = neigh->from,
		.daddr = neigh->to,
	};
	struct dst_entry *dst;

	/* With ipv6.disable=1 there are no routes. */
	if (!ipv6_mod_enabled())
		return NULL;
	dst = ip6_route_output(dev_net(dev), NULL, &fl);
	if (!dst->error && !(dst->dev->flags & IFF_LOOPBACK))
		return dst;
	dst_release(dst);
#endif
	return NULL;
}

/* The route to a peer, with a reference; NULL: there is none, or it is this machine. */
static struct dst_entry *xr_neigh_route(const struct net_device *dev, const struct xr_neigh *neigh)
{
	return ipv6_addr_v4mapped(&neigh->to) ? xr_neigh_route4(dev, neigh) :
						xr_neigh_route6(dev, neigh);
}

/**
 * xr_neigh_find() - find the Ethernet address of a peer, or of the next hop to it
 * @dev: the link's device, which RCU keeps alive
 * @neigh: the peer; out: @neigh->mac
 * @ask: if the stack is not sure, let it ask the neighbour. A change is then notified
 *	(NETEVENT_NEIGH_UPDATE)
 *
 * Waits for nothing. Under RCU, in process context.
 *
 * Return: whether the stack knows it, or believes that it does. Not of an address of this machine.
 */
bool xr_neigh_find(struct net_device *dev, struct xr_neigh *neigh, bool ask)
{
	u32 tag = neigh->vlan < VLAN_N_VID ? ETH_P_8021Q << 16 | neigh->vlan : 0;
	const struct net_device *upper = xr_ip_upper(dev, tag);
	struct dst_entry *dst = xr_neigh_route(upper, neigh);
	bool v4 = ipv6_addr_v4mapped(&neigh->to);
	struct neighbour *n;
	bool found = false;

	if (!dst)
		return false;
	n = dst_neigh_lookup(dst, v4 ? (const void *)&neigh->to.s6_addr32[3] : &neigh->to);
	if (n && n->dev->addr_len == ETH_ALEN) {
		if (ask)
			neigh_event_send(n, NULL);
		if (READ_ONCE(n->nud_state) & NUD_VALID) {
			neigh_ha_snapshot(neigh->mac, n, n->dev);
			found = is_valid_ether_addr(neigh->mac);
		}
	}
	if (n)
		neigh_release(n);
	dst_release(dst);
	return found;
}
