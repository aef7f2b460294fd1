// SPDX-License-Identifier: GPL-2.0-only
/*
 * Children of implicit on-demand regions: entries for XR_ODP_PAGES pages each, where pages
 * have been faulted in and may still be resident.
 *
 * A child is allocated by the task that brings pages in, never in softirq. The task counts
 * as its user meanwhile. A child with neither entries nor users is freed. Since it has no
 * entries, no access that found all of its pages resident is still copying, and no new
 * access finds any. xr_odp_reclaim() waits for accesses that still read the child
 * (hazard.h).
 */
#include <linux/memcontrol.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "mem/hazard.h"

#include "odp.h"

/*
 * A child is charged like the page tables of its pages: to the process's memory control
 * group, not against RLIMIT_MEMLOCK. If there is no memory, accesses fail, and the OOM
 * killer is not invoked.
 */
#define XR_ODP_GFP	(GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

static struct kmem_cache *xr_odp_cache;

/* The child that this CPU's access found last; invalid when the access has ended. */
DEFINE_PER_CPU(struct xr_odp_child *, xr_odp_found);

int xr_odp_child_init(void)
{
	xr_odp_cache = KMEM_CACHE(xr_odp_child, SLAB_ACCOUNT);
	return xr_odp_cache ? 0 : -ENOMEM;
}

void xr_odp_child_exit(void)
{
	kmem_cache_destroy(xr_odp_cache);
}

static struct xr_odp_child *xr_odp_of(struct xr_odp_range *range)
{
	return container_of(range, struct xr_odp_child, range);
}

/* @child is not in the tree, or no access can look it up any more. Sleeps. */
static void xr_odp_child_free(struct xr_odp_child *child)
{
	xr_odp_range_close(&child->range);
	kmem_cache_free(xr_odp_cache, child);
}

/*
 * Allocate a child with one user and publish it. Return: the child; or the one that another
 * task has published first, with one user more; or an error.
 */
static struct xr_odp_child *xr_odp_child_add(struct xr_odp *odp, u64 index)
{
	struct xr_odp_child *child, *old;
	int ret;

	child = kmem_cache_zalloc(xr_odp_cache, XR_ODP_GFP);
	if (!child)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&child->empty);
	child->users = 1;
	child->range.odp = odp;
	child->range.first = index << XR_ODP_SHIFT;
	child->range.count = XR_ODP_PAGES;
	ret = xr_odp_range_open(&child->range, odp->mm);
	if (ret) {
		kmem_cache_free(xr_odp_cache, child);
		return ERR_PTR(ret);
	}
	xa_lock(&odp->children);
	old = __xa_cmpxchg(&odp->children, index, NULL, child, XR_ODP_GFP);
	if (!old)
		odp->nr_children++;
	else if (!xa_is_err(old))
		old->users++;
	xa_unlock(&odp->children);
	if (!old)
		return child;
	xr_odp_child_free(child);
	return xa_is_err(old) ? ERR_PTR(xa_err(old)) : old;
}

/**
 * xr_odp_range_get() - find the range that a page is in, or make it
 * @odp: on-demand memory
 * @page: number of the page
 *
 * The caller holds a reference to the address space (mmget()). Sleeps. xr_odp_range_put()
 * drops the user that this adds.
 *
 * Return: the range, or an error: -ENOMEM, or one of xr_odp_range_open().
 */
struct xr_odp_range *xr_odp_range_get(struct xr_odp *odp, u64 page)
{
	struct mem_cgroup *memcg, *old;
	struct xr_odp_child *child;

	if (!odp->umem.sparse)
		return &odp->range;
	xa_lock(&odp->children);
	child = xr_odp_child(odp, page);
	if (child)
		child->users++;
	xa_unlock(&odp->children);
	if (child)
		return &child->range;

	/* A worker is in no memory control group: charge the process's. */
	memcg = get_mem_cgroup_from_mm(odp->mm);
	old = set_active_memcg(memcg);
	child = xr_odp_child_add(odp, page >> XR_ODP_SHIFT);
	set_active_memcg(old);
	mem_cgroup_put(memcg);
	return IS_ERR(child) ? ERR_CAST(child) : &child->range;
}

/* Drop a user. A child without users and entries may be freed before this returns. */
void xr_odp_range_put(struct xr_odp_range *range)
{
	struct xr_odp *odp = range->odp;

	if (range->mtt)
		return;
	/* Under the lock, so that the child is listed before it can be freed. */
	xa_lock(&odp->children);
	if (!--xr_odp_of(range)->users && !READ_ONCE(range->resident))
		xr_odp_child_emptied(range);
	xa_unlock(&odp->children);
}

/* A child has lost its last entry, or its last user while it had no entries. */
void xr_odp_child_emptied(struct xr_odp_range *range)
{
	struct xr_odp_child *child = xr_odp_of(range);
	struct xr_odp *odp = range->odp;

	spin_lock_bh(&odp->req_lock);
	if (!odp->dying) {
		if (list_empty(&child->empty))
			list_add_tail(&child->empty, &odp->empty);
		xr_odp_queue_reclaim(odp);
	}
	spin_unlock_bh(&odp->req_lock);
}

/*
 * Remove a child from the tree if it has no users and no entries. Return: whether it was
 * removed.
 */
static bool xr_odp_child_take(struct xr_odp *odp, struct xr_odp_child *child)
{
	struct xr_odp_range *range = &child->range;
	bool idle;

	xa_lock(&odp->children);
	idle = !child->users;
	if (idle) {
		/* xr_odp_clear() holds the lock until no access uses the entries. */
		spin_lock(&range->lock);
		idle = !range->resident;
		spin_unlock(&range->lock);
	}
	if (idle) {
		__xa_erase(&odp->children, range->first >> XR_ODP_SHIFT);
		odp->nr_children--;
	}
	xa_unlock(&odp->children);
	return idle;
}

static struct xr_odp_child *xr_odp_child_pop(struct xr_odp *odp)
{
	struct xr_odp_child *child;

	spin_lock_bh(&odp->req_lock);
	child = list_first_entry_or_null(&odp->empty, struct xr_odp_child,
					 empty);
	if (child)
		list_del_init(&child->empty);
	spin_unlock_bh(&odp->req_lock);
	return child;
}

/*
 * Free the empty children. A notifier may run until it has been removed. If it has just
 * found its child empty and is about to list it, it sees that the child is listed: in
 * @gone.
 */
void xr_odp_reclaim(struct work_struct *work)
{
	struct xr_odp *odp = container_of(work, struct xr_odp, reclaim);
	struct xr_odp_child *child, *next;
	LIST_HEAD(gone);

	while ((child = xr_odp_child_pop(odp))) {
		if (!xr_odp_child_take(odp, child))
			continue;
		spin_lock_bh(&odp->req_lock);
		list_move(&child->empty, &gone);
		spin_unlock_bh(&odp->req_lock);
		cond_resched();
	}
	if (list_empty(&gone))
		return;
	/* Once for all of them. */
	xr_hazard_wait_all();
	list_for_each_entry_safe(child, next, &gone, empty) {
		xr_odp_child_free(child);
		cond_resched();
	}
}

/* No region and no worker has a reference to the memory any more. Sleeps. */
void xr_odp_child_free_all(struct xr_odp *odp)
{
	struct xr_odp_child *child;
	unsigned long index;

	xa_for_each(&odp->children, index, child) {
		xr_odp_child_free(child);
		cond_resched();
	}
	xa_destroy(&odp->children);
}

/**
 * xr_odp_sparse_ready() - xr_odp_ready() for an implicit on-demand region
 * @odp: on-demand memory; this CPU's hazard pointer protects it
 * @off: address of the first byte
 * @len: bytes, at least one
 * @write: the access writes
 *
 * Return: as xr_odp_ready().
 */
int xr_odp_sparse_ready(struct xr_odp *odp, u64 off, u32 len, bool write)
{
	const u64 rights = write ? XR_ODP_RIGHTS : XR_ODP_READ;
	u64 i = off >> PAGE_SHIFT, last = (off + len - 1) >> PAGE_SHIFT;
	struct xr_odp_child *child = NULL;

	/* Above the addresses of user space. */
	if (last >= odp->pages)
		return -EFAULT;
	for (; i <= last; i++) {
		if (!child || !(i % XR_ODP_PAGES))
			child = xr_odp_child(odp, i);
		if (!child || (READ_ONCE(child->entry[i % XR_ODP_PAGES]) &
			       rights) != rights)
			return -EAGAIN;
	}
	this_cpu_write(xr_odp_found, child);
	return 0;
}
