// SPDX-License-Identifier: GPL-2.0-only
/*
 * A queue pair's entry in the map "qp" has six cache lines. The first one, its
 * identity, is written here: the state last, so that a packet which sees RTR
 * sees the rest. The second and the fifth one belong to the XDP program while it holds
 * the claim, and what it keeps for later in the third one; to set them up the claim is
 * taken here in the same way. The sixth has counters that the program adds to without a
 * claim.
 */
#include <linux/delay.h>
#include <linux/memcontrol.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "uapi/xroce.h"
#include "xroce_map.h"

#include "own/owner.h"

#include "link.h"
#include "qp.h"

#define XR_CLAIM_SPINS	10000	/* a packet takes far less */
#define XR_CLAIM_NAPS	100	/* milliseconds, then it is not a packet */

/*
 * Take the claim from the XDP program. A packet holds it for microseconds; who
 * holds it longer is not a packet but someone who has written to the map.
 *
 * Return: false when it was not to be had.
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
	/* The next holder sees what we wrote. */
	smp_store_release(&q->claim, 0);
}

/* What the XDP program writes, for a queue pair that has seen no packet. */
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
}

/* The one in a place of the table, or NULL. The link's lock is held. */
struct xr_qp *xr_qp_in(const struct xr_link *link, u32 slot)
{
	return rcu_dereference_protected(link->qp[slot],
					 lockdep_is_held(&link->lock));
}

/* By its number. Likewise. */
struct xr_qp *xr_qp_find(const struct xr_link *link, u32 qpn)
{
	struct xr_qp *qp;

	lockdep_assert_held(&link->lock);
	qp = xr_qp_in(link, qpn & link->qp_mask);
	return qp && qp->qpn == qpn ? qp : NULL;
}

/* Like xr_qp_find(), for who wants to change it. */
struct xr_qp *xr_qp_get(const struct xr_link *link, const struct xr_owner *caller,
			u32 qpn)
{
	struct xr_qp *qp = xr_qp_find(link, qpn);
	int ret = qp ? xr_owner_check(caller, qp->owner) : -ENOENT;

	return ret ? ERR_PTR(ret) : qp;
}

/* A packet can have moved it to ERR since. */
u32 xr_qp_state(const struct xr_qp *qp)
{
	u32 state = READ_ONCE(qp->state);

	if (state >= XROCE_QPS_RTR && state <= XROCE_QPS_SQD &&
	    (READ_ONCE(qp->map->error) || READ_ONCE(qp->failed)))
		return XROCE_QPS_ERR;
	return state;
}

/**
 * xr_qp_alloc() - allocate memory that a packet makes necessary
 * @qp: the queue pair, which is not being destroyed
 * @n: elements
 * @size: of each, in bytes
 *
 * Charged to the control group of the queue pair's maker, even past its limit: who
 * waits for memory there has to make room. In softirq.
 *
 * Return: the memory, or NULL.
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
 * xr_qp_end() - the module has moved it to ERR
 * @qp: the queue pair
 *
 * With bottom halves off, whoever has the claim. Its receive queue is to be told
 * (xr_recv_fail()), once no lock is held that comes behind that of the receive queue.
 */
void xr_qp_end(struct xr_qp *qp)
{
	WRITE_ONCE(qp->failed, true);
	/* Pairs with xr_qp_modify(): one of us writes ERR last. */
	smp_mb();
	WRITE_ONCE(qp->map->state, XROCE_QPS_ERR);
}
