/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Multicast groups (IBTA 10.5): which queue pairs take datagrams for which group address.
 *
 * Members are in a hash table of their link, which the data path reads under RCU.
 */
#ifndef _XR_MCAST_H
#define _XR_MCAST_H

#include <linux/hashtable.h>
#include <linux/in6.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

struct xr_qp;

#define XR_MCAST_BITS		8	/* log2 of the buckets */
#define XR_MCAST_QP_MAX		64u	/* groups of a queue pair */

/**
 * struct xr_mcast - groups of a link
 * @lock: for writers of @members and for @count
 * @members: struct xr_member, by group
 * @count: how many
 */
struct xr_mcast {
	struct mutex lock;
	DECLARE_HASHTABLE(members, XR_MCAST_BITS);
	u32 count;
};

/**
 * struct xr_member - a queue pair in a group
 * @node: in xr_mcast::members
 * @qp: the queue pair, which leaves all groups before it is destroyed
 * @group: address of the group; an IPv4 one is mapped to IPv6
 * @rcu: for freeing the structure after its readers on the data path
 *
 * @qp and @group do not change.
 */
struct xr_member {
	struct hlist_node node;
	struct xr_qp *qp;
	struct in6_addr group;
	struct rcu_head rcu;
};

static inline u32 xr_mcast_hash(const struct in6_addr *group)
{
	return (__force u32)(group->s6_addr32[0] ^ group->s6_addr32[1] ^ group->s6_addr32[2] ^
			     group->s6_addr32[3]);
}

void xr_mcast_init(struct xr_mcast *m);
int xr_mcast_join(struct xr_mcast *m, struct xr_qp *qp, const struct in6_addr *group);
int xr_mcast_leave(struct xr_mcast *m, const struct xr_qp *qp, const struct in6_addr *group);
void xr_mcast_leave_all(struct xr_mcast *m, const struct xr_qp *qp);

#endif
