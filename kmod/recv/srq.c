// SPDX-License-Identifier: GPL-2.0-only
/* Shared receive queues. */
#include <linux/export.h>
#include <linux/slab.h>

#include "uapi/xroce.h"

#include "obj/link.h"
#include "obj/pd.h"

#include "srq.h"

#define XR_SRQ_LIMIT	XA_LIMIT(1, 0xffffff)

/**
 * xr_srq_create() - create a shared receive queue
 * @link: the link
 * @owner: owner of the new queue
 * @format: its layout
 * @context: see struct xr_srq
 * @a: in: protection domain and size; out: number, offset and length for mmap(2)
 *
 * Return: the queue, which another thread of the owner may already have destroyed; or an errno
 * of SRQ_ADD, see uapi/xroce.h.
 */
struct xr_srq *xr_srq_create(struct xr_link *link, struct xr_owner *owner,
			     enum xr_format format, void *context, struct xroce_srq_add *a)
{
	struct xr_srq *srq;
	struct xr_pd *pd;
	int ret;

	srq = kzalloc(sizeof(*srq), GFP_KERNEL_ACCOUNT);
	if (!srq)
		return ERR_PTR(-ENOMEM);
	ret = xr_charge(&srq->charge, owner, XROCE_COUNT_SRQ, 1);
	if (ret)
		goto err_free;
	ret = xr_rq_init(&srq->rq, format, a->entries, a->max_sge);
	if (ret)
		goto err_charge;
	spin_lock_init(&srq->lock);
	srq->context = context;
	srq->owner = owner;

	mutex_lock(&link->lock);
	pd = xr_pd_find(link, owner, owner, a->pd);
	ret = PTR_ERR_OR_ZERO(pd);
	if (ret)
		goto err_unlock;
	ret = xa_alloc_cyclic(&link->srqs, &srq->id, srq, XR_SRQ_LIMIT,
			      &link->srq_next, XR_GFP_LOCKED);
	if (ret < 0) {
		ret = ret == -EBUSY ? -ENOSPC : ret;
		goto err_unlock;
	}
	srq->pd = pd;
	pd->srqs++;
	xr_event_init(&srq->event, XROCE_EVENT_SRQ_LIMIT, srq->id, context);
	xr_ring_publish(&srq->rq.ring, owner);
	list_add_tail(&srq->node, &owner->srqs);
	a->srq = srq->id;
	a->offset = srq->rq.ring.offset;
	a->bytes = srq->rq.ring.bytes;
	mutex_unlock(&link->lock);
	return srq;

err_unlock:
	mutex_unlock(&link->lock);
	xr_ring_free(&srq->rq.ring);
err_charge:
	xr_uncharge(&srq->charge);
err_free:
	kfree(srq);
	return ERR_PTR(ret);
}
EXPORT_SYMBOL_GPL(xr_srq_create);

/* Destroy a shared receive queue that no queue pair uses. The link's lock is held. */
void xr_srq_destroy(struct xr_link *link, struct xr_srq *srq)
{
	lockdep_assert_held(&link->lock);
	WARN_ON_ONCE(srq->users);
	xa_erase(&link->srqs, srq->id);
	list_del(&srq->node);
	xr_event_cancel(&srq->owner->events, &srq->event);
	srq->pd->srqs--;
	xr_ring_free(&srq->rq.ring);
	xr_uncharge(&srq->charge);
	kfree(srq);
}

/* Find a shared receive queue of @owner; NULL: none. The link's lock is held. */
struct xr_srq *xr_srq_find(struct xr_link *link, const struct xr_owner *owner,
			   u32 id)
{
	struct xr_srq *srq = xa_load(&link->srqs, id);

	lockdep_assert_held(&link->lock);
	return srq && srq->owner == owner ? srq : NULL;
}

/*
 * If fewer work requests than the limit are posted, disarm the limit and raise the event.
 * @srq->lock is held.
 */
static void xr_srq_check_limit(struct xr_srq *srq)
{
	if (xr_rq_count(&srq->rq, srq->rq.format) >= srq->limit)
		return;
	srq->limit = 0;
	xr_owner_raise(srq->owner, &srq->event);
}

/**
 * xr_srq_modify() - arm or disarm the limit event
 * @link: the link
 * @caller: the requesting owner, which must own the queue
 * @id: number of the queue
 * @limit: number of work requests; 0: disarm
 *
 * The event is raised at once if fewer work requests are posted now.
 *
 * Return: 0; -ENOENT: @caller has no such queue; -EINVAL: @limit exceeds its entries.
 */
int xr_srq_modify(struct xr_link *link, struct xr_owner *caller, u32 id,
		  u32 limit)
{
	struct xr_srq *srq;
	int ret = 0;

	mutex_lock(&link->lock);
	srq = xr_srq_find(link, caller, id);
	if (!srq) {
		ret = -ENOENT;
	} else if (limit > srq->rq.mask + 1) {
		ret = -EINVAL;
	} else {
		spin_lock_bh(&srq->lock);
		srq->limit = limit;
		xr_srq_check_limit(srq);
		spin_unlock_bh(&srq->lock);
	}
	mutex_unlock(&link->lock);
	return ret;
}
EXPORT_SYMBOL_GPL(xr_srq_modify);

/**
 * xr_srq_resize() - give a shared receive queue of a verbs device another ring (IBTA 11.2.3.3)
 * @link: the link
 * @srq: the queue
 * @a: in: number of entries; out: offset and length for mmap(2)
 * @limit: the limit to arm, see xr_srq_modify(), with less than the new entries; NULL: it stays
 *
 * Posted work requests are copied. Mappings of the previous ring keep its memory. The program
 * must not post meanwhile.
 *
 * Return: 0; -EINVAL: the number of entries, or more work requests are posted than would fit;
 * -ENOMEM. On failure nothing has changed.
 */
int xr_srq_resize(struct xr_link *link, struct xr_srq *srq, struct xroce_srq_add *a,
		  const u32 *limit)
{
	struct xr_rq other = {};
	int ret;

	ret = xr_rq_init(&other, srq->rq.format, a->entries, srq->rq.max_sge);
	if (ret)
		return ret;
	mutex_lock(&link->lock);
	spin_lock_bh(&srq->lock);
	ret = xr_rq_replace(&srq->rq, &other);
	if (!ret && limit) {
		srq->limit = *limit;
		xr_srq_check_limit(srq);
	}
	spin_unlock_bh(&srq->lock);
	if (!ret) {
		xr_ring_publish(&srq->rq.ring, srq->owner);
		a->offset = srq->rq.ring.offset;
		a->bytes = srq->rq.ring.bytes;
	}
	mutex_unlock(&link->lock);
	xr_ring_free(&other.ring);
	return ret;
}
EXPORT_SYMBOL_GPL(xr_srq_resize);

/**
 * xr_srq_delete() - destroy a shared receive queue that no queue pair uses
 * @link: the link
 * @caller: the requesting owner, which must own the queue
 * @id: number of the queue
 *
 * Return: 0; -ENOENT: @caller has no such queue; -EBUSY: a queue pair uses it.
 */
int xr_srq_delete(struct xr_link *link, struct xr_owner *caller, u32 id)
{
	struct xr_srq *srq;
	int ret = 0;

	mutex_lock(&link->lock);
	srq = xr_srq_find(link, caller, id);
	if (!srq)
		ret = -ENOENT;
	else if (srq->users)
		ret = -EBUSY;
	else
		xr_srq_destroy(link, srq);
	mutex_unlock(&link->lock);
	return ret;
}
EXPORT_SYMBOL_GPL(xr_srq_delete);

/**
 * xr_srq_query() - query a shared receive queue
 * @link: the link
 * @caller: the requesting owner, which must own the queue
 * @q: in: number; out: all fields
 *
 * Return: 0; -ENOENT: @caller has no such queue.
 */
int xr_srq_query(struct xr_link *link, struct xr_owner *caller,
		 struct xroce_srq_query *q)
{
	struct xr_srq *srq;

	mutex_lock(&link->lock);
	srq = xr_srq_find(link, caller, q->srq);
	if (srq) {
		q->pd = srq->pd->id;
		q->entries = srq->rq.mask + 1;
		q->max_sge = srq->rq.max_sge;
		q->limit = READ_ONCE(srq->limit);
		q->qps = srq->users;
	}
	mutex_unlock(&link->lock);
	return srq ? 0 : -ENOENT;
}
EXPORT_SYMBOL_GPL(xr_srq_query);

/* Take the oldest work request, with bottom halves off. Return: as xr_rq_take(). */
int xr_srq_take(struct xr_srq *srq, struct xr_wqe *wqe)
{
	int ret;

	spin_lock(&srq->lock);
	ret = xr_rq_take(&srq->rq, srq->rq.format, wqe);
	if (srq->limit && ret != -EAGAIN)
		xr_srq_check_limit(srq);
	spin_unlock(&srq->lock);
	return ret;
}
