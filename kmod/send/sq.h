/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Send queues: each file can have one ring into which its program writes work requests to
 * bind and invalidate windows, for all its queue pairs (IBTA 10.8). These send no packets, so
 * they are applied only before their effect can be observed: before a packet for one of the
 * queue pairs is executed, before its queued responses are sent, and before commands that
 * depend on them. A post notifies nobody; instead, the tail of the ring is read each time.
 */
#ifndef _XR_SEND_SQ_H
#define _XR_SEND_SQ_H

#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "obj/ring.h"

struct xr_cq;
struct xr_link;
struct xr_qp;
struct xroce_sq_add;
struct xroce_sq_header;

/**
 * struct xr_sq - send queue
 * @link: the link
 * @owner: the file that it belongs to
 * @header: header of the ring; valid under RCU as long as the structure is
 * @mask: number of entries - 1
 * @budget: work requests that one drain applies
 * @head: index of the next entry to apply; written under @lock, read without it by
 *	xr_sq_poll()
 * @lock: protects @head and @dying; taken with bottom halves off
 * @dying: nothing is applied any more
 * @users: number of queue pairs with a send_cq
 * @rest: work item that applies what exceeds the budget of a packet
 * @ring: the entries
 * @rcu: for freeing the structure after its readers on the data path
 *
 * @users and @ring are under the link's lock. @link, @owner, @header, @mask and @budget do
 * not change.
 */
struct xr_sq {
	struct xr_link *link;
	struct xr_owner *owner;
	struct xroce_sq_header *header;
	u32 mask;
	u32 budget;
	u32 head;
	spinlock_t lock;
	bool dying;
	u32 users;
	struct work_struct rest;
	struct xr_ring ring;
	struct rcu_head rcu;
};

int xr_sqs_init(void);
void xr_sqs_exit(void);
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
