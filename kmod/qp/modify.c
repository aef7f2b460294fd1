// SPDX-License-Identifier: GPL-2.0-only
/*
 * Modifying queue pairs: checking the values of attributes, and writing them to the entry in
 * the map "qp". The table in include/xroce_transition.h says which attributes each transition
 * needs and permits.
 */
#include <linux/etherdevice.h>
#include <linux/export.h>
#include <linux/if_vlan.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <net/ipv6.h>

#include "uapi/xroce.h"
#include "xroce_map.h"
#include "xroce_transition.h"
#include "xroce_wire.h"

#include "frame/tx.h"
#include "obj/addr.h"
#include "obj/link.h"
#include "odp/defer.h"
#include "recv/queue.h"
#include "respond/queue.h"
#include "send/sq.h"
#include "send/state.h"

#include "create.h"
#include "error.h"
#include "peer.h"
#include "qp.h"

#define XR_SPORT_BASE	0xc000

#define XR_UD_MTU	4096	/* bytes; the MTU of the device may limit it further */

/* Attributes of the requester. */
#define XR_UC_SEND	(XROCE_QP_SQ_PSN | XROCE_QP_DMAC)
#define XR_RC_SEND	(XR_UC_SEND | XROCE_QP_TIMEOUT | XROCE_QP_RETRY_CNT | \
			 XROCE_QP_RNR_RETRY | XROCE_QP_MAX_RD_ATOMIC)

static atomic64_t xr_qp_lives = ATOMIC64_INIT(0);

/* Is it an address that a single host can have? */
static bool xr_gid_ok(const struct in6_addr *a)
{
	__be32 v4 = a->s6_addr32[3];

	if (ipv6_addr_v4mapped(a))
		return !ipv4_is_zeronet(v4) && !ipv4_is_multicast(v4) &&
		       !ipv4_is_lbcast(v4);
	return !ipv6_addr_any(a) && !ipv6_addr_is_multicast(a);
}

static bool xr_av_ok(u32 type, const struct xroce_qp_modify *a)
{
	const struct in6_addr *s = (const struct in6_addr *)a->sgid;
	const struct in6_addr *d = (const struct in6_addr *)a->dgid;

	/* Datagrams get no response, so only the own address is given. */
	if (type == XROCE_QPT_UD)
		return xr_gid_ok(s) && ipv6_addr_any(d) && !a->sport &&
		       !a->tos && !a->ttl;
	return xr_gid_ok(s) && xr_gid_ok(d) &&
	       ipv6_addr_v4mapped(s) == ipv6_addr_v4mapped(d) &&
	       (a->tos & XROCE_ECN_MASK) != XROCE_ECN_CE &&
	       (!a->sport || a->sport >= XR_SPORT_BASE);
}

static bool xr_vlan_tci_ok(u16 tci)
{
	return !tci || (tci & VLAN_VID_MASK && (tci & VLAN_VID_MASK) < VLAN_N_VID - 1 &&
			!(tci & VLAN_CFI_MASK));
}

/* The attributes of the requester with the change @a. */
static struct xr_send_attr xr_send_attrs(const struct xr_qp *qp, const struct xroce_qp_modify *a)
{
	struct xr_send_attr next = qp->send.attr;

	if (a->mask & XROCE_QP_SQ_PSN)
		next.psn = a->sq_psn;
	if (a->mask & XROCE_QP_TIMEOUT)
		next.timeout = a->timeout;
	if (a->mask & XROCE_QP_RETRY_CNT)
		next.retry = a->retry_cnt;
	if (a->mask & XROCE_QP_RNR_RETRY)
		next.rnr_retry = a->rnr_retry;
	if (a->mask & XROCE_QP_MAX_RD_ATOMIC)
		next.max_rd_atomic = a->max_rd_atomic;
	if (a->mask & XROCE_QP_DMAC) {
		ether_addr_copy(next.dmac, a->dmac);
		next.vlan = a->vlan_tci ? a->vlan_tci & VLAN_VID_MASK : U16_MAX;
		next.prio = a->vlan_tci >> VLAN_PRIO_SHIFT;
	}
	return next;
}

static bool xr_send_attrs_ok(const struct xr_send_attr *next, const struct xroce_qp_modify *a)
{
	return xr_send_attr_ok(next) &&
	       (!(a->mask & XROCE_QP_DMAC) || (is_valid_ether_addr(a->dmac) &&
					       xr_vlan_tci_ok(a->vlan_tci)));
}

static bool xr_attrs_ok(u32 type, const struct xroce_qp_modify *a)
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
		a->max_dest_rd_atomic <= 128);
}

/*
 * Datagrams of a verbs device may be for any address of the machine: it gives no address on
 * the way to RTR.
 */
static bool xr_qp_any_addr(const struct xr_qp *qp)
{
	return qp->type == XROCE_QPT_UD && qp->recv.format == XR_FORMAT_RXE;
}

/* Are these the attributes of the requester, of @given, that go with a transition? */
static bool xr_send_given_ok(const struct xr_qp *qp, u32 from, u32 to, u32 given)
{
	u32 all = qp->type == XROCE_QPT_RC ? XR_RC_SEND : XR_UC_SEND;

	if (qp->send.ring.mem && from == XROCE_QPS_RTR && to == XROCE_QPS_RTS)
		return given == all;
	if (qp->send.ring.mem && from == XROCE_QPS_SQD &&
	    (to == XROCE_QPS_RTS || to == XROCE_QPS_SQD))
		return !(given & ~all) && !(given & XROCE_QP_SQ_PSN);
	return !given;
}

static bool xr_transition_ok(const struct xr_qp *qp, u32 from, u32 to, u32 given)
{
	const struct xroce_transition *t = xroce_transition(qp->type, from, to);

	if (!xr_send_given_ok(qp, from, to, given & XR_RC_SEND))
		return false;
	given &= ~XR_RC_SEND;
	if (to == XROCE_QPS_RTR && xr_qp_any_addr(qp))
		given ^= XROCE_QP_AV;

	return t && (given & t->required) == t->required &&
	       !(given & ~(t->required | t->optional));
}

static u16 xr_sport(u32 qpn, u32 dest_qpn, u16 given)
{
	if (given)
		return given;
	/* Queue pairs get different ports, so that their flows may take different paths. */
	return XR_SPORT_BASE | ((qpn ^ dest_qpn ^ dest_qpn >> 14) &
				(U16_MAX - XR_SPORT_BASE));
}

/*
 * The VLAN whose tag packets of a queue pair must have, for the map. A queue pair of a verbs device
 * belongs to the netdev of its GID: the verbs device has set the VLAN before, for requests.
 */
static u16 xr_qp_vlan(const struct xr_qp *qp)
{
	if (qp->recv.format != XR_FORMAT_RXE)
		return 0;
	return qp->send.attr.vlan < VLAN_N_VID ? qp->send.attr.vlan : XROCE_QP_UNTAGGED;
}

/* Where responses and congestion notifications go; all zero: where each request comes from. */
static void xr_qp_set_dmac(struct xroce_qp *q, const u8 *dmac)
{
	u64 word = 0;

	memcpy(&word, dmac, ETH_ALEN);
	WRITE_ONCE(q->dmac, word);
}

/* Write the address vector. The caller makes sure that no packet is executed or response built. */
static void xr_qp_set_av(struct xr_qp *qp, const struct xroce_qp_modify *a)
{
	bool v6 = !ipv6_addr_v4mapped((const struct in6_addr *)a->sgid);
	struct xroce_qp *q = qp->map;
	u16 vlan = xr_qp_vlan(qp);

	WRITE_ONCE(q->vlan, vlan);
	WRITE_ONCE(q->ipv6, v6 | (vlan && vlan != XROCE_QP_UNTAGGED ? XROCE_QP_TAGGED : 0));
	memcpy(q->saddr, a->sgid, sizeof(q->saddr));
	memcpy(q->daddr, a->dgid, sizeof(q->daddr));
	WRITE_ONCE(q->sport, xr_sport(qp->qpn, q->dest_qpn, a->sport));
	WRITE_ONCE(q->tos, a->tos);
	WRITE_ONCE(q->ttl, a->ttl ? a->ttl : 64);
	/* That of a verbs device has been set before, for requests. */
	xr_qp_set_dmac(q, qp->send.attr.dmac);
}

static void xr_qp_set_pkey(struct xroce_qp *q, u16 pkey)
{
	WRITE_ONCE(q->pkey, pkey);
	WRITE_ONCE(q->pkey_full, pkey & 0x8000 ? (__force u16)htons(pkey) : ~0u);
}

/*
 * SQD to SQD: change attributes that are part of responses. The caller has the claim, so no
 * packet is executed.
 */
static void xr_qp_move(struct xr_qp *qp, const struct xroce_qp_modify *a)
{
	struct xroce_qp *q = qp->map;

	/* With the lock, the module builds no response meanwhile. */
	spin_lock_bh(&qp->responses.lock);
	if (a->mask & XROCE_QP_AV)
		xr_qp_set_av(qp, a);
	if (a->mask & XROCE_QP_PKEY)
		xr_qp_set_pkey(q, a->pkey);
	if (qp->type == XROCE_QPT_RC)
		xr_tx_template(q);
	spin_unlock_bh(&qp->responses.lock);
}

/* RC and UC, INIT to RTR: write the attributes of the connection. */
static void xr_qp_connect(struct xr_qp *qp, const struct xroce_qp_modify *a)
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
 * May packets have the own address of the queue pair after a change? That of a verbs device is in
 * the device's GID table. The VLAN is known once the peer's Ethernet address is.
 */
static bool xr_qp_own_ok(const struct xr_qp *qp, const struct xroce_qp_modify *a,
			 const struct xr_send_attr *send)
{
	const struct xroce_qp *q = qp->map;
	u16 vlan = XR_ADDR_ANY_VLAN;
	struct net_device *dev;
	struct in6_addr own;
	bool ok;

	if (qp->recv.format == XR_FORMAT_RXE || !(a->mask & (XROCE_QP_AV | XROCE_QP_DMAC)))
		return true;
	memcpy(&own, a->mask & XROCE_QP_AV ? (const void *)a->sgid : q->saddr, sizeof(own));
	if (!is_zero_ether_addr(send->dmac))
		vlan = min_t(u16, send->vlan, VLAN_N_VID);
	rcu_read_lock();
	dev = READ_ONCE(qp->link->dev);
	ok = dev && xr_addr_has_ip(dev, &own, vlan);
	rcu_read_unlock();
	if (ok)
		return true;
	local_bh_disable();
	this_cpu_inc(qp->link->stat->own_refused);
	local_bh_enable();
	return false;
}

/*
 * If a change connects the queue pair with a peer, find out whether it may, and take the lock of
 * peers. Return: the peer, for xr_qp_met(); NULL: the change does not; or as xr_peer_get().
 */
static struct xr_peer *xr_qp_meet(struct xr_qp *qp, u32 to, const struct xroce_qp_modify *a,
				  bool privileged)
{
	struct xr_peer *peer;

	if (qp->type == XROCE_QPT_UD || !(a->mask & XROCE_QP_AV))
		return NULL;
	xr_peers_lock();
	peer = xr_peer_get(qp, (const struct in6_addr *)a->dgid,
			   to == XROCE_QPS_RTR ? a->dest_qpn : qp->peer, privileged);
	if (IS_ERR(peer))
		xr_peers_unlock();
	return peer;
}

/* Release the lock of peers after the change, which was @made. */
static void xr_qp_met(struct xr_qp *qp, struct xr_peer *peer, bool privileged, bool made)
{
	if (!peer)
		return;
	/* If a privileged owner gets the peer from now on, the change ends in ERR. */
	if (made)
		xr_peer_set(qp, peer, privileged);
	else
		xr_peer_put(peer);
	xr_peers_unlock();
}

/* How often the claim is tried for the change to ERR: each takes 0.05 to 0.1 seconds. */
#define XR_ERR_CLAIMS	20

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

/**
 * xr_qp_modify() - change state or attributes
 * @link: the link
 * @caller: the requesting file
 * @a: the change
 *
 * On failure nothing has changed.
 *
 * Return: 0 or an errno of QP_MODIFY, see uapi/xroce.h.
 */
int xr_qp_modify(struct xr_link *link, struct xr_owner *caller,
		 const struct xroce_qp_modify *a)
{
	bool claimed, privileged = xr_peer_privileged(link, caller);
	struct xr_peer *peer;
	struct xr_send_attr send;
	struct xroce_qp *q;
	struct xr_qp *qp;
	u32 from, to;
	int ret = 0;

	mutex_lock(&link->lock);
	qp = xr_qp_get(link, caller, a->qpn);
	if (IS_ERR(qp)) {
		ret = PTR_ERR(qp);
		goto out;
	}
	q = qp->map;
	from = xr_qp_state(qp);
	to = a->mask & XROCE_QP_STATE ? a->state : from;
	send = xr_send_attrs(qp, a);
	if (!xr_transition_ok(qp, from, to, a->mask & ~XROCE_QP_STATE) ||
	    !xr_attrs_ok(qp->type, a) || !xr_send_attrs_ok(&send, a)) {
		ret = -EINVAL;
		goto out;
	}
	if (!privileged && !xr_qp_own_ok(qp, a, &send)) {
		ret = -EADDRNOTAVAIL;
		goto out;
	}
	peer = xr_qp_meet(qp, to, a, privileged);
	if (IS_ERR(peer)) {
		ret = PTR_ERR(peer);
		goto out;
	}
	if (to == XROCE_QPS_RTR || to == XROCE_QPS_RESET ||
	    to == XROCE_QPS_ERR ||
	    (to == XROCE_QPS_SQD && a->mask & (XROCE_QP_AV | XROCE_QP_PKEY))) {
		/* With this state no packet begins to be executed. */
		if (to == XROCE_QPS_RESET || to == XROCE_QPS_ERR)
			WRITE_ONCE(q->state, to);
		claimed = xr_qp_claim_for(q, to);
		if (!claimed && to != XROCE_QPS_ERR) {
			xr_qp_set_map_state(qp, qp->state);
			xr_qp_met(qp, peer, privileged, false);
			ret = -EBUSY;
			goto out;
		}
		if (to == XROCE_QPS_RTR || to == XROCE_QPS_RESET)
			xr_qp_clear(q, to == XROCE_QPS_RTR ? a->rq_psn : 0);
		if (to == XROCE_QPS_SQD)
			xr_qp_move(qp, a);
		/*
		 * A packet that was admitted before is not executed either: it compares
		 * the generation under the claim. A packet that sees the new generation
		 * sees the writes above.
		 */
		smp_store_release(&q->generation, q->generation + 1);
		if (claimed)
			xr_qp_release(q);
	}
	xr_qp_met(qp, peer, privileged, true);
	if (to == XROCE_QPS_RESET || to == XROCE_QPS_ERR) {
		xr_defer_close(qp);
		xr_responses_close(qp);
		/* Also for a packet whose claim could not be had. */
		xr_qp_revoke(qp);
	}
	if (to == XROCE_QPS_RESET) {
		/* In RESET, work requests are discarded and cannot move it to ERR. */
		WRITE_ONCE(qp->state, to);
		xr_send_stop(qp, false);
		if (qp->send.ring.mem)
			xr_send_set(qp, &(struct xr_send_attr){}, false);
		xr_responses_reset(&qp->responses);
		xr_recv_reset(qp);
		xr_sq_apply(qp);
		qp->failed = false;
	}
	if (from == XROCE_QPS_RESET && to == XROCE_QPS_INIT)
		xr_recv_start(qp);
	if (to == XROCE_QPS_RTR)
		qp->epoch = atomic64_inc_return(&xr_qp_lives);
	if (to == XROCE_QPS_RTR && qp->type == XROCE_QPT_UD) {
		WRITE_ONCE(q->mtu, XR_UD_MTU);
		qp->mtu = XR_UD_MTU;
		if (xr_qp_any_addr(qp))
			WRITE_ONCE(q->ipv6, XROCE_QP_ANY_ADDR);
		else
			xr_qp_set_av(qp, a);
	} else if (to == XROCE_QPS_RTR) {
		xr_qp_connect(qp, a);
		xr_responses_reset(&qp->responses);
		xr_responses_open(qp);
	}
	if (to == XROCE_QPS_RTR)
		xr_defer_open(&qp->defer);
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
	if (to == XROCE_QPS_RTR && qp->type == XROCE_QPT_RC)
		xr_tx_template(q);
	/* A verbs device has set them before. */
	if (qp->send.ring.mem && to >= XROCE_QPS_RTS && to <= XROCE_QPS_SQD) {
		xr_send_set(qp, &send, true);
		xr_qp_set_dmac(q, send.dmac);
	}
	if (to == XROCE_QPS_RTR)
		/* Nor is a packet executed that addresses of the previous connection admitted. */
		smp_store_release(&q->generation, q->generation + 1);
	WRITE_ONCE(qp->state, to);
	xr_qp_set_map_state(qp, to);
	if (to == XROCE_QPS_RTS)
		xr_send_start(qp);
	if (to == XROCE_QPS_SQD)
		xr_send_drain(qp);
	if (to == XROCE_QPS_ERR) {
		xr_send_stop(qp, true);
		xr_recv_stop(qp);
		xr_sq_apply(qp);
	}
	if (to == XROCE_QPS_RESET || to == XROCE_QPS_ERR)
		xr_peer_leave(qp);
out:
	mutex_unlock(&link->lock);
	return ret;
}
EXPORT_SYMBOL_GPL(xr_qp_modify);
