// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory windows: allocation, look-up, queries, and access on the data path. xr_mw_bind() in
 * mw_bind.c writes xr_mw::qpn, the queue pair whose peer alone has access: of a bound window of
 * type 2 it is the queue pair of the bind.
 */
#include <linux/bitmap.h>
#include <linux/export.h>
#include <linux/nospec.h>
#include <linux/slab.h>

#include "uapi/xroce.h"
#include "xroce_map.h"

#include "mem/hazard.h"
#include "qp/qp.h"

#include "link.h"
#include "mpt.h"
#include "mr.h"
#include "mw.h"
#include "pd.h"

/**
 * xr_mw_acquire() - find the region that a window is bound to, and hold the window
 * @qp: queue pair whose peer has sent the key
 * @va: address of the first byte
 * @key: all 32 bits of the R_Key
 * @len: bytes
 * @right: the right that is needed, one of XROCE_ACCESS_REMOTE_*
 *
 * Key, bounds, rights, protection domain and queue pair are checked here, although the XDP program
 * has checked them in the maps "mpt" and "qp", which are not trusted. The domain of a window of type
 * 2A is checked only here.
 *
 * In softirq, under RCU. The caller must call xr_mr_release(), and until then must not hold
 * another region or window, take a lock or allocate memory (hazard.h).
 *
 * Return: the region; NULL: no access, and nothing is held.
 */
struct xr_mr *xr_mw_acquire(const struct xr_qp *qp, u64 va, u32 key, u32 len,
			    u32 right)
{
	const struct xr_link *link = qp->link;
	u32 index = key >> XROCE_KEY_SHIFT;
	struct xr_mw *mw;
	u64 off;

	if (!key || index > link->mpt_mask)
		return NULL;
	mw = rcu_dereference_bh(link->mw[index & link->mpt_mask]);
	if (!mw)
		return NULL;
	xr_hazard_set(mw);
	/* Pairs with the release in xr_mw_bind(): the fields read below go with the key. */
	if (smp_load_acquire(&mw->live) != key)
		goto drop;
	off = va - mw->addr;
	if (off > mw->length || len > mw->length - off ||
	    !(mw->access & READ_ONCE(qp->access) & right) ||
	    mw->pd != qp->pd || (mw->qpn && mw->qpn != qp->qpn))
		goto drop;
	return mw->mr;
drop:
	xr_hazard_clear();
	return NULL;
}

static struct xr_mw *xr_mw_find(const struct xr_link *link, u32 index)
{
	if (index >= link->mpt_entries)
		return NULL;
	index = array_index_nospec(index, link->mpt_entries);
	return rcu_dereference_protected(link->mw[index],
					 lockdep_is_held(&link->lock));
}

/*
 * Find a window that @caller may change. The link's lock is held. Return: the window, or
 * -ENOENT, -EPERM as xr_owner_check().
 */
struct xr_mw *xr_mw_get(const struct xr_link *link, const struct xr_owner *caller,
			u32 index)
{
	struct xr_mw *mw = xr_mw_find(link, index);
	int ret = mw ? xr_owner_check(caller, mw->owner) : -ENOENT;

	return ret ? ERR_PTR(ret) : mw;
}
EXPORT_SYMBOL_GPL(xr_mw_get);

/* @owner has its first window, or none any more. The link's lock is held. */
static void xr_mw_tell(const struct xr_owner *owner)
{
	struct xr_qp *qp;

	list_for_each_entry(qp, &owner->qps, node)
		xr_qp_show_sq(qp);
}

/**
 * xr_mw_create() - allocate a window
 * @link: the link
 * @caller: the requesting file
 * @owner: owner of the new window
 * @a: in: protection domain and type; out: handle and key
 *
 * Return: 0 or an errno of MW_ADD, see uapi/xroce.h.
 */
int xr_mw_create(struct xr_link *link, struct xr_owner *caller,
		 struct xr_owner *owner, struct xroce_mw_add *a)
{
	struct xr_mw *mw;
	struct xr_pd *pd;
	u32 index;
	int ret;

	if (a->type < XROCE_MW_TYPE_1 || a->type > XROCE_MW_TYPE_2B)
		return -EINVAL;
	mw = kzalloc(sizeof(*mw), GFP_KERNEL_ACCOUNT);
	if (!mw)
		return -ENOMEM;
	spin_lock_init(&mw->lock);
	mw->type = a->type;
	mw->owner = owner;
	ret = xr_charge(&mw->charge, owner, XROCE_COUNT_MW, 1);
	if (ret) {
		kfree(mw);
		return ret;
	}

	mutex_lock(&link->lock);
	pd = xr_pd_find(link, caller, owner, a->pd);
	if (IS_ERR(pd)) {
		ret = PTR_ERR(pd);
		goto out;
	}
	index = xr_key_take(&link->keys, xr_owner_admin());
	if (!index) {
		xr_refuse(owner, XROCE_COUNT_MW, XR_REFUSED_FULL);
		ret = -ENOSPC;
		goto out;
	}
	__set_bit(index, link->mw_used);
	mw->key = index << XROCE_KEY_SHIFT | xr_key_byte(&link->keys, index);
	mw->pd = pd;
	mw->map = xr_mpt_entry(link->maps.mpt, index);
	pd->mws++;
	link->nr_mws++;
	list_add_tail(&mw->node, &owner->mws);
	if (list_is_singular(&owner->mws))
		xr_mw_tell(owner);
	list_add_tail(&mw->member, &pd->windows);
	xr_mw_show(mw, XROCE_MPT_INVALID);
	rcu_assign_pointer(link->mw[index], mw);
	a->mw = index;
	a->rkey = mw->key;
	mw = NULL;
out:
	mutex_unlock(&link->lock);
	if (mw)
		xr_uncharge(&mw->charge);
	kfree(mw);
	return ret;
}
EXPORT_SYMBOL_GPL(xr_mw_create);

/*
 * Deallocate a window. The link's lock is held. When this returns, no access through the
 * window is under way.
 */
void xr_mw_destroy(struct xr_link *link, struct xr_mw *mw)
{
	u32 index = mw->key >> XROCE_KEY_SHIFT;

	lockdep_assert_held(&link->lock);
	spin_lock_bh(&mw->lock);
	/* Refuse a bind that has found the window already. */
	mw->dying = true;
	xr_mw_stop(mw);
	spin_unlock_bh(&mw->lock);
	RCU_INIT_POINTER(link->mw[index], NULL);
	xr_mpt_clear(mw->map);
	__clear_bit(index, link->mw_used);
	xr_key_put(&link->keys, index);
	list_del(&mw->node);
	if (list_empty(&mw->owner->mws))
		xr_mw_tell(mw->owner);
	list_del(&mw->member);
	mw->pd->mws--;
	link->nr_mws--;
	xr_uncharge(&mw->charge);
	kfree_rcu(mw, rcu);
}

/**
 * xr_mw_delete() - deallocate a window
 * @link: the link
 * @caller: the requesting file
 * @index: handle of the window
 *
 * Return: 0; -ENOENT: @caller sees no such window; -EPERM: another file owns it.
 */
int xr_mw_delete(struct xr_link *link, struct xr_owner *caller, u32 index)
{
	struct xr_mw *mw;
	int ret;

	mutex_lock(&link->lock);
	mw = xr_mw_get(link, caller, index);
	ret = PTR_ERR_OR_ZERO(mw);
	if (!ret)
		xr_mw_destroy(link, mw);
	mutex_unlock(&link->lock);
	return ret;
}
EXPORT_SYMBOL_GPL(xr_mw_delete);

/**
 * xr_mw_orphan() - unbind all windows of a region or queue pair that is being destroyed
 * @pd: its protection domain; the link's lock is held
 * @mr: the region, or NULL
 * @qp: the queue pair, or NULL
 *
 * The caller has closed the count of windows (xr_mw_close()), so no more can be bound.
 */
void xr_mw_orphan(struct xr_pd *pd, const struct xr_mr *mr,
		  const struct xr_qp *qp)
{
	struct xr_mw *mw;

	list_for_each_entry(mw, &pd->windows, member) {
		spin_lock_bh(&mw->lock);
		if ((mr && mw->mr == mr) || (qp && mw->qp == qp)) {
			xr_mw_stop(mw);
			xr_mw_show(mw, XROCE_MPT_INVALID);
		}
		spin_unlock_bh(&mw->lock);
		cond_resched();
	}
}

static void xr_mw_describe(struct xr_link *link, struct xr_mw *mw,
			   struct xroce_mw_query *q)
{
	q->flags = xr_owner_flags(mw->owner);
	q->pd = mw->pd->id;
	q->type = mw->type;
	q->pid = xr_owner_pid(mw->owner);
	q->reserved = 0;
	spin_lock_bh(&mw->lock);
	q->bound = !!mw->mr;
	q->rkey = mw->key;
	q->mr = mw->mr ? mw->mr->key >> XROCE_KEY_SHIFT : 0;
	q->access = mw->access;
	q->qpn = mw->qpn;
	q->addr = mw->addr;
	q->length = mw->length;
	spin_unlock_bh(&mw->lock);
}

/**
 * xr_mw_query() - query a window
 * @link: the link
 * @caller: the requesting file
 * @q: in: handle; XROCE_F_NEXT: or the first with a higher one that @caller may see; out: all
 *	fields
 *
 * Return: 0; -ENOENT: @caller sees no such window.
 */
int xr_mw_query(struct xr_link *link, struct xr_owner *caller, struct xroce_mw_query *q)
{
	bool next = q->flags & XROCE_F_NEXT;
	unsigned long index = q->mw;
	struct xr_mw *mw;

	mutex_lock(&link->lock);
	mw = xr_mw_find(link, index);
	while (next && (!mw || !xr_owner_sees(caller, mw->owner))) {
		index = find_next_bit(link->mw_used, link->mpt_entries,
				      index + 1);
		if (index >= link->mpt_entries)
			break;
		mw = xr_mw_find(link, index);
	}
	if (index >= link->mpt_entries || !mw || !xr_owner_sees(caller, mw->owner))
		mw = NULL;
	if (mw) {
		q->mw = index;
		xr_mw_describe(link, mw, q);
	}
	mutex_unlock(&link->lock);
	return mw ? 0 : -ENOENT;
}
