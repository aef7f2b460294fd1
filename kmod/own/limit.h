/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Limits of the objects and memory on a link, and counts of the present use: for the link,
 * for each user, and, if the kernel supports it, for each control group.
 *
 * An object is charged from its creation to its destruction, memory from before it is pinned
 * until it has been unpinned. The data path counts only the packets that it defers.
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
struct xr_share;

/* Objects of a kind that a link can have, where only memory limits them. */
#define XR_PLACES	(1u << 18)

/* Time between two lines in the log about refusals on a link, in jiffies. */
#define XR_REFUSED_QUIET	(60 * HZ)

/* Maximum number of deferred packets on all links. They take at most about 20 MB. */
#define XR_ALL_DEFERRED_MAX	4096

/**
 * struct xr_user - a user of a link
 * @uid: real user id of the process that opened the descriptor
 * @refs: descriptors that use the link, and charges; the last one frees the structure
 * @used: what is charged, by enum xroce_counted; XROCE_COUNT_DEFERRED is in @deferred
 * @share: what the user has of the pool of translation tables, with a reference
 * @deferred: deferred packets; under no lock
 *
 * Under xr_limits::lock, except @deferred; @share does not change.
 */
struct xr_user {
	kuid_t uid;
	unsigned long refs;
	u64 used[XROCE_REFUSED];
	struct xr_share *share;
	atomic_t deferred;
};

/**
 * struct xr_limits - limits and counts of a link
 * @lock: for all fields and for the users; the data path reads @link and @user without it
 * @link: limits of the link, by enum xroce_counted; from XROCE_COUNTED on there are none
 * @user: limits of each user, likewise
 * @used: what is charged on the link; XROCE_COUNT_DEFERRED is in @deferred
 * @places: size of the table, likewise; 0: there is none, or the link has no maps yet. Regions
 *	and windows have one table
 * @refused: how often something has been refused, likewise
 * @quiet: no line in the log until then, in jiffies; 0: none has been written
 * @dev: name of the network device, which may change at any time
 * @deferred: deferred packets of the link; under no lock
 * @deferred_own: deferred packets of its persistent queue pairs, which have no user; under
 *	no lock
 * @users: struct xr_user by user id
 * @name: name of the link for the control group controller "rdma"; empty: not registered
 * @device: the link for that controller, which keeps pointers to @device and @name
 */
struct xr_limits {
	struct mutex lock;
	u64 link[XROCE_REFUSED];
	u64 user[XROCE_REFUSED];
	u64 used[XROCE_REFUSED];
	u64 places[XROCE_REFUSED];
	u64 refused[XROCE_REFUSED];
	unsigned long quiet;
	const char *dev;
	atomic_t deferred;
	atomic_t deferred_own;
	struct xarray users;
	char name[16];
#ifdef CONFIG_CGROUP_RDMA
	struct rdmacg_device device;
#endif
};

/**
 * struct xr_charge - the charge of an object or of pinned memory
 * @limits: the link's limits and counts; NULL: nothing is charged
 * @user: user that is charged; NULL: none, the object is persistent
 * @group: control group that is charged; NULL: none
 * @amount: 1 for an object, or bytes
 * @kind: what is charged
 */
struct xr_charge {
	struct xr_limits *limits;
	struct xr_user *user;
	struct rdma_cgroup *group;
	u64 amount;
	enum xroce_counted kind;
};

/**
 * enum xr_refusal - why something is refused
 * @XR_REFUSED_LINK: a limit of the link
 * @XR_REFUSED_USER: a limit of users
 * @XR_REFUSED_SHARE: the user's share of a table
 * @XR_REFUSED_FULL: the table is full, or what remains is the reserve
 * @XR_REFUSED_MEMLOCK: RLIMIT_MEMLOCK
 */
enum xr_refusal {
	XR_REFUSED_LINK,
	XR_REFUSED_USER,
	XR_REFUSED_SHARE,
	XR_REFUSED_FULL,
	XR_REFUSED_MEMLOCK,
};

void xr_limits_init(struct xr_limits *limits, const char *dev);
void xr_limits_tables(struct xr_limits *limits, u32 keys, u32 qps);
void xr_limits_name(struct xr_limits *limits, u32 link);
void xr_limits_exit(struct xr_limits *limits);
int xr_limits_join(struct xr_limits *limits, struct xr_owner *own);
void xr_limits_leave(struct xr_owner *own);
u64 xr_limits_refused(struct xr_limits *limits);
void xr_user_put(struct xr_limits *limits, struct xr_user *user);
u64 xr_table_room(const struct xr_limits *limits, const struct xr_user *user,
		  enum xroce_counted kind);
int xr_limit_set(struct xr_limits *limits, const struct xroce_limit_set *a);
int xr_limit_query(struct xr_limits *limits, struct xroce_limit_query *q);

/* charge.c */
int xr_charge(struct xr_charge *c, const struct xr_owner *owner,
	      enum xroce_counted kind, u64 amount);
void xr_uncharge(struct xr_charge *c);
void xr_refuse(const struct xr_owner *owner, enum xroce_counted kind, enum xr_refusal why);
bool xr_charge_deferred(const struct xr_owner *owner);
void xr_uncharge_deferred(const struct xr_owner *owner);

/* group.c */
#ifdef CONFIG_CGROUP_RDMA
void xr_group_register(struct xr_limits *limits);
void xr_group_unregister(struct xr_limits *limits);
int xr_group_charge(struct xr_limits *limits, struct rdma_cgroup **group,
		    enum rdmacg_resource_type type);

/* Undo xr_group_charge(). @group may be NULL. */
static inline void xr_group_uncharge(struct xr_limits *limits, struct rdma_cgroup *group,
				     enum rdmacg_resource_type type)
{
	if (group)
		rdmacg_uncharge(group, &limits->device, type);
}
#else
static inline void xr_group_register(struct xr_limits *limits)
{
	limits->name[0] = 0;
}

static inline void xr_group_unregister(struct xr_limits *limits)
{
}

static inline int xr_group_charge(struct xr_limits *limits, struct rdma_cgroup **group,
				  enum rdmacg_resource_type type)
{
	return 0;
}

static inline void xr_group_uncharge(struct xr_limits *limits, struct rdma_cgroup *group,
				     enum rdmacg_resource_type type)
{
}
#endif

#endif
