/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shares of what is shared. An eighth is a reserve for administrators and the kernel. Of the rest
 * a user has at most as much as remains free: one user leaves half of it, and two who want all get
 * a third each. So a user who has nothing always finds room, unless very many have taken theirs,
 * and an administrator finds some even then.
 *
 * Tables of a link are counted by link (limit.h). The pool of translation tables is of all links,
 * and memory may outlive its link, so it is counted here.
 */
#ifndef _XR_SHARE_H
#define _XR_SHARE_H

#include <linux/list.h>
#include <linux/math.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#define XR_SHARE_RESERVE	8	/* one part in eight is the reserve */

/**
 * struct xr_share - what a user has of the pool
 * @node: in the list of users
 * @uid: real user id
 * @refs: users of links with this id
 * @used: amount; freed when both are 0
 *
 * Under a lock of share.c.
 */
struct xr_share {
	struct list_head node;
	kuid_t uid;
	unsigned long refs;
	u64 used;
};

/* How much more users may have together: all have @all of @size. */
static inline u64 xr_share_left(u64 size, u64 all)
{
	u64 usable = size - DIV_ROUND_UP_ULL(size, XR_SHARE_RESERVE);

	return usable > all ? usable - all : 0;
}

/* How much more a user may have who has @own, and leaves as much free. */
static inline u64 xr_share_room(u64 size, u64 all, u64 own)
{
	u64 left = xr_share_left(size, all);

	return left > own ? (left - own) / 2 : 0;
}

struct xr_share *xr_share_get(kuid_t uid);
void xr_share_put(struct xr_share *share);
bool xr_share_take(struct xr_share *share, u64 amount, u64 size);
void xr_share_give(struct xr_share *share, u64 amount);

#endif
