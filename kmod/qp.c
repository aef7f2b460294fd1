// SPDX-License-Identifier: GPL-2.0-only
/*
 * A queue pair's entry in the map "qp" has six cache lines. The first one, its
 * identity, is written here: the state last, so that a packet which sees RTR
 * sees the rest. The second and the fifth one belong to the XDP program while it holds
 * the claim, and what it keeps for later in the third one; to set them up the claim is
 * taken here in the same way. The sixth has counters that the program adds to without a
 * claim.
 */
#include <linux/bitmap.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/delay.h>
#include <linux/log2.h>
#include <linux/memcontrol.h>
#include <linux/random.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "uapi/xroce.h"
#include "xroce_map.h"
#include "xroce_wire.h"

#include "cq.h"
#include "link.h"
#include "mw.h"
#include "mw_count.h"
#include "pd.h"
#include "qp.h"
#include "sq.h"
#include "srq.h"

#define XR_CLAIM_SPINS	10000	/* a packet takes far less */
#define XR_CLAIM_NAPS	100	/* milliseconds, then it is not a packet */

static struct xroce_qp *xr_qp_entry(const struct xr_link *link, u32 slot)
{
	struct xroce_qp *q;

	rcu_read_lock();
	q = link->qp_map->ops->map_lookup_elem(link->qp_map, &slot);
	rcu_read_unlock();
	return q;
}

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

/* Return: a free place in the table, taken, or @room. */
static u32 xr_qp_slot(struct xr_link *link)
{
	u32 room = link->qp_entries;
	u32 slot = get_random_u32_below(room);

	slot = find_next_zero_bit(link->qp_used, room, slot);
	if (slot == room)
		slot = find_first_zero_bit(link->qp_used, room);
	if (slot < room)
		__set_bit(slot, link->qp_used);
	return slot;
}

/* A number of ours for this place, otherwise random; not the multicast one. */
static u32 xr_qpn_draw(const struct xr_link *link, u32 slot)
{
	u32 mask = link->qp_mask;
	u32 qpn;

	do {
		qpn = get_random_u32() & (XROCE_QPN_MASK - XROCE_QPN_BASE);
		qpn = XROCE_QPN_BASE | (qpn & ~mask) | slot;
	} while (qpn == XROCE_QPN_MCAST);
	return qpn;
}

/**
 * xr_qp_create() - create a queue pair in state RESET
 * @link: where
 * @who: who asks
 * @owner: whose it will be
 * @a: in: what; out: its number, and where its receive queue is
 *
 * Return: 0 or an error of QP_ADD.
 */
int xr_qp_create(struct xr_link *link, struct xr_owner *who,
		 struct xr_owner *owner, struct xroce_qp_add *a)
{
	struct xr_pd *pd;
	struct xr_qp *qp;
	u32 slot;
	int ret;

	if (a->type < XROCE_QPT_RC || a->type > XROCE_QPT_UD)
		return -EOPNOTSUPP;
	qp = kzalloc(sizeof(*qp), GFP_KERNEL_ACCOUNT);
	if (!qp)
		return -ENOMEM;
	ret = xr_charge(&qp->charge, owner, XROCE_COUNT_QP, 1);
	if (ret)
		goto err_free;
	ret = xr_recv_init(&qp->recv, a);
	if (ret)
		goto err_charge;

	mutex_lock(&link->lock);
	pd = xr_pd_find(link, who, owner, a->pd);
	if (IS_ERR(pd)) {
		ret = PTR_ERR(pd);
		goto err;
	}
	slot = xr_qp_slot(link);
	if (slot == link->qp_entries) {
		ret = -ENOSPC;
		goto err;
	}

	qp->link = link;
	xr_replies_init(&qp->replies, link->stat);
	xr_keep_init(&qp->keep);
	qp->qpn = xr_qpn_draw(link, slot);
	qp->type = a->type;
	qp->state = XROCE_QPS_RESET;
	qp->pd = pd;
	qp->owner = owner;
	qp->group = get_mem_cgroup_from_mm(current->mm);
	ret = xr_sq_find_cq(link, qp, a->send_cq);
	if (!ret)
		ret = xr_recv_join(link, qp, a);
	if (ret) {
		__clear_bit(slot, link->qp_used);
		goto err;
	}
	xr_sq_join(qp);
	qp->map = xr_qp_entry(link, slot);
	pd->qps++;
	link->nr_qps++;
	list_add_tail(&qp->node, &owner->qps);
	rcu_assign_pointer(link->qp[slot], qp);

	WRITE_ONCE(qp->map->state, XROCE_QPS_RESET);
	WRITE_ONCE(qp->map->type, qp->type);
	WRITE_ONCE(qp->map->recv, !!qp->recv.cq);
	WRITE_ONCE(qp->map->sq, !!owner->sq);
	WRITE_ONCE(qp->map->pd, pd->id);
	/* The rest is there for who finds the number. */
	smp_store_release(&qp->map->qpn, qp->qpn);
	a->qpn = qp->qpn;
	mutex_unlock(&link->lock);
	return 0;

err:
	mutex_unlock(&link->lock);
	mem_cgroup_put(qp->group);
	xr_recv_free(&qp->recv);
err_charge:
	xr_uncharge(&qp->charge);
err_free:
	kfree(qp);
	return ret;
}

/*
 * Destroy a queue pair. The link's lock is held. When this returns no packet is
 * executed on it: one that comes to the claim later finds another number.
 */
void xr_qp_destroy(struct xr_link *link, struct xr_qp *qp)
{
	u32 slot = qp->qpn & link->qp_mask;
	struct xroce_qp *q = qp->map;
	bool claimed;

	lockdep_assert_held(&link->lock);
	WRITE_ONCE(q->state, XROCE_QPS_RESET);
	RCU_INIT_POINTER(link->qp[slot], NULL);
	if (xr_mw_close(&qp->windows_2a) + xr_mw_close(&qp->windows_2b))
		xr_mw_orphan(qp->pd, NULL, qp);
	xr_keep_close(qp);
	xr_replies_close(qp);
	claimed = xr_qp_claim(q);
	WRITE_ONCE(q->generation, q->generation + 1);
	WRITE_ONCE(q->qpn, 0);
	xr_qp_clear(q, 0);
	q->type = 0;
	q->access = 0;
	q->pd = 0;
	q->dest_qpn = 0;
	q->pkey = 0;
	q->pkey_full = 0;
	q->sport = 0;
	q->mtu = 0;
	q->read_max = 0;
	q->tos = 0;
	q->ttl = 0;
	q->min_rnr_timer = 0;
	q->ipv6 = 0;
	q->rd_max = 0;
	q->recv = 0;
	q->sq = 0;
	q->kept = 0;
	q->qkey = 0;
	memset(q->saddr, 0, sizeof(q->saddr));
	memset(q->daddr, 0, sizeof(q->daddr));
	memset(q->reply, 0, sizeof(q->reply));
	q->ack_icrc = 0;
	q->atomic_icrc = 0;
	q->atomic_check = 0;
	q->read_icrc = 0;
	memset(&q->read, 0, sizeof(q->read));
	xr_qp_release(q);

	xr_sq_leave(qp);
	xr_recv_leave(qp);
	/* Who never gave the claim back may still write here: to nobody. */
	if (claimed)
		__clear_bit(slot, link->qp_used);
	list_del(&qp->node);
	qp->pd->qps--;
	link->nr_qps--;
	xr_uncharge(&qp->charge);
	xr_replies_free(&qp->replies);
	xr_keep_free(&qp->keep);
	xr_recv_free(&qp->recv);
	mem_cgroup_put(qp->group);
	kfree_rcu(qp, rcu);
}

static struct xr_qp *xr_qp_in(struct xr_link *link, u32 slot)
{
	return rcu_dereference_protected(link->qp[slot],
					 lockdep_is_held(&link->lock));
}

static struct xr_qp *xr_qp_find(struct xr_link *link, u32 qpn)
{
	struct xr_qp *qp;

	lockdep_assert_held(&link->lock);
	qp = xr_qp_in(link, qpn & link->qp_mask);
	return qp && qp->qpn == qpn ? qp : NULL;
}

/* Like xr_qp_find(), for who wants to change it. */
struct xr_qp *xr_qp_get(struct xr_link *link, const struct xr_owner *who,
			u32 qpn)
{
	struct xr_qp *qp = xr_qp_find(link, qpn);
	int ret = qp ? xr_owner_check(who, qp->owner) : -ENOENT;

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

/**
 * xr_qp_fail() - a work request has moved it to ERR
 * @qp: the queue pair
 *
 * In softirq, under RCU, without the claim.
 */
void xr_qp_fail(struct xr_qp *qp)
{
	xr_qp_end(qp);
	xr_recv_fail(qp);
}

/**
 * xr_qp_delete() - destroy a queue pair
 * @link: where
 * @who: who asks
 * @qpn: its number
 *
 * Return: 0, -ENOENT, -EPERM or -EBUSY.
 */
int xr_qp_delete(struct xr_link *link, struct xr_owner *who, u32 qpn)
{
	struct xr_qp *qp;
	int ret;

	mutex_lock(&link->lock);
	qp = xr_qp_get(link, who, qpn);
	ret = PTR_ERR_OR_ZERO(qp);
	if (!ret)
		xr_sq_apply(qp);
	if (!ret && !xr_mw_none(&qp->windows_2a))
		ret = -EBUSY;
	if (!ret)
		xr_qp_destroy(link, qp);
	mutex_unlock(&link->lock);
	return ret;
}

/* Who may not see others' regions is not told that a key is one's of theirs. */
static u32 xr_qp_cause(const struct xr_qp *qp)
{
	u32 cause = READ_ONCE(qp->map->error);

	return cause == XROCE_CAUSE_ACC_PD && !capable(CAP_NET_ADMIN) ?
	       XROCE_CAUSE_ACC_KEY : cause;
}

/* What the XDP program and the module have sent, and what was dropped. */
static void xr_qp_describe_tx(const struct xr_qp *qp, struct xroce_qp_query *q)
{
	const struct xr_tx_batch *batch = &qp->replies.batch;
	const struct xroce_qp *m = qp->map;
	u64 tx = 0;
	int i;

	/* Of no request to the others there is a reply. */
	if (qp->type == XROCE_QPT_RC)
		tx = READ_ONCE(m->packets) + READ_ONCE(m->duplicates) +
		     READ_ONCE(m->naks) - READ_ONCE(m->silent);
	BUILD_BUG_ON(XROCE_DROP_TX - XROCE_DROP_QKEY != XROCE_QP_DROPS ||
		     XROCE_QP_DROPS >= ARRAY_SIZE(q->drops));
	q->tx = tx + READ_ONCE(batch->sent);
	q->tx_bytes = tx * XROCE_ACK_BYTES + READ_ONCE(m->tx_more) +
		      READ_ONCE(batch->sent_bytes);
	memset(q->drops, 0, sizeof(q->drops));
	for (i = 0; i < XROCE_QP_DROPS; i++)
		q->drops[i] = READ_ONCE(m->drops[i]);
	q->drops[XROCE_QP_DROPS] = READ_ONCE(batch->lost);
}

static void xr_qp_describe(const struct xr_link *link, struct xr_qp *qp,
			   struct xroce_qp_query *q)
{
	const struct xroce_qp *m = qp->map;

	q->flags = xr_owner_flags(qp->owner);
	q->qpn = qp->qpn;
	q->pd = qp->pd->id;
	q->type = m->type;
	q->state = xr_qp_state(qp);
	q->access = qp->access;
	q->pkey = m->pkey;
	q->path_mtu = m->mtu ? ilog2(m->mtu) - 7 : 0;
	q->dest_qpn = m->dest_qpn;
	q->rq_psn = READ_ONCE(m->epsn);
	q->msn = READ_ONCE(m->msn);
	q->min_rnr_timer = m->min_rnr_timer;
	q->max_dest_rd_atomic = qp->max_dest_rd_atomic;
	q->sport = m->sport;
	q->tos = m->tos;
	q->ttl = m->ttl;
	q->cause = xr_qp_cause(qp);
	memcpy(q->sgid, m->saddr, sizeof(q->sgid));
	memcpy(q->dgid, m->daddr, sizeof(q->dgid));
	q->pid = xr_owner_pid(qp->owner);
	q->reserved = 0;
	q->packets = READ_ONCE(m->packets);
	q->bytes = READ_ONCE(m->bytes);
	q->duplicates = READ_ONCE(m->duplicates);
	q->naks = READ_ONCE(m->naks);
	q->recv_cq = qp->recv.cq ? qp->recv.cq->id : 0;
	q->srq = qp->recv.srq ? qp->recv.srq->id : 0;
	q->rq_entries = qp->recv.rq.ring.mem ? qp->recv.rq.mask + 1 : 0;
	q->rq_max_sge = qp->recv.rq.max_sge;
	q->qkey = m->qkey;
	q->send_cq = qp->send_cq ? qp->send_cq->id : 0;
	xr_qp_describe_tx(qp, q);
	/* What has been posted since. */
	if (q->state == XROCE_QPS_ERR) {
		xr_recv_stop(qp);
		xr_sq_apply(qp);
	}
}

/**
 * xr_qp_query() - look at a queue pair
 * @link: where
 * @who: who asks
 * @next: the first one, in the order of places in the table, at or after @q's
 *	that @who may see
 * @q: in: the number; out: all
 *
 * Return: 0 or -ENOENT.
 */
int xr_qp_query(struct xr_link *link, struct xr_owner *who, bool next,
		struct xroce_qp_query *q)
{
	u32 slot = q->qpn & link->qp_mask;
	struct xr_qp *qp;

	mutex_lock(&link->lock);
	qp = next ? xr_qp_in(link, slot) : xr_qp_find(link, q->qpn);
	while (next && !(qp && xr_owner_sees(who, qp->owner))) {
		slot = find_next_bit(link->qp_used, link->qp_entries, slot + 1);
		if (slot >= link->qp_entries) {
			qp = NULL;
			break;
		}
		qp = xr_qp_in(link, slot);
	}
	if (qp && !xr_owner_sees(who, qp->owner))
		qp = NULL;
	if (qp)
		xr_qp_describe(link, qp, q);
	mutex_unlock(&link->lock);
	return qp ? 0 : -ENOENT;
}
