// SPDX-License-Identifier: GPL-2.0-only
/* Users who have on-demand memory, and their workqueues. */
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "user.h"

/*
 * How long a user without on-demand memory is kept, in jiffies: it may register some again.
 */
#define XR_ODP_USER_IDLE	HZ

/* Protects the list, xr_odp_user::refs and their sum. */
static DEFINE_MUTEX(xr_odp_users_lock);
static LIST_HEAD(xr_odp_users);
static unsigned long xr_odp_users_refs;
static DECLARE_WAIT_QUEUE_HEAD(xr_odp_users_wait);

static void xr_odp_users_reap(struct work_struct *work);
static DECLARE_DELAYED_WORK(xr_odp_users_work, xr_odp_users_reap);

/*
 * Free the users without memory. This is a work item of its own because the last worker of
 * such a user may not have returned yet, and destroy_workqueue() waits for it.
 */
static void xr_odp_users_reap(struct work_struct *work)
{
	struct xr_odp_user *user, *next;
	LIST_HEAD(idle);

	mutex_lock(&xr_odp_users_lock);
	list_for_each_entry_safe(user, next, &xr_odp_users, node)
		if (!user->refs)
			list_move(&user->node, &idle);
	mutex_unlock(&xr_odp_users_lock);
	list_for_each_entry_safe(user, next, &idle, node) {
		destroy_workqueue(user->wq);
		kfree(user);
	}
}

static struct xr_odp_user *xr_odp_user_find(kuid_t uid)
{
	struct xr_odp_user *user;

	lockdep_assert_held(&xr_odp_users_lock);
	list_for_each_entry(user, &xr_odp_users, node)
		if (uid_eq(user->uid, uid))
			return user;
	return NULL;
}

static struct xr_odp_user *xr_odp_user_new(kuid_t uid)
{
	struct xr_odp_user *user = kzalloc(sizeof(*user), GFP_KERNEL_ACCOUNT);

	if (!user)
		return NULL;
	user->uid = uid;
	user->wq = alloc_workqueue("xroce_odp/%u", WQ_HIGHPRI | WQ_UNBOUND,
				   XR_ODP_WORKERS, from_kuid(&init_user_ns, uid));
	if (user->wq)
		return user;
	kfree(user);
	return NULL;
}

/**
 * xr_odp_user_get() - find a user, or create it
 * @uid: real user id
 *
 * Sleeps. xr_odp_user_put() drops the reference.
 *
 * Return: the user, or NULL: out of memory.
 */
struct xr_odp_user *xr_odp_user_get(kuid_t uid)
{
	struct xr_odp_user *user;

	mutex_lock(&xr_odp_users_lock);
	user = xr_odp_user_find(uid);
	if (!user) {
		user = xr_odp_user_new(uid);
		if (user)
			list_add(&user->node, &xr_odp_users);
	}
	if (user) {
		user->refs++;
		xr_odp_users_refs++;
	}
	mutex_unlock(&xr_odp_users_lock);
	return user;
}

/* Drop a reference. Sleeps; one of the user's own workers may call it. */
void xr_odp_user_put(struct xr_odp_user *user)
{
	mutex_lock(&xr_odp_users_lock);
	xr_odp_users_refs--;
	if (!--user->refs)
		schedule_delayed_work(&xr_odp_users_work, XR_ODP_USER_IDLE);
	if (!xr_odp_users_refs)
		wake_up(&xr_odp_users_wait);
	mutex_unlock(&xr_odp_users_lock);
}

static bool xr_odp_users_idle(void)
{
	bool idle;

	mutex_lock(&xr_odp_users_lock);
	idle = !xr_odp_users_refs;
	mutex_unlock(&xr_odp_users_lock);
	return idle;
}

/*
 * The module is being unloaded. There are no regions left, and no worker is in a fault,
 * since that holds a reference to the module. But a worker may still have to release
 * memory.
 */
void xr_odp_user_exit(void)
{
	wait_event(xr_odp_users_wait, xr_odp_users_idle());
	flush_delayed_work(&xr_odp_users_work);
}
