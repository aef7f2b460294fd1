/* SPDX-License-Identifier: GPL-2.0-only */
/* Completion queues (IBTA 10.2.6): rings that programs read. */
#ifndef _XR_CQ_H
#define _XR_CQ_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "own/event.h"
#include "own/limit.h"

#include "ring.h"

struct xr_link;
struct xr_owner;
struct xroce_cq_add;
struct xroce_cqe;

/**
 * struct xr_cq - completion queue
 * @id: its number on the link
 * @mask: number of entries, less one
 * @lock: for @tail, @error and @fired; bottom halves off
 * @tail: index of the next entry
 * @error: a completion found no room
 * @fired: it has taken an arm, and has not been armed since, as far as is known
 * @users: queue pairs that complete into it
 * @ring: the entries
 * @event: XROCE_EVENT_CQ_ERROR
 * @owner: whose it is
 * @node: in @owner's list
 * @charge: what it counts for
 *
 * @users, @node: under the link's lock. A queue pair completes into it only
 * while it is counted in @users.
 */
struct xr_cq {
	u32 id;
	u32 mask;
	spinlock_t lock;
	u32 tail;
	bool error;
	bool fired;
	u32 users;
	struct xr_ring ring;
	struct xr_event event;
	struct xr_owner *owner;
	struct list_head node;
	struct xr_charge charge;
};

int xr_cq_create(struct xr_link *link, struct xr_owner *owner,
		 struct xroce_cq_add *a);
int xr_cq_delete(struct xr_link *link, struct xr_owner *caller, u32 id);
void xr_cq_destroy(struct xr_link *link, struct xr_cq *cq);
struct xr_cq *xr_cq_find(struct xr_link *link, const struct xr_owner *owner,
			 u32 id);
bool xr_cq_fired(struct xr_cq *cq);
int xr_cq_post(struct xr_cq *cq, const struct xroce_cqe *cqe);
void xr_cq_wake(struct xr_cq *cq, bool solicited);
void xr_cq_overflow(struct xr_cq *cq);

static inline struct xroce_cq_header *xr_cq_header(const struct xr_cq *cq)
{
	return cq->ring.mem;
}

/*
 * Entries that can be added, with @cq->lock held. The program can change its index at any
 * time, so a loop over them reads the number once.
 */
static inline u32 xr_cq_space(const struct xr_cq *cq)
{
	/* As in xr_cq_room(). */
	u32 used = cq->tail - smp_load_acquire(&xr_cq_header(cq)->head);

	return cq->error || used > cq->mask ? 0 : cq->mask + 1 - used;
}

/* The entry at the tail, with @cq->lock held. There is room for it. */
static inline struct xroce_cqe *xr_cq_next(struct xr_cq *cq)
{
	struct xroce_cqe *entries = xr_ring_entries(&cq->ring);

	return &entries[cq->tail & cq->mask];
}

/**
 * xr_cq_room() - where the next completion goes
 * @cq: where to; the caller's queue pair is one of its users
 *
 * With @cq->lock held. A program that says it has taken what it has not, or what is not
 * there yet, fools itself: the entry is always one of the ring's. What is reserved in it
 * is zero.
 *
 * Return: an entry, to be written and then xr_cq_added(); or NULL: the queue takes no
 * more from now on.
 */
static __always_inline struct xroce_cqe *xr_cq_room(struct xr_cq *cq)
{
	/* What the program has read it has read before we write there. */
	u32 head = smp_load_acquire(&xr_cq_header(cq)->head);

	if (likely(!cq->error && cq->tail - head <= cq->mask))
		return xr_cq_next(cq);
	xr_cq_overflow(cq);
	return NULL;
}

/* The entry that xr_cq_room() has found is written. @solicited: see xr_cq_wake(). */
static __always_inline void xr_cq_added(struct xr_cq *cq, bool solicited)
{
	/* The entry is there for who sees the tail. */
	smp_store_release(&xr_cq_header(cq)->tail, ++cq->tail);
	/*
	 * The program arms and then looks at the tail once more; we have moved
	 * the tail and now look whether it is armed.
	 */
	smp_mb();
	if (READ_ONCE(xr_cq_header(cq)->arm))
		xr_cq_wake(cq, solicited);
}

#endif
