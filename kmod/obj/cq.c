// SPDX-License-Identifier: GPL-2.0-only
/* Completion queues. */
#include <linux/log2.h>
#include <linux/poll.h>
#include <linux/slab.h>

#include "uapi/xroce.h"

#include "cq.h"
#include "link.h"

#define XR_CQ_LIMIT	XA_LIMIT(1, 0xffffff)

/**
 * xr_cq_create() - create a completion queue
 * @link: the link
 * @owner: the file that it will belong to
 * @a: in: number of entries; out: number of the queue, offset and length for mmap(2)
 *
 * Return: 0 or an errno of CQ_ADD, see uapi/xroce.h.
 */
int xr_cq_create(struct xr_link *link, struct xr_owner *owner,
		 struct xroce_cq_add *a)
{
	struct xr_cq *cq;
	int ret;

	if (a->entries < XROCE_CQ_MIN || a->entries > XROCE_CQ_MAX ||
	    !is_power_of_2(a->entries))
		return -EINVAL;
	cq = kzalloc(sizeof(*cq), GFP_KERNEL_ACCOUNT);
	if (!cq)
		return -ENOMEM;
	ret = xr_charge(&cq->charge, owner, XROCE_COUNT_CQ, 1);
	if (ret)
		goto err_free;
	ret = xr_ring_alloc(&cq->ring,
			    (u64)a->entries * sizeof(struct xroce_cqe));
	if (ret)
		goto err_charge;
	cq->mask = a->entries - 1;
	cq->owner = owner;
	spin_lock_init(&cq->lock);

	mutex_lock(&link->lock);
	ret = xa_alloc_cyclic(&link->cqs, &cq->id, cq, XR_CQ_LIMIT,
			      &link->cq_next, GFP_KERNEL_ACCOUNT);
	if (ret < 0) {
		mutex_unlock(&link->lock);
		ret = ret == -EBUSY ? -ENOSPC : ret;
		goto err_ring;
	}
	xr_event_init(&cq->event, XROCE_EVENT_CQ_ERROR, cq->id);
	xr_ring_publish(&cq->ring, owner);
	list_add_tail(&cq->node, &owner->cqs);
	a->cq = cq->id;
	a->offset = cq->ring.offset;
	a->bytes = cq->ring.bytes;
	mutex_unlock(&link->lock);
	return 0;

err_ring:
	xr_ring_free(&cq->ring);
err_charge:
	xr_uncharge(&cq->charge);
err_free:
	kfree(cq);
	return ret;
}

/* Destroy a completion queue that no queue pair uses. The link's lock is held. */
void xr_cq_destroy(struct xr_link *link, struct xr_cq *cq)
{
	lockdep_assert_held(&link->lock);
	WARN_ON_ONCE(cq->users);
	xa_erase(&link->cqs, cq->id);
	list_del(&cq->node);
	xr_event_cancel(&cq->owner->events, &cq->event);
	xr_ring_free(&cq->ring);
	xr_uncharge(&cq->charge);
	kfree(cq);
}

/* Find a completion queue of @owner; NULL: none. The link's lock is held. */
struct xr_cq *xr_cq_find(struct xr_link *link, const struct xr_owner *owner,
			 u32 id)
{
	struct xr_cq *cq = xa_load(&link->cqs, id);

	lockdep_assert_held(&link->lock);
	return cq && cq->owner == owner ? cq : NULL;
}

/**
 * xr_cq_delete() - destroy a completion queue that no queue pair uses
 * @link: the link
 * @caller: the requesting file, which must own the queue
 * @id: number of the queue
 *
 * Return: 0; -ENOENT: @caller has no such queue; -EBUSY: a queue pair uses it.
 */
int xr_cq_delete(struct xr_link *link, struct xr_owner *caller, u32 id)
{
	struct xr_cq *cq;
	int ret = 0;

	mutex_lock(&link->lock);
	cq = xr_cq_find(link, caller, id);
	if (!cq)
		ret = -ENOENT;
	else if (cq->users)
		ret = -EBUSY;
	else
		xr_cq_destroy(link, cq);
	mutex_unlock(&link->lock);
	return ret;
}

/*
 * Has the queue notified the program, and has the program not armed it again since? For
 * poll(2).
 */
bool xr_cq_fired(struct xr_cq *cq)
{
	bool fired;

	spin_lock_bh(&cq->lock);
	if (READ_ONCE(xr_cq_header(cq)->arm))
		cq->fired = false;
	fired = cq->fired;
	spin_unlock_bh(&cq->lock);
	return fired;
}

/*
 * Disarm the queue and wake pollers, if the program has armed it for such a completion.
 * @solicited: the completion is of a solicited message, or has failed. @cq->lock is held.
 */
void xr_cq_wake(struct xr_cq *cq, bool solicited)
{
	struct xroce_cq_header *h = xr_cq_header(cq);
	u32 arm = READ_ONCE(h->arm);

	if (!arm || (arm == XROCE_CQ_ARM_SOLICITED && !solicited))
		return;
	if (!xchg(&h->arm, 0))
		return;
	cq->fired = true;
	wake_up_poll(&cq->owner->events.wait, EPOLLIN);
}

/* A completion found no room: the queue becomes unusable. @cq->lock is held. */
void xr_cq_overflow(struct xr_cq *cq)
{
	if (!cq->error)
		xr_event_raise(&cq->owner->events, &cq->event);
	cq->error = true;
	WRITE_ONCE(xr_cq_header(cq)->overflow, 1);
}

/**
 * xr_cq_post() - add a completion
 * @cq: the queue; the caller's queue pair is one of its users
 * @cqe: the completion
 *
 * With bottom halves off.
 *
 * Return: 0; -ENOSPC: there is no room, and the queue accepts no completion from now on.
 */
int xr_cq_post(struct xr_cq *cq, const struct xroce_cqe *cqe)
{
	struct xroce_cqe *to;

	spin_lock(&cq->lock);
	to = xr_cq_room(cq);
	if (to) {
		*to = *cqe;
		xr_cq_added(cq, cqe->status || cqe->flags & XROCE_WC_SOLICITED);
	}
	spin_unlock(&cq->lock);
	return to ? 0 : -ENOSPC;
}
