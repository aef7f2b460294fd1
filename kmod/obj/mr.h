/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory regions (IBTA 10.6).
 *
 * The data path finds a region by its key in the link's table, under RCU, and holds it
 * during a copy by a hazard pointer (xr_mr_acquire(), xr_mr_release(), hazard.h). The
 * memory of the region is not released meanwhile. Deregistration sets the rights to 0,
 * then waits until no CPU holds the region. The data path reads the rights after it has
 * set its hazard pointer, so it either is waited for or finds no rights.
 *
 * A region does not change. Re-registration replaces it by a new structure with the same
 * index, owner and name and another key byte (mr_rereg.c). Only regions of consumers in the
 * kernel that work requests register change in place: see fast.h.
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
struct xr_fast;
struct xr_owner;
struct xr_pd;

/**
 * struct xr_mr - memory region
 * @key: index << 8 | key byte; 0: no access, see fast.h
 * @iova: address by which peers name the first byte
 * @umem: its memory, with a reference
 * @access: XROCE_ACCESS_*; 0: it is being deregistered or replaced
 * @flags: XROCE_F_PID
 * @dying: it is being deregistered or replaced; for accesses that need no right, which are
 *	reads through an L_Key
 * @stat: its counters, see mr_stat.h
 * @index: its handle, and its place in the link's table and the map "mpt"
 * @fast: what a region has that work requests register; NULL: another region
 * @windows: number of windows bound to it; negative: no more can be (mw_count.h)
 * @pd: protection domain
 * @owner: owner
 * @node: in @owner's list
 * @charge: its charge against limits
 * @name: its name, see name.h
 * @rcu: for freeing the structure after its readers on the data path
 *
 * @node, @charge and the node of @name are under the link's lock. @windows is atomic. The
 * other fields do not change after the region is published, except that @access becomes 0
 * and @dying true. With @fast, @key to @access change under its lock.
 */
struct xr_mr {
	u32 key;
	u64 iova;
	struct xr_umem *umem;
	u32 access;
	u32 flags;
	bool dying;
	u32 index;
	struct xr_fast *fast;
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
void xr_mr_show_access(const struct xr_link *link, const struct xr_mr *mr);
void xr_mr_hide(const struct xr_link *link, const struct xr_mr *mr);

/**
 * xr_mr_acquire() - find a region by its key and hold it
 * @link: the link; it has maps, and so the table
 * @key: all 32 bits of the key
 *
 * In softirq, under RCU. Afterwards the caller must check the region's rights, which are 0
 * if it is being deregistered, and call xr_mr_release(). Until then it must not hold
 * another region or window, take a lock or allocate memory (hazard.h).
 *
 * Return: the region; NULL: none has this key, and nothing is held.
 */
static inline struct xr_mr *xr_mr_acquire(const struct xr_link *link, u32 key)
{
	struct xr_mr *mr;
	u32 index;

	/* The mask keeps a wrong index inside the table; the key then differs. */
	index = key >> XROCE_KEY_SHIFT & link->mpt_mask;
	mr = rcu_dereference_bh(link->mr[index]);
	if (unlikely(!mr))
		return NULL;
	xr_hazard_set(mr);
	/* Pairs with the release in xr_fast_register(): what is read next goes with the key. */
	if (likely(smp_load_acquire(&mr->key) == key))
		return mr;
	xr_hazard_clear();
	return NULL;
}

/* Release the region or window that this CPU holds. */
static inline void xr_mr_release(void)
{
	xr_hazard_clear();
}

#endif
