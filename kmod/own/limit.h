/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Limits of what a link's users may have, and counts of what they have: in all, for
 * each user, and, where the kernel has that, for each control group.
 *
 * An object holds a charge from when it is made until it has gone, memory from before
 * it is pinned until after it has been unpinned. The data path counts nothing but the
 * packets that it puts aside.
 */
#ifndef _XR_LIMIT_H
#define _XR_LIMIT_H

#include <linux/atomic.h>
#include <linux/cgroup_rdma.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/xarray.h>

#include "uapi/xroce.h"

struct rdma_cgroup;
struct xr_owner;

/* Packets deferred on all links together: at most some 20 MB. */
#define XR_DEFERRED_MAX	4096

/**
 * struct xr_user - a user of a link
 * @uid: who
 * @refs: descriptors that use the link, and charges; it goes with the last of them
 * @used: what is charged, by enum xroce_counted, but for XROCE_COUNT_DEFERRED
 * @deferred: deferred packets; under no lock
 */
struct xr_user {
	kuid_t uid;
	unsigned long refs;
	u64 used[XROCE_COUNTED];
	atomic_t deferred;
};

/**
 * struct xr_limits - limits and counts of a link
 * @lock: for all, and for the users; the data path reads @link and @user without it
 * @link: most that there may be in all, by enum xroce_counted
 * @user: most that a user may have
 * @used: what is charged, in all, but for XROCE_COUNT_DEFERRED
 * @deferred: deferred packets, in all; under no lock
 * @deferred_own: those of persistent queue pairs, which have no user; likewise
 * @users: struct xr_user by number
 * @name: what the link is called by the controller "rdma" of control groups; empty:
 *	it does not know the link
 * @device: for that controller, which keeps pointers to it and to @name
 */
struct xr_limits {
	struct mutex lock;
	u64 link[XROCE_COUNTED];
	u64 user[XROCE_COUNTED];
	u64 used[XROCE_COUNTED];
	atomic_t deferred;
	atomic_t deferred_own;
	struct xarray users;
	char name[16];
#ifdef CONFIG_CGROUP_RDMA
	struct rdmacg_device device;
#endif
};

/**
 * struct xr_charge - what an object, or memory, counts for
 * @limits: where; NULL: for nothing
 * @user: whose; NULL: nobody's, it is persistent
 * @group: control group that has been charged; NULL: none
 * @amount: objects or bytes
 * @kind: what it is
 */
struct xr_charge {
	struct xr_limits *limits;
	struct xr_user *user;
	struct rdma_cgroup *group;
	u64 amount;
	enum xroce_counted kind;
};

void xr_limits_init(struct xr_limits *limits);
void xr_limits_name(struct xr_limits *limits, u32 link);
void xr_limits_exit(struct xr_limits *limits);
int xr_limits_join(struct xr_limits *limits, struct xr_owner *own);
void xr_limits_leave(struct xr_owner *own);
int xr_charge(struct xr_charge *c, const struct xr_owner *owner,
	      enum xroce_counted kind, u64 amount);
void xr_uncharge(struct xr_charge *c);
bool xr_charge_deferred(const struct xr_owner *owner);
void xr_uncharge_deferred(const struct xr_owner *owner);
int xr_limit_set(struct xr_limits *limits, const struct xroce_limit_set *a);
int xr_limit_query(struct xr_limits *limits, struct xroce_limit_query *q);

#endif
