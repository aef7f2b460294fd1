// SPDX-License-Identifier: GPL-2.0-only
/* Protection domains. */
#include <linux/export.h>
#include <linux/slab.h>

#include "uapi/xroce.h"

#include "link.h"
#include "pd.h"

/* Numbers are allocated in turn, so that a stale one does not soon name another domain. */
#define XR_PD_LIMIT	XA_LIMIT(1, 0xffffff)

/**
 * xr_pd_create() - allocate a protection domain
 * @link: the link
 * @owner: owner of the new domain
 * @id: out: its number
 *
 * Return: 0 or an errno of PD_ADD, see uapi/xroce.h.
 */
int xr_pd_create(struct xr_link *link, struct xr_owner *owner, u32 *id)
{
	struct xr_pd *pd;
	int ret;

	pd = kzalloc(sizeof(*pd), GFP_KERNEL_ACCOUNT);
	if (!pd)
		return -ENOMEM;
	pd->owner = owner;
	INIT_LIST_HEAD(&pd->windows);
	ret = xr_charge(&pd->charge, owner, XROCE_COUNT_PD, 1);
	if (ret) {
		kfree(pd);
		return ret;
	}

	mutex_lock(&link->lock);
	ret = xa_alloc_cyclic(&link->pds, &pd->id, pd, XR_PD_LIMIT,
			      &link->pd_next, XR_GFP_LOCKED);
	if (ret < 0) {
		mutex_unlock(&link->lock);
		xr_uncharge(&pd->charge);
		kfree(pd);
		return ret == -EBUSY ? -ENOSPC : ret;
	}
	list_add_tail(&pd->node, &owner->pds);
	link->nr_pds++;
	*id = pd->id;
	mutex_unlock(&link->lock);
	return 0;
}
EXPORT_SYMBOL_GPL(xr_pd_create);

/* Deallocate a protection domain without members. The link's lock is held. */
void xr_pd_destroy(struct xr_link *link, struct xr_pd *pd)
{
	lockdep_assert_held(&link->lock);
	WARN_ON_ONCE(pd->mrs || pd->qps || pd->srqs || pd->mws);
	xa_erase(&link->pds, pd->id);
	list_del(&pd->node);
	link->nr_pds--;
	xr_uncharge(&pd->charge);
	kfree(pd);
}

/*
 * Find a protection domain that @caller may change. The link's lock is held. Return: the
 * domain, or -ENOENT, -EPERM as xr_owner_check().
 */
static struct xr_pd *xr_pd_get(struct xr_link *link, const struct xr_owner *caller,
			       u32 id)
{
	struct xr_pd *pd = xa_load(&link->pds, id);
	int ret = pd ? xr_owner_check(caller, pd->owner) : -ENOENT;

	return ret ? ERR_PTR(ret) : pd;
}

/**
 * xr_pd_delete() - deallocate a protection domain that has no members
 * @link: the link
 * @caller: the requesting file
 * @id: number of the domain
 *
 * Return: 0; -ENOENT: @caller sees no such domain; -EPERM: another file owns it; -EBUSY: it
 * has members.
 */
int xr_pd_delete(struct xr_link *link, struct xr_owner *caller, u32 id)
{
	struct xr_pd *pd;
	int ret;

	mutex_lock(&link->lock);
	pd = xr_pd_get(link, caller, id);
	ret = PTR_ERR_OR_ZERO(pd);
	if (!ret && (pd->mrs || pd->qps || pd->srqs || pd->mws))
		ret = -EBUSY;
	if (!ret)
		xr_pd_destroy(link, pd);
	mutex_unlock(&link->lock);
	return ret;
}
EXPORT_SYMBOL_GPL(xr_pd_delete);

/**
 * xr_pd_find() - find the protection domain of a new member
 * @link: the link, whose lock is held
 * @caller: the requesting file
 * @owner: owner of the new member
 * @id: number of the domain
 *
 * A member must not outlive its domain, so a persistent member needs a persistent domain.
 *
 * Return: the domain; -ENOENT: @caller sees no such domain; -EPERM: another file owns it,
 * or the member is persistent and the domain is not.
 */
struct xr_pd *xr_pd_find(struct xr_link *link, const struct xr_owner *caller,
			 const struct xr_owner *owner, u32 id)
{
	struct xr_pd *pd;

	lockdep_assert_held(&link->lock);
	pd = xr_pd_get(link, caller, id);
	if (IS_ERR(pd))
		return pd;
	if (xr_owner_persistent(owner) && pd->owner != owner)
		return ERR_PTR(-EPERM);
	return pd;
}

/**
 * xr_pd_query() - query a protection domain
 * @link: the link
 * @caller: the requesting file
 * @q: in: number; XROCE_F_NEXT: or the first with a higher one that @caller may see; out: all
 *	fields
 *
 * Return: 0; -ENOENT: @caller sees no such domain.
 */
int xr_pd_query(struct xr_link *link, struct xr_owner *caller, struct xroce_pd_query *q)
{
	bool next = q->flags & XROCE_F_NEXT;
	unsigned long id = q->pd;
	struct xr_pd *pd;

	mutex_lock(&link->lock);
	pd = next ? xa_find(&link->pds, &id, ULONG_MAX, XA_PRESENT) :
		    xa_load(&link->pds, id);
	while (next && pd && !xr_owner_sees(caller, pd->owner))
		pd = xa_find_after(&link->pds, &id, ULONG_MAX, XA_PRESENT);
	if (pd && xr_owner_sees(caller, pd->owner)) {
		q->pd = pd->id;
		q->flags = xr_owner_flags(pd->owner);
		q->mrs = pd->mrs;
		q->qps = pd->qps;
		q->pid = xr_owner_pid(pd->owner);
		q->mws = pd->mws;
	} else {
		pd = NULL;
	}
	mutex_unlock(&link->lock);
	return pd ? 0 : -ENOENT;
}
