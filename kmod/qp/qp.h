/* SPDX-License-Identifier: GPL-2.0-only */
/* Queue pairs (IBTA 10.2.4): identity, state and look-up. */
#ifndef _XR_QP_H
#define _XR_QP_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

#include "xroce_map.h"

#include "defer/deferred.h"
#include "obj/link.h"
#include "own/limit.h"
#include "own/owner.h"
#include "recv/recv.h"
#include "respond/respond.h"
#include "send/send.h"

struct mem_cgroup;
struct xr_owner;
struct xr_pd;
struct xr_peer;

/**
 * struct xr_qp - queue pair
 * @link: its link
 * @pd: protection domain
 * @qpn: its number
 * @type: enum xroce_qp_type
 * @context: of the front end of a verbs device; else NULL
 * @state: enum xroce_qp_state as last set; see xr_qp_state()
 * @access: XROCE_ACCESS_REMOTE_* that its peer has now; see qp/error.h
 * @rights: the attribute, XROCE_ACCESS_REMOTE_*
 * @peer: RC and UC: number of the peer, as last set
 * @with: RC and UC, connected: the peer; with a lock of its own, as the two that follow
 *	(qp/peer.h)
 * @with_node: in its list
 * @with_privilege: the caller that connected it was privileged
 * @mtu: path MTU in bytes
 * @max_dest_rd_atomic: number of READs and atomics kept for replay
 * @failed: a packet, a work request or a response has moved it to ERR
 * @follows: the peer's Ethernet address, xr_send_attr::dmac, is what the stack has said: when the
 *	stack says another one, it is followed (qp/follow.h)
 * @epoch: number that is new, among all queue pairs, with each transition to RTR
 * @windows_2a: number of windows of type 2A bound to it; negative: no more can be
 *	(mw_count.h)
 * @windows_2b: likewise for type 2B
 * @responses: responses that the module sends; with a lock of their own
 * @defer: deferred frames; with a lock of their own
 * @recv: receive side; with a lock of its own
 * @send: send side; with a lock of its own
 * @owner: owner
 * @node: in @owner's list; read by send/poll.c under RCU
 * @charge: its charge against limits
 * @group: memory control group of the process that made it, with a reference; NULL: none
 * @map: its entry in the map "qp", which has all other attributes
 * @rcu: for freeing the structure after its readers on the data path
 *
 * Written under the link's lock, except @failed, which has no lock, the atomic @windows_2a
 * and @windows_2b, and the structures with locks of their own. The data path reads @link,
 * @pd, @qpn, @type, @owner and @map, which do not change; @access and @peer, which can change
 * at any time; and @mtu, @max_dest_rd_atomic and @epoch, which are set before @responses and
 * @defer are opened.
 *
 * This structure has the attributes that must be right even if somebody has written to the
 * map.
 */
struct xr_qp {
	struct xr_link *link;
	struct xr_pd *pd;
	u32 qpn;
	u32 type;
	void *context;
	u32 state;
	u32 access;
	u32 rights;
	u32 peer;
	struct xr_peer *with;
	struct list_head with_node;
	bool with_privilege;
	u32 mtu;
	u32 max_dest_rd_atomic;
	bool failed;
	bool follows;
	u64 epoch;
	atomic_t windows_2a;
	atomic_t windows_2b;
	struct xr_responses responses;
	struct xr_defer defer;
	struct xr_recv recv;
	struct xr_send send;
	struct xr_owner *owner;
	struct list_head node;
	struct xr_charge charge;
	struct mem_cgroup *group;
	struct xroce_qp *map;
	struct rcu_head rcu;
};

struct xr_qp *xr_qp_in(const struct xr_link *link, u32 slot);
struct xr_qp *xr_qp_find(const struct xr_link *link, u32 qpn);
struct xr_qp *xr_qp_get(const struct xr_link *link, const struct xr_owner *caller,
			u32 qpn);
void *xr_qp_alloc(const struct xr_qp *qp, size_t n, size_t size);
bool xr_qp_claim(struct xroce_qp *q);
void xr_qp_release(struct xroce_qp *q);
void xr_qp_clear(struct xroce_qp *q, u32 psn);

/* True if it is connected over IPv6. */
static inline bool xr_qp_map_ipv6(const struct xroce_qp *q)
{
	return READ_ONCE(q->ipv6) & 1;
}

/*
 * Tell the XDP program whether the module sends the next response. The lock of the responses is
 * held.
 */
static inline void xr_responses_show(struct xr_qp *qp)
{
	const struct xr_responses *rs = &qp->responses;
	bool all = rs->active && READ_ONCE(qp->link->tx_lost);

	WRITE_ONCE(qp->map->queued, rs->count + !!rs->batch.count + rs->armed + rs->paced + all);
}

/*
 * Tell the XDP program whether the ring of the send queue may have work requests that concern
 * windows, and so precede packets: whether its owner has windows. The link's lock is held.
 */
static inline void xr_qp_show_sq(struct xr_qp *qp)
{
	WRITE_ONCE(qp->map->sq, qp->send.poll && !list_empty(&qp->owner->mws));
}

/* Execute what is posted and precedes packets. In softirq, under RCU. Return: as xr_post_poll(). */
static inline int xr_qp_poll(struct xr_qp *qp)
{
	return qp->send.poll ? qp->send.poll(qp) : 0;
}

/**
 * xr_qp_get_rcu() - find a queue pair on the data path
 * @link: the link, which has maps
 * @qpn: number of the queue pair
 *
 * In softirq, under RCU, which keeps the structure.
 *
 * Return: the queue pair; NULL: none.
 */
static inline struct xr_qp *xr_qp_get_rcu(const struct xr_link *link, u32 qpn)
{
	struct xr_qp *qp = rcu_dereference_bh(link->qp[qpn & link->qp_mask]);

	return qp && qp->qpn == qpn ? qp : NULL;
}

/* Find a queue pair on the data path by the number of its link; any number is allowed. */
static __always_inline struct xr_qp *xr_qp_rcu(u32 link, u32 qpn)
{
	const struct xr_link *l = xr_link_rcu(link);

	return likely(l) ? xr_qp_get_rcu(l, qpn) : NULL;
}

/*
 * The state: @qp->state, unless a packet, a response or a work request has moved the queue
 * pair to ERR since that was set.
 */
static inline u32 xr_qp_state(const struct xr_qp *qp)
{
	u32 state = READ_ONCE(qp->state);

	if (state >= XROCE_QPS_RTR && state <= XROCE_QPS_SQD &&
	    (READ_ONCE(qp->map->error) || READ_ONCE(qp->failed)))
		return XROCE_QPS_ERR;
	return state;
}

#endif
