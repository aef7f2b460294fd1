/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Regions that work requests register: "Fast Register Physical MR" (IBTA 10.6.3, 11.4.1.1), for
 * consumers in the kernel.
 *
 * Such a region has an index of the memory protection table as long as it exists, but gives
 * access only between a registration and the next invalidation. Meanwhile xr_mr::key is its key,
 * otherwise 0, which is nobody's key. The data path compares the key when it holds the region,
 * so after an invalidation the region can change once no CPU holds it (hazard.h).
 *
 * It has memory twice: xr_mr::umem is what the data path uses; xr_fast::staged is where the
 * consumer names other pages, and the next registration exchanges the two. So pages can be named
 * while the invalidation of the old ones is still in the send queue. Without new pages, the same
 * ones are registered again.
 */
#ifndef _XR_FAST_H
#define _XR_FAST_H

#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct xr_link;
struct xr_mr;
struct xr_qp;
struct xr_umem;

/**
 * struct xr_fast - what a region has that work requests register
 * @lock: protects @last and @dying, xr_mr::key to xr_mr::access, and the region's entry in the
 *	map "mpt"; taken with bottom halves off
 * @stage_lock: protects @staged and the memory behind it; taken with interrupts off, because
 *	pages may be named in a hardware interrupt. @lock cannot be, because its holder may wait
 *	for a copy that the interrupt has interrupted
 * @staged: memory for the next registration, with a reference; without bytes if no pages have
 *	been named since the last one
 * @last: the key that was invalidated last; 0: none
 * @dying: the region is being deregistered and cannot be registered any more
 * @rcu: for freeing the structure after its readers on the data path
 *
 * The memory of xr_mr::umem stays when the region is invalidated.
 */
struct xr_fast {
	spinlock_t lock;
	spinlock_t stage_lock;
	struct xr_umem *staged;
	u32 last;
	bool dying;
	struct rcu_head rcu;
};

struct xr_fast *xr_fast_new(struct xr_umem *staged);
void xr_fast_free(struct xr_fast *fast);
void xr_fast_show(const struct xr_link *link, const struct xr_mr *mr);
void xr_fast_close(const struct xr_link *link, struct xr_mr *mr);
int xr_fast_register(struct xr_qp *qp, u32 key, u64 iova, u32 access);
bool xr_fast_is(const struct xr_link *link, u32 key);
int xr_invalidate(struct xr_qp *qp, u32 key, bool remote);

#endif
