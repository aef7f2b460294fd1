// SPDX-License-Identifier: GPL-2.0-only
/* Multicast datagrams: a copy for each member of the group (IBTA 10.5.2). */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <net/ipv6.h>
#include <net/net_namespace.h>
#include <net/xdp.h>

#include "uapi/xroce.h"
#include "xroce_kfunc.h"
#include "xroce_map.h"
#include "xroce_wire.h"

#include "obj/ip.h"
#include "obj/link.h"
#include "qp/qp.h"

#include "group.h"
#include "mcast.h"
#include "message.h"

/* The group that a packet is for. Return: whether there is an IP header with a group address. */
static bool xr_mcast_group(const struct xdp_buff *xdp, u32 l3, struct in6_addr *group)
{
	u32 linear = xdp->data_end - xdp->data;
	const void *at = xdp->data + l3;
	const struct ipv6hdr *ip6 = at;
	const struct iphdr *ip4 = at;

	if (l3 >= linear || linear - l3 < sizeof(*ip4))
		return false;
	if (ip4->version == 4) {
		ipv6_addr_set_v4mapped(ip4->daddr, group);
		return ipv4_is_multicast(ip4->daddr);
	}
	if (ip4->version != 6 || linear - l3 < sizeof(*ip6))
		return false;
	*group = ip6->daddr;
	return ipv6_addr_is_multicast(group);
}

/**
 * xr_mcast_has_member() - has the group of a datagram members on a link?
 * @link: the link
 * @xdp: the frame of the datagram
 * @l3: offset of its IP header
 *
 * Under RCU.
 */
bool xr_mcast_has_member(const struct xr_link *link, const struct xdp_buff *xdp, u32 l3)
{
	const struct xr_member *member;
	struct in6_addr group;

	if (!xr_mcast_group(xdp, l3, &group))
		return false;
	hash_for_each_possible_rcu(link->mcast.members, member, node,
				   xr_mcast_hash(&link->mcast, &group))
		if (ipv6_addr_equal(&member->group, &group))
			return true;
	return false;
}

/* True if the queue pair takes a datagram with this Q_Key, partition key and length. */
static bool xr_mcast_takes(const struct xr_qp *qp, const struct xroce_recv *r)
{
	u32 state = xr_qp_state(qp), pkey = READ_ONCE(qp->map->pkey);

	return qp->type == XROCE_QPT_UD && state >= XROCE_QPS_RTR && state <= XROCE_QPS_SQD &&
	       READ_ONCE(qp->map->qkey) == r->qkey && r->len <= qp->mtu &&
	       !((pkey ^ r->pkey) & 0x7fff) && (pkey | r->pkey) & 0x8000;
}

/**
 * xr_mcast_packet() - give a datagram to the members of its group
 * @xdp: the frame, which does not change
 * @r: arguments of xroce_mcast(); they may change at any time, so they are copied
 *
 * In softirq, under RCU.
 *
 * Return: see xroce_mcast().
 */
int xr_mcast_packet(struct xdp_buff *xdp, const struct xroce_recv *r)
{
	const struct xr_link *link = xr_link_rcu(READ_ONCE(r->link));
	struct net_device *dev;
	u64 netns, own;
	u32 taken = 0, missed = 0;
	struct xr_member *member;
	struct xroce_recv copy;
	struct in6_addr group;

	if (!link)
		return -ENOENT;
	memcpy(&copy, r, sizeof(copy));
	if (!xr_mcast_group(xdp, copy.l3, &group))
		return -EINVAL;
	/* The device is freed after an RCU grace period. */
	dev = READ_ONCE(link->dev);
	netns = dev ? xr_ip_group(dev, xdp->data, copy.l3, copy.byte_len) : 0;
	if (!netns)
		return 0;
	own = dev_net(dev)->net_cookie;
	copy.flags = (copy.flags & (XROCE_RECV_IMM | XROCE_RECV_SOLICITED)) |
		     XROCE_RECV_BEGIN | XROCE_RECV_END | XROCE_RECV_GRH | XROCE_RECV_MCAST;
	copy.cut = 0;
	hash_for_each_possible_rcu(link->mcast.members, member, node,
				   xr_mcast_hash(&link->mcast, &group)) {
		if (!ipv6_addr_equal(&member->group, &group) ||
		    (netns != own && netns != member->netns))
			continue;
		if (!xr_mcast_takes(member->qp, &copy))
			continue;
		copy.qpn = member->qp->qpn;
		if (xr_recv_packet(xdp, &copy))
			missed++;
		else
			taken++;
	}
	return XROCE_MCAST(min(taken, XROCE_MCAST_MAX), min(missed, XROCE_MCAST_MAX));
}
