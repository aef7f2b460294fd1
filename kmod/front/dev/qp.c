// SPDX-License-Identifier: GPL-2.0-only
/* /dev/xroce: commands on queue pairs. */
#include <linux/err.h>
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>

#include "obj/ring.h"
#include "qp/attr.h"
#include "qp/create.h"
#include "qp/modify.h"
#include "qp/query.h"
#include "send/post.h"

#include "chardev.h"

int xr_do_qp_add(struct xr_ctx *ctx, struct xr_link *link, union xroce_cmd *arg)
{
	struct xroce_qp_add *a = &arg->qp_add;
	const struct xr_qp_init init = {
		.owner = xr_new_owner(ctx, link, a->flags),
		.format = XR_FORMAT_OWN,
	};

	if (a->reserved || a->reserved2)
		return -EINVAL;
	if (IS_ERR(init.owner))
		return PTR_ERR(init.owner);
	return PTR_ERR_OR_ZERO(xr_qp_create(link, &ctx->own, &init, a));
}

/* True for no tag, and for a tag with a VLAN that there can be. */
static bool xr_vlan_tci_ok(u16 tci)
{
	return !tci || (tci & VLAN_VID_MASK && (tci & VLAN_VID_MASK) < VLAN_N_VID - 1 &&
			!(tci & VLAN_CFI_MASK));
}

static struct xr_qp_attr xr_dev_attr(const struct xroce_qp_modify *a)
{
	struct xr_qp_attr attr = {
		.mask = a->mask,
		.state = a->state,
		.access = a->access,
		.pkey = a->pkey,
		.qkey = a->qkey,
		.path_mtu = a->path_mtu,
		.dest_qpn = a->dest_qpn,
		.rq_psn = a->rq_psn,
		.min_rnr_timer = a->min_rnr_timer,
		.max_dest_rd_atomic = a->max_dest_rd_atomic,
		.sport = a->sport,
		.tos = a->tos,
		.ttl = a->ttl,
		.tell_drained = true,
		.send = {
			.vlan = a->vlan_tci ? a->vlan_tci & VLAN_VID_MASK : U16_MAX,
			.prio = a->vlan_tci >> VLAN_PRIO_SHIFT,
			.psn = a->sq_psn,
			.timeout = a->timeout,
			.retry = a->retry_cnt,
			.rnr_retry = a->rnr_retry,
			.max_rd_atomic = a->max_rd_atomic,
		},
	};

	memcpy(&attr.sgid, a->sgid, sizeof(attr.sgid));
	memcpy(&attr.dgid, a->dgid, sizeof(attr.dgid));
	ether_addr_copy(attr.send.dmac, a->dmac);
	return attr;
}

int xr_do_qp_modify(struct xr_ctx *ctx, struct xr_link *link, union xroce_cmd *arg)
{
	const struct xroce_qp_modify *a = &arg->qp_modify;
	struct xr_qp_attr attr;
	int ret;

	if (a->reserved || a->reserved2)
		return -EINVAL;
	if (a->mask & XROCE_QP_DMAC &&
	    (!is_valid_ether_addr(a->dmac) || !xr_vlan_tci_ok(a->vlan_tci)))
		return -EINVAL;
	attr = xr_dev_attr(a);
	ret = xr_qp_modify(link, &ctx->own, a->qpn, &attr);
	/* ERR flushes and RESET discards what has been posted and not executed. */
	if (!ret && a->mask & XROCE_QP_STATE &&
	    (a->state == XROCE_QPS_RESET || a->state == XROCE_QPS_ERR))
		xr_post_send(link, &ctx->own, a->qpn);
	return ret;
}

int xr_do_qp_del(struct xr_ctx *ctx, struct xr_link *link, union xroce_cmd *arg)
{
	if (arg->qp_del.reserved)
		return -EINVAL;
	return xr_qp_delete(link, &ctx->own, arg->qp_del.qpn);
}

int xr_do_qp_query(struct xr_ctx *ctx, struct xr_link *link, union xroce_cmd *arg)
{
	if (arg->qp_query.reserved || arg->qp_query.reserved2)
		return -EINVAL;
	return xr_qp_query(link, &ctx->own, &arg->qp_query);
}

int xr_do_qp_send(struct xr_ctx *ctx, struct xr_link *link, union xroce_cmd *arg)
{
	if (arg->qp_send.reserved)
		return -EINVAL;
	return xr_post_send(link, &ctx->own, arg->qp_send.qpn);
}
