/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory regions (IBTA 10.6).
 *
 * The data path finds a region by its key in the link's table, under RCU, and
 * holds it while it copies (xr_mr_acquire(), xr_mr_release()): the pages stay pinned
 * until it lets go (hazard.h). Who deregisters takes the rights away, then waits until no
 * CPU is on it: the data path looks at the rights after it has said what it holds.
 *
 * A region does not change: to re-register is to put another in its place, with
 * the same index, owner and name and another key byte (mr_rereg.c).
 */
#ifndef _XR_MR_H
#define _XR_MR_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

#include "xroce_map.h"

#include "mem/hazard.h"
#include "mem/umem.h"
#include "own/limit.h"

#include "link.h"
#include "name.h"

struct xroce_mr_stat;
struct xr_owner;
struct xr_pd;

/**
 * struct xr_mr - memory region
 * @key: index << 8 | key byte
 * @iova: address of the first byte for a peer
 * @umem: its memory, of which it is a user
 * @access: XROCE_ACCESS_*; 0: it is being deregistered
 * @flags: XROCE_F_PID
 * @stat: its counters, see mr_stat.h
 * @windows: those bound to it, and XR_MW_GOING (mw_count.h)
 * @pd: protection domain it is a member of
 * @owner: whose it is
 * @node: in @owner's list
 * @charge: what it counts for
 * @name: its name, see name.h
 * @rcu: the structure outlives its data path readers
 *
 * @pd, @owner, @node, @charge and the place of @name in its table are under the link's
 * lock. The rest does not change while the region is in the table, but for @windows; then
 * @access becomes 0.
 */
struct xr_mr {
	u32 key;
	u64 iova;
	struct xr_umem *umem;
	u32 access;
	u32 flags;
	struct xroce_mr_stat __percpu *stat;
	atomic_t windows;
	struct xr_pd *pd;
	struct xr_owner *owner;
	struct list_head node;
	struct xr_charge charge;
	struct xr_name name;
	struct rcu_head rcu;
};

struct xr_mr *xr_mr_find(const struct xr_link *link, u32 index);
struct xr_mr *xr_mr_get(const struct xr_link *link, const struct xr_owner *caller,
			u32 index);
bool xr_mr_has(const struct xr_mr *mr, u64 va, u64 len);
void xr_mr_show(const struct xr_link *link, const struct xr_mr *mr);
void xr_mr_hide(const struct xr_link *link, const struct xr_mr *mr);

/**
 * xr_mr_acquire() - find a region by its key and keep its pages
 * @link: where; there are queue pairs on it, and so there is the table
 * @key: all 32 bits
 *
 * In softirq, under RCU. The caller must look at the region's rights, of which it has
 * none left when it is being deregistered, must call xr_mr_release(), and may not hold
 * another region until then.
 *
 * Return: the region, or NULL.
 */
static inline struct xr_mr *xr_mr_acquire(const struct xr_link *link, u32 key)
{
	struct xr_mr *mr;
	u32 index;

	/* A power of two. In the place of an index too large is another key. */
	index = key >> XROCE_KEY_SHIFT & link->mpt_mask;
	mr = rcu_dereference_bh(link->mr[index]);
	if (unlikely(!mr || mr->key != key))
		return NULL;
	xr_hazard_set(mr);
	return mr;
}

/* Let go of what xr_mr_acquire() has returned. */
static inline void xr_mr_release(void)
{
	xr_hazard_clear();
}

#endif
