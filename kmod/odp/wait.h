/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waiting for on-demand memory: a waiter has requested pages that are not resident, and is
 * woken when they may be.
 */
#ifndef _XR_ODP_WAIT_H
#define _XR_ODP_WAIT_H

#include <linux/list.h>
#include <linux/types.h>

struct xr_odp;

/**
 * struct xr_odp_waiter - a waiter
 * @on: memory that it waits for; NULL: none
 * @node: in xr_odp::waiters of @on; @on and @node are written under xr_odp::req_lock of @on
 * @wake: pages of the memory have become resident, or a request has failed. The waiter is
 *	off the list. Called by the fault worker, or when the memory is released, with
 *	xr_odp::req_lock held: it may do no more than queue work
 */
struct xr_odp_waiter {
	struct xr_odp *on;
	struct list_head node;
	void (*wake)(struct xr_odp_waiter *waiter);
};

void xr_odp_waiter_init(struct xr_odp_waiter *waiter,
			void (*wake)(struct xr_odp_waiter *waiter));
bool xr_odp_wait(struct xr_odp_waiter *waiter, struct xr_odp *odp);
void xr_odp_wait_end(struct xr_odp_waiter *waiter);
void xr_odp_wake(struct xr_odp *odp);

#endif
