// SPDX-License-Identifier: GPL-2.0-only
/*
 * An address space on demand: entries for XR_ODP_PAGES pages at a time, where
 * something has been brought in and is still there.
 *
 * A chunk is made by who brings pages in, never in softirq, and is a user's until
 * then. It goes when it has neither entries nor users. As it has no entries, no
 * access that has found all it needs is under way, and none that comes finds any;
 * those that look at it at that time are waited for (hold.h).
 */
#include <linux/memcontrol.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "mem/hold.h"

#include "odp.h"

/*
 * A chunk is to its pages what the kernel's own page tables are, and is charged as
 * those: to the memory's control group, not against RLIMIT_MEMLOCK. Where there is
 * no room, accesses fail, and nobody is killed for it.
 */
#define XR_ODP_GFP	(GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

static struct kmem_cache *xr_odp_cache;

/* Where this CPU has found what it needs last; of no use when it is done with that. */
DEFINE_PER_CPU(struct xr_odp_chunk *, xr_odp_found);

int xr_odp_chunk_init(void)
{
	xr_odp_cache = KMEM_CACHE(xr_odp_chunk, SLAB_ACCOUNT);
	return xr_odp_cache ? 0 : -ENOMEM;
}

void xr_odp_chunk_exit(void)
{
	kmem_cache_destroy(xr_odp_cache);
}

static struct xr_odp_chunk *xr_odp_of(struct xr_odp_part *part)
{
	return container_of(part, struct xr_odp_chunk, part);
}

/* It is in no table, or nobody can look any more. Sleeps. */
static void xr_odp_chunk_free(struct xr_odp_chunk *chunk)
{
	xr_odp_part_close(&chunk->part);
	kmem_cache_free(xr_odp_cache, chunk);
}

/* Make one, with a user, and publish it. Return: it, one that was quicker, or an error. */
static struct xr_odp_chunk *xr_odp_chunk_add(struct xr_odp *odp, u64 index)
{
	struct xr_odp_chunk *chunk, *old;
	int ret;

	chunk = kmem_cache_zalloc(xr_odp_cache, XR_ODP_GFP);
	if (!chunk)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&chunk->empty);
	chunk->users = 1;
	chunk->part.odp = odp;
	chunk->part.first = index << XR_ODP_SHIFT;
	chunk->part.count = XR_ODP_PAGES;
	ret = xr_odp_part_open(&chunk->part, odp->mm);
	if (ret) {
		kmem_cache_free(xr_odp_cache, chunk);
		return ERR_PTR(ret);
	}
	xa_lock(&odp->chunks);
	old = __xa_cmpxchg(&odp->chunks, index, NULL, chunk, XR_ODP_GFP);
	if (!old)
		odp->nr_chunks++;
	else if (!xa_is_err(old))
		old->users++;
	xa_unlock(&odp->chunks);
	if (!old)
		return chunk;
	xr_odp_chunk_free(chunk);
	return xa_is_err(old) ? ERR_PTR(xa_err(old)) : old;
}

/**
 * xr_odp_part_get() - find the part that a page is in, or make it
 * @odp: memory
 * @page: number of the page
 *
 * The process has a user. Sleeps. xr_odp_part_put() undoes it.
 *
 * Return: the part, or an error: -ENOMEM, or one of xr_odp_part_open().
 */
struct xr_odp_part *xr_odp_part_get(struct xr_odp *odp, u64 page)
{
	struct mem_cgroup *memcg, *old;
	struct xr_odp_chunk *chunk;

	if (!odp->umem.sparse)
		return &odp->part;
	xa_lock(&odp->chunks);
	chunk = xr_odp_chunk(odp, page);
	if (chunk)
		chunk->users++;
	xa_unlock(&odp->chunks);
	if (chunk)
		return &chunk->part;

	/* A worker's own allocations are nobody's. */
	memcg = get_mem_cgroup_from_mm(odp->mm);
	old = set_active_memcg(memcg);
	chunk = xr_odp_chunk_add(odp, page >> XR_ODP_SHIFT);
	set_active_memcg(old);
	mem_cgroup_put(memcg);
	return IS_ERR(chunk) ? ERR_CAST(chunk) : &chunk->part;
}

/* One user less. It may be gone when this returns, if it has no entries. */
void xr_odp_part_put(struct xr_odp_part *part)
{
	struct xr_odp *odp = part->odp;

	if (part->mtt)
		return;
	/* Under the lock: it is not freed before it is on the list. */
	xa_lock(&odp->chunks);
	if (!--xr_odp_of(part)->users && !READ_ONCE(part->resident))
		xr_odp_chunk_emptied(part);
	xa_unlock(&odp->chunks);
}

/* A chunk has lost its last entry, or its last user without having any. */
void xr_odp_chunk_emptied(struct xr_odp_part *part)
{
	struct xr_odp_chunk *chunk = xr_odp_of(part);
	struct xr_odp *odp = part->odp;

	spin_lock_bh(&odp->want_lock);
	if (!odp->closing) {
		if (list_empty(&chunk->empty))
			list_add_tail(&chunk->empty, &odp->empty);
		xr_odp_queue_reclaim(odp);
	}
	spin_unlock_bh(&odp->want_lock);
}

/* Take a chunk out of the tree if it is of no use. Return: whether it was not. */
static bool xr_odp_chunk_take(struct xr_odp *odp, struct xr_odp_chunk *chunk)
{
	struct xr_odp_part *part = &chunk->part;
	bool idle;

	xa_lock(&odp->chunks);
	idle = !chunk->users;
	if (idle) {
		/* Who takes entries away has it until no access is left. */
		spin_lock(&part->lock);
		idle = !part->resident;
		spin_unlock(&part->lock);
	}
	if (idle) {
		__xa_erase(&odp->chunks, part->first >> XR_ODP_SHIFT);
		odp->nr_chunks--;
	}
	xa_unlock(&odp->chunks);
	return idle;
}

static struct xr_odp_chunk *xr_odp_chunk_pop(struct xr_odp *odp)
{
	struct xr_odp_chunk *chunk;

	spin_lock_bh(&odp->want_lock);
	chunk = list_first_entry_or_null(&odp->empty, struct xr_odp_chunk,
					 empty);
	if (chunk)
		list_del_init(&chunk->empty);
	spin_unlock_bh(&odp->want_lock);
	return chunk;
}

/*
 * Free the chunks that are empty. Their notifiers may be called until they have been
 * removed, and one may have found its chunk to be empty just now and be about to list
 * it: it sees that it is listed, here.
 */
void xr_odp_reclaim(struct work_struct *work)
{
	struct xr_odp *odp = container_of(work, struct xr_odp, reclaim);
	struct xr_odp_chunk *chunk, *next;
	LIST_HEAD(gone);

	while ((chunk = xr_odp_chunk_pop(odp))) {
		if (!xr_odp_chunk_take(odp, chunk))
			continue;
		spin_lock_bh(&odp->want_lock);
		list_move(&chunk->empty, &gone);
		spin_unlock_bh(&odp->want_lock);
		cond_resched();
	}
	if (list_empty(&gone))
		return;
	/* For all of them at once. */
	xr_hold_wait_all();
	list_for_each_entry_safe(chunk, next, &gone, empty) {
		xr_odp_chunk_free(chunk);
		cond_resched();
	}
}

/* No region has the memory any more, and no worker. Sleeps. */
void xr_odp_chunk_free_all(struct xr_odp *odp)
{
	struct xr_odp_chunk *chunk;
	unsigned long index;

	xa_for_each(&odp->chunks, index, chunk) {
		xr_odp_chunk_free(chunk);
		cond_resched();
	}
	xa_destroy(&odp->chunks);
}

/**
 * xr_odp_sparse_ready() - xr_odp_ready() of an address space
 * @odp: memory; this CPU is on it
 * @off: address of the first byte
 * @len: bytes, at least one
 * @write: they will be written
 *
 * Return: as xr_odp_ready().
 */
int xr_odp_sparse_ready(struct xr_odp *odp, u64 off, u32 len, bool write)
{
	const u64 rights = write ? XR_ODP_RIGHTS : XR_ODP_READ;
	u64 i = off >> PAGE_SHIFT, last = (off + len - 1) >> PAGE_SHIFT;
	struct xr_odp_chunk *chunk = NULL;

	/* Not a process's address. */
	if (last >= odp->pages)
		return -EFAULT;
	for (; i <= last; i++) {
		if (!chunk || !(i % XR_ODP_PAGES))
			chunk = xr_odp_chunk(odp, i);
		if (!chunk || (READ_ONCE(chunk->entry[i % XR_ODP_PAGES]) &
			       rights) != rights)
			return -EAGAIN;
	}
	this_cpu_write(xr_odp_found, chunk);
	return 0;
}
