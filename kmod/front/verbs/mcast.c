// SPDX-License-Identifier: GPL-2.0-only
/*
 * Verbs: multicast groups of queue pairs. The network device must let the group's frames in, too:
 * rdma_cm joins the group of IP, but a program may use ibv_attach_mcast() alone.
 */
#include <linux/etherdevice.h>
#include <linux/if_ether.h>
#include <linux/netdevice.h>
#include <linux/nsproxy.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/if_inet6.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/net_namespace.h>

#include "qp/qp.h"
#include "recv/group.h"

#include "verbs.h"

static void xr_ib_mcast_mac(const struct in6_addr *group, u8 *mac)
{
	if (ipv6_addr_v4mapped(group))
		ip_eth_mc_map(group->s6_addr32[3], mac);
	else
		ipv6_eth_mc_map(group, mac);
}

/* Add a reference to the group's address in the network device's filter, or remove one. */
static int xr_ib_mcast_filter(struct net_device *ndev, const struct in6_addr *group,
			      int (*change)(struct net_device *dev, const unsigned char *addr))
{
	u8 mac[ETH_ALEN];

	ASSERT_RTNL();
	if (ndev->reg_state != NETREG_REGISTERED)
		return -ENODEV;
	xr_ib_mcast_mac(group, mac);
	return change(ndev, mac);
}

/* rtnl is held. Return: 0: @member is one now; 1: its queue pair has been; or an errno. */
static int xr_ib_mcast_join(struct xr_mcast *m, struct xr_member *member, struct net_device *ndev)
{
	int ret = xr_ib_mcast_filter(ndev, &member->group, dev_mc_add);

	if (ret)
		return ret;
	ret = xr_mcast_join(m, member);
	if (ret)
		xr_ib_mcast_filter(ndev, &member->group, dev_mc_del);
	return ret;
}

/* ib_core has checked that it is a group address and a queue pair of UD. */
int xr_ib_attach_mcast(struct ib_qp *ib, union ib_gid *gid, u16 lid)
{
	struct net_device *ndev = xr_ib_get_netdev(ib->device, XR_IB_PORT);
	struct xr_qp *qp = to_xr_ibqp(ib)->qp;
	struct xr_member *member;
	int ret = -ENOMEM;

	if (!ndev)
		return -ENODEV;
	member = xr_mcast_new(qp, qp->owner, (const struct in6_addr *)gid,
			      ib->uobject ? current->nsproxy->net_ns->net_cookie :
					    dev_net(ndev)->net_cookie);
	if (member) {
		/* So membership and filter agree for xr_ib_mcast_moved(). */
		rtnl_lock();
		ret = xr_ib_mcast_join(&qp->link->mcast, member, ndev);
		rtnl_unlock();
	}
	dev_put(ndev);
	if (ret)
		kfree(member);
	if (ret == -ENOSPC)
		xr_refuse(qp->owner, XROCE_COUNT_MCAST,
			  xr_owner_admin() ? XR_REFUSED_FULL : XR_REFUSED_SHARE);
	return xr_ib_errno(min(ret, 0));
}

/*
 * ib_core also calls this for the groups of a queue pair whose program ends or loses the device.
 * If the network device has gone, so has its filter.
 */
int xr_ib_detach_mcast(struct ib_qp *ib, union ib_gid *gid, u16 lid)
{
	struct net_device *ndev = xr_ib_get_netdev(ib->device, XR_IB_PORT);
	const struct in6_addr *group = (const struct in6_addr *)gid;
	struct xr_qp *qp = to_xr_ibqp(ib)->qp;
	int ret;

	rtnl_lock();
	ret = xr_mcast_leave(&qp->link->mcast, qp, group);
	if (!ret && ndev)
		xr_ib_mcast_filter(ndev, group, dev_mc_del);
	rtnl_unlock();
	dev_put(ndev);
	return min(ret, 0);
}

/* A queue pair whose group finds no room in the filter remains a member, as ib_core believes. */
static bool xr_ib_mcast_again(const struct in6_addr *group, void *arg)
{
	struct net_device *ndev = arg;

	if (!xr_ib_mcast_filter(ndev, group, dev_mc_add))
		return true;
	if (net_ratelimit())
		netdev_warn(ndev, "xroce: no memory: frames for group %pI6c may not be received\n",
			    group);
	return false;
}

/* The network device has got another namespace, and lost its filter. rtnl is held. */
void xr_ib_mcast_moved(struct xr_ibdev *dev, struct net_device *ndev)
{
	xr_mcast_filter(&dev->front.link->mcast, xr_ib_mcast_again, ndev);
}
