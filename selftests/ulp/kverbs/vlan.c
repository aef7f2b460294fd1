// SPDX-License-Identifier: GPL-2.0-only
/*
 * Row: a consumer in the kernel holds the GID entry of a VLAN device, which is deleted. The entry
 * does not tell its VLAN any more, and no packets leave untagged instead.
 */
#include <linux/err.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/ipv6.h>
#include <net/rtnetlink.h>
#include <rdma/ib_cache.h>

#include "kverbs.h"

/* kverbs.sh makes the device. */
#define KV_VLAN_DEV	"h0.5"
#define KV_VLAN_ADDRESS	0x0a520001u	/* 10.82.0.1 */

/* Make an address handle, and destroy it. Return: 0 or an errno. */
static int kv_handle_of(struct kv *kv, struct rdma_ah_attr *attr)
{
	struct ib_ah *ah = rdma_create_ah(kv->a.pd, attr, 0);

	if (IS_ERR(ah))
		return PTR_ERR(ah);
	rdma_destroy_ah(ah, 0);
	return 0;
}

static int kv_without_vlan(struct kv *kv, struct net_device *vlan, struct rdma_ah_attr *attr)
{
	struct ib_qp_attr qp = { .qp_state = IB_QPS_SQD };

	expect(kv_handle_of(kv, attr), 0);
	/* The lock is released when nothing refers to the device any more, the entry neither. */
	rtnl_lock();
	vlan->rtnl_link_ops->dellink(vlan, NULL);
	rtnl_unlock();
	expect(kv_handle_of(kv, attr), -ENODEV);
	expect(ib_modify_qp(kv->a.qp, &qp, IB_QP_STATE), 0);
	qp.ah_attr = *attr;
	expect(ib_modify_qp(kv->a.qp, &qp, IB_QP_AV), -ENODEV);
	return 0;
}

int kv_vlan_gone(struct kv *kv)
{
	struct net_device *vlan = dev_get_by_name(&init_net, KV_VLAN_DEV);
	struct rdma_ah_attr attr = { .type = RDMA_AH_ATTR_TYPE_ROCE, .port_num = 1 };
	const struct ib_gid_attr *entry;
	union ib_gid gid;
	int ret;

	expect(!!vlan, true);
	ipv6_addr_set_v4mapped(htonl(KV_VLAN_ADDRESS), (struct in6_addr *)&gid);
	entry = rdma_find_gid_by_port(kv->dev, &gid, IB_GID_TYPE_ROCE_UDP_ENCAP, 1, vlan);
	dev_put(vlan);
	expect(PTR_ERR_OR_ZERO(entry), 0);
	attr.roce.dmac[0] = 2;
	rdma_move_grh_sgid_attr(&attr, &gid, 0, 64, 0, entry);
	ret = kv_without_vlan(kv, vlan, &attr);
	rdma_destroy_ah_attr(&attr);
	return ret;
}
