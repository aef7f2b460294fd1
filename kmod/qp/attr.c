// SPDX-License-Identifier: GPL-2.0-only
/* Checking attributes of queue pairs, before anything changes. */
#include <linux/etherdevice.h>
#include <linux/in.h>
#include <net/ipv6.h>

#include "uapi/xroce.h"
#include "xroce_map.h"
#include "xroce_transition.h"
#include "xroce_wire.h"

#include "send/paths.h"
#include "send/attr_set.h"

#include "attr.h"
#include "qp.h"

/* True for an address that a single host can have. */
static bool xr_gid_ok(const struct in6_addr *a)
{
	__be32 v4 = a->s6_addr32[3];

	if (ipv6_addr_v4mapped(a))
		return !ipv4_is_zeronet(v4) && !ipv4_is_multicast(v4) &&
		       !ipv4_is_lbcast(v4);
	return !ipv6_addr_any(a) && !ipv6_addr_is_multicast(a);
}

static bool xr_av_ok(u32 type, const struct xr_qp_attr *a)
{
	/* Datagrams get no response, so only the own address is given. */
	if (type == XROCE_QPT_UD)
		return xr_gid_ok(&a->sgid) && ipv6_addr_any(&a->dgid) && !a->sport &&
		       !a->tos && !a->ttl;
	return xr_gid_ok(&a->sgid) && xr_gid_ok(&a->dgid) &&
	       ipv6_addr_v4mapped(&a->sgid) == ipv6_addr_v4mapped(&a->dgid) &&
	       (a->tos & XROCE_ECN_MASK) != XROCE_ECN_CE &&
	       (!a->sport || a->sport >= XR_SPORT_BASE);
}

/* True if all values that @a->mask selects are possible, but those of the requester. */
static bool xr_values_ok(u32 type, const struct xr_qp_attr *a)
{
	u32 m = a->mask;

	return (!(m & XROCE_QP_ACCESS) || !(a->access & ~XROCE_ACCESS_REMOTE)) &&
	       (!(m & XROCE_QP_PKEY) || (a->pkey <= 0xffff && a->pkey & 0x7fff)) &&
	       (!(m & XROCE_QP_AV) || xr_av_ok(type, a)) &&
	       (!(m & XROCE_QP_PATH_MTU) || (a->path_mtu >= XROCE_MTU_256 &&
					     a->path_mtu <= XROCE_MTU_4096)) &&
	       (!(m & XROCE_QP_DEST_QPN) || a->dest_qpn <= XROCE_QPN_MASK) &&
	       (!(m & XROCE_QP_RQ_PSN) || a->rq_psn <= XROCE_PSN_MASK) &&
	       (!(m & XROCE_QP_MIN_RNR_TIMER) || a->min_rnr_timer <= 31) &&
	       (!(m & XROCE_QP_MAX_DEST_RD_ATOMIC) ||
		a->max_dest_rd_atomic <= XROCE_RD_MAX);
}

/*
 * True if the attributes of the requester, of @given, go with a transition. The peer's Ethernet
 * address is given with the address vector or on the way to RTS.
 */
static bool xr_send_given_ok(const struct xr_qp *qp, u32 from, u32 to, u32 given)
{
	u32 all = qp->type == XROCE_QPT_RC ? XR_QP_ATTR_SEND :
		  qp->type == XROCE_QPT_UC ? XROCE_QP_SQ_PSN | XROCE_QP_DMAC : XROCE_QP_SQ_PSN;

	if (!qp->send.wqes)
		return !given;
	if (from == XROCE_QPS_INIT && to == XROCE_QPS_RTR)
		return !(given & ~(all & XROCE_QP_DMAC));
	if (from == XROCE_QPS_RTR && to == XROCE_QPS_RTS) {
		if (!is_zero_ether_addr(qp->send.attr.dmac))
			given |= all & XROCE_QP_DMAC;
		return given == all;
	}
	if (from == XROCE_QPS_SQD && (to == XROCE_QPS_RTS || to == XROCE_QPS_SQD))
		return !(given & ~all) && !(given & XROCE_QP_SQ_PSN);
	return !given;
}

static bool xr_transition_ok(const struct xr_qp_change *c, const struct xr_qp *qp)
{
	const struct xroce_transition *t = xroce_transition(qp->type, c->from, c->to);
	u32 given = c->attr->mask & ~XROCE_QP_STATE;

	if (!xr_send_given_ok(qp, c->from, c->to, given & XR_QP_ATTR_SEND))
		return false;
	given &= ~XR_QP_ATTR_SEND;
	if (c->to == XROCE_QPS_RTR && xr_qp_attr_any_addr(c->attr, qp->type))
		given ^= XROCE_QP_AV;

	return t && (given & t->required) == t->required &&
	       !(given & ~(t->required | t->optional));
}

/* Return: the attributes of the requester after the change @a. */
static struct xr_send_attr xr_send_after(const struct xr_qp *qp, const struct xr_qp_attr *a)
{
	struct xr_send_attr next = qp->send.attr;

	if (a->mask & XROCE_QP_SQ_PSN)
		next.psn = a->send.psn;
	if (a->mask & XROCE_QP_TIMEOUT)
		next.timeout = a->send.timeout;
	if (a->mask & XROCE_QP_RETRY_CNT)
		next.retry = a->send.retry;
	if (a->mask & XROCE_QP_RNR_RETRY)
		next.rnr_retry = a->send.rnr_retry;
	if (a->mask & XROCE_QP_MAX_RD_ATOMIC)
		next.max_rd_atomic = a->send.max_rd_atomic;
	if (a->mask & XROCE_QP_DMAC) {
		ether_addr_copy(next.dmac, a->send.dmac);
		next.vlan = a->send.vlan;
		next.prio = a->send.prio;
		next.flow = a->send.flow;
	}
	return next;
}

/**
 * xr_qp_attr_check() - check a change of state or attributes
 * @c: filled in
 * @qp: the queue pair; the link's lock is held
 * @a: the change, valid as long as @c
 *
 * Return: 0; -EINVAL: there is no such transition, it lacks an attribute, or does not take one, or
 * a value is out of range.
 */
int xr_qp_attr_check(struct xr_qp_change *c, const struct xr_qp *qp, const struct xr_qp_attr *a)
{
	c->attr = a;
	c->from = xr_qp_state(qp);
	c->to = a->mask & XROCE_QP_STATE ? a->state : c->from;
	c->send = xr_send_after(qp, a);
	return xr_transition_ok(c, qp) && xr_values_ok(qp->type, a) &&
	       xr_send_attr_ok(&c->send) ? 0 : -EINVAL;
}
