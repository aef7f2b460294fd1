// SPDX-License-Identifier: GPL-2.0-only
/*
 * Re-registering regions (IBTA 10.6.3.6): a new region replaces the old one.
 *
 * The new region has another key byte, whatever else changes. Before the entry in the map
 * "mpt" changes, the old region loses its rights and the new one replaces it in the module's
 * table. If the XDP program sees a mixture of the old and the new entry, the module refuses
 * the access; and only packets with the new key are checked against the complete new entry.
 * The data path needs no additional check for this.
 *
 * Programs of verbs devices keep their keys if only rights change, and with them their peers. The
 * region then stays, and its rights change at once; rights that remain are never refused meanwhile.
 * Only if its memory must be pinned again, for writing, it is replaced, under the same key.
 *
 * Everything that can fail is done before the old region is changed.
 */
#include <linux/export.h>
#include <linux/slab.h>

#include "mem/hazard.h"
#include "mem/phys.h"
#include "mem/pin.h"
#include "obj/link.h"
#include "obj/mr.h"
#include "obj/mw_count.h"
#include "obj/pd.h"

#include "mr_reg.h"

/*
 * A copy of the old region's properties, with a reference to its memory. xr_mr_replace()
 * compares them to find out whether the region has changed since.
 */
struct xr_mr_was {
	struct xr_owner *owner;
	struct xr_umem *umem;
	u64 iova;
	u32 key;
	u32 access;
	u32 flags;
};

/* Copy the properties of a region that @caller may change. Return: 0, -ENOENT or -EPERM. */
static int xr_mr_look(struct xr_link *link, struct xr_owner *caller, u32 index,
		      struct xr_mr_was *was)
{
	struct xr_mr *mr;
	int ret;

	mutex_lock(&link->lock);
	mr = xr_mr_get(link, caller, index);
	ret = PTR_ERR_OR_ZERO(mr);
	if (!ret) {
		was->owner = mr->owner;
		was->umem = xr_umem_get(mr->umem);
		was->iova = mr->iova;
		was->key = mr->key;
		was->access = mr->access;
		was->flags = mr->flags;
	}
	mutex_unlock(&link->lock);
	return ret;
}

/*
 * Get the memory of the new region: new memory, the old memory pinned again for writing, or
 * the old memory as it is. Return: the memory, with a reference, or an errno of MR_REREG.
 */
static struct xr_umem *xr_mr_repin(const struct xr_owner *caller,
				   const struct xr_mr_was *was,
				   const struct xr_phys *phys,
				   const struct xroce_mr_rereg *r, u32 access)
{
	bool writable = access & XROCE_ACCESS_LOCAL_WRITE;

	if (r->mask & XROCE_REREG_TRANSLATION) {
		if (phys)
			return xr_phys_pin(was->owner, phys);
		return xr_mr_pin(caller, was->owner, xr_mr_process(r->flags, r->pid), r->addr,
				 r->length, access);
	}
	if (writable && !was->umem->writable)
		return xr_pin(caller, was->owner, was->umem->pid, was->umem->addr,
			      was->umem->length, true);
	return xr_umem_get(was->umem);
}

/* The key of the region that replaces @now. The link's lock is held. */
static u32 xr_mr_next_key(struct xr_link *link, const struct xr_mr *now,
			  const struct xroce_mr_rereg *r)
{
	if (r->mask == XROCE_REREG_ACCESS && now->owner->ops)
		return now->key;
	return r->mr << XROCE_KEY_SHIFT | xr_key_byte(&link->keys, r->mr);
}

/*
 * Replace the region that @was describes by @mr. On success *@old belongs to the caller,
 * which calls xr_mr_free(); another thread may deregister and free @mr. Return: 0 or an errno
 * of MR_REREG.
 */
static int xr_mr_replace(struct xr_link *link, struct xr_owner *caller,
			 const struct xr_mr_was *was, struct xr_mr *mr,
			 struct xroce_mr_rereg *r, struct xr_mr **old)
{
	struct xr_mr *now;
	int ret = 0;

	mutex_lock(&link->lock);
	now = xr_mr_find(link, r->mr);
	if (!now || now->owner != was->owner) {
		ret = -ENOENT;
		goto out;
	}
	/* The key byte may recur after some changes, so the rest is compared too. */
	if (now->key != was->key || now->umem != was->umem ||
	    now->iova != was->iova || now->access != was->access) {
		ret = -EBUSY;
		goto out;
	}
	mr->pd = r->mask & XROCE_REREG_PD ?
		 xr_pd_find(link, caller, mr->owner, r->pd) : now->pd;
	if (IS_ERR(mr->pd)) {
		ret = PTR_ERR(mr->pd);
		goto out;
	}
	/* A region with bound windows cannot be re-registered (IBTA 10.6.7.2.1). */
	if (!xr_mw_none(&now->windows)) {
		ret = -EBUSY;
		goto out;
	}
	ret = xr_name_move(&link->names, &now->name, &mr->name, mr->owner, mr->pd);
	if (ret) {
		xr_mw_again(&now->windows);
		goto out;
	}
	mr->index = r->mr;
	mr->key = xr_mr_next_key(link, now, r);
	mr->stat = now->stat;
	mr->charge = now->charge;
	now->pd->mrs--;
	mr->pd->mrs++;
	list_replace(&now->node, &mr->node);
	r->lkey = mr->key;
	r->rkey = xr_mr_rkey(mr->access, mr->key);

	WRITE_ONCE(now->dying, true);
	WRITE_ONCE(now->access, 0);
	/*
	 * An access for which the XDP program has seen a new value in the map finds no
	 * rights in the old region. Pairs with the barrier in xr_hazard_set().
	 */
	smp_wmb();
	rcu_assign_pointer(link->mr[r->mr], mr);
	xr_mr_show(link, mr);
	*old = now;
out:
	mutex_unlock(&link->lock);
	return ret;
}

/*
 * Change the rights of the region that @was describes, and nothing else. When this returns, no
 * access by a right that it has lost is under way. Return: 0 or an errno of MR_REREG.
 */
static int xr_mr_change_access(struct xr_link *link, const struct xr_mr_was *was,
			       struct xroce_mr_rereg *r)
{
	struct xr_mr *mr;
	int ret = 0;

	mutex_lock(&link->lock);
	mr = xr_mr_find(link, r->mr);
	if (!mr || mr->owner != was->owner) {
		ret = -ENOENT;
	} else if (mr->key != was->key || mr->umem != was->umem || mr->access != was->access ||
		   !xr_mw_none(&mr->windows)) {
		ret = -EBUSY;
	} else {
		WRITE_ONCE(mr->access, r->access);
		xr_mr_show_access(link, mr);
		/* Pairs with the barrier in xr_hazard_set(), as in xr_mr_quiesce(). */
		xr_hazard_wait(mr);
		xr_mw_again(&mr->windows);
		r->lkey = mr->key;
		r->rkey = xr_mr_rkey(mr->access, mr->key);
	}
	mutex_unlock(&link->lock);
	return ret;
}

/**
 * xr_mr_rereg() - re-register a region
 * @link: the link
 * @caller: the requesting file
 * @phys: pages of the new memory if it is physical; else NULL
 * @r: in: arguments; out: keys
 *
 * Return: 0 or an errno of MR_REREG, see uapi/xroce.h. On failure the region is unchanged.
 */
int xr_mr_rereg(struct xr_link *link, struct xr_owner *caller,
		const struct xr_phys *phys, struct xroce_mr_rereg *r)
{
	const bool translation = r->mask & XROCE_REREG_TRANSLATION;
	struct xr_mr_was was;
	struct xr_mr *mr, *old;
	struct xr_umem *umem;
	u32 access;
	int ret;

	if (!r->mask || r->mask & ~(XROCE_REREG_TRANSLATION | XROCE_REREG_PD |
				    XROCE_REREG_ACCESS))
		return -EINVAL;
	if (r->mask & XROCE_REREG_ACCESS && !xr_access_ok(r->access))
		return -EINVAL;
	if (translation && (!xr_iova_ok(r->iova, r->length) ||
			    (!phys && r->addr + r->length - 1 < r->addr)))
		return -EINVAL;
	ret = xr_mr_look(link, caller, r->mr, &was);
	if (ret)
		return ret;

	access = r->mask & XROCE_REREG_ACCESS ? r->access : was.access;
	umem = ERR_PTR(-EINVAL);
	if (!was.umem->null &&
	    (translation ? !phys || !(access & XROCE_ACCESS_ON_DEMAND) :
			   !((access ^ was.access) & XROCE_ACCESS_ON_DEMAND)))
		umem = xr_mr_repin(caller, &was, phys, r, access);
	if (IS_ERR(umem)) {
		ret = PTR_ERR(umem);
		goto out;
	}
	if (r->mask == XROCE_REREG_ACCESS && was.owner->ops && umem == was.umem) {
		ret = xr_mr_change_access(link, &was, r);
		xr_umem_put(umem);
		goto out;
	}
	ret = -ENOMEM;
	mr = xr_mr_new(was.owner, umem, translation ? r->iova : was.iova, access,
		       translation ? r->flags : was.flags, "");
	if (!mr)
		goto out;
	ret = xr_mr_replace(link, caller, &was, mr, r, &old);
	if (!ret) {
		xr_mr_free(old);
	} else {
		kfree(mr);
		xr_umem_put(umem);
	}
out:
	xr_umem_put(was.umem);
	return ret;
}
EXPORT_SYMBOL_GPL(xr_mr_rereg);
