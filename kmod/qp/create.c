// SPDX-License-Identifier: GPL-2.0-only
/* Creating and destroying queue pairs. */
#include <linux/bitmap.h>
#include <linux/bpf.h>
#include <linux/export.h>
#include <linux/memcontrol.h>
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "uapi/xroce.h"
#include "xroce_map.h"
#include "xroce_wire.h"

#include "obj/link.h"
#include "obj/mw.h"
#include "obj/mw_count.h"
#include "obj/pd.h"
#include "defer/defer.h"
#include "recv/group.h"
#include "recv/queue.h"
#include "respond/queue.h"
#include "send/post.h"
#include "send/requester.h"
#include "send/ring.h"
#include "send/state.h"

#include "create.h"
#include "peer.h"
#include "qp.h"

static struct xroce_qp *xr_qp_entry(const struct xr_link *link, u32 slot)
{
	struct xroce_qp *q;

	rcu_read_lock();
	q = link->maps.qp->ops->map_lookup_elem(link->maps.qp, &slot);
	rcu_read_unlock();
	return q;
}

/* The position of the general services interface. */
static u32 xr_qp_slot_gsi(const struct xr_link *link)
{
	return XROCE_QPN_GSI & link->qp_mask;
}

/*
 * Take a free position in the table, searching from a random one: that of the general services
 * interface last, so that it is free when a verbs device is made. The link's lock is held.
 * Return: the position; link->qp_entries: none is free.
 */
static u32 xr_qp_slot(struct xr_link *link)
{
	u32 room = link->qp_entries, last = xr_qp_slot_gsi(link);
	u32 slot = get_random_u32_below(room);
	bool taken = __test_and_set_bit(last, link->qp_used);

	slot = find_next_zero_bit(link->qp_used, room, slot);
	if (slot == room)
		slot = find_first_zero_bit(link->qp_used, room);
	if (slot < room)
		__set_bit(slot, link->qp_used);
	else if (!taken)
		return last;
	if (!taken)
		__clear_bit(last, link->qp_used);
	return slot;
}

/* Take the position of the general services interface. Return: as xr_qp_slot(). */
static u32 xr_qp_take_gsi(struct xr_link *link)
{
	u32 slot = xr_qp_slot_gsi(link);

	return __test_and_set_bit(slot, link->qp_used) ? link->qp_entries : slot;
}

/*
 * Draw a random number for the queue pair at position @slot, in the range of xroce and not
 * the multicast number.
 */
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

/* Of 3 KiB, kmalloc() would take 4. */
static struct kmem_cache *xr_qp_cache;

/* Return: 0 or -ENOMEM. */
int __init xr_qps_init(void)
{
	xr_qp_cache = KMEM_CACHE(xr_qp, SLAB_HWCACHE_ALIGN | SLAB_ACCOUNT);
	return xr_qp_cache ? 0 : -ENOMEM;
}

/* Waits for those that kfree_rcu() still has. */
void xr_qps_exit(void)
{
	kmem_cache_destroy(xr_qp_cache);
}

/*
 * Free a queue pair that is in no table any more, or has not been yet. The link's lock is held if
 * it has been tied to its queues.
 */
static void xr_qp_free(struct xr_qp *qp)
{
	xr_uncharge(&qp->charge);
	xr_responses_free(&qp->responses);
	xr_recv_free(&qp->recv);
	xr_send_ring_free(qp);
	xr_send_free(&qp->send);
	mem_cgroup_put(qp->group);
	kfree_rcu(qp, rcu);
}

/*
 * Make a queue pair that has no number yet. Return: the queue pair, for xr_qp_free(); or an errno
 * of QP_ADD.
 */
static struct xr_qp *xr_qp_new(struct xr_link *link, const struct xr_qp_init *init,
			       const struct xroce_qp_add *a)
{
	struct xr_qp *qp;
	int ret;

	qp = kmem_cache_zalloc(xr_qp_cache, GFP_KERNEL_ACCOUNT);
	if (!qp)
		return ERR_PTR(-ENOMEM);
	qp->link = link;
	qp->type = a->type;
	qp->context = init->context;
	qp->state = XROCE_QPS_RESET;
	qp->owner = init->owner;
	qp->group = get_mem_cgroup_from_mm(current->mm);
	xr_defer_init(&qp->defer);
	spin_lock_init(&qp->send.lock);
	ret = xr_charge(&qp->charge, init->owner, XROCE_COUNT_QP, 1);
	if (!ret)
		ret = xr_recv_init(&qp->recv, init->format, a);
	if (!ret)
		ret = xr_send_ring_init(qp, a);
	if (!ret)
		return qp;
	xr_qp_free(qp);
	return ERR_PTR(ret);
}

/* Tie a new queue pair to its queues. The link's lock is held. Return: 0 or an errno of QP_ADD. */
static int xr_qp_join(struct xr_link *link, struct xr_qp *qp, struct xroce_qp_add *a)
{
	int ret;

	ret = xr_send_ring_join(link, qp, a);
	if (ret)
		return ret;
	ret = xr_recv_join(link, qp, a);
	if (ret)
		xr_send_ring_leave(qp);
	return ret;
}

/* Enter a queue pair into the tables, at position @slot. The link's lock is held. */
static void xr_qp_publish(struct xr_link *link, struct xr_qp *qp, u32 slot)
{
	qp->map = xr_qp_entry(link, slot);
	qp->pd->qps++;
	link->nr_qps++;
	list_add_tail_rcu(&qp->node, &qp->owner->qps);
	rcu_assign_pointer(link->qp[slot], qp);

	WRITE_ONCE(qp->map->state, XROCE_QPS_RESET);
	WRITE_ONCE(qp->map->type, qp->type);
	WRITE_ONCE(qp->map->recv, !!qp->recv.cq);
	xr_qp_show_sq(qp);
	WRITE_ONCE(qp->map->pd, qp->pd->id);
	/* Written last: a packet that sees the number sees the rest. */
	smp_store_release(&qp->map->qpn, qp->qpn);
}

/*
 * Give a new queue pair its protection domain, number and queues, and publish it. The link's lock
 * is held. Return: 0, with the number in @a; or an errno of QP_ADD: the queue pair is in no table,
 * and the caller frees it.
 */
static int xr_qp_link(struct xr_link *link, struct xr_owner *caller, struct xr_qp *qp,
		      const struct xr_qp_init *init, struct xroce_qp_add *a)
{
	u32 slot;
	int ret;

	qp->pd = xr_pd_find(link, caller, qp->owner, a->pd);
	if (IS_ERR(qp->pd))
		return PTR_ERR(qp->pd);
	slot = init->gsi ? xr_qp_take_gsi(link) : xr_qp_slot(link);
	if (slot == link->qp_entries) {
		xr_refuse(qp->owner, XROCE_COUNT_QP, XR_REFUSED_FULL);
		return -ENOSPC;
	}
	qp->qpn = init->gsi ? XROCE_QPN_GSI : xr_qpn_draw(link, slot);
	xr_responses_init(&qp->responses, link, qp->qpn);
	xr_requester_init(&qp->send, link, qp);
	ret = xr_qp_join(link, qp, a);
	if (ret) {
		__clear_bit(slot, link->qp_used);
		return ret;
	}
	xr_qp_publish(link, qp, slot);
	a->qpn = qp->qpn;
	return 0;
}

/**
 * xr_qp_create() - create a queue pair in state RESET
 * @link: the link
 * @caller: the requesting file
 * @init: what the front end says about it
 * @a: in: arguments; out: its number, offset and length of its receive queue for mmap(2)
 *
 * Return: the queue pair, which another thread of the owner may already have destroyed; or an
 * errno of QP_ADD, see uapi/xroce.h.
 */
struct xr_qp *xr_qp_create(struct xr_link *link, struct xr_owner *caller,
			   const struct xr_qp_init *init, struct xroce_qp_add *a)
{
	struct xr_qp *qp;
	int ret;

	if (a->type < XROCE_QPT_RC || a->type > XROCE_QPT_UD)
		return ERR_PTR(-EOPNOTSUPP);
	qp = xr_qp_new(link, init, a);
	if (IS_ERR(qp))
		return qp;
	mutex_lock(&link->lock);
	ret = xr_qp_link(link, caller, qp, init, a);
	if (ret)
		xr_qp_free(qp);
	mutex_unlock(&link->lock);
	return ret ? ERR_PTR(ret) : qp;
}
EXPORT_SYMBOL_GPL(xr_qp_create);

/*
 * Zero the entry of a queue pair, except @queued, which xr_responses_close() has set, and the
 * claim, which the caller has. A packet that takes it later finds another generation.
 */
static void xr_qp_erase(struct xroce_qp *q)
{
	WRITE_ONCE(q->generation, q->generation + 1);
	WRITE_ONCE(q->qpn, 0);
	xr_qp_clear(q, 0);
	memset(q, 0, offsetof(struct xroce_qp, claim));
	memset_after(q, 0, generation);
}

/*
 * Destroy a queue pair. The link's lock is held. When this returns, no packet is executed on
 * it. Sleeps.
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
	xr_mcast_leave_all(&link->mcast, qp);
	xr_defer_close(qp);
	xr_responses_close(qp);
	xr_send_reset(qp);
	xr_peer_leave(qp);
	claimed = xr_qp_claim(q);
	xr_qp_erase(q);
	xr_qp_release(q);

	xr_recv_leave(qp);
	xr_send_close(qp);
	xr_send_ring_leave(qp);
	/* A holder that never releases the claim may still write: do not use the slot again. */
	if (claimed)
		__clear_bit(slot, link->qp_used);
	list_del_rcu(&qp->node);
	qp->pd->qps--;
	link->nr_qps--;
	xr_qp_free(qp);
}

/**
 * xr_qp_delete() - destroy a queue pair
 * @link: the link
 * @caller: the requesting file
 * @qpn: number of the queue pair
 *
 * Return: 0; -ENOENT: @caller sees no such queue pair; -EPERM: another file owns it; -EBUSY:
 * a window of type 2A is bound to it.
 */
int xr_qp_delete(struct xr_link *link, struct xr_owner *caller, u32 qpn)
{
	struct xr_qp *qp;
	int ret;

	mutex_lock(&link->lock);
	qp = xr_qp_get(link, caller, qpn);
	ret = PTR_ERR_OR_ZERO(qp);
	if (!ret)
		xr_post_apply(qp);
	if (!ret && !xr_mw_none(&qp->windows_2a))
		ret = -EBUSY;
	if (!ret)
		xr_qp_destroy(link, qp);
	mutex_unlock(&link->lock);
	return ret;
}
EXPORT_SYMBOL_GPL(xr_qp_delete);
