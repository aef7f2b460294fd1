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

/* rtnl is held. Return: 0 or an errno. */
static int xr_ib_mcast_join(struct xr_qp *qp, const struct in6_addr *group,
			    struct net_device *ndev)
{
	int ret = xr_mcast_join(&qp->link->mcast, qp, qp->owner, group);

	/* Programs know one errno for tables that are full. */
	if (ret)
		return ret < 0 ? -ENOMEM : 0;
	ret = xr_ib_mcast_filter(ndev, group, dev_mc_add);
	if (ret)
		xr_mcast_leave(&qp->link->mcast, qp, group);
	return ret;
}

/* ib_core has checked that it is a group address and a queue pair of UD. */
int xr_ib_attach_mcast(struct ib_qp *ib, union ib_gid *gid, u16 lid)
{
	struct net_device *ndev = xr_ib_get_netdev(ib->device, XR_IB_PORT);
	int ret;

	if (!ndev)
		return -ENODEV;
	/* So membership and filter agree for xr_ib_mcast_moved(). */
	rtnl_lock();
	ret = xr_ib_mcast_join(to_xr_ibqp(ib)->qp, (const struct in6_addr *)gid, ndev);
	rtnl_unlock();
	dev_put(ndev);
	return ret;
}

/*
 * ib_core also calls this for all groups of a queue pair that is destroyed. If the network device
 * has gone, so has its filter.
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
	return ret;
}

static void xr_ib_mcast_again(const struct in6_addr *group, void *arg)
{
	struct net_device *ndev = arg;

	if (xr_ib_mcast_filter(ndev, group, dev_mc_add))
		netdev_warn_once(ndev, "xroce: no memory to take multicast group %pI6c\n", group);
}

/* The network device has got another namespace, and lost its filter. rtnl is held. */
void xr_ib_mcast_moved(struct xr_ibdev *dev, struct net_device *ndev)
{
	xr_mcast_each(&dev->front.link->mcast, xr_ib_mcast_again, ndev);
}
