// SPDX-License-Identifier: GPL-2.0-only
/*
 * Verbs: modifying queue pairs. ib_core's table says which attributes belong to a change of
 * state. They are translated for the link, which changes all of them or none; those that it does
 * not have are kept here, for query_qp.
 */
#include <linux/etherdevice.h>
#include <linux/mutex.h>
#include <linux/string.h>

#include "uapi/xroce.h"
#include "xroce_map.h"
#include "xroce_transition.h"
#include "xroce_wire.h"

#include "qp/attr.h"
#include "qp/modify.h"
#include "qp/qp.h"

#include "verbs.h"

#define XR_IB_DEFAULT_PKEY	0xffff

static_assert((int)IB_MTU_256 == (int)XROCE_MTU_256);
static_assert((int)IB_MTU_4096 == (int)XROCE_MTU_4096);

/* Attributes of another path, which there is not, or of rate control. */
static bool xr_ib_attrs_known(const struct ib_qp_attr *attr, int mask)
{
	return !(mask & (IB_QP_ALT_PATH | IB_QP_CAP | IB_QP_RATE_LIMIT)) &&
	       (!(mask & IB_QP_PATH_MIG_STATE) || attr->path_mig_state == IB_MIG_MIGRATED);
}

/* The values that the link does not check. */
static bool xr_ib_attrs_ok(const struct ib_qp_attr *attr, int mask)
{
	return (!(mask & IB_QP_PORT) || attr->port_num == XR_IB_PORT) &&
	       (!(mask & IB_QP_PKEY_INDEX) || !attr->pkey_index) &&
	       (!(mask & IB_QP_AV) || !xr_ib_av_check(&attr->ah_attr));
}

/* Check the change from @from to @to, with these attributes. Return: 0 or an errno. */
static int xr_ib_modify_check(const struct xr_ibqp *qp, const struct ib_qp_attr *attr, int mask,
			      u32 from, u32 to)
{
	if (!xr_ib_attrs_known(attr, mask))
		return -EOPNOTSUPP;
	if (mask & IB_QP_CUR_STATE && attr->cur_qp_state != from)
		return -EINVAL;
	if (!ib_modify_qp_is_ok(from, to, qp->ib.qp_type, mask))
		return -EINVAL;
	return xr_ib_attrs_ok(attr, mask) ? 0 : -EINVAL;
}

static void xr_ib_modify_av(struct xr_qp_attr *m, const struct rdma_ah_attr *attr)
{
	const struct ib_global_route *grh = &attr->grh;

	/* The VLAN is in it already. */
	m->mask |= XROCE_QP_AV | XROCE_QP_DMAC;
	memcpy(&m->sgid, grh->sgid_attr->gid.raw, sizeof(m->sgid));
	memcpy(&m->dgid, grh->dgid.raw, sizeof(m->dgid));
	/* The low bits belong to congestion control. */
	m->tos = grh->traffic_class & ~XROCE_ECN_MASK;
	m->ttl = grh->hop_limit;
	m->sport = grh->flow_label ? rdma_flow_label_to_udp_sport(grh->flow_label) : 0;
	m->send.flow = grh->flow_label;
	m->send.prio = rdma_ah_get_sl(attr);
	ether_addr_copy(m->send.dmac, attr->roce.dmac);
}

/* Attributes that only change their names. Each is an unsigned integer of at most 32 bits. */
#define XR_IB_ATTR(ib_bit, ib_field, bit, field) do {	\
	if (mask & (ib_bit)) {				\
		m->mask |= (bit);			\
		m->field = attr->ib_field;		\
	}						\
} while (0)

/* Translate what the link must know. */
static void xr_ib_modify_fill(struct xr_qp_attr *m, const struct ib_qp_attr *attr, int mask)
{
	XR_IB_ATTR(IB_QP_STATE, qp_state, XROCE_QP_STATE, state);
	XR_IB_ATTR(IB_QP_QKEY, qkey, XROCE_QP_QKEY, qkey);
	XR_IB_ATTR(IB_QP_PATH_MTU, path_mtu, XROCE_QP_PATH_MTU, path_mtu);
	XR_IB_ATTR(IB_QP_DEST_QPN, dest_qp_num, XROCE_QP_DEST_QPN, dest_qpn);
	XR_IB_ATTR(IB_QP_RQ_PSN, rq_psn, XROCE_QP_RQ_PSN, rq_psn);
	XR_IB_ATTR(IB_QP_MIN_RNR_TIMER, min_rnr_timer, XROCE_QP_MIN_RNR_TIMER, min_rnr_timer);
	XR_IB_ATTR(IB_QP_MAX_DEST_RD_ATOMIC, max_dest_rd_atomic, XROCE_QP_MAX_DEST_RD_ATOMIC,
		   max_dest_rd_atomic);
	XR_IB_ATTR(IB_QP_SQ_PSN, sq_psn, XROCE_QP_SQ_PSN, send.psn);
	XR_IB_ATTR(IB_QP_TIMEOUT, timeout, XROCE_QP_TIMEOUT, send.timeout);
	XR_IB_ATTR(IB_QP_RETRY_CNT, retry_cnt, XROCE_QP_RETRY_CNT, send.retry);
	XR_IB_ATTR(IB_QP_RNR_RETRY, rnr_retry, XROCE_QP_RNR_RETRY, send.rnr_retry);
	XR_IB_ATTR(IB_QP_MAX_QP_RD_ATOMIC, max_rd_atomic, XROCE_QP_MAX_RD_ATOMIC,
		   send.max_rd_atomic);
	if (mask & IB_QP_ACCESS_FLAGS) {
		/* The others, such as local write, are no rights of the peer. */
		m->mask |= XROCE_QP_ACCESS;
		m->access = attr->qp_access_flags & XROCE_ACCESS_REMOTE;
	}
	if (mask & IB_QP_PKEY_INDEX) {
		m->mask |= XROCE_QP_PKEY;
		m->pkey = XR_IB_DEFAULT_PKEY;
	}
	if (mask & IB_QP_AV)
		xr_ib_modify_av(m, &attr->ah_attr);
	/* The event belongs to this change of state, not to the next one. */
	m->tell_drained = mask & IB_QP_EN_SQD_ASYNC_NOTIFY && attr->en_sqd_async_notify;
}

/* Verbs permit some attributes in more transitions than the link does. */
static bool xr_ib_modify_supported(const struct xr_qp_attr *m, u32 type, u32 from, u32 to)
{
	const struct xroce_transition *t = xroce_transition(type, from, to);

	return t && !(m->mask & ~(XROCE_QP_STATE | XR_QP_ATTR_SEND | t->required | t->optional));
}

/* Keep what the link does not, for query_qp. */
static void xr_ib_modify_keep(struct ib_qp_attr *keep, const struct ib_qp_attr *attr, int mask)
{
	if (mask & IB_QP_STATE && attr->qp_state == IB_QPS_RESET)
		memset(keep, 0, sizeof(*keep));
	if (mask & IB_QP_EN_SQD_ASYNC_NOTIFY)
		keep->en_sqd_async_notify = attr->en_sqd_async_notify;
	if (mask & IB_QP_ACCESS_FLAGS)
		keep->qp_access_flags = attr->qp_access_flags;
	if (mask & IB_QP_PKEY_INDEX)
		keep->pkey_index = attr->pkey_index;
	if (mask & IB_QP_PORT)
		keep->port_num = attr->port_num;
	if (mask & IB_QP_AV)
		xr_ib_av_keep(&keep->ah_attr, &attr->ah_attr);
	if (mask & IB_QP_RQ_PSN)
		keep->rq_psn = attr->rq_psn;
}

/* Tell the program what a change of state implies for its queues (IBTA 11.6.3). */
static void xr_ib_modify_notify(struct xr_ibqp *qp, u32 to)
{
	if (to == XROCE_QPS_RESET)
		WRITE_ONCE(qp->last_wqe, false);
	if (to == XROCE_QPS_ERR)
		xr_ib_last_wqe(qp);
}

/*
 * Return: 0; -EINVAL; -EOPNOTSUPP; -EBUSY, -EADDRINUSE, -ENOMEM: see uapi/xroce.h;
 * -EHOSTUNREACH: see xr_ib_av_resolve(). On failure nothing has changed.
 */
int xr_ib_modify_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
		    struct ib_udata *udata)
{
	struct xr_qp_attr m = { .by_gid = true };
	struct xr_ibqp *qp = to_xr_ibqp(ib);
	bool restart;
	u32 from, to;
	int ret;

	mutex_lock(&qp->modify_lock);
	/* Work requests posted before the command are executed before it. */
	xr_ib_send_drain(qp);
	from = xr_qp_state(qp->qp);
	to = mask & IB_QP_STATE ? attr->qp_state : from;
	ret = xr_ib_modify_check(qp, attr, mask, from, to);
	if (!ret && mask & IB_QP_AV && !udata)
		ret = xr_ib_av_resolve(&attr->ah_attr);
	if (!ret && mask & IB_QP_AV)
		ret = xr_ib_av_vlan(&attr->ah_attr, &m.send.vlan);
	if (ret)
		goto out;
	xr_ib_modify_fill(&m, attr, mask);
	if (!xr_ib_modify_supported(&m, qp->qp->type, from, to)) {
		ret = -EOPNOTSUPP;
		goto out;
	}
	/* Both set the counters to 0. */
	restart = to == XROCE_QPS_RESET || to == XROCE_QPS_RTR;
	if (restart)
		xr_ib_counter_keep(qp);
	ret = xr_qp_modify(qp->qp->link, qp->qp->owner, ib->qp_num, &m);
	if (ret)
		goto out;
	if (restart)
		xr_ib_counter_restart(qp);
	xr_ib_modify_keep(&qp->attr, attr, mask);
	/* ERR flushes and RESET discards what has been posted meanwhile. */
	xr_ib_send_drain(qp);
	xr_ib_modify_notify(qp, to);
out:
	mutex_unlock(&qp->modify_lock);
	return ret;
}
