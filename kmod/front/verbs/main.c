// SPDX-License-Identifier: GPL-2.0-only
/* Initialisation and exit of xroce_ib.ko; what calls it: rdma link add, netdevs, ib_core. */
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/rcupdate.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_netlink.h>

#include "device.h"

static int xr_ib_netdev_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	struct net_device *ndev = netdev_notifier_info_to_dev(ptr);

	switch (event) {
	case NETDEV_UNREGISTER:
		/* Otherwise merely moved to another network namespace. */
		if (ndev->reg_state != NETREG_REGISTERED)
			xr_ibdev_netdev_gone(ndev);
		break;
	case NETDEV_REGISTER:
		xr_ibdev_netdev_moved(ndev);
		break;
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
		xr_ibdev_netdev_changed(ndev);
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block xr_ib_netdev_notifier = {
	.notifier_call = xr_ib_netdev_event,
};

static int __init xr_ib_init(void)
{
	int ret;

	/* The client is first: it tells the core the names of the devices. */
	ret = ib_register_client(&xr_ib_client);
	if (ret)
		return ret;
	ret = register_netdevice_notifier(&xr_ib_netdev_notifier);
	if (ret)
		goto err_client;
	rdma_link_register(&xr_ib_link_ops);
	rdma_link_register(&xr_ib_link_own_ops);
	return 0;

err_client:
	ib_unregister_client(&xr_ib_client);
	return ret;
}

/*
 * No program has a device open, and no consumer in the kernel has a queue pair: each holds the
 * module. Consumers may still have other objects, which they destroy when ib_core removes the
 * devices. When all devices are gone, a thread that has removed one, or has dropped the last
 * reference to the module, may still be about to return from xr_ib_dealloc_driver(),
 * xr_ib_front_remove(), xr_ib_dealloc_ucontext() or xr_ib_destroy_qp(). It does not sleep before it
 * has left the module.
 */
static void __exit xr_ib_exit(void)
{
	rdma_link_unregister(&xr_ib_link_own_ops);
	rdma_link_unregister(&xr_ib_link_ops);
	unregister_netdevice_notifier(&xr_ib_netdev_notifier);
	xr_ibdev_remove_all();
	ib_unregister_client(&xr_ib_client);
	synchronize_rcu_tasks();
}

module_init(xr_ib_init);
module_exit(xr_ib_exit);

MODULE_DESCRIPTION("software RoCEv2 RDMA device with XDP: verbs devices");
MODULE_AUTHOR("xroce maintainers");
MODULE_LICENSE("GPL");
MODULE_VERSION(XROCE_VERSION);
MODULE_ALIAS_RDMA_LINK("xroce");
MODULE_ALIAS_RDMA_LINK("xroce_own");
