// SPDX-License-Identifier: GPL-2.0-only
/* Waiting for on-demand memory. */
#include "odp.h"
#include "wait.h"

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
 * @waiter: may be waiting already; callers for the same waiter serialise
 * @odp: the memory
 *
 * In softirq, under RCU, which keeps @odp.
 *
 * Return: true, and @waiter->wake will be called, unless xr_odp_wait_end() is; false: no request is
 * pending any more, the pages may be resident.
 */
bool xr_odp_wait(struct xr_odp_waiter *waiter, struct xr_odp *odp)
{
	bool wait;

	xr_odp_wait_end(waiter);
	spin_lock_bh(&odp->req_lock);
	wait = xr_odp_requested(odp);
	if (wait) {
		WRITE_ONCE(waiter->on, odp);
		list_add_tail(&waiter->node, &odp->waiters);
	}
	spin_unlock_bh(&odp->req_lock);
	return wait;
}

/* Stop waiting, if it does. @waiter->wake is not called after this. */
void xr_odp_wait_end(struct xr_odp_waiter *waiter)
{
	struct xr_odp *odp;

	/* The memory is freed a grace period after its last waiter was woken. */
	rcu_read_lock();
	/* Pairs with xr_odp_wake(): @waiter->wake has returned. */
	while ((odp = smp_load_acquire(&waiter->on))) {
		spin_lock_bh(&odp->req_lock);
		if (waiter->on == odp) {
			list_del_init(&waiter->node);
			WRITE_ONCE(waiter->on, NULL);
		}
		spin_unlock_bh(&odp->req_lock);
	}
	rcu_read_unlock();
}

/* Wake all waiters: pages have become resident, or failed. @odp->req_lock is held. */
void xr_odp_wake(struct xr_odp *odp)
{
	struct xr_odp_waiter *waiter, *next;

	lockdep_assert_held(&odp->req_lock);
	list_for_each_entry_safe(waiter, next, &odp->waiters, node) {
		list_del_init(&waiter->node);
		waiter->wake(waiter);
		/* Pairs with xr_odp_wait_end(), which takes no lock if it sees this. */
		smp_store_release(&waiter->on, NULL);
	}
}
