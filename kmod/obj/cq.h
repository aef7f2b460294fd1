/* SPDX-License-Identifier: GPL-2.0-only */
/* Completion queues (IBTA 10.2.6): rings that the module writes and programs read. */
#ifndef _XR_CQ_H
#define _XR_CQ_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>
#include <linux/types.h>
#include <rdma/ib_user_verbs.h>

#include "own/event.h"
#include "own/limit.h"

#include "moderation.h"
#include "ring.h"

struct xr_link;
struct xr_owner;
struct xroce_cq_add;
struct xroce_cqe;

/**
 * struct xr_cq - completion queue
 * @id: its number on the link
 * @mask: number of entries - 1
 * @lock: protects @tail, @error, @fired, @armed and @moderator; with @context: also @mask and
 *	@ring. Taken with bottom halves off; @by_kernel: with interrupts off
 * @tail: index of the next entry to be written
 * @error: a completion found no room; the queue accepts no more
 * @fired: the program was notified and, when xr_cq_fired() last looked, had not armed the
 *	queue again
 * @armed: XR_FORMAT_RXE: XROCE_CQ_ARM_*, or 0: not armed; for XR_FORMAT_OWN it is in the
 *	ring's header
 * @format: layout of @ring
 * @by_kernel: of a consumer in the kernel, which may poll and arm it in a hardware interrupt
 * @stamped: XR_FORMAT_OWN: completions have timestamps
 * @unbounded: XR_FORMAT_OWN: the program sees to it that it does not overflow: completions
 *	overwrite the oldest ones
 * @users: number of references of queue pairs, as receive or send completion queue
 * @ended: number of queue pairs in ERR, with a receive queue of their own, that receive into it;
 *	see xr_recv_settle_cq()
 * @ring: the entries
 * @moderator: of its completion events
 * @event: XROCE_EVENT_CQ_ERROR
 * @context: of the front end of a verbs device; else NULL
 * @owner: owner
 * @node: in @owner's list
 * @charge: its charge against limits
 *
 * @users and @node are under the link's lock. A queue pair adds completions only while it
 * is counted in @users. @id, @format, @by_kernel, @stamped, @unbounded, @context and @owner do not
 * change once it is used,
 * nor @mask and @ring without @context.
 */
struct xr_cq {
	u32 id;
	u32 mask;
	spinlock_t lock;
	u32 tail;
	bool error;
	bool fired;
	u8 armed;
	u8 format;
	bool by_kernel;
	bool stamped;
	bool unbounded;
	u32 users;
	atomic_t ended;
	struct xr_ring ring;
	struct xr_moderator moderator;
	struct xr_event event;
	void *context;
	struct xr_owner *owner;
	struct list_head node;
	struct xr_charge charge;
};

/* Bytes of an entry: more than struct ib_uverbs_wc has, so that entries are cache lines. */
#define XR_CQE_RXE	64u

struct xr_cq *xr_cq_create(struct xr_link *link, struct xr_owner *owner, enum xr_format format,
			   void *context, struct xroce_cq_add *a);
int xr_cq_resize(struct xr_link *link, struct xr_cq *cq, struct xroce_cq_add *a);
int xr_cq_delete(struct xr_link *link, struct xr_owner *caller, u32 id);
void xr_cq_destroy(struct xr_link *link, struct xr_cq *cq);
struct xr_cq *xr_cq_find(struct xr_link *link, const struct xr_owner *owner,
			 u32 id);
bool xr_cq_fired(struct xr_cq *cq);
bool xr_cq_arm(struct xr_cq *cq, bool solicited);
int xr_cq_post(struct xr_cq *cq, const struct xroce_cqe *cqe);
bool xr_cq_wake(struct xr_cq *cq, bool solicited);
bool xr_cq_holds(struct xr_cq *cq, bool urgent);
int xr_cq_moderate(struct xr_cq *cq, u32 count, u32 usec);
int xr_cq_moderate_all(struct xr_link *link, u32 count, u32 usec);
void xr_cq_settle(struct xr_cq *cq);
bool xr_cq_overflow(struct xr_cq *cq);
void xr_cq_notify(struct xr_cq *cq);

static inline struct xroce_cq_header *xr_cq_header(const struct xr_cq *cq)
{
	return cq->ring.mem;
}

static inline struct rxe_queue_buf *xr_cq_rxe(const struct xr_cq *cq)
{
	return cq->ring.mem;
}

/*
 * The number of completions in the ring, at most @cq->mask + 1 unless the program has written
 * a wrong index. @cq->lock is held. Pairs with the program's release store of its index: it
 * has read the entries before, so they may be overwritten.
 */
static __always_inline u32 xr_cq_used(const struct xr_cq *cq, enum xr_format format)
{
	if (format == XR_FORMAT_RXE)
		return (cq->tail - smp_load_acquire(&xr_cq_rxe(cq)->consumer_index)) & cq->mask;
	return cq->tail - smp_load_acquire(&xr_cq_header(cq)->head);
}

/* The number of completions that the ring can have. */
static __always_inline u32 xr_cq_size(const struct xr_cq *cq, enum xr_format format)
{
	return format == XR_FORMAT_RXE ? cq->mask : cq->mask + 1;
}

/*
 * The number of completions that can be added. @cq->lock is held. The program can change
 * its index at any time, so a loop must read the number once, before it begins.
 */
static inline u32 xr_cq_space(const struct xr_cq *cq)
{
	u32 used = xr_cq_used(cq, cq->format), size = xr_cq_size(cq, cq->format);

	if (unlikely(cq->unbounded))
		return size;
	return cq->error || used > size ? 0 : size - used;
}

/**
 * xr_cq_room() - is there room for one more completion?
 * @cq: the queue; the caller's queue pair is one of its users
 * @format: its layout
 *
 * @cq->lock is held. The program's index is not trusted: a wrong one harms only the program,
 * because the entry is always inside the ring.
 *
 * Return: whether there is. If not, the queue accepts no completion from now on.
 */
static __always_inline bool xr_cq_room(struct xr_cq *cq, enum xr_format format)
{
	if (likely(!cq->error && xr_cq_used(cq, format) < xr_cq_size(cq, format)))
		return true;
	return xr_cq_overflow(cq);
}

/*
 * An entry of XR_FORMAT_RXE. Programs read the first part of it.
 * @vlan_tci: as in struct xroce_cqe, for consumers in the kernel
 */
struct xr_cqe_rxe {
	struct ib_uverbs_wc wc;
	u32 vlan_tci;
};

/*
 * Service level of a datagram's completion: as RoCEv2 NICs fill it, and some programs read it, its
 * lower bits are the kind of the IP header before the payload (IBTA A17.4.5.1).
 */
#define XR_WC_SL_UDP	8
#define XR_WC_SL_IPV4	2
#define XR_WC_SL_IPV6	1

static __always_inline u8 xr_cqe_sl(u32 flags)
{
	if (likely(!(flags & XROCE_WC_GRH)))
		return 0;
	return XR_WC_SL_UDP | (flags & XROCE_WC_IPV6 ? XR_WC_SL_IPV6 : XR_WC_SL_IPV4);
}

static __always_inline void xr_cqe_rxe(struct xr_cqe_rxe *entry, const struct xroce_cqe *from)
{
	struct ib_uverbs_wc *to = &entry->wc;

	to->wr_id = from->wr_id;
	to->status = from->status;
	to->opcode = from->opcode;
	to->vendor_err = 0;
	to->byte_len = from->byte_len;
	to->ex.invalidate_rkey = from->imm_or_key;
	to->qp_num = from->qpn;
	to->src_qp = from->src_qpn;
	to->wc_flags = from->flags & ~(XROCE_WC_SOLICITED | XROCE_WC_IPV6);
	to->pkey_index = 0;
	to->slid = 0;
	to->sl = xr_cqe_sl(from->flags);
	to->dlid_path_bits = 0;
	to->port_num = 1;
	entry->vlan_tci = from->vlan_tci;
}

/* The reserved words are zero unless the program has written to them: leave them alone. */
static __always_inline void xr_cqe_own(struct xroce_cqe *to, const struct xroce_cqe *from)
{
	to->wr_id = from->wr_id;
	to->status = from->status;
	to->opcode = from->opcode;
	to->byte_len = from->byte_len;
	to->imm_or_key = from->imm_or_key;
	to->qpn = from->qpn;
	to->src_qpn = from->src_qpn;
	to->flags = from->flags;
	to->pkey = from->pkey;
	to->vlan_tci = from->vlan_tci;
}

/**
 * xr_cq_add() - add a completion
 * @cq: the queue, for which xr_cq_room() has returned true
 * @format: its layout
 * @cqe: the completion
 *
 * @cq->lock is held.
 *
 * Return: whether the caller must call xr_cq_notify() after it has released @cq->lock.
 */
static __always_inline bool xr_cq_add(struct xr_cq *cq, enum xr_format format,
				      const struct xroce_cqe *cqe)
{
	void *to = xr_ring_entries(&cq->ring, format);
	u32 at = cq->tail++ & cq->mask;
	bool urgent = cqe->status || cqe->flags & XROCE_WC_SOLICITED;

	if (format == XR_FORMAT_RXE) {
		BUILD_BUG_ON(sizeof(struct xr_cqe_rxe) > XR_CQE_RXE);
		xr_cqe_rxe(to + at * XR_CQE_RXE, cqe);
		/* Pairs with the program's acquire load: it sees the whole entry. */
		smp_store_release(&xr_cq_rxe(cq)->producer_index, cq->tail & cq->mask);
		if (likely(!cq->armed || (cq->armed == XROCE_CQ_ARM_SOLICITED && !urgent)))
			return false;
		if (cq->moderator.by.count && xr_cq_holds(cq, urgent))
			return false;
		cq->armed = 0;
		return true;
	}
	xr_cqe_own(to + at * sizeof(*cqe), cqe);
	if (unlikely(cq->stamped))
		((struct xroce_cqe *)(to + at * sizeof(*cqe)))->timestamp = ktime_get_ns();
	/* Pairs with the program's acquire load of the tail: it sees the whole entry. */
	smp_store_release(&xr_cq_header(cq)->tail, cq->tail);
	/*
	 * Pairs with the fence in xroce_cq_arm(). The program writes @arm, then reads the
	 * tail. The module has written the tail and now reads @arm. At least one of them
	 * sees what the other has written.
	 */
	smp_mb();
	return unlikely(READ_ONCE(xr_cq_header(cq)->arm)) && xr_cq_wake(cq, urgent);
}

/* Take @cq->lock, with bottom halves off already. */
static __always_inline void xr_cq_lock(struct xr_cq *cq, unsigned long *flags)
{
	if (unlikely(cq->by_kernel))
		spin_lock_irqsave(&cq->lock, *flags);
	else
		spin_lock(&cq->lock);
}

static __always_inline void xr_cq_unlock(struct xr_cq *cq, unsigned long flags)
{
	if (unlikely(cq->by_kernel))
		spin_unlock_irqrestore(&cq->lock, flags);
	else
		spin_unlock(&cq->lock);
}

/**
 * xr_cq_post_as() - add a completion, and notify the program if the queue is armed for it
 * @cq: the queue; the caller's queue pair is one of its users
 * @format: its layout
 * @cqe: the completion
 *
 * With bottom halves off.
 *
 * Return: 0; -ENOSPC: there is no room, and the queue accepts no completion from now on.
 */
static __always_inline int xr_cq_post_as(struct xr_cq *cq, enum xr_format format,
					 const struct xroce_cqe *cqe)
{
	bool room, notify = false;
	unsigned long flags;

	xr_cq_lock(cq, &flags);
	room = xr_cq_room(cq, format);
	if (likely(room))
		notify = xr_cq_add(cq, format, cqe);
	xr_cq_unlock(cq, flags);
	if (notify)
		xr_cq_notify(cq);
	return likely(room) ? 0 : -ENOSPC;
}

#endif
