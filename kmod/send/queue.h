/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The send queue of a queue pair: its work requests, and their completion in order. Structure and
 * lock: send.h, wqe.h. send/requester.c executes them.
 *
 * A front end has a ring that its program writes to. It copies each work request into an entry
 * here, and checks it there; the ring is not read again. An entry is used until its work
 * request is completed.
 */
#ifndef _XR_SEND_QUEUE_H
#define _XR_SEND_QUEUE_H

#include <linux/types.h>

#include "obj/ring.h"

#include "send.h"
#include "wqe.h"

struct xr_qp;

/**
 * struct xr_send_init - what a front end says about a send queue
 * @format: layout of its ring, which tells what an index in it is
 * @cq: completion queue, which exists until the queue pair is destroyed
 * @slots: entries, a power of two. If a program posts to a ring that the front end copies, there
 *	are fewer at first: xr_send_grow()
 * @max_sge: elements in a work request
 * @max_data: bytes of inline data in a work request
 * @consumer: in the ring, see struct xr_send. Valid until the queue pair is destroyed
 * @signal_all: all work requests make completions
 */
struct xr_send_init {
	enum xr_format format;
	struct xr_cq *cq;
	u32 slots;
	u32 max_sge;
	u32 max_data;
	u32 *consumer;
	bool signal_all;
};

int xr_send_open(struct xr_qp *qp, const struct xr_send_init *init);
int xr_send_grow(struct xr_send *s, u32 more);
void xr_send_free(struct xr_send *s);
struct xr_swqe *xr_send_post_slot(struct xr_send *s);
bool xr_send_op(struct xr_swqe *w, u32 type);
u32 xr_send_sges(const struct xr_send *s, struct xr_swqe *w, const struct xroce_sge_local *sge,
		 u32 n);
u32 xr_send_inline(const struct xr_send *s, struct xr_swqe *w, const void *data, u32 length);
u32 xr_send_atomic_write(struct xr_swqe *w, const void *data);
int xr_send_complete(struct xr_qp *qp, u32 status);
bool xr_send_flush(struct xr_qp *qp);
void xr_send_discard(struct xr_send *s);

static inline struct xr_swqe *xr_swqe_at(const struct xr_send *s, u32 i)
{
	return s->wqes + (u64)(i & s->have) * s->stride;
}

static inline struct xr_swqe *xr_send_slot_at(const struct xr_send *s, u32 i)
{
	struct xr_swqe *w;

	/* Pairs with xr_send_pop(): nobody uses the entry any more. */
	if (!s->wqes || i - smp_load_acquire(&s->head) > s->have)
		return NULL;
	w = xr_swqe_at(s, i);
	w->status = XROCE_WC_SUCCESS;
	w->begun = false;
	w->resumed = false;
	w->received = 0;
	return w;
}

/**
 * xr_send_slot() - find room for a work request
 * @s: the send queue, whose lock is held
 *
 * The caller fills in the entry and then increments xr_send::tail.
 *
 * Return: the entry, whose @status, @begun, @resumed and @received are zero and whose other fields
 * are undefined; NULL: the queue is full, or would have to grow.
 */
static inline struct xr_swqe *xr_send_slot(struct xr_send *s)
{
	lockdep_assert_held(&s->lock);
	return xr_send_slot_at(s, s->tail);
}

/* In SQD: is a message that has been begun not complete? The lock is held. */
static inline bool xr_send_drains(const struct xr_send *s)
{
	return s->una != s->psn || (s->next != s->tail && xr_swqe_at(s, s->next)->begun);
}

#endif
