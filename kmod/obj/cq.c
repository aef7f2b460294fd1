// SPDX-License-Identifier: GPL-2.0-only
/*
 * Completion queues. One that overflows takes no more completions: xr_cq_overflow(). The caller
 * that had one moves its queue pair to ERR (qp/error.h): recv/message.c, and for the send side
 * xr_requester_fail(). Other queue pairs follow with their next completion.
 */
#include <linux/bottom_half.h>
#include <linux/export.h>
#include <linux/hrtimer.h>
#include <linux/log2.h>
#include <linux/poll.h>
#include <linux/slab.h>

#include "uapi/xroce.h"

#include "cq.h"
#include "link.h"

#define XR_CQ_LIMIT	XA_LIMIT(1, 0xffffff)

static int xr_cq_ring(struct xr_ring *ring, enum xr_format format, u32 entries)
{
	if (entries < XROCE_CQ_MIN || entries > XROCE_CQ_MAX || !is_power_of_2(entries))
		return -EINVAL;
	return xr_ring_alloc(ring, format, entries,
			     format == XR_FORMAT_RXE ? XR_CQE_RXE : sizeof(struct xroce_cqe));
}

/*
 * Disarm a queue whose event is due. @cq->lock is held. Pollers of a file are woken up; or else
 *
 * Return: true: the caller must call xr_cq_tell() after it has released @cq->lock.
 */
static bool xr_cq_fire(struct xr_cq *cq)
{
	if (cq->format == XR_FORMAT_RXE) {
		cq->armed = 0;
		return true;
	}
	/* The program may have disarmed it itself. */
	if (!xchg(&xr_cq_header(cq)->arm, 0))
		return false;
	if (cq->context)
		return true;
	cq->fired = true;
	wake_up_poll(&cq->owner->events.wait, EPOLLIN);
	return false;
}

/* Tell the owner if an armed queue has fired. With interrupts on, and without @cq->lock. */
static void xr_cq_tell(struct xr_cq *cq, bool fired)
{
	if (!fired)
		return;
	local_bh_disable();
	xr_cq_notify(cq);
	local_bh_enable();
}

/* The period of completions that are held may be over. */
static enum hrtimer_restart xr_cq_expired(struct hrtimer *timer)
{
	struct xr_cq *cq = container_of(timer, struct xr_cq, moderator.timer);
	enum hrtimer_restart again;
	unsigned long flags;
	bool fired;

	spin_lock_irqsave(&cq->lock, flags);
	fired = xr_moderator_expired(&cq->moderator, &again) && xr_cq_fire(cq);
	spin_unlock_irqrestore(&cq->lock, flags);
	xr_cq_tell(cq, fired);
	return again;
}

/**
 * xr_cq_create() - create a completion queue
 * @link: the link
 * @owner: owner of the new queue
 * @format: its layout
 * @context: see struct xr_cq
 * @a: in: number of entries; out: number of the queue, offset and length for mmap(2)
 *
 * Return: the queue, which another thread of the owner may already have destroyed; or an errno
 * of CQ_ADD, see uapi/xroce.h.
 */
struct xr_cq *xr_cq_create(struct xr_link *link, struct xr_owner *owner, enum xr_format format,
			   void *context, struct xroce_cq_add *a)
{
	struct xr_cq *cq;
	int ret;

	cq = kzalloc(sizeof(*cq), GFP_KERNEL_ACCOUNT);
	if (!cq)
		return ERR_PTR(-ENOMEM);
	ret = xr_charge(&cq->charge, owner, XROCE_COUNT_CQ, 1);
	if (ret)
		goto err_free;
	ret = xr_cq_ring(&cq->ring, format, a->entries);
	if (ret)
		goto err_charge;
	cq->mask = a->entries - 1;
	cq->format = format;
	cq->context = context;
	cq->owner = owner;
	cq->by_kernel = xr_owner_flags(owner) & XROCE_F_KERNEL;
	xr_moderator_init(&cq->moderator, xr_cq_expired);
	/* Two classes for lockdep: see struct xr_cq. */
	if (cq->by_kernel)
		spin_lock_init(&cq->lock);
	else
		spin_lock_init(&cq->lock);

	mutex_lock(&link->lock);
	cq->moderator.by = link->moderation;
	ret = xa_alloc_cyclic(&link->cqs, &cq->id, cq, XR_CQ_LIMIT,
			      &link->cq_next, XR_GFP_LOCKED);
	if (ret < 0) {
		mutex_unlock(&link->lock);
		ret = ret == -EBUSY ? -ENOSPC : ret;
		goto err_ring;
	}
	xr_event_init(&cq->event, XROCE_EVENT_CQ_ERROR, cq->id, context);
	xr_ring_publish(&cq->ring, owner);
	list_add_tail(&cq->node, &owner->cqs);
	a->cq = cq->id;
	a->offset = cq->ring.offset;
	a->bytes = cq->ring.bytes;
	mutex_unlock(&link->lock);
	return cq;

err_ring:
	xr_ring_free(&cq->ring);
err_charge:
	xr_uncharge(&cq->charge);
err_free:
	kfree(cq);
	return ERR_PTR(ret);
}
EXPORT_SYMBOL_GPL(xr_cq_create);

/* Completions that are copied to a new ring with interrupts off. */
#define XR_CQ_COPY	1024u

/**
 * struct xr_cq_move - completions that are being copied to another ring
 * @to: the new ring
 * @size: number of its entries, a power of two
 * @start: index of the oldest one in the present ring
 * @done: number of them that are copied
 */
struct xr_cq_move {
	struct xr_ring to;
	u32 size;
	u32 start;
	u32 done;
};

/*
 * Copy more completions, until @n are. Entries before xr_cq::tail do not change until the program
 * has taken them, so @cq->lock is not needed.
 */
static void xr_cq_copy(const struct xr_cq *cq, struct xr_cq_move *m, u32 n)
{
	const void *from = xr_ring_entries(&cq->ring, cq->format);
	void *to = xr_ring_entries(&m->to, cq->format);
	/* The indices of XR_FORMAT_OWN go on. */
	u32 first = cq->format == XR_FORMAT_RXE ? 0 : m->start;

	BUILD_BUG_ON(sizeof(struct xroce_cqe) != XR_CQE_RXE);
	for (; m->done < n; m->done++)
		memcpy(to + ((first + m->done) & (m->size - 1)) * XR_CQE_RXE,
		       from + ((m->start + m->done) & cq->mask) * XR_CQE_RXE, XR_CQE_RXE);
}

/* Exchange the rings: @n completions have been copied. @cq->lock and the link's lock are held. */
static void xr_cq_exchange(struct xr_cq *cq, struct xr_cq_move *m, u32 n)
{
	struct xroce_cq_header *to = m->to.mem;

	if (cq->format == XR_FORMAT_RXE) {
		((struct rxe_queue_buf *)m->to.mem)->producer_index = n;
		cq->tail = n;
	} else {
		to->head = m->start;
		to->tail = cq->tail;
		to->arm = READ_ONCE(xr_cq_header(cq)->arm);
		to->overflow = cq->error;
	}
	xr_ring_replace(&cq->ring, &m->to);
	cq->mask = m->size - 1;
}

/*
 * Copy completions, and exchange the rings when all are copied. The link's lock is held, so that
 * the present ring stays. Return: 1: some are left; 0: done; -EINVAL: more wait than fit, or the
 * program has taken some meanwhile.
 */
static int xr_cq_move(struct xr_cq *cq, struct xr_cq_move *m)
{
	u32 n;

	spin_lock_irq(&cq->lock);
	n = xr_cq_used(cq, cq->format);
	if (!m->done)
		m->start = cq->tail - n;
	/* The program may have written any index. */
	if (n > xr_cq_size(cq, cq->format) || cq->tail - m->start != n ||
	    n > m->size - (cq->format == XR_FORMAT_RXE)) {
		spin_unlock_irq(&cq->lock);
		return -EINVAL;
	}
	if (n - m->done > XR_CQ_COPY) {
		spin_unlock_irq(&cq->lock);
		xr_cq_copy(cq, m, m->done + XR_CQ_COPY);
		return 1;
	}
	xr_cq_copy(cq, m, n);
	xr_cq_exchange(cq, m, n);
	spin_unlock_irq(&cq->lock);
	return 0;
}

/**
 * xr_cq_resize() - give a completion queue of a verbs device another ring (IBTA 11.2.6.3)
 * @link: the link
 * @cq: the queue
 * @a: in: number of entries; out: offset and length for mmap(2)
 *
 * Completions that the program has not taken are copied. Mappings of the previous ring keep
 * its memory. The program must not poll the queue meanwhile.
 *
 * Return: 0; -EINVAL: the number of entries, or more completions wait than would fit, or the
 * program polls it; -ENOMEM. On failure nothing has changed.
 */
int xr_cq_resize(struct xr_link *link, struct xr_cq *cq, struct xroce_cq_add *a)
{
	struct xr_cq_move m = { .size = a->entries };
	int ret;

	ret = xr_cq_ring(&m.to, cq->format, a->entries);
	if (ret)
		return ret;
	mutex_lock(&link->lock);
	while ((ret = xr_cq_move(cq, &m)) > 0)
		cond_resched();
	if (!ret) {
		xr_ring_publish(&cq->ring, cq->owner);
		a->offset = cq->ring.offset;
		a->bytes = cq->ring.bytes;
	}
	mutex_unlock(&link->lock);
	xr_ring_free(&m.to);
	return ret;
}
EXPORT_SYMBOL_GPL(xr_cq_resize);

/* Destroy a completion queue that no queue pair uses. The link's lock is held. */
void xr_cq_destroy(struct xr_link *link, struct xr_cq *cq)
{
	lockdep_assert_held(&link->lock);
	WARN_ON_ONCE(cq->users);
	xa_erase(&link->cqs, cq->id);
	list_del(&cq->node);
	/* It takes no lock of those that are held, and gets no more completions. */
	hrtimer_cancel(&cq->moderator.timer);
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
 * @caller: the requesting owner, which must own the queue
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
EXPORT_SYMBOL_GPL(xr_cq_delete);

/*
 * True if the queue has notified the program, which has not armed it again since. For
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
 * Disarm the queue and wake pollers, if the program has armed it for such a completion, and the
 * event is not held. @solicited: the completion is of a solicited message, or has failed.
 * @cq->lock is held. Return: as xr_cq_fire().
 */
bool xr_cq_wake(struct xr_cq *cq, bool solicited)
{
	u32 arm = READ_ONCE(xr_cq_header(cq)->arm);

	if (!arm || (arm == XROCE_CQ_ARM_SOLICITED && !solicited))
		return false;
	if (cq->moderator.by.count && xr_cq_holds(cq, solicited))
		return false;
	return xr_cq_fire(cq);
}

/**
 * xr_cq_holds() - hold an event?
 * @cq: the queue, which is armed for the completion that has just been added, and moderated
 * @urgent: the completion is solicited or has failed
 *
 * Nothing is held if three quarters of the ring are full, so that there is time to read it.
 * @cq->lock is held.
 *
 * Return: true: the queue stays armed; false: it fires now.
 */
bool xr_cq_holds(struct xr_cq *cq, bool urgent)
{
	u32 size = xr_cq_size(cq, cq->format);

	return xr_moderator_holds(&cq->moderator,
				  urgent || xr_cq_used(cq, cq->format) >= size - size / 4,
				  cq->tail);
}

/*
 * Change the moderation of a queue by @set, xr_moderator_own() or xr_moderator_follow(). If
 * completions are held, the queue fires.
 */
static void xr_cq_moderate_by(struct xr_cq *cq, struct xr_moderation by,
			      bool (*set)(struct xr_moderator *m, struct xr_moderation by))
{
	unsigned long flags;
	bool fired;

	spin_lock_irqsave(&cq->lock, flags);
	fired = set(&cq->moderator, by) && xr_cq_fire(cq);
	spin_unlock_irqrestore(&cq->lock, flags);
	xr_cq_tell(cq, fired);
}

/**
 * xr_cq_moderate() - give a queue a moderation of its own, which that of the link no longer changes
 * @cq: the queue, which the caller keeps
 * @count: completions that make an event; 0 or 1: none; XROCE_MODERATION_AUTO: while it pays
 * @usec: microseconds since the first of them; 0: none
 *
 * Return: 0; -EINVAL: more than XROCE_MODERATION_COUNT_MAX or XROCE_MODERATION_USEC_MAX.
 */
int xr_cq_moderate(struct xr_cq *cq, u32 count, u32 usec)
{
	if (count != XROCE_MODERATION_AUTO &&
	    (count > XROCE_MODERATION_COUNT_MAX || usec > XROCE_MODERATION_USEC_MAX))
		return -EINVAL;
	xr_cq_moderate_by(cq, xr_moderation_of(count, usec), xr_moderator_own);
	return 0;
}
EXPORT_SYMBOL_GPL(xr_cq_moderate);

/**
 * xr_cq_moderate_all() - choose the moderation of all queues of a link that have none of their own
 * @link: the link
 * @count: completions that make an event; 1: none; XROCE_MODERATION_AUTO: while it pays
 * @usec: microseconds since the first of them
 *
 * Also of those that are made later. xr_links_lock is held.
 *
 * Return: 0; -EINVAL: one of them is out of range.
 */
int xr_cq_moderate_all(struct xr_link *link, u32 count, u32 usec)
{
	unsigned long id;
	struct xr_cq *cq;

	if (!xr_moderation_ok(count, usec))
		return -EINVAL;
	mutex_lock(&link->lock);
	link->moderation = xr_moderation_of(count, usec);
	xa_for_each(&link->cqs, id, cq)
		xr_cq_moderate_by(cq, link->moderation, xr_moderator_follow);
	mutex_unlock(&link->lock);
	return 0;
}

/**
 * xr_cq_settle() - fire now if completions are held
 * @cq: the queue
 *
 * A queue pair is gone whose completions may be among them. The owner has been told of those when
 * this returns. Sleeps.
 */
void xr_cq_settle(struct xr_cq *cq)
{
	unsigned long flags;
	bool fired;

	/* If it is telling the owner at this moment, wait until it has. */
	hrtimer_cancel(&cq->moderator.timer);
	spin_lock_irqsave(&cq->lock, flags);
	fired = xr_moderator_release(&cq->moderator) && xr_cq_fire(cq);
	spin_unlock_irqrestore(&cq->lock, flags);
	xr_cq_tell(cq, fired);
}
EXPORT_SYMBOL_GPL(xr_cq_settle);

/*
 * A completion found no room: the queue becomes unusable. @cq->lock is held. Return: false; true:
 * it overwrites the oldest one instead.
 */
bool xr_cq_overflow(struct xr_cq *cq)
{
	if (cq->unbounded)
		return true;
	if (!cq->error)
		xr_owner_raise(cq->owner, &cq->event);
	cq->error = true;
	if (cq->format == XR_FORMAT_OWN)
		WRITE_ONCE(xr_cq_header(cq)->overflow, 1);
	return false;
}

/* Tell the owner that an armed queue has fired. With bottom halves off, without @cq->lock. */
void xr_cq_notify(struct xr_cq *cq)
{
	cq->owner->ops->completion(cq->owner, cq);
}

/**
 * xr_cq_arm() - arm a completion queue of a verbs device (IBTA 11.4.2.2)
 * @cq: the queue
 * @solicited: for a solicited or failed completion; otherwise for any
 *
 * A queue that is armed for any completion stays so.
 *
 * Return: whether completions are waiting. Those notify nobody.
 */
bool xr_cq_arm(struct xr_cq *cq, bool solicited)
{
	unsigned long flags;
	bool waiting;

	/* A consumer in the kernel may have interrupts off. */
	spin_lock_irqsave(&cq->lock, flags);
	if (cq->format == XR_FORMAT_OWN)
		cq->armed = READ_ONCE(xr_cq_header(cq)->arm);
	if (cq->armed != XROCE_CQ_ARM_NEXT)
		cq->armed = solicited ? XROCE_CQ_ARM_SOLICITED : XROCE_CQ_ARM_NEXT;
	if (cq->format == XR_FORMAT_OWN)
		WRITE_ONCE(xr_cq_header(cq)->arm, cq->armed);
	waiting = xr_cq_used(cq, cq->format);
	spin_unlock_irqrestore(&cq->lock, flags);
	return waiting;
}
EXPORT_SYMBOL_GPL(xr_cq_arm);

/* xr_cq_post_as() for a queue of any layout. */
int xr_cq_post(struct xr_cq *cq, const struct xroce_cqe *cqe)
{
	return xr_cq_post_as(cq, cq->format, cqe);
}
EXPORT_SYMBOL_GPL(xr_cq_post);
