// SPDX-License-Identifier: GPL-2.0-only
/* Multicast groups: joining and leaving. recv/mcast.c delivers the datagrams. */
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <net/ipv6.h>

#include "own/owner.h"
#include "own/share.h"

#include "group.h"

void xr_mcast_init(struct xr_mcast *m)
{
	mutex_init(&m->lock);
	hash_init(m->members);
	m->key = get_random_u32();
}

/* The membership of @qp in @group; NULL: it is no member. The lock is held. */
static struct xr_member *xr_mcast_find(struct xr_mcast *m, const struct xr_qp *qp,
				       const struct in6_addr *group)
{
	struct xr_member *member;

	lockdep_assert_held(&m->lock);
	hash_for_each_possible(m->members, member, node, xr_mcast_hash(m, group))
		if (member->qp == qp && ipv6_addr_equal(&member->group, group))
			return member;
	return NULL;
}

/*
 * True if another membership is allowed. @all: memberships there are, at most @max; @own: those of
 * the user; @limited: the user may have no more than a share.
 */
static bool xr_mcast_fits(u32 all, u32 own, u32 max, bool limited)
{
	return all < max && (!limited || xr_share_room(max, all, own));
}

/* True if there is room for another membership. The lock is held. */
static bool xr_mcast_room(struct xr_mcast *m, const struct xr_member *new)
{
	bool limited = new->user && !xr_owner_admin();
	u32 groups = 0, members = 0, own = 0, own_members = 0;
	struct xr_member *member;
	int bucket;

	hash_for_each(m->members, bucket, member, node) {
		bool same = ipv6_addr_equal(&member->group, &new->group);
		bool mine = member->user == new->user;

		groups += member->qp == new->qp;
		members += same;
		own += mine;
		own_members += same && mine;
	}
	return groups < XR_MCAST_QP_MAX &&
	       xr_mcast_fits(members, own_members, XR_MCAST_GROUP_MAX, limited) &&
	       xr_mcast_fits(m->count, own, XR_MCAST_MAX, limited);
}

/**
 * xr_mcast_new() - allocate a membership, for xr_mcast_join()
 * @qp: a queue pair of UD
 * @owner: its owner
 * @group: address of the group
 * @netns: see struct xr_member
 *
 * Sleeps. Return: the membership; NULL: no memory.
 */
struct xr_member *xr_mcast_new(struct xr_qp *qp, const struct xr_owner *owner,
			       const struct in6_addr *group, u64 netns)
{
	struct xr_member *member = kzalloc(sizeof(*member), GFP_KERNEL_ACCOUNT);

	if (member) {
		member->qp = qp;
		member->user = owner->user;
		member->group = *group;
		member->netns = netns;
	}
	return member;
}
EXPORT_SYMBOL_GPL(xr_mcast_new);

/**
 * xr_mcast_join() - have a queue pair take datagrams of a group
 * @m: the groups of its link
 * @member: the membership, of xr_mcast_new(); the caller frees it unless the result is 0
 *
 * A member that joins again stays a member once. Sleeps.
 *
 * Return: 0; 1: it has been a member; -ENOSPC: it is in XR_MCAST_QP_MAX groups, the group has
 * XR_MCAST_GROUP_MAX members, the link XR_MCAST_MAX memberships, or the user has the share of
 * either.
 */
int xr_mcast_join(struct xr_mcast *m, struct xr_member *member)
{
	int ret = 0;

	mutex_lock(&m->lock);
	if (xr_mcast_find(m, member->qp, &member->group))
		ret = 1;
	else if (!xr_mcast_room(m, member))
		ret = -ENOSPC;
	if (!ret) {
		m->count++;
		hash_add_rcu(m->members, &member->node, xr_mcast_hash(m, &member->group));
	}
	mutex_unlock(&m->lock);
	return ret;
}
EXPORT_SYMBOL_GPL(xr_mcast_join);

static void xr_mcast_remove(struct xr_mcast *m, struct xr_member *member)
{
	m->count--;
	hash_del_rcu(&member->node);
	kfree_rcu(member, rcu);
}

/*
 * Undo xr_mcast_join(). Sleeps. Return: 0; 1: the membership was without a filter; -EINVAL: @qp is
 * not in the group.
 */
int xr_mcast_leave(struct xr_mcast *m, const struct xr_qp *qp, const struct in6_addr *group)
{
	struct xr_member *member;
	int ret = -EINVAL;

	mutex_lock(&m->lock);
	member = xr_mcast_find(m, qp, group);
	if (member) {
		ret = member->unfiltered;
		xr_mcast_remove(m, member);
	}
	mutex_unlock(&m->lock);
	return ret;
}
EXPORT_SYMBOL_GPL(xr_mcast_leave);

/**
 * xr_mcast_filter() - the network device has lost its filter
 * @m: the groups of a link
 * @add: adds a group to the new filter; gets the group of a membership and @arg. Return: whether it
 *	could. The lock is held
 * @arg: its argument
 *
 * Sleeps.
 */
void xr_mcast_filter(struct xr_mcast *m, bool (*add)(const struct in6_addr *group, void *arg),
		     void *arg)
{
	struct xr_member *member;
	int bucket;

	mutex_lock(&m->lock);
	hash_for_each(m->members, bucket, member, node)
		member->unfiltered = !add(&member->group, arg);
	mutex_unlock(&m->lock);
}
EXPORT_SYMBOL_GPL(xr_mcast_filter);

/* The queue pair is being destroyed. Sleeps. */
void xr_mcast_leave_all(struct xr_mcast *m, const struct xr_qp *qp)
{
	struct xr_member *member;
	struct hlist_node *next;
	int bucket;

	mutex_lock(&m->lock);
	if (m->count)
		hash_for_each_safe(m->members, bucket, next, member, node)
			if (member->qp == qp)
				xr_mcast_remove(m, member);
	mutex_unlock(&m->lock);
}
