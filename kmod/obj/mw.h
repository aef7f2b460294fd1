/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory windows (IBTA 10.6.7): a part of a region with rights of its own, which
 * are granted and taken back without a system call.
 *
 * A window that is bound is one of its region's xr_mr::windows, and one of type 2
 * is counted in its queue pair as well. Regions and queue pairs that go see to
 * that nothing is bound to them any more, and that nothing will be (mw_count.h).
 * So a bound window keeps its region, and the data path has to hold no more than
 * the window (hazard.h).
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
 * @live: @key while it is bound, else 0; what the data path goes by
 * @qpn: of type 2: queue pair that may use it; else 0
 * @access: XROCE_ACCESS_*
 * @addr: address of the first byte
 * @length: bytes
 * @mr: region that it is bound to; NULL: none
 * @lock: for what is above, and for @key, @gone and @qp; bottom halves off
 * @key: index << 8 | key byte
 * @type: enum xroce_mw_type
 * @gone: it is being deallocated
 * @qp: of type 2: the queue pair, while bound
 * @map: its entry in the map "mpt"
 * @pd: protection domain it is a member of
 * @owner: whose it is
 * @node: in @owner's list
 * @member: in @pd's list
 * @charge: what it counts for
 * @rcu: the structure outlives its data path readers
 *
 * From @qpn to @mr nothing changes before @live is 0 and no CPU is on the window.
 * @node and @member are under the link's lock; @type, @map, @pd and @owner do not
 * change.
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
	bool gone;
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
 * struct xr_bind - what to bind a window to
 * @key: its next key; with @draw the byte does not count
 * @lkey: of the region
 * @addr: first byte
 * @length: bytes
 * @access: XROCE_ACCESS_*
 * @one: it is a window of type 1
 * @draw: the key byte is to be drawn; type 1 only
 */
struct xr_bind {
	u32 key;
	u32 lkey;
	u64 addr;
	u64 length;
	u32 access;
	bool one;
	bool draw;
};

struct xr_mw *xr_mw_get(const struct xr_link *link, const struct xr_owner *caller,
			u32 index);
int xr_mw_create(struct xr_link *link, struct xr_owner *caller,
		 struct xr_owner *owner, struct xroce_mw_add *a);
int xr_mw_delete(struct xr_link *link, struct xr_owner *caller, u32 index);
void xr_mw_destroy(struct xr_link *link, struct xr_mw *mw);
int xr_mw_query(struct xr_link *link, struct xr_owner *caller, bool next,
		struct xroce_mw_query *q);
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
struct xr_mr *xr_mw_acquire(const struct xr_qp *qp, u64 va, u32 key, u32 len,
			 u32 right);

#endif
