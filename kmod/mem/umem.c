// SPDX-License-Identifier: GPL-2.0-only
/* Memory of regions: its users, queries, accounting. */
#include <linux/capability.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>

#include "uapi/xroce.h"

#include "umem.h"

/* Add a user. The memory already has one, which cannot go meanwhile. */
struct xr_umem *xr_umem_get(struct xr_umem *umem)
{
	refcount_inc(&umem->users);
	return umem;
}

/**
 * xr_umem_put() - drop a user; without users the memory is released
 * @umem: the memory; the caller uses it no more
 *
 * Sleeps.
 */
void xr_umem_put(struct xr_umem *umem)
{
	if (refcount_dec_and_test(&umem->users))
		umem->ops->release(umem);
}

/* Fill in the members of MR_QUERY that describe the memory. */
void xr_umem_query(const struct xr_umem *umem, struct xroce_mr_query *q)
{
	q->length = umem->length;
	q->addr = umem->addr;
	q->pages = umem->mtt.count;
	q->offset = umem->offset;
	q->page_shift = umem->page_shift;
	q->pid = pid_vnr(umem->pid);
	q->sharers = refcount_read(&umem->users);
	if (umem->ops->query)
		umem->ops->query(umem, q);
}

/**
 * xr_umem_entry() - look at an entry of the translation table
 * @umem: memory
 * @i: number of the entry
 *
 * Return: the physical address of a block; 0: it is not resident. An entry of on-demand
 * memory may have been invalidated already.
 */
u64 xr_umem_entry(const struct xr_umem *umem, u64 i)
{
	if (umem->ops->entry)
		return umem->ops->entry(umem, i);
	return *xr_mtt_at(&umem->mtt, i);
}

/* Count pages against the caller's RLIMIT_MEMLOCK. Return: 0 or -ENOMEM. */
int xr_umem_account(struct mm_struct *mm, unsigned long nr)
{
	unsigned long limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;

	if (atomic64_add_return(nr, &mm->pinned_vm) <= limit ||
	    capable(CAP_IPC_LOCK))
		return 0;
	atomic64_sub(nr, &mm->pinned_vm);
	return -ENOMEM;
}
