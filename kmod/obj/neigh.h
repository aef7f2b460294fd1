/* SPDX-License-Identifier: GPL-2.0-only */
/* The Ethernet address of a link's peer, as the stack knows it. */
#ifndef _XR_NEIGH_H
#define _XR_NEIGH_H

#include <linux/if_ether.h>
#include <linux/in6.h>
#include <linux/types.h>

struct net_device;

/**
 * struct xr_neigh - a peer, or the next hop to it
 * @from: own address; IPv4 as ::ffff:a.b.c.d
 * @to: the peer's address, of the same family
 * @vlan: VLAN of the packets; VLAN_N_VID or more: none
 * @mac: result of xr_neigh_find()
 */
struct xr_neigh {
	struct in6_addr from;
	struct in6_addr to;
	u16 vlan;
	u8 mac[ETH_ALEN];
};

bool xr_neigh_find(struct net_device *dev, struct xr_neigh *neigh, bool ask);

#endif
