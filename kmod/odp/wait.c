// SPDX-License-Identifier: GPL-2.0-only
/* Waiting for on-demand memory. */
#include <linux/spinlock.h>

#include "wait.h"

static LIST_HEAD(xr_odp_waiting);
static DEFINE_SPINLOCK(xr_odp_wait_lock);

/* The waiter does not wait yet. */
void xr_odp_waiter_init(struct xr_odp_waiter *waiter,
			void (*wake)(struct xr_odp_waiter *waiter))
{
	waiter->on = NULL;
	INIT_LIST_HEAD(&waiter->node);
	waiter->wake = wake;
}

/**
 * xr_odp_wait() - wait for on-demand memory
 * @waiter: may be waiting already
 * @odp: the memory
 *
 * In softirq. The pages may have become resident before this call: check
 * xr_odp_requested() afterwards.
 */
void xr_odp_wait(struct xr_odp_waiter *waiter, const struct xr_odp *odp)
{
	spin_lock(&xr_odp_wait_lock);
	waiter->on = odp;
	list_move_tail(&waiter->node, &xr_odp_waiting);
	spin_unlock(&xr_odp_wait_lock);
}

/* Stop waiting, if it does. @waiter->wake is not called after this. */
void xr_odp_wait_end(struct xr_odp_waiter *waiter)
{
	spin_lock_bh(&xr_odp_wait_lock);
	waiter->on = NULL;
	list_del_init(&waiter->node);
	spin_unlock_bh(&xr_odp_wait_lock);
}

/**
 * xr_odp_wake() - wake all waiters of a memory: pages have become resident, or failed
 * @odp: the memory
 */
void xr_odp_wake(const struct xr_odp *odp)
{
	struct xr_odp_waiter *waiter, *next;

	spin_lock_bh(&xr_odp_wait_lock);
	list_for_each_entry_safe(waiter, next, &xr_odp_waiting, node) {
		if (waiter->on != odp)
			continue;
		waiter->on = NULL;
		list_del_init(&waiter->node);
		waiter->wake(waiter);
	}
	spin_unlock_bh(&xr_odp_wait_lock);
}
