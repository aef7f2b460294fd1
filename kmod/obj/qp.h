/* SPDX-License-Identifier: GPL-2.0-only */
/* Queue pairs (IBTA 10.2.4): their identity and state, and how they are found. */
#ifndef _XR_QP_H
#define _XR_QP_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

#include "own/limit.h"

#include "link.h"
#include "qp_defer.h"
#include "qp_recv.h"
#include "qp_response.h"

struct mem_cgroup;
struct xr_owner;
struct xr_pd;
struct xr_sq;
struct xroce_qp;

/**
 * struct xr_qp - queue pair
 * @link: the link it is on
 * @pd: protection domain it is a member of
 * @qpn: its number
 * @type: enum xroce_qp_type
 * @state: enum xroce_qp_state, as last set; a packet can have ended it since
 * @access: XROCE_ACCESS_REMOTE_*
 * @mtu: bytes of the path MTU
 * @max_dest_rd_atomic: READs and atomics kept for replay
 * @failed: a work request or a response has ended it
 * @epoch: another number, of no other queue pair, each time it is made ready to receive
 * @windows_2a: windows of type 2A that are tied to it, and XR_MW_GOING (mw_count.h)
 * @windows_2b: likewise of type 2B
 * @responses: those that the module sends; under a lock of their own
 * @defer: frames deferred; under a lock of its own
 * @recv: what it receives with; under a lock of its own
 * @sq: its owner's send queue, or NULL
 * @send_cq: where completions of that go, or NULL; under the lock of @sq
 * @owner: whose it is
 * @node: in @owner's list
 * @charge: what it counts for
 * @group: memory control group of its maker, with a reference; NULL: there are none
 * @map: its entry in the map "qp", which holds all the rest
 * @rcu: the structure outlives its data path readers
 *
 * Under the link's lock, but for what the data path reads: @link, @qpn, @type,
 * @pd and @owner, which do not change, @map and @recv, @access, which can change at
 * any time, and @mtu, @max_dest_rd_atomic and @epoch, which are set before @responses are
 * opened. What is
 * here is what must be right even if the map is not.
 */
struct xr_qp {
	struct xr_link *link;
	struct xr_pd *pd;
	u32 qpn;
	u32 type;
	u32 state;
	u32 access;
	u32 mtu;
	u32 max_dest_rd_atomic;
	bool failed;
	u64 epoch;
	atomic_t windows_2a;
	atomic_t windows_2b;
	struct xr_responses responses;
	struct xr_defer defer;
	struct xr_recv recv;
	struct xr_sq __rcu *sq;
	struct xr_cq *send_cq;
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
void xr_qp_end(struct xr_qp *qp);
u32 xr_qp_state(const struct xr_qp *qp);
bool xr_qp_claim(struct xroce_qp *q);
void xr_qp_release(struct xroce_qp *q);
void xr_qp_clear(struct xroce_qp *q, u32 psn);

/**
 * xr_qp_get_rcu() - find a queue pair on the data path
 * @link: where; it has maps
 * @qpn: its number
 *
 * In softirq, under RCU, which keeps the structure.
 *
 * Return: the queue pair, or NULL.
 */
static inline struct xr_qp *xr_qp_get_rcu(const struct xr_link *link, u32 qpn)
{
	struct xr_qp *qp = rcu_dereference_bh(link->qp[qpn & link->qp_mask]);

	return qp && qp->qpn == qpn ? qp : NULL;
}

/* The same by the number of a link, which may be any. */
static __always_inline struct xr_qp *xr_qp_rcu(u32 link, u32 qpn)
{
	const struct xr_link *l = xr_link_rcu(link);

	return likely(l) ? xr_qp_get_rcu(l, qpn) : NULL;
}

#endif
