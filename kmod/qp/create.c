// SPDX-License-Identifier: GPL-2.0-only
/* Creating and destroying queue pairs. */
#include <linux/bitmap.h>
#include <linux/bpf.h>
#include <linux/export.h>
#include <linux/memcontrol.h>
#include <linux/random.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "uapi/xroce.h"
#include "xroce_map.h"
#include "xroce_wire.h"

#include "obj/link.h"
#include "obj/mw.h"
#include "obj/mw_count.h"
#include "obj/pd.h"
#include "odp/defer.h"
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

/**
 * xr_qp_create() - create a queue pair in state RESET
 * @link: the link
 * @caller: the requesting file
 * @owner: owner of the new queue pair
 * @format: layout of its queues
 * @context: see struct xr_qp
 * @gsi: it is the general services interface, of type UD
 * @a: in: arguments; out: its number, offset and length of its receive queue for mmap(2)
 *
 * Return: the queue pair, which another thread of the owner may already have destroyed; or an
 * errno of QP_ADD, see uapi/xroce.h.
 */
struct xr_qp *xr_qp_create(struct xr_link *link, struct xr_owner *caller, struct xr_owner *owner,
			   enum xr_format format, void *context, bool gsi,
			   struct xroce_qp_add *a)
{
	struct xr_pd *pd;
	struct xr_qp *qp;
	u32 slot;
	int ret;

	if (a->type < XROCE_QPT_RC || a->type > XROCE_QPT_UD)
		return ERR_PTR(-EOPNOTSUPP);
	qp = kzalloc(sizeof(*qp), GFP_KERNEL_ACCOUNT);
	if (!qp)
		return ERR_PTR(-ENOMEM);
	ret = xr_charge(&qp->charge, owner, XROCE_COUNT_QP, 1);
	if (ret)
		goto err_free;
	ret = xr_recv_init(&qp->recv, format, a);
	if (ret)
		goto err_charge;
	spin_lock_init(&qp->send.lock);
	ret = xr_send_ring_init(qp, a);
	if (ret)
		goto err_recv;

	mutex_lock(&link->lock);
	pd = xr_pd_find(link, caller, owner, a->pd);
	if (IS_ERR(pd)) {
		ret = PTR_ERR(pd);
		goto err;
	}
	slot = gsi ? xr_qp_take_gsi(link) : xr_qp_slot(link);
	if (slot == link->qp_entries) {
		xr_refuse(owner, XROCE_COUNT_QP, XR_REFUSED_FULL);
		ret = -ENOSPC;
		goto err;
	}

	qp->link = link;
	qp->qpn = gsi ? XROCE_QPN_GSI : xr_qpn_draw(link, slot);
	xr_responses_init(&qp->responses, link, qp->qpn);
	xr_defer_init(&qp->defer);
	qp->type = a->type;
	qp->context = context;
	qp->state = XROCE_QPS_RESET;
	qp->pd = pd;
	qp->owner = owner;
	xr_requester_init(&qp->send, link, qp);
	qp->group = get_mem_cgroup_from_mm(current->mm);
	ret = xr_send_ring_join(link, qp, a);
	if (ret)
		goto err_slot;
	ret = xr_recv_join(link, qp, a);
	if (ret) {
		xr_send_ring_leave(qp);
		goto err_slot;
	}
	qp->map = xr_qp_entry(link, slot);
	pd->qps++;
	link->nr_qps++;
	list_add_tail(&qp->node, &owner->qps);
	rcu_assign_pointer(link->qp[slot], qp);

	WRITE_ONCE(qp->map->state, XROCE_QPS_RESET);
	WRITE_ONCE(qp->map->type, qp->type);
	WRITE_ONCE(qp->map->recv, !!qp->recv.cq);
	xr_qp_show_sq(qp);
	WRITE_ONCE(qp->map->pd, pd->id);
	/* Written last: a packet that sees the number sees the rest. */
	smp_store_release(&qp->map->qpn, qp->qpn);
	a->qpn = qp->qpn;
	mutex_unlock(&link->lock);
	return qp;

err_slot:
	__clear_bit(slot, link->qp_used);
err:
	xr_send_ring_free(qp);
	mutex_unlock(&link->lock);
	mem_cgroup_put(qp->group);
	xr_send_free(&qp->send);
err_recv:
	xr_recv_free(&qp->recv);
err_charge:
	xr_uncharge(&qp->charge);
err_free:
	kfree(qp);
	return ERR_PTR(ret);
}
EXPORT_SYMBOL_GPL(xr_qp_create);

/*
 * Destroy a queue pair. The link's lock is held. When this returns, no packet is executed on
 * it: a packet that takes the claim later finds another generation. Sleeps.
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
	xr_send_stop(qp, false);
	xr_peer_leave(qp);
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
	q->vlan = 0;
	q->dmac = 0;
	q->rd_max = 0;
	q->recv = 0;
	q->sq = 0;
	q->deferred = 0;
	q->qkey = 0;
	memset(q->saddr, 0, sizeof(q->saddr));
	memset(q->daddr, 0, sizeof(q->daddr));
	memset(q->response, 0, sizeof(q->response));
	q->ack_icrc = 0;
	q->atomic_icrc = 0;
	q->atomic_check = 0;
	q->read_icrc = 0;
	memset(&q->read, 0, sizeof(q->read));
	xr_qp_release(q);

	xr_recv_leave(qp);
	xr_send_close(qp);
	xr_send_ring_leave(qp);
	/* A holder that never releases the claim may still write: do not use the slot again. */
	if (claimed)
		__clear_bit(slot, link->qp_used);
	list_del(&qp->node);
	qp->pd->qps--;
	link->nr_qps--;
	xr_uncharge(&qp->charge);
	xr_responses_free(&qp->responses);
	xr_defer_free(&qp->defer);
	xr_recv_free(&qp->recv);
	xr_send_ring_free(qp);
	xr_send_free(&qp->send);
	mem_cgroup_put(qp->group);
	kfree_rcu(qp, rcu);
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
