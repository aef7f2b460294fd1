// SPDX-License-Identifier: GPL-2.0-only
/*
 * Verbs devices; their capabilities: port.c. "rdma link add" makes one on an existing link, of type
 * "xroce" with the driver id and ABI of rxe, whose provider programs then use, of type "xroce_own"
 * with those of xroce. It is removed by "rdma link delete", together with its link or network device,
 * and with this module. "rmmod rdma_rxe" removes one that has its driver id. In all of these cases
 * ib_core first closes the open contexts, and then calls xr_ib_dealloc_driver(). Open contexts, and
 * queue pairs of consumers in the kernel, keep this module, but not the device.
 *
 * ib_core is never told the network device by ib_device_set_netdev(): rxe looks up its devices
 * by that and the driver id, and would take this device for one of its own.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/if_vlan.h>
#include <linux/module.h>
#include <linux/rtnetlink.h>
#include <rdma/rdma_netlink.h>

#include "uapi/xroce.h"

#include "compat.h"
#include "device.h"
#include "verbs.h"

static LIST_HEAD(xr_ibdevs);
/* Protects the list, xr_ibdev::state, and writes of xr_ibdev::ndev. */
static DEFINE_MUTEX(xr_ibdevs_lock);

/* The device of a network device. xr_ibdevs_lock is held, and so the device exists. */
static struct xr_ibdev *xr_ibdev_of(const struct net_device *ndev)
{
	struct xr_ibdev *dev;

	list_for_each_entry(dev, &xr_ibdevs, node)
		if (rcu_access_pointer(dev->ndev) == ndev)
			return dev;
	return NULL;
}

/* Release the network device, if it is still there. xr_ibdevs_lock is held. */
static void xr_ibdev_put_netdev(struct xr_ibdev *dev)
{
	struct net_device *ndev;

	ndev = rcu_replace_pointer(dev->ndev, NULL, lockdep_is_held(&xr_ibdevs_lock));
	if (ndev)
		netdev_put(ndev, &dev->ndev_tracker);
}

/*
 * The network device is being unregistered, rtnl is held. ib_core needs rtnl to remove the
 * device, so that is left to its work queue. If the device is not registered at this moment,
 * xr_ib_enable_driver() does it, or it is being removed already.
 */
void xr_ibdev_netdev_gone(struct net_device *ndev)
{
	struct xr_ibdev *dev;

	mutex_lock(&xr_ibdevs_lock);
	dev = xr_ibdev_of(ndev);
	if (dev) {
		xr_ibdev_put_netdev(dev);
		if (ib_device_try_get(&dev->ib)) {
			ib_unregister_device_queued(&dev->ib);
			ib_device_put(&dev->ib);
		}
	}
	mutex_unlock(&xr_ibdevs_lock);
}

/* The network device has been registered anew, in another namespace. rtnl is held. */
void xr_ibdev_netdev_moved(struct net_device *ndev)
{
	struct xr_ibdev *dev;

	mutex_lock(&xr_ibdevs_lock);
	dev = xr_ibdev_of(ndev);
	/* Without being registered, a device has no queue pairs. */
	if (dev && ib_device_try_get(&dev->ib)) {
		xr_ib_mcast_moved(dev, ndev);
		ib_device_put(&dev->ib);
	}
	mutex_unlock(&xr_ibdevs_lock);
}

/* The state of the network device may have changed. */
void xr_ibdev_netdev_changed(struct net_device *ndev)
{
	struct xr_ibdev *dev;

	mutex_lock(&xr_ibdevs_lock);
	dev = xr_ibdev_of(ndev);
	if (dev)
		xr_ib_port_changed(dev, ndev);
	mutex_unlock(&xr_ibdevs_lock);
}

/*
 * The device has been registered, or has got another network namespace. Its network device
 * may have gone, or its state have changed, while it was not registered.
 */
static int xr_ib_enable_driver(struct ib_device *ib)
{
	struct xr_ibdev *dev = to_xr_ibdev(ib);
	struct net_device *ndev;

	mutex_lock(&xr_ibdevs_lock);
	ndev = rcu_dereference_protected(dev->ndev, lockdep_is_held(&xr_ibdevs_lock));
	if (ndev)
		xr_ib_port_changed(dev, ndev);
	else
		ib_unregister_device_queued(ib);
	mutex_unlock(&xr_ibdevs_lock);
	return 0;
}

/*
 * The device is unregistered and no context is open, or it has never been registered. ib_core
 * frees the structure afterwards.
 */
static void xr_ib_dealloc_driver(struct ib_device *ib)
{
	struct xr_ibdev *dev = to_xr_ibdev(ib);

	if (dev->front.link)
		xr_front_detach(&dev->front);
	xa_destroy(&dev->ahs);
	xa_destroy(&dev->counters);
	mutex_destroy(&dev->counters_lock);
	mutex_lock(&xr_ibdevs_lock);
	xr_ibdev_put_netdev(dev);
	list_del(&dev->node);
	mutex_unlock(&xr_ibdevs_lock);
	/* Nothing that sleeps may follow: see xr_ib_exit(). */
}

/* The core looks at the device, with its table of links locked. */
static bool xr_ib_front_get(struct xr_front *front)
{
	struct xr_ibdev *dev = container_of(front, struct xr_ibdev, front);

	if (!try_module_get(THIS_MODULE))
		return false;
	if (ib_device_try_get(&dev->ib))
		return true;
	module_put(THIS_MODULE);
	return false;
}

/* The link is being deleted. A context that is opened meanwhile is closed by ib_core. */
static int xr_ib_front_remove(struct xr_front *front, bool force)
{
	struct xr_ibdev *dev = container_of(front, struct xr_ibdev, front);
	int ret = 0;

	if (!force && atomic_read(&dev->contexts)) {
		ib_device_put(&dev->ib);
		ret = -EBUSY;
	} else {
		ib_unregister_device_and_put(&dev->ib);
	}
	module_put(THIS_MODULE);
	/* Nothing that sleeps may follow: see xr_ib_exit(). */
	return ret;
}

static const struct xr_front_ops xr_ib_front_ops = {
	.get = xr_ib_front_get,
	.remove = xr_ib_front_remove,
};

/* rdma-ndd(8) sets the name of the machine, as soon as there is a device. */
static int xr_ib_modify_device(struct ib_device *ib, int mask, struct ib_device_modify *modify)
{
	if (mask & ~IB_DEVICE_MODIFY_NODE_DESC)
		return -EOPNOTSUPP;
	if (mask)
		memcpy(ib->node_desc, modify->node_desc, sizeof(ib->node_desc));
	return 0;
}

static const struct ib_device_ops xr_ib_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_RXE,
	.uverbs_abi_ver = XR_IB_ABI,

	.enable_driver = xr_ib_enable_driver,
	.dealloc_driver = xr_ib_dealloc_driver,

	.query_device = xr_ib_query_device,
	.modify_device = xr_ib_modify_device,
	.query_port = xr_ib_query_port,
	.query_pkey = xr_ib_query_pkey,
	.get_port_immutable = xr_ib_get_port_immutable,
	.get_link_layer = xr_ib_get_link_layer,
	.get_netdev = xr_ib_get_netdev,
	.get_dev_fw_str = xr_ib_get_dev_fw_str,

	.alloc_hw_port_stats = xr_ib_alloc_hw_port_stats,
	.get_hw_stats = xr_ib_get_hw_stats,
	.process_mad = xr_ib_process_mad,
	.counter_alloc_stats = xr_ib_counter_alloc_stats,
	.counter_bind_qp = XR_IB_OP(counter_bind_qp, xr_ib_counter_bind_qp,
				    xr_ib_counter_bind_qp_any),
	.counter_unbind_qp = XR_IB_OP(counter_unbind_qp, xr_ib_counter_unbind_qp,
				      xr_ib_counter_unbind_qp_any),
	.counter_dealloc = xr_ib_counter_dealloc,
	.counter_update_stats = xr_ib_counter_update_stats,

	.alloc_ucontext = xr_ib_alloc_ucontext,
	.dealloc_ucontext = xr_ib_dealloc_ucontext,
	.query_ucontext = xr_ib_query_ucontext,
	.mmap = xr_ib_mmap,
	.disassociate_ucontext = xr_ib_disassociate_ucontext,

	.attach_mcast = xr_ib_attach_mcast,
	.detach_mcast = xr_ib_detach_mcast,

	.alloc_pd = xr_ib_alloc_pd,
	.dealloc_pd = xr_ib_dealloc_pd,

	.create_cq = xr_ib_create_cq,
	XR_IB_CREATE_USER_CQ
	.XR_IB_RESIZE_CQ = XR_IB_OP(XR_IB_RESIZE_CQ, xr_ib_resize_cq, xr_ib_resize_cq_unsigned),
	.modify_cq = xr_ib_modify_cq,
	.destroy_cq = xr_ib_destroy_cq,
	.poll_cq = xr_ib_poll_cq,
	.req_notify_cq = xr_ib_req_notify_cq,

	.create_srq = xr_ib_create_srq,
	.modify_srq = xr_ib_modify_srq,
	.query_srq = xr_ib_query_srq,
	.destroy_srq = xr_ib_destroy_srq,
	.post_srq_recv = xr_ib_post_srq_recv,

	.create_ah = xr_ib_create_ah,
	.create_user_ah = xr_ib_create_ah,
	.modify_ah = xr_ib_modify_ah,
	.query_ah = xr_ib_query_ah,
	.destroy_ah = xr_ib_destroy_ah,

	.get_dma_mr = xr_ib_get_dma_mr,
	.reg_user_mr = XR_IB_OP(reg_user_mr, xr_ib_reg_user_mr, xr_ib_reg_user_mr_dmah),
	.rereg_user_mr = xr_ib_rereg_user_mr,
	.alloc_mr = xr_ib_alloc_mr,
	.map_mr_sg = xr_ib_map_mr_sg,
	.dereg_mr = xr_ib_dereg_mr,
	.advise_mr = xr_ib_advise_mr,

	.alloc_mw = xr_ib_alloc_mw,
	.dealloc_mw = xr_ib_dealloc_mw,

	.create_qp = xr_ib_create_qp,
	.modify_qp = xr_ib_modify_qp,
	.query_qp = xr_ib_query_qp,
	.destroy_qp = xr_ib_destroy_qp,

	.post_send = xr_ib_post_send,
	.post_recv = xr_ib_post_recv,

	INIT_RDMA_OBJ_SIZE(ib_ah, xr_ibah, ib),
	INIT_RDMA_OBJ_SIZE(ib_cq, xr_ibcq, ib),
	INIT_RDMA_OBJ_SIZE(ib_mw, xr_ibmw, ib),
	INIT_RDMA_OBJ_SIZE(ib_pd, xr_ibpd, ib),
	INIT_RDMA_OBJ_SIZE(ib_qp, xr_ibqp, ib),
	INIT_RDMA_OBJ_SIZE(ib_srq, xr_ibsrq, ib),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, xr_ibctx, ib),
	XR_IB_COUNTER_INIT
};

/* Give a new device the identity of xroce instead of that of rxe: see xroce-abi.h. */
static void xr_ibdev_identify(struct xr_ibdev *dev, u32 provider)
{
	dev->front.provider = provider;
	dev->own = provider == XROCE_PROVIDER_XROCE;
	if (!dev->own)
		return;
	dev->ib.ops.driver_id = XROCE_DRIVER_ID;
	dev->ib.ops.uverbs_abi_ver = XROCE_ABI_VERSION;
	dev->ib.driver_def = xr_ib_uapi;
}

/*
 * Return: a device that is in the list and attached to nothing; NULL: no memory. @provider: enum
 * xroce_provider.
 */
static struct xr_ibdev *xr_ibdev_new(const char *name, struct net_device *ndev, u32 provider)
{
	struct xr_ibdev *dev = ib_alloc_device(xr_ibdev, ib);

	if (!dev)
		return NULL;
	ib_set_device_ops(&dev->ib, &xr_ib_ops);
	xr_ibdev_identify(dev, provider);
	dev->ib.node_type = RDMA_NODE_IB_CA;
	dev->ib.phys_port_cnt = XR_IB_PORT;
	/*
	 * Consumers divide their queues among vectors. All are notified on the CPU that the packet
	 * has come to, which the NIC chooses for each connection: an interrupt to a CPU for each
	 * vector made a single NVMe request of 4 KiB 7 % longer.
	 */
	dev->ib.num_comp_vectors = num_possible_cpus();
	dev->ib.node_guid = xr_ib_node_guid(ndev);
	dev->ib.uverbs_cmd_mask |= BIT_ULL(IB_USER_VERBS_CMD_POST_SEND) |
				   BIT_ULL(IB_USER_VERBS_CMD_REQ_NOTIFY_CQ);
	strscpy(dev->ib.node_desc, "xroce", sizeof(dev->ib.node_desc));
	dev->front.ops = &xr_ib_front_ops;
	strscpy(dev->front.name, name, sizeof(dev->front.name));
	/* Its lock is also taken under that of a send queue. */
	xa_init_flags(&dev->ahs, XA_FLAGS_ALLOC1 | XA_FLAGS_LOCK_BH);
	xa_init_flags(&dev->counters, XA_FLAGS_ALLOC1);
	mutex_init(&dev->counters_lock);

	netdev_hold(ndev, &dev->ndev_tracker, GFP_KERNEL);
	mutex_lock(&xr_ibdevs_lock);
	rcu_assign_pointer(dev->ndev, ndev);
	dev->state = xr_ib_port_state(ndev);
	list_add_tail(&dev->node, &xr_ibdevs);
	mutex_unlock(&xr_ibdevs_lock);
	return dev;
}

/* Attach the device to the link of @ndev and register it. Return: 0 or an errno. */
static int xr_ibdev_register(struct xr_ibdev *dev, const char *name, struct net_device *ndev)
{
	int ret;

	/* If it is being unregistered, the notifier may have run before @dev was in the list. */
	if (READ_ONCE(ndev->reg_state) != NETREG_REGISTERED)
		return -ENODEV;
	ret = xr_front_attach(&dev->front, ndev, &xr_ib_owner_ops);
	if (ret != -ENOENT)
		return ret ?: ib_register_device(&dev->ib, name, NULL);
	/* newlink() has no extack; only an administrator gets here. */
	pr_info_ratelimited("%s: no xroce link: run \"xroce link add dev %s\" first\n",
			    ndev->name, ndev->name);
	return -EUNATCH;
}

/**
 * xr_ibdev_add() - make a verbs device
 * @name: its name
 * @ndev: network device
 * @provider: enum xroce_provider
 *
 * Return: 0; -EUNATCH: @ndev has no link; -EEXIST: its link has a device; -ENODEV: it is
 * being unregistered; -ENFILE: another device has the name; -EOPNOTSUPP: it is a VLAN device, for
 * which ib_core has no GIDs; -ENOMEM.
 */
static int xr_ibdev_add(const char *name, struct net_device *ndev, u32 provider)
{
	struct xr_ibdev *dev;
	int ret;

	if (is_vlan_dev(ndev)) {
		pr_info_ratelimited("%s: a VLAN device: make the verbs device on %s, which has its GIDs\n",
				    ndev->name, vlan_dev_real_dev(ndev)->name);
		return -EOPNOTSUPP;
	}
	dev = xr_ibdev_new(name, ndev, provider);
	if (!dev)
		return -ENOMEM;
	ret = xr_ibdev_register(dev, name, ndev);
	/* From now on the device may be removed at any time. */
	if (ret)
		ib_dealloc_device(&dev->ib);
	return ret;
}

/* rdma link add NAME type xroce netdev NDEV */
static int xr_ib_newlink(const char *name, struct net_device *ndev)
{
	return xr_ibdev_add(name, ndev, XROCE_PROVIDER_RXE);
}

/* rdma link add NAME type xroce_own netdev NDEV */
static int xr_ib_newlink_own(const char *name, struct net_device *ndev)
{
	return xr_ibdev_add(name, ndev, XROCE_PROVIDER_XROCE);
}

struct rdma_link_ops xr_ib_link_ops = {
	.type = "xroce",
	.newlink = xr_ib_newlink,
};

struct rdma_link_ops xr_ib_link_own_ops = {
	.type = "xroce_own",
	.newlink = xr_ib_newlink_own,
};

/*
 * Remove all devices; no new ones can be made. ib_unregister_device() also waits if another
 * thread is removing the device.
 */
void xr_ibdev_remove_all(void)
{
	struct xr_ibdev *dev;

	for (;;) {
		mutex_lock(&xr_ibdevs_lock);
		dev = list_first_entry_or_null(&xr_ibdevs, struct xr_ibdev, node);
		if (dev)
			get_device(&dev->ib.dev);
		mutex_unlock(&xr_ibdevs_lock);
		if (!dev)
			return;
		ib_unregister_device(&dev->ib);
		put_device(&dev->ib.dev);
	}
}

/* Any device has got a name, or another one: tell the core if the device is ours. */
static void xr_ib_renamed(struct ib_device *ib, void *data)
{
	if (ib->ops.owner == THIS_MODULE)
		xr_front_rename(&to_xr_ibdev(ib)->front, dev_name(&ib->dev));
}

static int xr_ib_named(struct ib_device *ib)
{
	xr_ib_renamed(ib, NULL);
	return 0;
}

struct ib_client xr_ib_client = {
	.name = "xroce",
	.add = xr_ib_named,
	.rename = xr_ib_renamed,
	.no_kverbs_req = true,
};
