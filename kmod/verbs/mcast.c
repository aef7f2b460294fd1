// SPDX-License-Identifier: GPL-2.0-only
/*
 * Verbs: multicast groups of queue pairs. The network device must let the group's frames in, too:
 * rdma_cm joins the group of IP, but a program may use ibv_attach_mcast() alone.
 */
#include <linux/etherdevice.h>
#include <linux/if_ether.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/if_inet6.h>
#include <net/ip.h>
#include <net/ipv6.h>

#include "obj/mcast.h"
#include "obj/qp.h"

#include "verbs.h"

static void xr_ib_mcast_mac(const struct in6_addr *group, u8 *mac)
{
	if (ipv6_addr_v4mapped(group))
		ip_eth_mc_map(group->s6_addr32[3], mac);
	else
		ipv6_eth_mc_map(group, mac);
}

/* Add the group's Ethernet address to the filter of the network device, or remove it. */
static int xr_ib_mcast_filter(struct ib_qp *ib, const struct in6_addr *group,
			      int (*change)(struct net_device *dev, const unsigned char *addr))
{
	struct net_device *ndev = xr_ib_get_netdev(ib->device, XR_IB_PORT);
	u8 mac[ETH_ALEN];
	int ret = -ENODEV;

	if (!ndev)
		return ret;
	xr_ib_mcast_mac(group, mac);
	rtnl_lock();
	if (ndev->reg_state == NETREG_REGISTERED)
		ret = change(ndev, mac);
	rtnl_unlock();
	dev_put(ndev);
	return ret;
}

/* ib_core has checked that it is a group address and a queue pair of UD. */
int xr_ib_attach_mcast(struct ib_qp *ib, union ib_gid *gid, u16 lid)
{
	const struct in6_addr *group = (const struct in6_addr *)gid;
	struct xr_ibqp *qp = to_xr_ibqp(ib);
	int ret;

	ret = xr_mcast_join(&qp->qp->link->mcast, qp->qp, group);
	/* Programs know one errno for tables that are full. */
	if (ret)
		return ret < 0 ? -ENOMEM : 0;
	ret = xr_ib_mcast_filter(ib, group, dev_mc_add);
	if (ret)
		xr_mcast_leave(&qp->qp->link->mcast, qp->qp, group);
	return ret;
}

/* ib_core also calls this for all groups of a queue pair that is destroyed. */
int xr_ib_detach_mcast(struct ib_qp *ib, union ib_gid *gid, u16 lid)
{
	const struct in6_addr *group = (const struct in6_addr *)gid;
	struct xr_ibqp *qp = to_xr_ibqp(ib);
	int ret = xr_mcast_leave(&qp->qp->link->mcast, qp->qp, group);

	/* If the network device has gone, so has its filter. */
	if (!ret)
		xr_ib_mcast_filter(ib, group, dev_mc_del);
	return ret;
}
