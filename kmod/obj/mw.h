/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory windows (IBTA 10.6.7): a window is a part of a region with rights of its own,
 * which a program grants and revokes without a system call (send/post.c).
 *
 * A bound window is counted in xr_mr::windows of its region, and a bound window of type 2
 * also in xr_qp::windows_2a or xr_qp::windows_2b of its queue pair. Before a region or queue
 * pair is destroyed, its count is closed, so that no more windows can be bound to it, and
 * those that are bound are unbound (mw_count.h). A region thus exists as long as a window is
 * bound to it, and the data path needs to hold only the window (hazard.h).
 */
#ifndef _XR_MW_H
#define _XR_MW_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "xroce_map.h"

#include "own/limit.h"

struct xr_link;
struct xr_mr;
struct xr_owner;
struct xr_pd;
struct xr_qp;
struct xroce_mw_add;
struct xroce_mw_bind;
struct xroce_mw_inval;
struct xroce_mw_query;

/**
 * struct xr_mw - memory window
 * @live: @key while it is bound, else 0; the data path compares it with the R_Key
 * @qpn: bound window of type 2: number of @qp; else 0
 * @access: XROCE_ACCESS_*
 * @addr: address of the first byte
 * @length: bytes
 * @mr: region that it is bound to; NULL: not bound
 * @lock: protects the fields above, @key, @dying, @qp and the entry @map; taken with bottom
 *	halves off
 * @key: index << 8 | key byte
 * @type: enum xroce_mw_type
 * @dying: it is being deallocated and cannot be bound any more
 * @qp: bound window of type 2: queue pair that it belongs to; else NULL
 * @map: its entry in the map "mpt"
 * @pd: protection domain
 * @owner: owner
 * @node: in @owner's list
 * @member: in @pd's list
 * @charge: its charge against limits
 * @rcu: for freeing the structure after its readers on the data path
 *
 * The fields from @qpn to @mr, which the data path reads without @lock, change only while
 * @live is 0 and no CPU holds the window. @node and @member are under the link's lock.
 * @type, @map, @pd and @owner do not change.
 */
struct xr_mw {
	u32 live;
	u32 qpn;
	u32 access;
	u64 addr;
	u64 length;
	struct xr_mr *mr;

	spinlock_t lock;
	u32 key;
	u32 type;
	bool dying;
	struct xr_qp *qp;
	struct xroce_mpt *map;
	struct xr_pd *pd;
	struct xr_owner *owner;
	struct list_head node;
	struct list_head member;
	struct xr_charge charge;
	struct rcu_head rcu;
};

/**
 * struct xr_bind - arguments of a bind
 * @key: next key of the window; with @draw only its index counts
 * @present: key that the window must have now; 0: any
 * @lkey: L_Key of the region
 * @addr: address of the first byte
 * @length: bytes; 0: unbind a window of type 1
 * @access: XROCE_ACCESS_*
 * @draw: draw the key byte at random; type 1 only
 */
struct xr_bind {
	u32 key;
	u32 present;
	u32 lkey;
	u64 addr;
	u64 length;
	u32 access;
	bool draw;
};

struct xr_mw *xr_mw_get(const struct xr_link *link, const struct xr_owner *caller,
			u32 index);
int xr_mw_create(struct xr_link *link, struct xr_owner *caller,
		 struct xr_owner *owner, struct xroce_mw_add *a);
int xr_mw_delete(struct xr_link *link, struct xr_owner *caller, u32 index);
void xr_mw_destroy(struct xr_link *link, struct xr_mw *mw);
int xr_mw_query(struct xr_link *link, struct xr_owner *caller, struct xroce_mw_query *q);
void xr_mw_orphan(struct xr_pd *pd, const struct xr_mr *mr,
		  const struct xr_qp *qp);

/* mw_bind.c */
void xr_mw_stop(struct xr_mw *mw);
void xr_mw_show(const struct xr_mw *mw, enum xroce_mpt_state state);
int xr_mw_bind(struct xr_link *link, struct xr_mw *mw, struct xr_qp *qp,
	       const struct xr_bind *b);
int xr_mw_post_bind(struct xr_link *link, struct xr_qp *qp,
		    const struct xr_bind *b);
int xr_mw_invalidate(struct xr_link *link, struct xr_qp *qp, u32 key);

/* mw.c, for the data path */
struct xr_mr *xr_mw_acquire(const struct xr_qp *qp, u64 va, u32 key, u32 len,
			 u32 right);

#endif
