// SPDX-License-Identifier: GPL-2.0-only
/* Memory of regions: its users, queries. */
#include <linux/capability.h>
#include <linux/mm.h>
#include <linux/pid.h>

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
	u64 block = 1ull << umem->page_shift;

	q->length = umem->length;
	q->addr = umem->addr;
	q->pages = umem->mtt.count;
	q->offset = umem->offset;
	q->page_shift = umem->page_shift;
	q->pid = pid_vnr(umem->pid);
	q->sharers = refcount_read(&umem->users);
	memset(q->file, 0, sizeof(q->file));
	if (umem->ops->query)
		umem->ops->query(umem, q);
	/* Who has registered physical pages has named them. */
	if (q->flags & XROCE_F_PHYS || ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN))
		return;
	/* Of a larger block it has bits of the physical address, on which the number depends. */
	q->offset = offset_in_page(umem->offset);
	if (umem->mtt.count)
		q->pages = (q->offset + umem->length + block - 1) >> umem->page_shift;
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
