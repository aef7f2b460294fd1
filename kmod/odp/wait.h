/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waiting for on-demand memory: those who have asked for something that is not there,
 * and are woken when it may be.
 */
#ifndef _XR_ODP_WAIT_H
#define _XR_ODP_WAIT_H

#include <linux/list.h>

struct xr_odp;

/**
 * struct xr_odp_waiter - one who waits
 * @on: memory that it waits for; NULL: none. A token, which is compared only
 * @node: in the list of those who wait for any; both under its lock
 * @wake: something of it has been brought in, or cannot be. It does not wait any more.
 *	Called by a worker of the memory's, behind a fault, or by who lets the memory go,
 *	with that lock: to queue work is all that it may do
 */
struct xr_odp_waiter {
	const struct xr_odp *on;
	struct list_head node;
	void (*wake)(struct xr_odp_waiter *waiter);
};

void xr_odp_waiter_init(struct xr_odp_waiter *waiter,
			void (*wake)(struct xr_odp_waiter *waiter));
void xr_odp_wait(struct xr_odp_waiter *waiter, const struct xr_odp *odp);
void xr_odp_wait_end(struct xr_odp_waiter *waiter);
void xr_odp_wake(const struct xr_odp *odp);

#endif
