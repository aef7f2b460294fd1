/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Multicast groups (IBTA 10.5): which queue pairs take datagrams for which group address.
 *
 * Members are in a hash table of their link, which the data path reads under RCU.
 */
#ifndef _XR_RECV_GROUP_H
#define _XR_RECV_GROUP_H

#include <linux/hashtable.h>
#include <linux/in6.h>
#include <linux/jhash.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

struct xr_owner;
struct xr_qp;
struct xr_user;

#define XR_MCAST_BITS		8	/* log2 of the buckets */
#define XR_MCAST_QP_MAX		64u	/* groups of a queue pair */
#define XR_MCAST_GROUP_MAX	64u	/* members of a group: copies of a frame in softirq */
#define XR_MCAST_MAX		4096u	/* memberships of a link */

/*
 * Without CAP_NET_ADMIN a user has a share of the memberships of a link, and of those in a group
 * (own/share.h).
 */

/**
 * struct xr_mcast - groups of a link
 * @lock: for writers of @members and for @count
 * @members: struct xr_member, by group
 * @count: how many, at most XR_MCAST_MAX
 * @key: of the hash, random; does not change
 */
struct xr_mcast {
	struct mutex lock;
	DECLARE_HASHTABLE(members, XR_MCAST_BITS);
	u32 count;
	u32 key;
};

/**
 * struct xr_member - a queue pair in a group
 * @node: in xr_mcast::members
 * @qp: the queue pair, which leaves all groups before it is destroyed
 * @user: user that the queue pair counts for; NULL: none
 * @group: address of the group; an IPv4 one is mapped to IPv6
 * @netns: cookie of the network namespace of the program that joined; of a consumer in the
 *	kernel: of the network device
 * @unfiltered: the network device's filter has no reference for this membership, see
 *	xr_mcast_filter(); under xr_mcast::lock
 * @rcu: for freeing the structure after its readers on the data path
 *
 * @qp, @user, @group and @netns do not change.
 */
struct xr_member {
	struct hlist_node node;
	struct xr_qp *qp;
	const struct xr_user *user;
	struct in6_addr group;
	u64 netns;
	bool unfiltered;
	struct rcu_head rcu;
};

static inline u32 xr_mcast_hash(const struct xr_mcast *m, const struct in6_addr *group)
{
	return jhash2((__force const u32 *)group->s6_addr32, 4, m->key);
}

void xr_mcast_init(struct xr_mcast *m);
struct xr_member *xr_mcast_new(struct xr_qp *qp, const struct xr_owner *owner,
			       const struct in6_addr *group, u64 netns);
int xr_mcast_join(struct xr_mcast *m, struct xr_member *member);
int xr_mcast_leave(struct xr_mcast *m, const struct xr_qp *qp, const struct in6_addr *group);
void xr_mcast_leave_all(struct xr_mcast *m, const struct xr_qp *qp);
void xr_mcast_filter(struct xr_mcast *m, bool (*add)(const struct in6_addr *group, void *arg),
		     void *arg);

#endif
