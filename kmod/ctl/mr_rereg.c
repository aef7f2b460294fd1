// SPDX-License-Identifier: GPL-2.0-only
/*
 * Re-registering (IBTA 10.6.3.6): another region takes the place of the old one.
 *
 * It has another key byte, whatever changes. The old region has no rights and is out of
 * the module's table before anything of its entry in the map "mpt" changes, so
 * that a packet which is judged by a mixture of both is refused by the module;
 * and only who knows the new key is judged by the new entry. Nothing is paid for
 * that on the data path.
 *
 * All that can fail happens before the old region is touched.
 */
#include <linux/slab.h>

#include "mem/phys.h"
#include "mem/pin.h"
#include "obj/link.h"
#include "obj/mr.h"
#include "obj/mw_count.h"
#include "obj/pd.h"

#include "mr_reg.h"

/* The region as it is: its memory is used, its key says that it is still it. */
struct xr_mr_was {
	struct xr_owner *owner;
	struct xr_umem *umem;
	u64 iova;
	u32 key;
	u32 access;
	u32 flags;
	char name[XROCE_NAME_MAX];
};

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
		memcpy(was->name, mr->name.text, sizeof(was->name));
	}
	mutex_unlock(&link->lock);
	return ret;
}

/* Memory of the new region, which may be the old one's. */
static struct xr_umem *xr_mr_repin(const struct xr_mr_was *was,
				   const struct xr_phys *phys,
				  const struct xroce_mr_rereg *r, u32 access)
{
	bool writable = access & XROCE_ACCESS_LOCAL_WRITE;

	if (r->mask & XROCE_REREG_TRANSLATION) {
		if (phys)
			return xr_phys_pin(was->owner, phys);
		return xr_mr_pin(was->owner, r->flags, r->pid, r->addr,
				 r->length, access);
	}
	if (writable && !was->umem->writable)
		return xr_pin(was->owner, was->umem->pid, was->umem->addr,
			      was->umem->length, true);
	return xr_umem_get(was->umem);
}

/*
 * Put @mr where the region is that @was. On success the old one is the caller's
 * to free, and @mr can be gone already.
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
	/* A key byte can come again; all of them together hardly ever. */
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
	/* Windows must not lose their region (IBTA 10.6.7.2.1). */
	if (!xr_mw_none(&now->windows)) {
		ret = -EBUSY;
		goto out;
	}
	ret = xr_name_move(&link->names, &now->name, &mr->name, mr->owner, mr->pd);
	if (ret) {
		xr_mw_again(&now->windows);
		goto out;
	}
	mr->key = r->mr << XROCE_KEY_SHIFT | xr_key_byte(&link->keys, r->mr);
	mr->stat = now->stat;
	mr->charge = now->charge;
	now->pd->mrs--;
	mr->pd->mrs++;
	list_replace(&now->node, &mr->node);
	r->lkey = mr->key;
	r->rkey = mr->access & XROCE_ACCESS_REMOTE ? mr->key : 0;

	WRITE_ONCE(now->access, 0);
	/* Who sees anything new in the entry finds the old one without rights. */
	smp_wmb();
	rcu_assign_pointer(link->mr[r->mr], mr);
	xr_mr_show(link, mr);
	*old = now;
out:
	mutex_unlock(&link->lock);
	return ret;
}

/**
 * xr_mr_rereg() - re-register a region
 * @link: where
 * @caller: who asks
 * @phys: pages to change to, if they are physical; else NULL
 * @r: in: what; out: keys
 *
 * Return: 0 or an error of MR_REREG; the region is then as it was.
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
	if (translation ? !phys || !(access & XROCE_ACCESS_ON_DEMAND) :
			  !((access ^ was.access) & XROCE_ACCESS_ON_DEMAND))
		umem = xr_mr_repin(&was, phys, r, access);
	if (IS_ERR(umem)) {
		ret = PTR_ERR(umem);
		goto out;
	}
	ret = -ENOMEM;
	mr = xr_mr_new(was.owner, umem, translation ? r->iova : was.iova, access,
		       translation ? r->flags : was.flags, was.name);
	if (!mr)
		goto err_umem;
	ret = xr_mr_replace(link, caller, &was, mr, r, &old);
	if (ret)
		goto err_mr;
	xr_mr_free(old);
	goto out;

err_mr:
	kfree(mr);
err_umem:
	xr_umem_put(umem);
out:
	xr_umem_put(was.umem);
	return ret;
}
