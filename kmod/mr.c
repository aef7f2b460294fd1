// SPDX-License-Identifier: GPL-2.0-only
/* Memory regions: their table and look-up. */
#include <linux/bitmap.h>
#include <linux/nospec.h>
#include <linux/slab.h>

#include "xroce_map.h"

#include "hold.h"
#include "link.h"
#include "mpt.h"
#include "mr.h"
#include "mr_stat.h"
#include "mw.h"
#include "pd.h"

static struct xroce_mpt *xr_mr_entry(const struct xr_link *link, const struct xr_mr *mr)
{
	return xr_mpt_entry(link->mpt_map, mr->key >> XROCE_KEY_SHIFT);
}

/* Let peers reach a region; the module's own table has it already. */
void xr_mr_show(const struct xr_link *link, const struct xr_mr *mr)
{
	const struct xroce_mpt m = {
		.key = mr->key,
		.access = mr->access,
		.pd = mr->pd->id,
		.iova = mr->iova,
		.length = mr->umem->length,
	};

	xr_mpt_put_mr(xr_mr_entry(link, mr), &m);
}

/* Let nobody onto the region any more, and wait for those who are. */
static void xr_mr_quiesce(struct xr_mr *mr)
{
	WRITE_ONCE(mr->access, 0);
	xr_hold_wait(mr);
}

/* Does the region have all of these bytes? */
bool xr_mr_has(const struct xr_mr *mr, u64 va, u64 len)
{
	u64 off = va - mr->iova;

	/* It wraps when @va lies before the region, and is too large then. */
	return off <= mr->umem->length && len <= mr->umem->length - off;
}

/**
 * xr_mr_link() - make a region a member of its PD, give it a key, publish it
 * @link: where
 * @who: who asks
 * @mr: the region
 * @pd: number of the PD
 * @key: out: its key; @mr can be gone already when this returns
 *
 * Return: 0, -ENOENT, -EPERM, -EEXIST (the name), -ENOMEM or -ENOSPC.
 */
int xr_mr_link(struct xr_link *link, struct xr_owner *who, struct xr_mr *mr,
	       u32 pd, u32 *key)
{
	u32 index;
	int ret = 0;

	mutex_lock(&link->lock);
	mr->pd = xr_pd_find(link, who, mr->owner, pd);
	if (IS_ERR(mr->pd)) {
		ret = PTR_ERR(mr->pd);
		goto out;
	}
	ret = xr_name_take(&link->names, &mr->name, mr->owner, mr->pd);
	if (ret)
		goto out;
	index = xr_key_take(&link->keys, xr_owner_admin());
	if (!index) {
		xr_name_put(&link->names, &mr->name);
		ret = -ENOSPC;
		goto out;
	}
	__set_bit(index, link->mr_used);
	*key = index << XROCE_KEY_SHIFT | xr_key_byte(&link->keys, index);
	mr->key = *key;
	mr->stat = xr_mr_stat_new(link->mr_stat_map, index);
	mr->pd->mrs++;
	link->nr_mrs++;
	list_add_tail(&mr->node, &mr->owner->mrs);
	/* The module's table first: a verdict must find what it allows. */
	rcu_assign_pointer(link->mr[index], mr);
	xr_mr_show(link, mr);
out:
	mutex_unlock(&link->lock);
	return ret;
}

/*
 * Take the region out of both tables. The link's lock is held. The caller has
 * it to itself then, and calls xr_mr_free() without the lock.
 */
void xr_mr_unlink(struct xr_link *link, struct xr_mr *mr)
{
	u32 index = mr->key >> XROCE_KEY_SHIFT;

	lockdep_assert_held(&link->lock);
	/* Others' windows, if any: its owner's are gone. */
	if (xr_mw_close(&mr->windows))
		xr_mw_orphan(mr->pd, mr, NULL);
	xr_name_put(&link->names, &mr->name);
	xr_mpt_clear(xr_mr_entry(link, mr));
	RCU_INIT_POINTER(link->mr[index], NULL);
	__clear_bit(index, link->mr_used);
	xr_key_put(&link->keys, index);
	list_del(&mr->node);
	mr->pd->mrs--;
	link->nr_mrs--;
	xr_uncharge(&mr->charge);
}

/* Wait for the data path and let the pages go. */
void xr_mr_free(struct xr_mr *mr)
{
	xr_mr_quiesce(mr);
	xr_umem_put(mr->umem);
	kfree_rcu(mr, rcu);
}

/* Under the link's lock. */
struct xr_mr *xr_mr_find(const struct xr_link *link, u32 index)
{
	if (index >= link->mpt_entries)
		return NULL;
	index = array_index_nospec(index, link->mpt_entries);
	return rcu_dereference_protected(link->mr[index],
					 lockdep_is_held(&link->lock));
}

/* Like xr_mr_find(), for who wants to change it, or to share its memory. */
struct xr_mr *xr_mr_get(const struct xr_link *link, const struct xr_owner *who,
			u32 index)
{
	struct xr_mr *mr = xr_mr_find(link, index);
	int ret = mr ? xr_owner_check(who, mr->owner) : -ENOENT;

	return ret ? ERR_PTR(ret) : mr;
}

/**
 * xr_mr_dereg() - deregister a region
 * @link: where
 * @who: who asks
 * @index: its handle
 *
 * Return: 0, -ENOENT, -EPERM or -EBUSY.
 */
int xr_mr_dereg(struct xr_link *link, struct xr_owner *who, u32 index)
{
	struct xr_mr *mr;
	int ret;

	mutex_lock(&link->lock);
	mr = xr_mr_get(link, who, index);
	ret = PTR_ERR_OR_ZERO(mr);
	/* Windows must not lose their region (IBTA 10.6.7.2.1). */
	if (!ret && !xr_mw_none(&mr->windows))
		ret = -EBUSY;
	if (!ret)
		xr_mr_unlink(link, mr);
	mutex_unlock(&link->lock);
	if (!ret)
		xr_mr_free(mr);
	return ret;
}

/**
 * xr_mr_query() - look at a region
 * @link: where
 * @who: who asks
 * @next: the first one at or after @q's that @who may see
 * @q: in: the handle; out: all
 *
 * Return: 0 or -ENOENT.
 */
int xr_mr_query(struct xr_link *link, struct xr_owner *who, bool next,
		struct xroce_mr_query *q)
{
	unsigned long index = q->mr;
	struct xr_mr *mr;

	mutex_lock(&link->lock);
	mr = xr_mr_find(link, index);
	while (next && (!mr || !xr_owner_sees(who, mr->owner))) {
		index = find_next_bit(link->mr_used, link->mpt_entries,
				      index + 1);
		if (index >= link->mpt_entries)
			break;
		mr = xr_mr_find(link, index);
	}
	if (index >= link->mpt_entries || !mr || !xr_owner_sees(who, mr->owner)) {
		mutex_unlock(&link->lock);
		return -ENOENT;
	}
	q->mr = index;
	q->flags = mr->flags |
		   xr_owner_flags(mr->owner);
	q->pd = mr->pd->id;
	q->access = mr->access;
	q->lkey = mr->key;
	q->rkey = mr->access & XROCE_ACCESS_REMOTE ? mr->key : 0;
	q->iova = mr->iova;
	xr_umem_query(mr->umem, q);
	strscpy_pad(q->name, mr->name.text, sizeof(q->name));
	mutex_unlock(&link->lock);
	return 0;
}

/**
 * xr_mr_entries() - look at a region's translation table
 * @link: where
 * @who: who asks
 * @index: the region's handle
 * @first: number of the first entry
 * @count: in: entries wanted; out: entries there are
 * @entry: physical addresses, 0: not there; the caller sees to who may know them
 *
 * Return: 0, -ENOENT or -ERANGE.
 */
int xr_mr_entries(struct xr_link *link, struct xr_owner *who, u32 index,
		  u64 first, u32 *count, u64 *entry)
{
	const struct xr_umem *umem;
	struct xr_mr *mr;
	int ret = 0;
	u32 i;

	mutex_lock(&link->lock);
	mr = xr_mr_find(link, index);
	if (!mr || !xr_owner_sees(who, mr->owner)) {
		ret = -ENOENT;
		goto out;
	}
	umem = mr->umem;
	if (first >= umem->mtt.count) {
		ret = -ERANGE;
		goto out;
	}
	first = array_index_nospec(first, umem->mtt.count);
	*count = min_t(u64, *count, umem->mtt.count - first);
	for (i = 0; i < *count; i++)
		entry[i] = xr_umem_entry(umem, first + i);
out:
	mutex_unlock(&link->lock);
	return ret;
}
