/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Send queues. Two interfaces post to them: send.c and wr.c. */
#ifndef XP_SQ_H
#define XP_SQ_H

#include <stdbool.h>

#include "lock.h"
#include "ring.h"

/**
 * struct xp_sq - a send queue
 * @lock: of the fields below; wr.c holds it from ibv_wr_start() on
 * @ring: its ring, entries of struct xroce_send_wqe, of which @ring.stride bytes count
 * @max_sge: elements of a work request
 * @max_inline: bytes of an inline work request
 * @flags: enum xroce_send_flags that all work requests have
 * @tail: index after the last entry that is published
 * @next: index after the last entry that is written
 * @head: index of the oldest entry that is not complete, as it was last read
 * @doorbell: an entry from @tail to @next is executed by a doorbell only
 * @wqe: wr.c: the entry that is being written; NULL: none
 * @err: wr.c: errno of the first work request that is wrong
 * @posted: entries have been published, and no doorbell has told of them: see local.c; atomic
 */
struct xp_sq {
	struct xp_lock lock;
	struct xp_ring ring;
	uint32_t max_sge;
	uint32_t max_inline;
	uint32_t flags;
	uint32_t tail;
	uint32_t next;
	uint32_t head;
	bool doorbell;
	struct xroce_send_wqe *wqe;
	int err;
	bool posted;
};

static inline struct xroce_send_header *xp_sq_header(const struct xp_sq *sq)
{
	return sq->ring.mem;
}

/* True if something is published that is not complete. */
static inline bool xp_sq_busy(const struct xp_sq *sq)
{
	const struct xroce_send_header *header = xp_sq_header(sq);

	return __atomic_load_n(&header->head, __ATOMIC_ACQUIRE) !=
	       __atomic_load_n(&header->tail, __ATOMIC_RELAXED);
}

/* Return: the next entry, the caller's until @next is behind it; NULL: the queue is full. */
static inline struct xroce_send_wqe *xp_sq_slot(struct xp_sq *sq)
{
	if (sq->next - sq->head > sq->ring.mask)
		sq->head = __atomic_load_n(&xp_sq_header(sq)->head, __ATOMIC_ACQUIRE);
	if (sq->next - sq->head > sq->ring.mask)
		return NULL;
	return xp_ring_entry(&sq->ring, sq->next);
}

#endif
