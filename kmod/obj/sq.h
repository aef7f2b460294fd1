/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Send queues: a ring, one a file, into which its program writes binds and
 * invalidations for its queue pairs (IBTA 10.8). They send nothing, so that they
 * need not be applied before somebody can tell the difference: a packet for one
 * of the file's queue pairs, or the program that asks. Nobody is told of a post;
 * who can tell the difference looks, which is a load of the ring's tail.
 */
#ifndef _XR_SQ_H
#define _XR_SQ_H

#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "ring.h"

struct xr_cq;
struct xr_link;
struct xr_qp;
struct xroce_sq_add;
struct xroce_sq_header;

/**
 * struct xr_sq - send queue
 * @link: where
 * @owner: whose
 * @header: of the ring; there as long as the structure
 * @mask: number of entries, less one
 * @budget: work requests that one drain applies
 * @head: index of the next entry to apply; those before it have been
 * @lock: for @head and @dead; bottom halves off
 * @dead: nothing is applied any more
 * @users: queue pairs that complete work requests
 * @rest: applies what was too much for a packet
 * @ring: the entries
 * @rcu: the structure outlives its data path readers
 *
 * @users and @ring are under the link's lock.
 */
struct xr_sq {
	struct xr_link *link;
	struct xr_owner *owner;
	struct xroce_sq_header *header;
	u32 mask;
	u32 budget;
	u32 head;
	spinlock_t lock;
	bool dead;
	u32 users;
	struct work_struct rest;
	struct xr_ring ring;
	struct rcu_head rcu;
};

int xr_sq_create(struct xr_link *link, struct xr_owner *owner,
		 struct xroce_sq_add *a);
int xr_sq_delete(struct xr_link *link, struct xr_owner *owner);
void xr_sq_destroy(struct xr_sq *sq);
int xr_sq_find_cq(struct xr_link *link, struct xr_qp *qp, u32 cq);
void xr_sq_join(struct xr_qp *qp);
void xr_sq_leave(struct xr_qp *qp);

int xr_sq_poll(struct xr_qp *qp);
void xr_sq_apply(struct xr_qp *qp);
int xr_sq_apply_all(struct xr_link *link, struct xr_owner *owner);

#endif
