/* SPDX-License-Identifier: GPL-2.0-only */
/* Completion queues (IBTA 10.2.6): rings that the module writes and programs read. */
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
 * @mask: number of entries - 1
 * @lock: protects @tail, @error and @fired; taken with bottom halves off
 * @tail: index of the next entry to be written
 * @error: a completion found no room; the queue accepts no more
 * @fired: the program was notified and, when xr_cq_fired() last looked, had not armed the
 *	queue again
 * @users: number of references of queue pairs, as receive or send completion queue
 * @ring: the entries
 * @event: XROCE_EVENT_CQ_ERROR
 * @owner: the file that it belongs to
 * @node: in @owner's list
 * @charge: its charge against limits
 *
 * @users and @node are under the link's lock. A queue pair adds completions only while it
 * is counted in @users. @id, @mask, @ring and @owner do not change.
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
 * The number of completions that can be added. @cq->lock is held. The program can change
 * its index at any time, so a loop must read the number once, before it begins.
 */
static inline u32 xr_cq_space(const struct xr_cq *cq)
{
	/* Pairs as in xr_cq_room(). */
	u32 used = cq->tail - smp_load_acquire(&xr_cq_header(cq)->head);

	return cq->error || used > cq->mask ? 0 : cq->mask + 1 - used;
}

/* The entry at the tail. @cq->lock is held, and the queue must have room. */
static inline struct xroce_cqe *xr_cq_next(struct xr_cq *cq)
{
	struct xroce_cqe *entries = xr_ring_entries(&cq->ring);

	return &entries[cq->tail & cq->mask];
}

/**
 * xr_cq_room() - get the entry for the next completion
 * @cq: the queue; the caller's queue pair is one of its users
 *
 * @cq->lock is held. The program's head is not trusted: a wrong one harms only the program,
 * because the entry is always inside the ring. The reserved words of the entry are zero
 * unless the program has written to them, so the caller leaves them alone.
 *
 * Return: the entry, which the caller fills in and then passes on with xr_cq_added();
 * NULL: there is no room, and the queue accepts no completion from now on.
 */
static __always_inline struct xroce_cqe *xr_cq_room(struct xr_cq *cq)
{
	/*
	 * Pairs with the program's release store of the head (xroce_cq_poll()): it has
	 * read the entries before the head, so they may be overwritten.
	 */
	u32 head = smp_load_acquire(&xr_cq_header(cq)->head);

	if (likely(!cq->error && cq->tail - head <= cq->mask))
		return xr_cq_next(cq);
	xr_cq_overflow(cq);
	return NULL;
}

/*
 * Pass the entry that xr_cq_room() returned to the program. @solicited: see xr_cq_wake().
 * @cq->lock is held.
 */
static __always_inline void xr_cq_added(struct xr_cq *cq, bool solicited)
{
	/* Pairs with the program's acquire load of the tail: it sees the whole entry. */
	smp_store_release(&xr_cq_header(cq)->tail, ++cq->tail);
	/*
	 * Pairs with the fence in xroce_cq_arm(). The program writes @arm, then reads the
	 * tail. The module has written the tail and now reads @arm. At least one of them
	 * sees what the other has written.
	 */
	smp_mb();
	if (READ_ONCE(xr_cq_header(cq)->arm))
		xr_cq_wake(cq, solicited);
}

#endif
