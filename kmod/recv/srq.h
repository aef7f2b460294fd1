/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared receive queues (IBTA 10.2.9). */
#ifndef _XR_RECV_SRQ_H
#define _XR_RECV_SRQ_H

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
 * @users: number of queue pairs that take work requests from it
 * @lock: protects @limit, and @rq but for posting; taken with bottom halves off
 * @rq: the queue
 * @limit: @event is raised if fewer work requests than this are posted; 0: not armed
 * @event: XROCE_EVENT_SRQ_LIMIT
 * @pd: protection domain
 * @context: of the front end of a verbs device; else NULL
 * @owner: owner
 * @node: in @owner's list
 * @charge: its charge against limits
 *
 * @users and @node are under the link's lock. A queue pair takes work requests only while it
 * is counted in @users. @id, @pd, @context and @owner do not
 * change.
 */
struct xr_srq {
	u32 id;
	u32 users;
	spinlock_t lock;
	struct xr_rq rq;
	u32 limit;
	struct xr_event event;
	struct xr_pd *pd;
	void *context;
	struct xr_owner *owner;
	struct list_head node;
	struct xr_charge charge;
};

struct xr_srq *xr_srq_create(struct xr_link *link, struct xr_owner *owner,
			     enum xr_format format, void *context, struct xroce_srq_add *a);
int xr_srq_modify(struct xr_link *link, struct xr_owner *caller, u32 id,
		  u32 limit);
int xr_srq_resize(struct xr_link *link, struct xr_srq *srq, struct xroce_srq_add *a,
		  const u32 *limit);
int xr_srq_delete(struct xr_link *link, struct xr_owner *caller, u32 id);
void xr_srq_destroy(struct xr_link *link, struct xr_srq *srq);
int xr_srq_query(struct xr_link *link, struct xr_owner *caller,
		 struct xroce_srq_query *q);
struct xr_srq *xr_srq_find(struct xr_link *link, const struct xr_owner *owner,
			   u32 id);
int xr_srq_take(struct xr_srq *srq, struct xr_wqe *wqe);

#endif
