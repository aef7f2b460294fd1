// SPDX-License-Identifier: GPL-2.0-only
/*
 * Modifying queue pairs, for all front ends. A change is checked completely (attr.c), then what it
 * needs is claimed: the peer, and the queue pair against packets. After that it cannot fail, and is
 * applied: to the module's structures, and to the entry in the map "qp", in which the state is
 * written last. xr_qp_enter() has what belongs to each state.
 */
#include <linux/etherdevice.h>
#include <linux/export.h>
#include <linux/if_vlan.h>
#include <net/ipv6.h>

#include "uapi/xroce.h"
#include "xroce_map.h"
#include "xroce_wire.h"

#include "frame/tx.h"
#include "obj/ip.h"
#include "obj/link.h"
#include "defer/defer.h"
#include "recv/queue.h"
#include "respond/queue.h"
#include "send/cc_list.h"
#include "send/packet.h"
#include "send/paths.h"
#include "send/attr_set.h"
#include "send/state.h"

#include "attr.h"
#include "error.h"
#include "follow.h"
#include "modify.h"
#include "peer.h"
#include "qp.h"
#include "trace.h"

#define XR_UD_MTU	4096	/* bytes; the MTU of the device may limit it further */

static atomic64_t xr_qp_lives = ATOMIC64_INIT(0);

static u16 xr_sport(u32 qpn, u32 dest_qpn, u16 given)
{
	if (given)
		return given;
	/* Queue pairs get different ports, so that their flows may take different paths. */
	return XR_SPORT_BASE | ((qpn ^ dest_qpn ^ dest_qpn >> 14) &
				(U16_MAX - XR_SPORT_BASE));
}

/* The VLAN whose tag packets of a queue pair must have, for the map. */
static u16 xr_qp_vlan(const struct xr_qp *qp, const struct xr_qp_attr *a)
{
	if (!a->by_gid)
		return 0;
	return qp->send.attr.vlan < VLAN_N_VID ? qp->send.attr.vlan : XROCE_QP_UNTAGGED;
}

/*
 * Write the address vector. The attributes of the requester have been set. The caller makes sure
 * that no packet is executed or response built.
 */
static void xr_qp_set_av(struct xr_qp *qp, const struct xr_qp_attr *a)
{
	bool v6 = !ipv6_addr_v4mapped(&a->sgid);
	u16 vlan = xr_qp_vlan(qp, a);
	struct xroce_qp *q = qp->map;

	WRITE_ONCE(q->vlan, vlan);
	WRITE_ONCE(q->ipv6, v6 | (vlan && vlan != XROCE_QP_UNTAGGED ? XROCE_QP_TAGGED : 0));
	memcpy(q->saddr, &a->sgid, sizeof(q->saddr));
	memcpy(q->daddr, &a->dgid, sizeof(q->daddr));
	WRITE_ONCE(q->sport, xr_sport(qp->qpn, q->dest_qpn, a->sport));
	WRITE_ONCE(q->tos, a->tos);
	qp->send.ecn = false;
	xr_request_ecn(qp, qp->type == XROCE_QPT_RC && xr_cc_listens(&qp->link->cc));
	WRITE_ONCE(q->ttl, a->ttl ? a->ttl : 64);
}

static void xr_qp_set_pkey(struct xroce_qp *q, u16 pkey)
{
	WRITE_ONCE(q->pkey, pkey);
	WRITE_ONCE(q->pkey_full, pkey & 0x8000 ? (__force u16)htons(pkey) : ~0u);
}

/* Change attributes that are part of responses, in SQD. The caller has the claim. */
static void xr_qp_move(struct xr_qp *qp, const struct xr_qp_attr *a)
{
	struct xroce_qp *q = qp->map;

	/*
	 * With the locks, the module builds no response meanwhile, and no change of the algorithm
	 * writes the ECN bits.
	 */
	spin_lock_bh(&qp->send.lock);
	spin_lock(&qp->responses.lock);
	if (a->mask & XROCE_QP_AV)
		xr_qp_set_av(qp, a);
	if (a->mask & XROCE_QP_PKEY)
		xr_qp_set_pkey(q, a->pkey);
	if (qp->type == XROCE_QPT_RC)
		xr_tx_template(q);
	spin_unlock(&qp->responses.lock);
	spin_unlock_bh(&qp->send.lock);
}

/* RC and UC, INIT to RTR: write the attributes of the connection. */
static void xr_qp_connect(struct xr_qp *qp, const struct xr_qp_attr *a)
{
	struct xroce_qp *q = qp->map;

	WRITE_ONCE(qp->peer, a->dest_qpn);
	xr_loop_wait(&qp->link->loop, qp->qpn);
	WRITE_ONCE(q->dest_qpn, a->dest_qpn);
	xr_qp_set_av(qp, a);
	WRITE_ONCE(q->mtu, 128 << a->path_mtu);
	WRITE_ONCE(q->read_max, 128 << a->path_mtu);
	WRITE_ONCE(q->rd_max, a->max_dest_rd_atomic);
	qp->mtu = 128 << a->path_mtu;
	qp->max_dest_rd_atomic = a->max_dest_rd_atomic;
}

/*
 * Check that packets of the queue pair may have its own address after a change: the link's device
 * must have the address, on the VLAN if that is known, which it is once the peer's Ethernet address
 * is known. Return: 0 or -EADDRNOTAVAIL.
 */
static int xr_qp_own_check(const struct xr_qp *qp, const struct xr_qp_change *c)
{
	const struct xr_qp_attr *a = c->attr;
	const struct xroce_qp *q = qp->map;
	u16 vlan = XR_IP_ANY_VLAN;
	struct net_device *dev;
	struct in6_addr own;
	bool ok;

	if (a->by_gid || !(a->mask & (XROCE_QP_AV | XROCE_QP_DMAC)))
		return 0;
	memcpy(&own, a->mask & XROCE_QP_AV ? (const void *)&a->sgid : q->saddr, sizeof(own));
	if (!is_zero_ether_addr(c->send.dmac))
		vlan = min_t(u16, c->send.vlan, VLAN_N_VID);
	rcu_read_lock();
	dev = READ_ONCE(qp->link->dev);
	ok = dev && xr_ip_has(dev, &own, vlan);
	rcu_read_unlock();
	if (ok)
		return 0;
	local_bh_disable();
	this_cpu_inc(qp->link->stat->own_refused);
	local_bh_enable();
	return -EADDRNOTAVAIL;
}

/*
 * If a change connects the queue pair with a peer, take the lock of peers, and end connections of
 * other owners with that peer as far as @privileged (of the caller) allows. Return: the peer, for
 * xr_peer_set() or xr_peer_put(); NULL, without the lock: the change does not connect; or, without
 * the lock, an errno of xr_peer_get() or xr_peer_clear().
 */
static struct xr_peer *xr_qp_meet(struct xr_qp *qp, const struct xr_qp_change *c, bool privileged)
{
	const struct xr_qp_attr *a = c->attr;
	struct xr_peer *peer;
	int ret;

	if (qp->type == XROCE_QPT_UD || !(a->mask & XROCE_QP_AV))
		return NULL;
	xr_peers_lock();
	peer = xr_peer_get(qp, &a->dgid, c->to == XROCE_QPS_RTR ? a->dest_qpn : qp->peer);
	if (IS_ERR(peer)) {
		xr_peers_unlock();
		return peer;
	}
	ret = xr_peer_clear(peer, qp, privileged);
	if (ret) {
		xr_peer_put(peer);
		xr_peers_unlock();
		return ERR_PTR(ret);
	}
	return peer;
}

/* Publish a state, unless a failure in softirq has moved the queue pair to ERR. */
static void xr_qp_set_map_state(struct xr_qp *qp, u32 state)
{
	/* Pairs with the program's load: a packet that sees the state sees the attributes. */
	smp_store_release(&qp->map->state, state);
	/* Pairs with the barrier in xr_qp_end(). */
	smp_mb();
	if (READ_ONCE(qp->failed))
		WRITE_ONCE(qp->map->state, XROCE_QPS_ERR);
}

/* How often the claim is tried for the change to ERR: each takes 0.05 to 0.1 seconds. */
#define XR_ERR_CLAIMS	20

/*
 * Take the claim for a change to state @to. Consumers in the kernel rely on the change to ERR and
 * free memory after it, so it waits for a CPU that stands still with a packet. Return: whether the
 * claim was taken.
 */
static bool xr_qp_claim_for(struct xroce_qp *q, u32 to)
{
	unsigned int i = to == XROCE_QPS_ERR ? XR_ERR_CLAIMS : 1;

	while (i-- > 0)
		if (xr_qp_claim(q))
			return true;
	return false;
}

/*
 * Keep packets from being executed during a change that they must not see half of. Return: 0, and
 * @claimed says whether the caller has the claim, or -EBUSY: nothing has changed.
 */
static int xr_qp_hold(struct xr_qp *qp, const struct xr_qp_change *c, bool *claimed)
{
	struct xroce_qp *q = qp->map;
	u32 to = c->to;

	*claimed = false;
	/* With this state no packet begins to be executed. */
	if (to == XROCE_QPS_RESET || to == XROCE_QPS_ERR)
		WRITE_ONCE(q->state, to);
	else if (to != XROCE_QPS_RTR &&
		 !(to == XROCE_QPS_SQD && c->attr->mask & (XROCE_QP_AV | XROCE_QP_PKEY)))
		return 0;
	*claimed = xr_qp_claim_for(q, to);
	if (*claimed || to == XROCE_QPS_ERR)
		return 0;
	xr_qp_set_map_state(qp, qp->state);
	return -EBUSY;
}

/*
 * Packets may be executed again. One that was admitted before is not: it compares the generation
 * under the claim. A packet that sees the new generation sees the writes before.
 */
static void xr_qp_resume(struct xr_qp *qp)
{
	smp_store_release(&qp->map->generation, qp->map->generation + 1);
}

/* The queue pair comes to RESET or ERR: nothing is executed for its peer any more. */
static void xr_qp_shut(struct xr_qp *qp)
{
	xr_defer_close(qp);
	xr_responses_close(qp);
	/* Also for a packet whose claim could not be had. */
	xr_qp_revoke(qp);
}

static void xr_qp_enter_reset(struct xr_qp *qp)
{
	xr_qp_shut(qp);
	/* In RESET, work requests are discarded and cannot move it to ERR. */
	WRITE_ONCE(qp->state, XROCE_QPS_RESET);
	xr_send_reset(qp);
	xr_send_set(qp, &(struct xr_send_attr){});
	xr_responses_reset(&qp->responses);
	xr_recv_reset(qp);
	qp->failed = false;
}

static void xr_qp_enter_rtr(struct xr_qp *qp, const struct xr_qp_attr *a)
{
	struct xroce_qp *q = qp->map;

	qp->epoch = atomic64_inc_return(&xr_qp_lives);
	if (qp->type == XROCE_QPT_UD) {
		WRITE_ONCE(q->mtu, XR_UD_MTU);
		qp->mtu = XR_UD_MTU;
		if (xr_qp_attr_any_addr(a, qp->type))
			WRITE_ONCE(q->ipv6, XROCE_QP_ANY_ADDR);
		else
			xr_qp_set_av(qp, a);
	} else {
		xr_qp_connect(qp, a);
		xr_responses_reset(&qp->responses);
		xr_responses_open(qp);
	}
	xr_defer_open(&qp->defer);
}

/* The attributes that do not depend on the state. */
static void xr_qp_set(struct xr_qp *qp, const struct xr_qp_attr *a)
{
	struct xroce_qp *q = qp->map;

	if (a->mask & XROCE_QP_ACCESS) {
		qp->rights = a->access;
		xr_qp_grant(qp);
		/* The map last: the module accepts what the XDP program accepts. */
		smp_store_release(&q->access, a->access);
	}
	if (a->mask & XROCE_QP_PKEY)
		xr_qp_set_pkey(q, a->pkey);
	if (a->mask & XROCE_QP_QKEY)
		WRITE_ONCE(q->qkey, a->qkey);
	if (a->mask & XROCE_QP_MIN_RNR_TIMER)
		WRITE_ONCE(q->min_rnr_timer, a->min_rnr_timer);
	if (a->mask & (XROCE_QP_AV | XROCE_QP_DMAC)) {
		xr_responses_move(qp, qp->send.attr.dmac);
		/* Verbs have asked the stack. */
		qp->follows = a->by_gid || xr_follow_known(qp);
	}
}

/* Begin the work of the new state, which has been published. */
static void xr_qp_begin(struct xr_qp *qp, const struct xr_qp_attr *a, u32 to)
{
	switch (to) {
	case XROCE_QPS_RTS:
		xr_send_start(qp);
		return;
	case XROCE_QPS_SQD:
		xr_send_drain(qp, a->tell_drained);
		return;
	case XROCE_QPS_ERR:
		xr_send_stop(qp);
		xr_recv_stop(qp);
	}
}

/*
 * Write what packets must not see half of, and let them be executed again: the part of a change
 * that follows xr_qp_hold(). @claimed: of that.
 */
static void xr_qp_held(struct xr_qp *qp, const struct xr_qp_change *c, bool claimed)
{
	const struct xr_qp_attr *a = c->attr;
	u32 to = c->to;

	if (a->mask & XR_QP_ATTR_SEND)
		xr_send_set(qp, &c->send);
	if (to == XROCE_QPS_RTR || to == XROCE_QPS_RESET)
		xr_qp_clear(qp->map, to == XROCE_QPS_RTR ? a->rq_psn : 0);
	if (to == XROCE_QPS_SQD && claimed)
		xr_qp_move(qp, a);
	if (claimed || to == XROCE_QPS_ERR)
		xr_qp_resume(qp);
	if (claimed)
		xr_qp_release(qp->map);
}

/* Make the part of a change that packets may see half of, and publish the new state. */
static void xr_qp_enter(struct xr_qp *qp, const struct xr_qp_change *c)
{
	const struct xr_qp_attr *a = c->attr;
	u32 to = c->to;

	if (to == XROCE_QPS_RESET)
		xr_qp_enter_reset(qp);
	if (to == XROCE_QPS_ERR)
		xr_qp_shut(qp);
	if (c->from == XROCE_QPS_RESET && to == XROCE_QPS_INIT)
		xr_recv_start(qp);
	if (to == XROCE_QPS_RTR)
		xr_qp_enter_rtr(qp, a);
	xr_qp_set(qp, a);
	if (to == XROCE_QPS_RTR && qp->type == XROCE_QPT_RC)
		xr_tx_template(qp->map);
	/* A packet that the addresses of the previous connection admitted is not executed. */
	if (to == XROCE_QPS_RTR)
		xr_qp_resume(qp);
	WRITE_ONCE(qp->state, to);
	xr_qp_set_map_state(qp, to);
	xr_qp_begin(qp, a, to);
}

/* Check and apply a change. The link's lock is held. @privileged: of xr_peer_privileged(). */
static int xr_qp_change(struct xr_qp *qp, const struct xr_qp_attr *a, bool privileged)
{
	struct xr_qp_change c;
	struct xr_peer *peer;
	bool claimed;
	int ret;

	ret = xr_qp_attr_check(&c, qp, a);
	if (!ret && !privileged)
		ret = xr_qp_own_check(qp, &c);
	if (ret)
		return ret;
	peer = xr_qp_meet(qp, &c, privileged);
	if (IS_ERR(peer))
		return PTR_ERR(peer);
	ret = xr_qp_hold(qp, &c, &claimed);
	if (!ret)
		xr_qp_held(qp, &c, claimed);
	/* If a privileged owner gets the peer from now on, the change ends in ERR. */
	if (peer && !ret)
		xr_peer_set(qp, peer, privileged);
	else if (peer)
		xr_peer_put(peer);
	if (peer)
		xr_peers_unlock();
	if (ret)
		return ret;
	if (c.from != c.to)
		trace_xroce_qp_state(qp->link->id, qp->qpn, c.from, c.to);
	xr_qp_enter(qp, &c);
	if (c.to == XROCE_QPS_RESET || c.to == XROCE_QPS_ERR)
		xr_peer_leave(qp);
	return 0;
}

/**
 * xr_qp_modify() - change state or attributes
 * @link: the link
 * @caller: the requesting file
 * @qpn: number of the queue pair
 * @a: the change
 *
 * On failure nothing has changed.
 *
 * Return: 0 or an errno of QP_MODIFY, see uapi/xroce.h.
 */
int xr_qp_modify(struct xr_link *link, struct xr_owner *caller, u32 qpn,
		 const struct xr_qp_attr *a)
{
	bool privileged = xr_peer_privileged(link, caller);
	struct xr_qp *qp;
	int ret;

	mutex_lock(&link->lock);
	qp = xr_qp_get(link, caller, qpn);
	ret = IS_ERR(qp) ? PTR_ERR(qp) : xr_qp_change(qp, a, privileged);
	mutex_unlock(&link->lock);
	return ret;
}
EXPORT_SYMBOL_GPL(xr_qp_modify);
