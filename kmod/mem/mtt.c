// SPDX-License-Identifier: GPL-2.0-only
/*
 * Allocating translation tables from the MTT pool, its extents, limit and locks; pool.c
 * finds free runs in the extents.
 *
 * The pool of translation tables: extents of contiguous memory. Some are reserved when the
 * module is loaded, others are allocated as long as they are needed. Extents are charged to
 * no cgroup. A user has a share of them (own/share.h), and at most 8 bytes for each page that
 * RLIMIT_MEMLOCK allows.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "uapi/xroce.h"

#include "own/limit.h"
#include "own/owner.h"
#include "own/share.h"

#include "mtt.h"

#define XR_EXTENT_MIB	(XR_EXTENT_BYTES >> 20)
#define XR_EXTENT_ORDER	get_order(XR_EXTENT_BYTES)
/* Entries that xr_mtt_query() reads under the lock at a time: some 10 us. */
#define XR_QUERY_STEP	4096u

static unsigned int mtt_reserve = XR_EXTENT_MIB;
module_param(mtt_reserve, uint, 0444);
MODULE_PARM_DESC(mtt_reserve,
		 "MiB reserved for translation tables at load, 1 for 512 MiB in 4 KiB pages (4)");

static unsigned int mtt_limit = 1024;
module_param(mtt_limit, uint, 0444);
MODULE_PARM_DESC(mtt_limit, "MiB that translation tables can take (1024)");

static struct xr_pool xr_pool;
/* The first extents, which are never given back. */
static u32 xr_pool_reserved;
static DEFINE_SPINLOCK(xr_pool_lock);
/* Serialises the addition of extents. */
static DEFINE_MUTEX(xr_pool_grow_lock);

static_assert(XR_EXTENT_BYTES >> PAGE_SHIFT <= MAX_ORDER_NR_PAGES);

/**
 * xr_mtt_limit() - the length of the longest possible table
 *
 * Return: entries.
 */
u64 xr_mtt_limit(void)
{
	return (u64)xr_pool.room << XR_EXTENT_SHIFT;
}

static u64 *xr_extent_get(void)
{
	return (u64 *)__get_free_pages(GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN |
				       __GFP_RETRY_MAYFAIL, XR_EXTENT_ORDER);
}

static void xr_extent_put(u64 *memory)
{
	free_pages((unsigned long)memory, XR_EXTENT_ORDER);
}

static int xr_pool_run_take(struct xr_mtt_run *run, u32 count)
{
	spin_lock(&xr_pool_lock);
	run->at = xr_pool_alloc(&xr_pool, count);
	if (run->at != XR_POOL_RUN_NONE)
		run->entry = xr_pool_at(&xr_pool, run->at);
	spin_unlock(&xr_pool_lock);
	return run->at == XR_POOL_RUN_NONE ? -ENOSPC : 0;
}

/* Add an extent and take the run from it. */
static int xr_pool_run_grow(struct xr_mtt_run *run, u32 count)
{
	u64 *memory;
	u32 id;
	int ret;

	mutex_lock(&xr_pool_grow_lock);
	/* The previous owner of the mutex may have left enough. */
	ret = xr_pool_run_take(run, count);
	if (!ret)
		goto out;
	/* Extents are added only under the mutex, so a free number stays free. */
	for (id = 0; id < xr_pool.room; id++)
		if (!READ_ONCE(xr_pool.extent[id]))
			break;
	if (id == xr_pool.room)
		goto out;
	ret = -ENOMEM;
	memory = xr_extent_get();
	if (!memory)
		goto out;
	spin_lock(&xr_pool_lock);
	xr_pool_add(&xr_pool, id, memory);
	run->at = xr_pool_alloc(&xr_pool, count);
	run->entry = xr_pool_at(&xr_pool, run->at);
	spin_unlock(&xr_pool_lock);
	ret = 0;
out:
	mutex_unlock(&xr_pool_grow_lock);
	return ret;
}

/* Give a run back, and its extent if that is all free and not reserved. */
static void xr_pool_run_put(const struct xr_mtt_run *run, u32 count)
{
	u32 id = run->at >> XR_EXTENT_SHIFT;
	u64 *memory = NULL;

	spin_lock(&xr_pool_lock);
	if (xr_pool_free(&xr_pool, run->at, count) && id >= xr_pool_reserved)
		memory = xr_pool_remove(&xr_pool, id);
	spin_unlock(&xr_pool_lock);
	if (memory)
		xr_extent_put(memory);
}

static u32 xr_mtt_run_count(const struct xr_mtt *mtt, u32 i)
{
	return min_t(u64, XR_EXTENT_ENTRIES,
		     mtt->count - ((u64)i << XR_EXTENT_SHIFT));
}

/* Count entries for their user. Sleeps. Return: 0 or -EDQUOT. */
static int xr_mtt_charge(const struct xr_owner *owner, u64 count)
{
	struct xr_share *share = owner->user ? owner->user->share : NULL;

	if (xr_share_take(share, count, xr_mtt_limit()))
		return 0;
	if (xr_owner_admin() && xr_share_take(share, count, S64_MAX))
		return 0;
	xr_refuse(owner, XROCE_COUNT_TABLE, XR_REFUSED_SHARE);
	return -EDQUOT;
}

/**
 * xr_mtt_alloc() - allocate a translation table
 * @mtt: filled in
 * @owner: whose user it counts for
 * @count: entries, at least 1
 *
 * Sleeps. The entries are not initialised.
 *
 * Return: 0; -E2BIG: longer than xr_mtt_limit(); -EDQUOT: more than the user's share; -ENOSPC: the
 * limit is reached and no free run is long enough; -ENOMEM: the kernel has no contiguous memory.
 */
int xr_mtt_alloc(struct xr_mtt *mtt, const struct xr_owner *owner, u64 count)
{
	u32 i, runs = (count + XR_EXTENT_ENTRIES - 1) >> XR_EXTENT_SHIFT;
	struct xr_mtt_run *run;
	int ret;

	if (count > xr_mtt_limit())
		return -E2BIG;
	ret = xr_mtt_charge(owner, count);
	if (ret)
		return ret;
	*mtt = (struct xr_mtt){
		.count = count,
		.share = owner->user ? owner->user->share : NULL,
	};
	if (runs > 1) {
		mtt->more = kmalloc_array(runs - 1, sizeof(*mtt->more),
					  GFP_KERNEL_ACCOUNT);
		if (!mtt->more) {
			xr_share_give(mtt->share, count);
			return -ENOMEM;
		}
	}
	for (i = 0; i < runs; i++) {
		run = i ? &mtt->more[i - 1] : &mtt->run;
		ret = xr_pool_run_take(run, xr_mtt_run_count(mtt, i));
		if (ret)
			ret = xr_pool_run_grow(run, xr_mtt_run_count(mtt, i));
		if (ret)
			goto err;
	}
	return 0;

err:
	while (i--)
		xr_pool_run_put(i ? &mtt->more[i - 1] : &mtt->run,
				xr_mtt_run_count(mtt, i));
	kfree(mtt->more);
	xr_share_give(mtt->share, count);
	*mtt = (struct xr_mtt){};
	if (ret == -ENOSPC)
		xr_refuse(owner, XROCE_COUNT_TABLE, XR_REFUSED_FULL);
	return ret;
}

/**
 * xr_mtt_free() - give a translation table back
 * @mtt: table from xr_mtt_alloc(), which nothing uses any more
 */
void xr_mtt_free(struct xr_mtt *mtt)
{
	u32 i, runs = (mtt->count + XR_EXTENT_ENTRIES - 1) >> XR_EXTENT_SHIFT;

	for (i = 0; i < runs; i++)
		xr_pool_run_put(i ? &mtt->more[i - 1] : &mtt->run,
				xr_mtt_run_count(mtt, i));
	if (runs > 1)
		kfree(mtt->more);
	xr_share_give(mtt->share, mtt->count);
	*mtt = (struct xr_mtt){};
}

/**
 * struct xr_query - what xr_mtt_query() has seen of the pool
 * @width: entries of a part of the map
 * @free: free entries in each part
 */
struct xr_query {
	u64 width;
	u64 free[XROCE_MTT_MAP];
};

static void xr_query_run(struct xr_query *see, u64 at, u32 count)
{
	u64 part, n;

	while (count) {
		part = at / see->width;
		/* Extents were added after the map was laid out. */
		if (part >= XROCE_MTT_MAP)
			return;
		n = min_t(u64, count, (part + 1) * see->width - at);
		see->free[part] += n;
		at += n;
		count -= n;
	}
}

/*
 * Look at one extent. The pool is locked for XR_QUERY_STEP entries at a time. Return:
 * false: there is no extent of that number.
 */
static bool xr_query_extent(struct xr_query *see, u32 id, u64 base,
			    struct xroce_mtt_query *q)
{
	u32 start = id << XR_EXTENT_SHIFT, at = start, length;
	u32 end = start + XR_EXTENT_ENTRIES;
	u64 largest = 0, all = 0;
	bool there = true;

	while (at < end) {
		spin_lock(&xr_pool_lock);
		there = xr_pool.extent[id];
		length = there ? xr_pool_next(&xr_pool, &at,
					      min(at + XR_QUERY_STEP, end)) : 0;
		spin_unlock(&xr_pool_lock);
		if (!there)
			break;
		xr_query_run(see, base + (at - start), length);
		largest = max_t(u64, largest, length);
		all += length;
		at += length;
		cond_resched();
	}
	q->largest = max(q->largest, largest);
	q->scattered += all - largest;
	return there || at > start;
}

/**
 * xr_mtt_query() - describe the state of the pool
 * @q: filled in except for size and flags
 *
 * Tables may be allocated and freed meanwhile.
 */
void xr_mtt_query(struct xroce_mtt_query *q)
{
	struct xr_query see = {};
	u64 used, base = 0;
	u32 id;

	q->limit = xr_mtt_limit();
	q->reserved = (u64)xr_pool_reserved << XR_EXTENT_SHIFT;
	q->largest = 0;
	q->scattered = 0;
	spin_lock(&xr_pool_lock);
	q->entries = (u64)xr_pool.extents << XR_EXTENT_SHIFT;
	q->used = xr_pool.used;
	q->tables = xr_pool.taken;
	q->free_extents = xr_pool.runs;
	spin_unlock(&xr_pool_lock);
	see.width = q->entries / XROCE_MTT_MAP;

	for (id = 0; id < xr_pool.room; id++)
		if (xr_query_extent(&see, id, base, q))
			base += XR_EXTENT_ENTRIES;
	for (id = 0; id < XROCE_MTT_MAP; id++) {
		used = see.width - see.free[id];
		q->map[id] = used == 0 ? 0 : used == see.width ? 100 :
			     clamp_t(u64, used * 100 / see.width, 1, 99);
	}
}

void xr_mtt_exit(void)
{
	u32 id;

	for (id = 0; id < xr_pool.room; id++)
		if (xr_pool.extent[id])
			xr_extent_put(xr_pool_remove(&xr_pool, id));
	kvfree(xr_pool.extent);
}

int xr_mtt_init(void)
{
	u32 room = mtt_limit / XR_EXTENT_MIB;
	long available;
	u64 *memory;

	xr_pool_reserved = DIV_ROUND_UP(mtt_reserve, XR_EXTENT_MIB);
	if (!xr_pool_reserved || xr_pool_reserved > room || room > XR_EXTENTS_MAX) {
		pr_err("mtt_reserve=%u mtt_limit=%u: need %zu <= reserve <= limit <= %zu\n",
		       mtt_reserve, mtt_limit, XR_EXTENT_MIB,
		       XR_EXTENTS_MAX * XR_EXTENT_MIB);
		return -EINVAL;
	}
	/* Do not take other programs' memory to find that there is not enough. */
	available = si_mem_available() >> (20 - PAGE_SHIFT);
	if (xr_pool_reserved * (long)XR_EXTENT_MIB > available) {
		pr_err("mtt_reserve=%u: only %ld MiB of memory are available\n", mtt_reserve,
		       available);
		return -ENOMEM;
	}
	xr_pool.extent = kvcalloc(room, sizeof(*xr_pool.extent), GFP_KERNEL);
	if (!xr_pool.extent)
		return -ENOMEM;
	xr_pool.room = room;
	while (xr_pool.extents < xr_pool_reserved) {
		memory = xr_extent_get();
		if (!memory) {
			pr_err("mtt_reserve=%u: no contiguous memory\n",
			       mtt_reserve);
			xr_mtt_exit();
			return -ENOMEM;
		}
		xr_pool_add(&xr_pool, xr_pool.extents, memory);
	}
	return 0;
}
