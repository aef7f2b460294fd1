// SPDX-License-Identifier: GPL-2.0-only
/* A device and its port: what they can do, and the state of the network device. */
#include <linux/etherdevice.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <net/addrconf.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_mad.h>

#include "uapi/xroce.h"
#include "xroce_map.h"

#include "obj/link.h"
#include "recv/group.h"
#include "send/send.h"

#include "stats.h"
#include "verbs.h"

/* There is no hardware whose maker has an OUI. Programs take 0 for an error. */
#define XR_IB_VENDOR	0xffffff
/* Slots of the GID table, which ib_core fills with the addresses of the network device. */
#define XR_IB_GIDS	1024
/* All packets of an ordinary peer have it (IBTA 10.9.1.2). */
#define XR_IB_PKEY	IB_DEFAULT_PKEY_FULL
/* A response is sent within 4.096 us << this: 134 ms, for on-demand memory. */
#define XR_IB_ACK_DELAY	15

/*
 * Two devices on a network device must not have the same GUID. That of rxe is the MAC address
 * with ff:fe in the middle and the bit for universal addresses inverted. Here 78:72, "xr", is
 * in the middle.
 */
__be64 xr_ib_node_guid(const struct net_device *ndev)
{
	union {
		__be64 guid;
		u8 byte[8];
	} g;

	addrconf_addr_eui48(g.byte, ndev->dev_addr);
	g.byte[3] = 'x';
	g.byte[4] = 'r';
	return g.guid;
}

enum ib_port_state xr_ib_port_state(const struct net_device *ndev)
{
	return netif_running(ndev) && netif_carrier_ok(ndev) ?
		IB_PORT_ACTIVE : IB_PORT_DOWN;
}

/*
 * Report the state of the port if it has changed. The device exists, and xr_ibdevs_lock is
 * held; events must not be reported once ib_core removes the device.
 */
void xr_ib_port_changed(struct xr_ibdev *dev, const struct net_device *ndev)
{
	enum ib_port_state state = xr_ib_port_state(ndev);
	struct ib_event event = {
		.device = &dev->ib,
		.element.port_num = XR_IB_PORT,
		.event = state == IB_PORT_ACTIVE ? IB_EVENT_PORT_ACTIVE : IB_EVENT_PORT_ERR,
	};

	if (state == dev->state || !ib_device_try_get(&dev->ib))
		return;
	dev->state = state;
	ib_dispatch_event(&event);
	ib_device_put(&dev->ib);
}

/* Return: the network device with a reference for ib_core; NULL: it has gone or is about to. */
struct net_device *xr_ib_get_netdev(struct ib_device *ib, u32 port)
{
	struct net_device *ndev;

	rcu_read_lock();
	ndev = rcu_dereference(to_xr_ibdev(ib)->ndev);
	if (ndev && READ_ONCE(ndev->reg_state) != NETREG_REGISTERED)
		ndev = NULL;
	/* Whoever unregisters it waits for readers under RCU, then for references. */
	dev_hold(ndev);
	rcu_read_unlock();
	return ndev;
}

/* Provider and tools show three numbers of 16 bits. */
static u64 xr_ib_fw_ver(void)
{
	u16 v[3] = {};

	if (sscanf(XROCE_VERSION, "%hu.%hu.%hu", &v[0], &v[1], &v[2]) < 1)
		return 0;
	return (u64)v[0] << 32 | (u64)v[1] << 16 | v[2];
}

void xr_ib_get_dev_fw_str(struct ib_device *ib, char *str)
{
	strscpy(str, XROCE_VERSION, IB_FW_VERSION_NAME_MAX);
}

static void xr_ib_odp_caps(struct ib_odp_caps *caps)
{
	caps->general_caps = IB_ODP_SUPPORT | IB_ODP_SUPPORT_IMPLICIT;
	caps->per_transport_caps.rc_odp_caps =
		IB_ODP_SUPPORT_SEND | IB_ODP_SUPPORT_RECV | IB_ODP_SUPPORT_WRITE |
		IB_ODP_SUPPORT_READ | IB_ODP_SUPPORT_ATOMIC | IB_ODP_SUPPORT_SRQ_RECV;
	caps->per_transport_caps.uc_odp_caps =
		IB_ODP_SUPPORT_SEND | IB_ODP_SUPPORT_RECV | IB_ODP_SUPPORT_WRITE |
		IB_ODP_SUPPORT_SRQ_RECV;
	caps->per_transport_caps.ud_odp_caps =
		IB_ODP_SUPPORT_SEND | IB_ODP_SUPPORT_RECV | IB_ODP_SUPPORT_SRQ_RECV;
}

/* The clock of completions, if the device has one: nanoseconds. */
static void xr_ib_clock_caps(const struct xr_ibdev *dev, struct ib_device_attr *attr)
{
	if (!dev->own)
		return;
	attr->timestamp_mask = U64_MAX;
	attr->hca_core_clock = NSEC_PER_MSEC;
}

/*
 * Sizes of the link's tables, and limits of its objects. Regions and windows share a table.
 * Limits of users (own/limit.h) and control groups may be lower.
 */
int xr_ib_query_device(struct ib_device *ib, struct ib_device_attr *attr,
		       struct ib_udata *udata)
{
	const struct xr_link *link = to_xr_ibdev(ib)->front.link;

	/* ib_core of Linux 7.3 passes NULL. */
	if (udata && (udata->inlen || udata->outlen))
		return -EINVAL;
	*attr = (struct ib_device_attr) {
		.fw_ver = xr_ib_fw_ver(),
		.vendor_id = XR_IB_VENDOR,
		.sys_image_guid = ib->node_guid,
		.max_mr_size = U64_MAX,
		.page_size_cap = GENMASK(31, PAGE_SHIFT),
		.device_cap_flags =
			IB_DEVICE_BAD_PKEY_CNTR | IB_DEVICE_BAD_QKEY_CNTR |
			IB_DEVICE_CURR_QP_STATE_MOD | IB_DEVICE_PORT_ACTIVE_EVENT |
			IB_DEVICE_SYS_IMAGE_GUID | IB_DEVICE_RC_RNR_NAK_GEN |
			IB_DEVICE_SRQ_RESIZE |
			IB_DEVICE_MEM_WINDOW | IB_DEVICE_MEM_WINDOW_TYPE_2B |
			IB_DEVICE_MEM_MGT_EXTENSIONS |
			IB_DEVICE_FLUSH_GLOBAL | IB_DEVICE_ATOMIC_WRITE,
		.kernel_cap_flags = IBK_ALLOW_USER_UNREG | IBK_ON_DEMAND_PAGING,
		.max_qp = link->qp_entries,
		.max_qp_wr = min(XROCE_SEND_MAX, XROCE_RQ_MAX) - 1,
		.max_send_sge = XROCE_SEND_SGE_MAX,
		.max_recv_sge = XROCE_RQ_SGE_MAX,
		.max_sge_rd = XROCE_SEND_SGE_MAX,
		.max_cq = XR_PLACES,
		.max_cqe = XROCE_CQ_MAX - 1,
		.max_mr = link->mpt_entries,
		.max_fast_reg_page_list_len = XR_IB_MR_PAGES,
		.max_mw = link->mpt_entries,
		.max_pd = XR_PLACES,
		.max_qp_rd_atom = XROCE_RD_MAX,
		.max_qp_init_rd_atom = XROCE_RD_MAX,
		.max_res_rd_atom = XROCE_RD_MAX * link->qp_entries,
		.atomic_cap = IB_ATOMIC_HCA,
		.masked_atomic_cap = IB_ATOMIC_NONE,
		.max_mcast_grp = XR_MCAST_MAX,
		.max_mcast_qp_attach = XR_MCAST_GROUP_MAX,
		.max_total_mcast_qp_attach = XR_MCAST_MAX,
		.max_ah = XR_PLACES,
		.max_srq = XR_PLACES,
		.max_srq_wr = XROCE_RQ_MAX - 1,
		.max_srq_sge = XROCE_RQ_SGE_MAX,
		.max_pkeys = 1,
		.cq_caps = {
			.max_cq_moderation_count = XROCE_MODERATION_COUNT_MAX,
			.max_cq_moderation_period = XROCE_MODERATION_USEC_MAX,
		},
		.local_ca_ack_delay = XR_IB_ACK_DELAY,
	};
	xr_ib_odp_caps(&attr->odp_caps);
	xr_ib_clock_caps(to_xr_ibdev(ib), attr);
	return 0;
}

/* Attributes that follow from the network device. Return: 0; -ENODEV: it has gone. */
static int xr_ib_port_netdev(struct ib_device *ib, struct ib_port_attr *attr)
{
	struct net_device *ndev = xr_ib_get_netdev(ib, XR_IB_PORT);

	if (!ndev)
		return -ENODEV;
	attr->state = xr_ib_port_state(ndev);
	attr->active_mtu = iboe_get_mtu(READ_ONCE(ndev->mtu)) ?: IB_MTU_256;
	if (attr->state == IB_PORT_ACTIVE)
		attr->phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	else if (netif_running(ndev))
		attr->phys_state = IB_PORT_PHYS_STATE_POLLING;
	else
		attr->phys_state = IB_PORT_PHYS_STATE_DISABLED;
	dev_put(ndev);
	/* Takes rtnl. */
	return ib_get_eth_speed(ib, XR_IB_PORT, &attr->active_speed, &attr->active_width);
}

int xr_ib_query_port(struct ib_device *ib, u32 port, struct ib_port_attr *attr)
{
	struct xroce_stat stat;

	attr->max_mtu = IB_MTU_4096;
	attr->gid_tbl_len = XR_IB_GIDS;
	attr->ip_gids = true;
	attr->max_msg_sz = 1U << 31;
	attr->pkey_tbl_len = 1;
	attr->max_vl_num = 1;
	xr_ib_stat_sum(to_xr_ibdev(ib)->front.link, &stat);
	attr->bad_pkey_cntr = stat.drop_pkey;
	attr->qkey_viol_cntr = stat.drop_qkey;
	if (xr_ib_port_netdev(ib, attr)) {
		attr->state = IB_PORT_DOWN;
		attr->phys_state = IB_PORT_PHYS_STATE_DISABLED;
		attr->active_mtu = IB_MTU_256;
		attr->active_speed = IB_SPEED_SDR;
		attr->active_width = IB_WIDTH_1X;
	}
	return 0;
}

int xr_ib_query_pkey(struct ib_device *ib, u32 port, u16 index, u16 *pkey)
{
	if (index)
		return -EINVAL;
	*pkey = XR_IB_PKEY;
	return 0;
}

/* The connection manager is a consumer in the kernel (ib_mad, ib_cm), which makes QP 1. */
int xr_ib_get_port_immutable(struct ib_device *ib, u32 port,
			     struct ib_port_immutable *immutable)
{
	immutable->pkey_tbl_len = 1;
	immutable->gid_tbl_len = XR_IB_GIDS;
	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}

enum rdma_link_layer xr_ib_get_link_layer(struct ib_device *ib, u32 port)
{
	return IB_LINK_LAYER_ETHERNET;
}
