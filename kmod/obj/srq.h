/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared receive queues (IBTA 10.2.9). */
#ifndef _XR_SRQ_H
#define _XR_SRQ_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "own/event.h"
#include "own/limit.h"

#include "rq.h"

struct xr_link;
struct xr_owner;
struct xr_pd;
struct xroce_srq_add;
struct xroce_srq_query;

/**
 * struct xr_srq - shared receive queue
 * @id: its number on the link
 * @users: queue pairs that take from it
 * @lock: for @rq and @limit; bottom halves off
 * @rq: the queue
 * @limit: work requests, fewer of which are an event; 0: none
 * @event: XROCE_EVENT_SRQ_LIMIT
 * @pd: protection domain it is a member of
 * @owner: whose it is
 * @node: in @owner's list
 * @charge: what it counts for
 *
 * @users, @node: under the link's lock. A queue pair takes from it only while it
 * is counted in @users.
 */
struct xr_srq {
	u32 id;
	u32 users;
	spinlock_t lock;
	struct xr_rq rq;
	u32 limit;
	struct xr_event event;
	struct xr_pd *pd;
	struct xr_owner *owner;
	struct list_head node;
	struct xr_charge charge;
};

int xr_srq_create(struct xr_link *link, struct xr_owner *owner,
		  struct xroce_srq_add *a);
int xr_srq_modify(struct xr_link *link, struct xr_owner *caller, u32 id,
		  u32 limit);
int xr_srq_delete(struct xr_link *link, struct xr_owner *caller, u32 id);
void xr_srq_destroy(struct xr_link *link, struct xr_srq *srq);
int xr_srq_query(struct xr_link *link, struct xr_owner *caller,
		 struct xroce_srq_query *q);
struct xr_srq *xr_srq_find(struct xr_link *link, const struct xr_owner *owner,
			   u32 id);
int xr_srq_take(struct xr_srq *srq, struct xr_wqe *wqe);

#endif
