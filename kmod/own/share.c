// SPDX-License-Identifier: GPL-2.0-only
/* Shares of the pool of translation tables. */
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "owner.h"
#include "share.h"

/* Protects the list, the users in it, and the sum. */
static DEFINE_SPINLOCK(xr_shares_lock);
static LIST_HEAD(xr_shares);
static u64 xr_shares_used;

static struct xr_share *xr_share_find(kuid_t uid)
{
	struct xr_share *share;

	lockdep_assert_held(&xr_shares_lock);
	list_for_each_entry(share, &xr_shares, node)
		if (uid_eq(share->uid, uid))
			return share;
	return NULL;
}

/**
 * xr_share_get() - find a user, or make one
 * @uid: real user id
 *
 * Sleeps. Return: the user, for xr_share_put(); NULL: no memory.
 */
struct xr_share *xr_share_get(kuid_t uid)
{
	struct xr_share *new = kzalloc(sizeof(*new), XR_GFP_LOCKED);
	struct xr_share *share;

	if (!new)
		return NULL;
	new->uid = uid;
	spin_lock(&xr_shares_lock);
	share = xr_share_find(uid);
	if (!share) {
		share = new;
		new = NULL;
		list_add(&share->node, &xr_shares);
	}
	share->refs++;
	spin_unlock(&xr_shares_lock);
	kfree(new);
	return share;
}

/* The lock is held. Return: what the caller frees without it; NULL: @share stays. */
static struct xr_share *xr_share_idle(struct xr_share *share)
{
	lockdep_assert_held(&xr_shares_lock);
	if (likely(share->refs) || share->used)
		return NULL;
	list_del(&share->node);
	return share;
}

/* Undo xr_share_get(). */
void xr_share_put(struct xr_share *share)
{
	struct xr_share *idle;

	spin_lock(&xr_shares_lock);
	share->refs--;
	idle = xr_share_idle(share);
	spin_unlock(&xr_shares_lock);
	kfree(idle);
}

/**
 * xr_share_take() - count an amount that is about to be taken
 * @share: the user, with a reference; NULL: a link, or the kernel
 * @amount: how much
 * @size: of the pool; S64_MAX: the user may have more than a share
 *
 * Return: false: it exceeds the share; nothing is counted.
 */
bool xr_share_take(struct xr_share *share, u64 amount, u64 size)
{
	bool ok;

	spin_lock(&xr_shares_lock);
	ok = !share || amount <= xr_share_room(size, xr_shares_used, share->used);
	if (ok)
		xr_shares_used += amount;
	if (ok && share)
		share->used += amount;
	spin_unlock(&xr_shares_lock);
	return ok;
}

/* Undo xr_share_take(). The caller need not have a reference. */
void xr_share_give(struct xr_share *share, u64 amount)
{
	struct xr_share *idle = NULL;

	spin_lock(&xr_shares_lock);
	xr_shares_used -= amount;
	if (share) {
		share->used -= amount;
		idle = xr_share_idle(share);
	}
	spin_unlock(&xr_shares_lock);
	/* Mostly there is none: each region that goes comes here. */
	if (unlikely(idle))
		kfree(idle);
}
