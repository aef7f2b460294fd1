// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether frames of XDP_TX leave a link's network device.
 *
 * veth accepts the frames of XDP_TX, and frees those for which the other end of the pair has no
 * ring, that is, no XDP program of its own in mode native. If the user has requested GRO for the
 * other end, it has a ring, but XDP_TX does not wake it up (veth_xdp_flush() asks for a program).
 * The same holds for a bond of such devices. For these devices the module sends all responses:
 * by ndo_xdp_xmit(), which reports errors, or as socket buffers. The XDP program learns of it by
 * xroce_qp::queued, which then is never 0, so its own way has no additional check.
 */
#include <linux/netdevice.h>
#include <linux/rcupdate.h>

#include "obj/link.h"
#include "qp/qp.h"

#include "xdp_tx.h"

/* The other end of a pair of network devices, in whatever namespace; NULL: none. Under RCU. */
static const struct net_device *xr_xdp_tx_peer(struct net_device *dev)
{
	if (!dev->netdev_ops->ndo_get_peer_dev)
		return NULL;
	return dev->netdev_ops->ndo_get_peer_dev(dev);
}

/*
 * True if the device loses frames of XDP_TX. Generic XDP sends socket buffers, and loses none. The
 * feature says for veth that its peer has a ring, for a bond that the peers of all ports have.
 */
static bool xr_xdp_tx_loses(struct net_device *dev)
{
	const struct net_device *peer = xr_xdp_tx_peer(dev);

	if (dev->xdp_state[XDP_MODE_SKB].prog || dev->xdp_state[XDP_MODE_SKB].link ||
	    (!peer && !netif_is_bond_master(dev)))
		return false;
	return !(dev->xdp_features & NETDEV_XDP_ACT_NDO_XMIT) ||
	       (peer && peer->wanted_features & NETIF_F_GRO);
}

/* A queue pair that becomes ready later reads xr_link::tx_lost under the same lock. */
static void xr_xdp_tx_tell(struct xr_qp *qp)
{
	spin_lock(&qp->responses.lock);
	if (qp->responses.active)
		xr_responses_show(qp);
	spin_unlock(&qp->responses.lock);
}

/**
 * xr_xdp_tx_update() - decide who sends the responses of a link
 * @link: the link
 * @unused: so that it can be an argument of xr_link_do()
 *
 * xr_links_lock is held. Sets xr_link::tx_lost, and tells the XDP program.
 *
 * Return: 0.
 */
int xr_xdp_tx_update(struct xr_link *link, void *unused)
{
	struct xr_qp *qp;
	bool lost;
	u32 i;

	rcu_read_lock_bh();
	/* For the driver that looks up the peer: it expects this, not the one above. */
	rcu_read_lock();
	lost = link->dev && xr_xdp_tx_loses(link->dev);
	rcu_read_unlock();
	if (lost != link->tx_lost) {
		WRITE_ONCE(link->tx_lost, lost);
		for (i = 0; i < link->qp_entries; i++) {
			qp = rcu_dereference_bh(link->qp[i]);
			if (qp)
				xr_xdp_tx_tell(qp);
		}
	}
	rcu_read_unlock_bh();
	return 0;
}

/* Features of a device concern its own link, and that of the other end of a pair. */
static int xr_xdp_tx_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);
	const struct net_device *peer;
	struct xr_link *link;

	if (event != NETDEV_FEAT_CHANGE && event != NETDEV_XDP_FEAT_CHANGE)
		return NOTIFY_DONE;
	rcu_read_lock();
	peer = xr_xdp_tx_peer(dev);
	rcu_read_unlock();

	mutex_lock(&xr_links_lock);
	link = xr_link_of_dev(dev);
	if (link)
		xr_xdp_tx_update(link, NULL);
	/* The pointer is only compared: rtnl keeps the peer, or it has gone. */
	link = peer ? xr_link_of_dev(peer) : NULL;
	if (link)
		xr_xdp_tx_update(link, NULL);
	mutex_unlock(&xr_links_lock);
	return NOTIFY_DONE;
}

static struct notifier_block xr_xdp_tx_notifier = {
	.notifier_call = xr_xdp_tx_event,
};

int xr_xdp_tx_init(void)
{
	return register_netdevice_notifier(&xr_xdp_tx_notifier);
}

void xr_xdp_tx_exit(void)
{
	unregister_netdevice_notifier(&xr_xdp_tx_notifier);
}
