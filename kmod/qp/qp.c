// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queue pairs: look-up, state, and the claim.
 *
 * A queue pair's entry in the map "qp" has eight cache lines (struct xroce_qp). Line by line:
 *
 *   1      identity: written by the module (create.c, modify.c), the state last, so that a packet
 *          that sees RTR sees the rest
 *   2      what the peer may send next: written by the XDP program while it has the claim
 *   3, 4   attributes, and what the program has computed of them for invariant CRCs and responses
 *   5, 6   the rest of line 2; where responses go; counters of drops, which need no claim
 *   7, 8   what the requester has outstanding, and its counters: written by the module (send/)
 *
 * The module takes the program's claim to set up lines 2 to 6.
 */
#include <linux/delay.h>
#include <linux/export.h>
#include <linux/memcontrol.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "uapi/xroce.h"
#include "xroce_map.h"

#include "obj/link.h"
#include "own/owner.h"

#include "qp.h"

#define XR_CLAIM_SPINS	10000	/* attempts; a packet takes far less time */
#define XR_CLAIM_NAPS	100	/* then attempts, 0.5 to 1 ms apart */

/*
 * Take the claim, for which the XDP program competes. A packet holds it for microseconds. If
 * it is held for longer, somebody has written to the map, and the function gives up. May
 * sleep. Return: whether the claim was taken.
 */
bool xr_qp_claim(struct xroce_qp *q)
{
	unsigned int i;

	for (i = 0; i < XR_CLAIM_SPINS + XR_CLAIM_NAPS; i++) {
		if (!cmpxchg(&q->claim, 0, 1))
			return true;
		if (i < XR_CLAIM_SPINS)
			cpu_relax();
		else
			usleep_range(500, 1000);
	}
	return false;
}

void xr_qp_release(struct xroce_qp *q)
{
	/* Pairs with the exchange that takes the claim next, here or in the XDP program. */
	smp_store_release(&q->claim, 0);
}

/*
 * Reset the fields that the XDP program writes, and those of the requester, which is
 * stopped. @psn: the PSN expected first. The caller has the claim, or is destroying the
 * queue pair.
 */
void xr_qp_clear(struct xroce_qp *q, u32 psn)
{
	q->epsn = psn;
	q->msn = 0;
	q->error = XROCE_CAUSE_NONE;
	q->nak_sent = 0;
	q->op = XROCE_QP_OP_NONE;
	q->va = 0;
	q->rkey = 0;
	q->resid = 0;
	q->length = 0;
	q->packets = 0;
	q->bytes = 0;
	q->duplicates = 0;
	q->naks = 0;
	q->rd_head = 0;
	q->rd_count = 0;
	q->misses = 0;
	q->tx_more = 0;
	q->silent = 0;
	memset(q->drops, 0, sizeof(q->drops));
	memset_startat(q, 0, req_una);
}

/* The queue pair at position @slot of the table; NULL: none. The link's lock is held. */
struct xr_qp *xr_qp_in(const struct xr_link *link, u32 slot)
{
	return rcu_dereference_protected(link->qp[slot],
					 lockdep_is_held(&link->lock));
}

/* Find a queue pair by its number; NULL: none. The link's lock is held. */
struct xr_qp *xr_qp_find(const struct xr_link *link, u32 qpn)
{
	struct xr_qp *qp;

	lockdep_assert_held(&link->lock);
	qp = xr_qp_in(link, qpn & link->qp_mask);
	return qp && qp->qpn == qpn ? qp : NULL;
}

/*
 * Find a queue pair that @caller may change. The link's lock is held. Return: the queue pair,
 * or -ENOENT, -EPERM as xr_owner_check().
 */
struct xr_qp *xr_qp_get(const struct xr_link *link, const struct xr_owner *caller,
			u32 qpn)
{
	struct xr_qp *qp = xr_qp_find(link, qpn);
	int ret = qp ? xr_owner_check(caller, qp->owner) : -ENOENT;

	return ret ? ERR_PTR(ret) : qp;
}

/**
 * xr_qp_alloc() - allocate memory for a queue pair in softirq
 * @qp: the queue pair, which is not being destroyed
 * @n: number of elements
 * @size: size of an element in bytes
 *
 * The memory is charged to the control group of the process that made the queue pair, even
 * beyond its limit, because an atomic allocation cannot reclaim memory. Later allocations of
 * the group that can sleep have to reclaim the excess.
 *
 * Return: the memory, for kfree(); NULL: out of memory.
 */
void *xr_qp_alloc(const struct xr_qp *qp, size_t n, size_t size)
{
	struct mem_cgroup *old = set_active_memcg(qp->group);
	void *mem;

	mem = kmalloc_array(n, size, GFP_ATOMIC | __GFP_ACCOUNT | __GFP_NOWARN);
	set_active_memcg(old);
	return mem;
}

/**
 * xr_loop_may() - check whether a frame of a link to itself comes from where it should
 * @loop: of the link
 * @to: queue pair number in the frame
 * @sender: number of the queue pair that has sent it
 *
 * A queue pair that is connected takes frames of its peer only; others are counted. A datagram may
 * come from anywhere: it has a queue key, and the module has written the sender's number into it.
 * The XDP program compares the addresses: the module has written that of the sender.
 *
 * In softirq, under RCU.
 *
 * Return: whether it may be executed.
 */
bool xr_loop_may(const struct xr_loop *loop, u32 to, u32 sender)
{
	const struct xr_link *link = container_of(loop, struct xr_link, loop);
	const struct xr_qp *qp = xr_qp_get_rcu(link, to);

	if (likely(!qp || qp->type == XROCE_QPT_UD || READ_ONCE(qp->peer) == sender))
		return true;
	this_cpu_inc(link->stat->drop_peer);
	return false;
}
