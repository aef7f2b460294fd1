// SPDX-License-Identifier: GPL-2.0-only
/* The send queue of a queue pair: see send/queue.h. */
#include <linux/export.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/slab.h>

#include "uapi/xroce.h"
#include "xroce_wire.h"

#include "obj/cq.h"
#include "qp/qp.h"

#include "queue.h"

/* Maximum number of work requests that are flushed at a time, with bottom halves off. */
#define XR_SEND_FLUSH	64u

/* Entries of a queue that has not been used. */
#define XR_SEND_FIRST	8u

/**
 * xr_send_open() - make the send queue of a queue pair
 * @qp: the queue pair, in RESET
 * @init: what the front end says about it
 *
 * Sleeps.
 *
 * Return: 0, and xr_send_free() undoes it; -ENOMEM.
 */
int xr_send_open(struct xr_qp *qp, const struct xr_send_init *init)
{
	u32 room = max3(init->max_data, (u32)(init->max_sge * sizeof(struct xroce_sge_local)),
			(u32)sizeof(u64));
	u32 stride = ALIGN(sizeof(struct xr_swqe) + room, 64);
	struct xr_send *s = &qp->send;
	u32 have = init->slots;
	void *wqes;

	if (init->format == XR_FORMAT_RXE && !s->by_kernel)
		have = min(have, XR_SEND_FIRST);
	wqes = kvcalloc(have, stride, GFP_KERNEL_ACCOUNT);
	if (!wqes)
		return -ENOMEM;
	spin_lock_bh(&s->lock);
	s->wqes = wqes;
	s->mask = init->slots - 1;
	s->have = have - 1;
	s->stride = stride;
	s->max_sge = init->max_sge;
	s->max_data = init->max_data;
	s->consumer = init->consumer;
	s->consumer_mask = init->format == XR_FORMAT_RXE ? s->mask : U32_MAX;
	s->cq = init->cq;
	s->signal_all = init->signal_all;
	spin_unlock_bh(&s->lock);
	return 0;
}
EXPORT_SYMBOL_GPL(xr_send_open);

/* Replace the entries by @wqes, @have + 1 of them. Return: what is to be freed. */
static void *xr_send_replace(struct xr_send *s, void *wqes, u32 have)
{
	void *old = s->wqes;
	u32 i;

	lockdep_assert_held(&s->lock);
	/* Another process may have done so meanwhile, or the queue is gone. */
	if (!old || have <= s->have)
		return wqes;
	for (i = s->head; i != s->tail; i++)
		memcpy(wqes + (u64)(i & have) * s->stride, xr_swqe_at(s, i), s->stride);
	s->wqes = wqes;
	s->have = have;
	return old;
}

/**
 * xr_send_grow() - make room for work requests of a program
 * @s: the send queue
 * @more: how many are to be entered
 *
 * What a program may post is often many times what it ever has outstanding. Sleeps. The queue does
 * not shrink.
 *
 * Return: 0; -ENOMEM; -ENOSPC: all entries that the queue may have are used.
 */
int xr_send_grow(struct xr_send *s, u32 more)
{
	u32 used, have, want;
	void *wqes;

	spin_lock_bh(&s->lock);
	used = s->tail - s->head;
	have = s->have;
	spin_unlock_bh(&s->lock);
	if (used <= have)
		return 0;
	if (have >= s->mask)
		return -ENOSPC;
	/*
	 * @more is less than the slots of the ring, and so is @used. Twice as many, so that the
	 * next list of requests is not divided because the previous one is not complete.
	 */
	want = min(roundup_pow_of_two(2 * (used + more)), s->mask + 1);
	wqes = kvcalloc(want, s->stride, GFP_KERNEL_ACCOUNT);
	if (!wqes)
		return -ENOMEM;
	spin_lock_bh(&s->lock);
	wqes = xr_send_replace(s, wqes, want - 1);
	spin_unlock_bh(&s->lock);
	kvfree(wqes);
	return 0;
}
EXPORT_SYMBOL_GPL(xr_send_grow);

/* No reader is left. May sleep. */
void xr_send_free(struct xr_send *s)
{
	kfree(s->score.seen);
	kvfree(s->wqes);
}

/*
 * xr_send_slot() for a consumer in the kernel: @s->post_lock is held, and the caller increments
 * @s->posted.
 */
struct xr_swqe *xr_send_post_slot(struct xr_send *s)
{
	lockdep_assert_held(&s->post_lock);
	return xr_send_slot_at(s, s->posted);
}
EXPORT_SYMBOL_GPL(xr_send_post_slot);

/**
 * xr_send_op() - enter what the opcode of a work request implies
 * @w: entry of xr_send_slot(), whose opcode is set
 * @type: enum xroce_qp_type
 *
 * Return: true; false: the service does not have the opcode.
 */
bool xr_send_op(struct xr_swqe *w, u32 type)
{
	const struct xroce_wr_op *op = NULL;

	if (w->opcode < XROCE_WR_OPS)
		op = xroce_wr_op(array_index_nospec(w->opcode, XROCE_WR_OPS));
	w->op = op ?: xroce_wr_op(XROCE_WR_SEND);
	return op && op->services & BIT(type);
}
EXPORT_SYMBOL_GPL(xr_send_op);

/**
 * xr_send_sges() - copy the elements of a work request
 * @s: the send queue
 * @w: entry of xr_send_slot()
 * @sge: in memory that a program can write to
 * @n: their number as the program gives it
 *
 * Return: enum xroce_wc_status.
 */
u32 xr_send_sges(const struct xr_send *s, struct xr_swqe *w, const struct xroce_sge_local *sge,
		 u32 n)
{
	u64 length = 0;
	u32 i;

	if (n > s->max_sge)
		return XROCE_WC_LOC_QP_OP_ERR;
	w->num_sge = n;
	for (i = 0; i < n; i++) {
		w->sge[i].addr = READ_ONCE(sge[i].addr);
		w->sge[i].length = READ_ONCE(sge[i].length);
		w->sge[i].lkey = READ_ONCE(sge[i].lkey);
		length += w->sge[i].length;
	}
	if (length > XROCE_MAX_MSG)
		return XROCE_WC_LOC_LEN_ERR;
	w->length = length;
	return XROCE_WC_SUCCESS;
}
EXPORT_SYMBOL_GPL(xr_send_sges);

/* xr_send_sges() for a message of @length bytes in the work request itself. */
u32 xr_send_inline(const struct xr_send *s, struct xr_swqe *w, const void *data, u32 length)
{
	if (length > s->max_data)
		return XROCE_WC_LOC_QP_OP_ERR;
	w->flags |= XROCE_SEND_INLINE;
	w->length = length;
	memcpy(w->data, data, length);
	return XROCE_WC_SUCCESS;
}
EXPORT_SYMBOL_GPL(xr_send_inline);

/* The eight bytes of an ATOMIC WRITE, for which each entry has room. */
u32 xr_send_atomic_write(struct xr_swqe *w, const void *data)
{
	w->flags |= XROCE_SEND_INLINE;
	w->length = sizeof(u64);
	memcpy(w->data, data, sizeof(u64));
	return XROCE_WC_SUCCESS;
}
EXPORT_SYMBOL_GPL(xr_send_atomic_write);

/*
 * The completion of a work request. @imm_or_key of a local operation is the key. The byte
 * count is that of data placed in local memory (IBTA 11.4.2.1).
 */
static struct xroce_cqe xr_swqe_cqe(const struct xr_qp *qp, const struct xr_swqe *w, u32 status)
{
	struct xroce_cqe cqe = {
		.wr_id = w->wr_id,
		.status = status,
		.opcode = w->op->wc,
		.qpn = qp->qpn,
	};

	if (!xr_swqe_sends(w))
		cqe.imm_or_key = w->imm_or_key;
	else if (xr_swqe_responds(w))
		cqe.byte_len = w->length;
	return cqe;
}

/* The oldest work request is complete: remove it. Its entry may be used again. */
static void xr_send_pop(struct xr_send *s)
{
	/* Pairs with xr_send_slot_at(). */
	smp_store_release(&s->head, s->head + 1);
	/* Pairs with the program's acquire load: it may write to the entry of its ring. */
	if (s->consumer)
		smp_store_release(s->consumer, s->head & s->consumer_mask);
}

/* Complete the oldest work request and tell the owner. Return: as xr_send_complete(). */
static noinline int xr_send_tell(struct xr_qp *qp, u32 status)
{
	struct xr_send *s = &qp->send;
	struct xroce_cqe cqe = xr_swqe_cqe(qp, xr_swqe_at(s, s->head), status);

	/* Whoever has read the completion may use the entry (IBTA 10.8.5). */
	xr_send_pop(s);
	return xr_cq_post_as(s->cq, s->cq->format, &cqe);
}

/**
 * xr_send_complete() - complete the oldest work request
 * @qp: the queue pair; the lock of its send side is held
 * @status: enum xroce_wc_status
 *
 * Return: 0; -ENOSPC: the completion queue is full, and the caller moves the queue pair to ERR.
 */
int xr_send_complete(struct xr_qp *qp, u32 status)
{
	struct xr_send *s = &qp->send;

	if (status || s->signal_all || xr_swqe_at(s, s->head)->flags & XROCE_SEND_SIGNALED)
		return xr_send_tell(qp, status);
	xr_send_pop(s);
	return 0;
}

/**
 * xr_send_flush() - complete work requests with XROCE_WC_WR_FLUSH_ERR
 * @qp: the queue pair, in ERR; the lock of its send side is held
 *
 * At most XR_SEND_FLUSH of them.
 *
 * Return: whether more are left.
 */
bool xr_send_flush(struct xr_qp *qp)
{
	struct xr_send *s = &qp->send;
	u32 i, n = min(s->tail - s->head, XR_SEND_FLUSH);

	for (i = 0; i < n; i++)
		if (xr_send_complete(qp, XROCE_WC_WR_FLUSH_ERR))
			break;
	/* Without room for completions there is nothing to wait for. */
	if (i < n)
		xr_send_discard(s);
	return s->head != s->tail;
}

/* Remove all work requests without completions. */
void xr_send_discard(struct xr_send *s)
{
	if (s->head == s->tail)
		return;
	s->head = s->tail - 1;
	xr_send_pop(s);
}
EXPORT_SYMBOL_GPL(xr_send_discard);
