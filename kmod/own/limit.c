// SPDX-License-Identifier: GPL-2.0-only
/* Limits of links and their users; see charge.c for what counts. */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/export.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>

#include "limit.h"
#include "owner.h"
#include "share.h"

void xr_limits_init(struct xr_limits *limits, const char *dev)
{
	u32 i;

	limits->dev = dev;
	mutex_init(&limits->lock);
	xa_init(&limits->users);
	for (i = 0; i < XROCE_REFUSED; i++) {
		limits->link[i] = XROCE_LIMIT_NONE;
		limits->user[i] = XROCE_LIMIT_NONE;
	}
}

/* The link gets its tables, of @keys and @qps places. */
void xr_limits_tables(struct xr_limits *limits, u32 keys, u32 qps)
{
	u64 *places = limits->places;

	mutex_lock(&limits->lock);
	places[XROCE_COUNT_PD] = XR_PLACES;
	places[XROCE_COUNT_CQ] = XR_PLACES;
	places[XROCE_COUNT_SRQ] = XR_PLACES;
	places[XROCE_COUNT_AH] = XR_PLACES;
	/* Without index 0. */
	places[XROCE_COUNT_MR] = keys - 1;
	places[XROCE_COUNT_MW] = keys - 1;
	places[XROCE_COUNT_QP] = qps;
	mutex_unlock(&limits->lock);
}

/*
 * Register the link with the control group controller "rdma". The name of the netdev cannot
 * be used: it can change, and is unique only within a network namespace.
 */
void xr_limits_name(struct xr_limits *limits, u32 link)
{
	snprintf(limits->name, sizeof(limits->name), "xroce%u", link);
	xr_group_register(limits);
}

/* The link is being freed; nothing is charged any more. */
void xr_limits_exit(struct xr_limits *limits)
{
	WARN_ON_ONCE(!xa_empty(&limits->users));
	if (limits->name[0])
		xr_group_unregister(limits);
	xa_destroy(&limits->users);
	mutex_destroy(&limits->lock);
}

static void xr_user_free(struct xr_user *user)
{
	if (user)
		xr_share_put(user->share);
	kfree(user);
}

static struct xr_user *xr_user_new(kuid_t uid)
{
	struct xr_user *user = kzalloc(sizeof(*user), XR_GFP_LOCKED);

	if (!user)
		return NULL;
	user->uid = uid;
	user->share = xr_share_get(uid);
	if (user->share)
		return user;
	kfree(user);
	return NULL;
}

/* Get a reference to a user, and make the structure if there is none. */
static struct xr_user *xr_user_get(struct xr_limits *limits, kuid_t uid)
{
	struct xr_user *user;
	int ret = 0;

	mutex_lock(&limits->lock);
	user = xa_load(&limits->users, __kuid_val(uid));
	if (!user) {
		user = xr_user_new(uid);
		ret = user ? xa_err(xa_store(&limits->users, __kuid_val(uid),
					     user, XR_GFP_LOCKED)) :
			     -ENOMEM;
	}
	if (ret) {
		xr_user_free(user);
		user = ERR_PTR(ret);
	} else {
		user->refs++;
	}
	mutex_unlock(&limits->lock);
	return user;
}

/* Drop a reference to a user. The lock is held. */
void xr_user_put(struct xr_limits *limits, struct xr_user *user)
{
	lockdep_assert_held(&limits->lock);
	if (--user->refs)
		return;
	xa_erase(&limits->users, __kuid_val(user->uid));
	xr_user_free(user);
}

/**
 * xr_limits_join() - account for a descriptor that begins to use a link
 * @limits: limits of the link
 * @own: owner of the descriptor's objects, which count for @own->uid from now on
 *
 * Return: 0; -EAGAIN: limit of the control group; -ENOMEM.
 */
int xr_limits_join(struct xr_limits *limits, struct xr_owner *own)
{
	struct xr_user *user = xr_user_get(limits, own->uid);
	int ret;

	if (IS_ERR(user))
		return PTR_ERR(user);
	ret = xr_group_charge(limits, &own->group, RDMACG_RESOURCE_HCA_HANDLE);
	if (ret) {
		mutex_lock(&limits->lock);
		xr_user_put(limits, user);
		mutex_unlock(&limits->lock);
		return ret;
	}
	own->limits = limits;
	own->user = user;
	return 0;
}
EXPORT_SYMBOL_GPL(xr_limits_join);

/* Undo xr_limits_join(). The descriptor has no objects any more. */
void xr_limits_leave(struct xr_owner *own)
{
	struct xr_limits *limits = own->limits;

	xr_group_uncharge(limits, own->group, RDMACG_RESOURCE_HCA_HANDLE);
	mutex_lock(&limits->lock);
	xr_user_put(limits, own->user);
	mutex_unlock(&limits->lock);
}
EXPORT_SYMBOL_GPL(xr_limits_leave);

/* Return: entries in use of the table of @kind. */
static u64 xr_in_table(const u64 *used, enum xroce_counted kind)
{
	if (kind == XROCE_COUNT_MR || kind == XROCE_COUNT_MW)
		return used[XROCE_COUNT_MR] + used[XROCE_COUNT_MW];
	return used[kind];
}

/*
 * How many more may @user have of @kind, or for NULL all users without CAP_NET_ADMIN together?
 * The lock is held.
 */
u64 xr_table_room(const struct xr_limits *limits, const struct xr_user *user,
			 enum xroce_counted kind)
{
	u64 places = limits->places[kind], all = xr_in_table(limits->used, kind);

	lockdep_assert_held(&limits->lock);
	if (!places)
		return XROCE_LIMIT_NONE;
	if (user && limits->user[kind] == XROCE_LIMIT_NONE)
		return xr_share_room(places, all, xr_in_table(user->used, kind));
	return xr_share_left(places, all);
}

/* How often something has been refused on a link. Sleeps. */
u64 xr_limits_refused(struct xr_limits *limits)
{
	u64 sum = 0;
	u32 i;

	mutex_lock(&limits->lock);
	for (i = 0; i < XROCE_REFUSED; i++)
		sum += limits->refused[i];
	mutex_unlock(&limits->lock);
	return sum;
}
EXPORT_SYMBOL_GPL(xr_limits_refused);

/**
 * xr_limit_set() - set limits
 * @limits: limits of the link
 * @a: new values
 *
 * Return: 0, or -EINVAL: unknown bits in the mask, or a value without its bit.
 */
int xr_limit_set(struct xr_limits *limits, const struct xroce_limit_set *a)
{
	u64 *most = a->flags & XROCE_F_USER ? limits->user : limits->link;
	u32 i;

	if (!a->mask || a->mask >> XROCE_COUNTED)
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(a->limit); i++)
		if (!(a->mask & BIT(i)) && a->limit[i])
			return -EINVAL;
	mutex_lock(&limits->lock);
	for (i = 0; i < XROCE_COUNTED; i++)
		if (a->mask & BIT(i))
			WRITE_ONCE(most[i], a->limit[i]);
	mutex_unlock(&limits->lock);
	return 0;
}

/*
 * Find the user that a query is about. Without CAP_NET_ADMIN that is always the caller.
 * Return: 0; -EINVAL: no such user id; -ENOENT: another user, which the caller may not see.
 */
static int xr_limit_whom(const struct xroce_limit_query *q, kuid_t *uid)
{
	uid_t self = from_kuid_munged(current_user_ns(), current_uid());

	if (capable(CAP_NET_ADMIN)) {
		*uid = make_kuid(current_user_ns(), q->uid);
		return uid_valid(*uid) ? 0 : -EINVAL;
	}
	*uid = current_uid();
	if (q->flags & XROCE_F_NEXT ? q->uid > self : q->uid != self)
		return -ENOENT;
	return 0;
}

/*
 * Find the user that a query is about, and set xroce_limit_query::uid. The lock is held.
 * Return: the user; NULL: the user has nothing charged; or -EINVAL or -ENOENT.
 */
static struct xr_user *xr_limit_user(struct xr_limits *limits,
				     struct xroce_limit_query *q)
{
	bool next = q->flags & XROCE_F_NEXT;
	struct xr_user *user;
	unsigned long index;
	kuid_t uid;
	int ret;

	lockdep_assert_held(&limits->lock);
	ret = xr_limit_whom(q, &uid);
	if (ret)
		return ERR_PTR(ret);
	index = __kuid_val(uid);
	/* With the capability, user ids of the caller are indices of the XArray. */
	user = next && capable(CAP_NET_ADMIN) ?
	       xa_find(&limits->users, &index, ULONG_MAX, XA_PRESENT) :
	       xa_load(&limits->users, index);
	if (next && !user)
		return ERR_PTR(-ENOENT);
	q->uid = from_kuid_munged(current_user_ns(), user ? user->uid : uid);
	return user;
}

/**
 * xr_limit_query() - query limits and present use
 * @limits: limits of the link
 * @q: in: @flags and @uid; out: the rest
 *
 * Return: 0; -EINVAL: @flags and @uid do not fit, or no such user id; -ENOENT: no such user,
 * or the caller may not see it.
 */
int xr_limit_query(struct xr_limits *limits, struct xroce_limit_query *q)
{
	const struct xr_user nobody = {}, *of = NULL;
	const u64 *most = limits->link, *used = limits->used;
	const atomic_t *deferred = &limits->deferred;
	struct xr_user *user;
	u32 i;

	if (!(q->flags & XROCE_F_USER) && (q->flags || q->uid))
		return -EINVAL;
	mutex_lock(&limits->lock);
	if (q->flags & XROCE_F_USER) {
		user = xr_limit_user(limits, q);
		if (IS_ERR(user)) {
			mutex_unlock(&limits->lock);
			return PTR_ERR(user);
		}
		of = user ? : &nobody;
		most = limits->user;
		used = user ? user->used : NULL;
		deferred = user ? &user->deferred : NULL;
	}
	strscpy_pad(q->device, limits->name, sizeof(q->device));
	for (i = 0; i < ARRAY_SIZE(q->room); i++) {
		q->room[i] = i < XROCE_REFUSED ? xr_table_room(limits, of, i) : 0;
		q->refused[i] = i < XROCE_REFUSED && !of ? limits->refused[i] : 0;
	}
	for (i = 0; i < ARRAY_SIZE(q->limit); i++) {
		q->limit[i] = i < XROCE_COUNTED ? most[i] : 0;
		q->used[i] = i < XROCE_COUNTED && used ? used[i] : 0;
	}
	q->used[XROCE_COUNT_DEFERRED] = deferred ? atomic_read(deferred) : 0;
	mutex_unlock(&limits->lock);
	return 0;
}
