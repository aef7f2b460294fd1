// SPDX-License-Identifier: GPL-2.0-only
/*
 * Verbs: address vectors, and address handles. A work request names a handle by a number that
 * the program has chosen to pass on, so it counts only together with the protection domain.
 */
#include <linux/etherdevice.h>
#include <linux/xarray.h>
#include <net/ipv6.h>
#include <net/neighbour.h>
#include <net/route.h>
#include <rdma/ib_cache.h>

#include "xroce_wire.h"

#include "obj/cq.h"
#include "qp/qp.h"
#include "send/wqe.h"

#include "verbs.h"

#define XR_IB_AH_LIMIT	XA_LIMIT(1, XR_IB_MANY)

/* Check that it is an address of RoCEv2, from the device's port. Return: 0 or -EINVAL. */
int xr_ib_av_check(const struct rdma_ah_attr *attr)
{
	const struct ib_gid_attr *sgid = attr->grh.sgid_attr;

	if (attr->type != RDMA_AH_ATTR_TYPE_ROCE || attr->port_num != XR_IB_PORT ||
	    !(attr->ah_flags & IB_AH_GRH))
		return -EINVAL;
	return sgid && sgid->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP ? 0 : -EINVAL;
}

/* Keep an address vector. The reference to its GID entry stays with the caller. */
void xr_ib_av_keep(struct rdma_ah_attr *to, const struct rdma_ah_attr *attr)
{
	*to = *attr;
	to->grh.sgid_attr = NULL;
}

/*
 * Find the VLAN of an address vector's GID entry. @vlan: out: id; 0xffff: none. Return: 0; -ENODEV:
 * the network device of the entry is going, and the VLAN with it.
 */
int xr_ib_av_vlan(const struct rdma_ah_attr *attr, u16 *vlan)
{
	*vlan = U16_MAX;
	return rdma_read_gid_l2_fields(attr->grh.sgid_attr, vlan, NULL);
}

/* The neighbour's Ethernet address, if the kernel knows it now. The caller holds @ndev. */
static void xr_ib_av_neighbour(const struct net_device *ndev, const union ib_gid *sgid,
			       const union ib_gid *dgid, u8 *dmac)
{
	struct flowi4 fl = {
		.flowi4_oif = ndev->ifindex,
		.saddr = ((const __be32 *)sgid->raw)[3],
		.daddr = ((const __be32 *)dgid->raw)[3],
	};
	struct rtable *rt = ip_route_output_key(dev_net(ndev), &fl);
	struct neighbour *n;

	if (IS_ERR(rt))
		return;
	if (rt->rt_type == RTN_LOCAL) {
		ether_addr_copy(dmac, ndev->dev_addr);
		ip_rt_put(rt);
		return;
	}
	n = dst_neigh_lookup(&rt->dst, &fl.daddr);
	if (n && READ_ONCE(n->nud_state) & NUD_VALID)
		neigh_ha_snapshot(dmac, n, n->dev);
	if (n)
		neigh_release(n);
	ip_rt_put(rt);
}

/*
 * Fill in the peer's Ethernet address if a consumer in the kernel has not: ib_core finds it for
 * programs only, and SMC does not know it, but has a TCP connection to the peer. IPv4 only, as
 * SMC-Rv2. The loopback device has the address 0. Sleeps. Return: 0; -EHOSTUNREACH: not known.
 */
int xr_ib_av_resolve(struct rdma_ah_attr *attr)
{
	const union ib_gid *sgid = &attr->grh.sgid_attr->gid, *dgid = &attr->grh.dgid;
	bool ipv4 = ipv6_addr_v4mapped((const struct in6_addr *)sgid) &&
		    ipv6_addr_v4mapped((const struct in6_addr *)dgid);
	struct net_device *ndev;
	bool known;

	if (!is_zero_ether_addr(attr->roce.dmac))
		return 0;
	rcu_read_lock();
	ndev = rdma_read_gid_attr_ndev_rcu(attr->grh.sgid_attr);
	if (IS_ERR(ndev))
		ndev = NULL;
	dev_hold(ndev);
	rcu_read_unlock();
	if (ndev && ipv4)
		xr_ib_av_neighbour(ndev, sgid, dgid, attr->roce.dmac);
	known = !is_zero_ether_addr(attr->roce.dmac) || (ndev && ndev->flags & IFF_LOOPBACK);
	dev_put(ndev);
	return known ? 0 : -EHOSTUNREACH;
}

/*
 * Priority in a VLAN tag. A handle that is made from a completion has the service level of it
 * (xr_cqe_sl()), which is no priority.
 */
static u8 xr_ib_av_prio(const struct rdma_ah_attr *attr)
{
	u8 sl = rdma_ah_get_sl(attr);

	return sl & XR_WC_SL_UDP ? 0 : sl;
}

/* Set the address, and what packets need of it. */
static void xr_ib_ah_fill(struct xr_ah *ah, const struct rdma_ah_attr *attr, u16 vlan)
{
	const struct ib_global_route *grh = &attr->grh;
	const union ib_gid *sgid = &grh->sgid_attr->gid;
	struct xr_send_ud *to = &ah->to;

	xr_ib_av_keep(&ah->attr, attr);
	ether_addr_copy(to->dmac, attr->roce.dmac);
	to->vlan = vlan;
	to->prio = xr_ib_av_prio(attr);
	to->ipv6 = !ipv6_addr_v4mapped((const struct in6_addr *)sgid);
	/* The low bits belong to congestion control. */
	to->tos = grh->traffic_class & ~XROCE_ECN_MASK;
	to->ttl = grh->hop_limit;
	to->flow = grh->flow_label;
	to->sport = grh->flow_label ? rdma_flow_label_to_udp_sport(grh->flow_label) : 0;
	memcpy(to->saddr, sgid->raw, sizeof(to->saddr));
	memcpy(to->daddr, grh->dgid.raw, sizeof(to->daddr));
}

/**
 * xr_ib_ah_get() - find where a datagram goes
 * @dev: the device
 * @pd: protection domain of the queue pair
 * @num: number of the address handle, from a program
 * @ud: out: all but @qpn and @qkey
 *
 * With bottom halves off.
 *
 * Return: whether there is such a handle in the domain.
 */
bool xr_ib_ah_get(struct xr_ibdev *dev, const struct ib_pd *pd, u32 num, struct xr_send_ud *ud)
{
	const struct xr_ah *ah;
	bool found;

	xa_lock(&dev->ahs);
	ah = xa_load(&dev->ahs, num);
	found = ah && ah->pd == pd;
	if (found)
		*ud = ah->to;
	xa_unlock(&dev->ahs);
	return found;
}

/* Where a datagram of a queue that xr_post_send() reads goes: see struct xr_owner_ops. */
bool xr_ib_address(const struct xr_qp *qp, u32 ah, struct xr_send_ud *to)
{
	const struct xr_ibqp *ibqp = qp->context;
	u32 qpn = to->qpn, qkey = to->qkey;

	if (!xr_ib_ah_get(to_xr_ibdev(ibqp->ib.device), ibqp->ib.pd, ah, to))
		return false;
	xr_ib_send_to(qp, to, qpn, qkey);
	return true;
}

/* Number the handle for its program. Sleeps. */
static int xr_ib_ah_number(struct xr_ibdev *dev, struct xr_ah *ah, struct ib_udata *udata)
{
	struct rxe_create_ah_resp resp = {};
	int ret;

	ret = xa_alloc_cyclic_bh(&dev->ahs, &ah->num, ah, XR_IB_AH_LIMIT, &dev->ah_next,
				 GFP_KERNEL_ACCOUNT);
	if (ret < 0)
		return -ENOMEM;
	resp.ah_num = ah->num;
	ret = ib_copy_to_udata(udata, &resp, sizeof(resp));
	if (ret)
		xa_erase_bh(&dev->ahs, ah->num);
	return ret;
}

/* Charge the handle of a program, and number it. Sleeps. */
static int xr_ib_ah_join(struct ib_device *ib, struct xr_ah *ah, struct ib_udata *udata)
{
	int ret = xr_charge(&ah->charge, xr_ib_owner(ib, udata), XROCE_COUNT_AH, 1);

	if (ret)
		return ret;
	ret = xr_ib_ah_number(to_xr_ibdev(ib), ah, udata);
	if (ret)
		xr_uncharge(&ah->charge);
	return ret;
}

/* Sleeps if a program makes it. */
int xr_ib_create_ah(struct ib_ah *ib, struct rdma_ah_init_attr *init, struct ib_udata *udata)
{
	bool sleeps = init->flags & RDMA_CREATE_AH_SLEEPABLE;
	struct xr_ah *ah;
	u16 vlan;
	int ret;

	if (udata && udata->outlen < sizeof(struct rxe_create_ah_resp))
		return -EINVAL;
	ret = xr_ib_av_check(init->ah_attr) ?: xr_ib_av_vlan(init->ah_attr, &vlan);
	if (ret)
		return ret;
	ah = kzalloc(sizeof(*ah), sleeps ? GFP_KERNEL_ACCOUNT : GFP_ATOMIC);
	if (!ah)
		return -ENOMEM;
	ah->pd = ib->pd;
	xr_ib_ah_fill(ah, init->ah_attr, vlan);
	ret = udata ? xr_ib_ah_join(ib->device, ah, udata) : 0;
	if (ret)
		kfree(ah);
	else
		to_xr_ibah(ib)->ah = ah;
	return ret;
}

/* A program may send with it meanwhile. Consumers in the kernel do not (IBTA 11.2.2.2). */
int xr_ib_modify_ah(struct ib_ah *ib, struct rdma_ah_attr *attr)
{
	struct xr_ibdev *dev = to_xr_ibdev(ib->device);
	struct xr_ah *ah = to_xr_ibah(ib)->ah;
	u16 vlan;
	int ret;

	ret = xr_ib_av_check(attr) ?: xr_ib_av_vlan(attr, &vlan);
	if (ret)
		return ret;
	if (ah->num) {
		xa_lock_bh(&dev->ahs);
		xr_ib_ah_fill(ah, attr, vlan);
		xa_unlock_bh(&dev->ahs);
	} else {
		xr_ib_ah_fill(ah, attr, vlan);
	}
	return 0;
}

int xr_ib_query_ah(struct ib_ah *ib, struct rdma_ah_attr *attr)
{
	*attr = to_xr_ibah(ib)->ah->attr;
	return 0;
}

/* Sleeps if a program has made it. */
int xr_ib_destroy_ah(struct ib_ah *ib, u32 flags)
{
	struct xr_ah *ah = to_xr_ibah(ib)->ah;

	if (ah->num) {
		xa_erase_bh(&to_xr_ibdev(ib->device)->ahs, ah->num);
		xr_uncharge(&ah->charge);
	}
	kfree(ah);
	return 0;
}
