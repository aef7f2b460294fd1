// SPDX-License-Identifier: GPL-2.0-only
/* Limits and shares: charge, uncharge, refuse, set, query. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>

#include "limit.h"
#include "owner.h"
#include "share.h"
#include "trace.h"

/* By enum xroce_counted, for the log. */
static const char *const xr_counted_names[XROCE_REFUSED] = {
	[XROCE_COUNT_PD] = "a protection domain",
	[XROCE_COUNT_MR] = "a region",
	[XROCE_COUNT_MW] = "a window",
	[XROCE_COUNT_QP] = "a queue pair",
	[XROCE_COUNT_CQ] = "a completion queue",
	[XROCE_COUNT_SRQ] = "a shared receive queue",
	[XROCE_COUNT_PINNED] = "pinned memory",
	[XROCE_COUNT_DEFERRED] = "a deferred packet",
	[XROCE_COUNT_TABLE] = "a translation table",
	[XROCE_COUNT_AH] = "an address handle",
	[XROCE_COUNT_MCAST] = "a membership in a multicast group",
	[XROCE_COUNT_MEMLOCK] = "pinned memory",
};

static const char *const xr_refusals[] = {
	[XR_REFUSED_LINK] = "limit of the link ('xroce link limit' changes it)",
	[XR_REFUSED_USER] = "limit of users ('xroce link limit user' changes it)",
	[XR_REFUSED_SHARE] = "share of a user ('xroce link limit user' sets a limit instead)",
	[XR_REFUSED_FULL] = "table is full",
	[XR_REFUSED_MEMLOCK] = "RLIMIT_MEMLOCK ('ulimit -l' changes it)",
};

#ifdef CONFIG_CGROUP_RDMA
/*
 * rdmacg_css_offline() leaves idle limits behind, at least in Linux 6.12: if a device of any
 * driver is unregistered after a control group that limited it has been removed, the kernel
 * uses freed memory. So this is off unless an administrator turns it on. A link keeps the
 * value with which it was made.
 */
static bool rdma_cgroup;
module_param(rdma_cgroup, bool, 0644);
MODULE_PARM_DESC(rdma_cgroup,
		 "links made from now on are devices of the control group controller rdma (N)");

static void xr_group_register(struct xr_limits *limits)
{
	if (!READ_ONCE(rdma_cgroup)) {
		limits->name[0] = 0;
		return;
	}
	limits->device.name = limits->name;
	rdmacg_register_device(&limits->device);
}

static void xr_group_unregister(struct xr_limits *limits)
{
	rdmacg_unregister_device(&limits->device);
}

static int xr_group_charge(struct xr_limits *limits, struct rdma_cgroup **group,
			   bool object)
{
	if (!limits->name[0])
		return 0;
	return rdmacg_try_charge(group, &limits->device,
				 object ? RDMACG_RESOURCE_HCA_OBJECT :
					  RDMACG_RESOURCE_HCA_HANDLE);
}

static void xr_group_uncharge(struct xr_limits *limits,
			      struct rdma_cgroup *group, bool object)
{
	if (group)
		rdmacg_uncharge(group, &limits->device,
				object ? RDMACG_RESOURCE_HCA_OBJECT :
					 RDMACG_RESOURCE_HCA_HANDLE);
}
#else
static void xr_group_register(struct xr_limits *limits)
{
	limits->name[0] = 0;
}

static void xr_group_unregister(struct xr_limits *limits)
{
}

static int xr_group_charge(struct xr_limits *limits, struct rdma_cgroup **group,
			   bool object)
{
	return 0;
}

static void xr_group_uncharge(struct xr_limits *limits,
			      struct rdma_cgroup *group, bool object)
{
}
#endif

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
static void xr_user_put(struct xr_limits *limits, struct xr_user *user)
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
	ret = xr_group_charge(limits, &own->group, false);
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

	xr_group_uncharge(limits, own->group, false);
	mutex_lock(&limits->lock);
	xr_user_put(limits, own->user);
	mutex_unlock(&limits->lock);
}
EXPORT_SYMBOL_GPL(xr_limits_leave);

static void xr_count(struct xr_charge *c)
{
	c->limits->used[c->kind] += c->amount;
	if (!c->user)
		return;
	c->user->used[c->kind] += c->amount;
	c->user->refs++;
}

static void xr_uncount(struct xr_charge *c)
{
	mutex_lock(&c->limits->lock);
	c->limits->used[c->kind] -= c->amount;
	if (c->user) {
		c->user->used[c->kind] -= c->amount;
		xr_user_put(c->limits, c->user);
	}
	mutex_unlock(&c->limits->lock);
	c->limits = NULL;
}

/* The present use may exceed a limit that has been lowered. */
static bool xr_fits(u64 used, u64 amount, u64 most)
{
	return used <= most && amount <= most - used;
}

/* What is in use of the table of @kind. */
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
static u64 xr_table_room(const struct xr_limits *limits, const struct xr_user *user,
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

/*
 * Find out whether @user may have @amount more. NULL: a link, or the kernel. The lock is held.
 * Return: 0; -EDQUOT, and @why says why not.
 */
static int xr_charge_check(const struct xr_limits *limits, const struct xr_user *user,
			   enum xroce_counted kind, u64 amount, enum xr_refusal *why)
{
	if (!xr_fits(limits->used[kind], amount, limits->link[kind])) {
		*why = XR_REFUSED_LINK;
		return -EDQUOT;
	}
	if (!user)
		return 0;
	if (!xr_fits(user->used[kind], amount, limits->user[kind]))
		*why = XR_REFUSED_USER;
	else if (amount <= xr_table_room(limits, user, kind))
		return 0;
	else if (amount > xr_table_room(limits, NULL, kind))
		*why = XR_REFUSED_FULL;
	else
		*why = XR_REFUSED_SHARE;
	return xr_owner_admin() ? 0 : -EDQUOT;
}

/*
 * Count a refusal, and write it to the log, at most once in XR_REFUSED_QUIET on a link, so that a
 * user who is refused again and again does not fill it. The lock is held.
 */
static void xr_refused(struct xr_limits *limits, const struct xr_user *user,
		       enum xroce_counted kind, enum xr_refusal why)
{
	lockdep_assert_held(&limits->lock);
	limits->refused[kind]++;
	trace_xroce_refused(limits->dev, user ? from_kuid_munged(&init_user_ns, user->uid) : -1,
			    kind, xr_counted_names[kind], xr_refusals[why]);
	if (limits->quiet && time_before(jiffies, limits->quiet))
		return;
	limits->quiet = (jiffies + XR_REFUSED_QUIET) ? : 1;
	if (user)
		pr_notice("%.15s: user %u was refused %s: %s\n", limits->dev,
			  from_kuid_munged(&init_user_ns, user->uid), xr_counted_names[kind],
			  xr_refusals[why]);
	else
		pr_notice("%.15s: refused %s: %s\n", limits->dev, xr_counted_names[kind],
			  xr_refusals[why]);
}

/**
 * xr_refuse() - something is refused for another reason than xr_charge()
 * @owner: who would have owned it
 * @kind: what
 * @why: the reason
 *
 * Sleeps.
 */
void xr_refuse(const struct xr_owner *owner, enum xroce_counted kind, enum xr_refusal why)
{
	struct xr_limits *limits = owner->limits;

	if (!limits)
		return;
	mutex_lock(&limits->lock);
	xr_refused(limits, owner->user, kind, why);
	mutex_unlock(&limits->lock);
}
EXPORT_SYMBOL_GPL(xr_refuse);

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
 * xr_charge() - charge an object that is about to be made, or memory before it is pinned
 * @c: out: the charge, for xr_uncharge()
 * @owner: future owner
 * @kind: what is charged
 * @amount: 1, or bytes
 *
 * The limits of the link always apply, those of a user, shares and reserves only without
 * CAP_NET_ADMIN. The control group of the calling process is charged, too, except for pinned
 * memory and what ib_core charges. Sleeps.
 *
 * Return: 0; -EDQUOT: limit of the link or user, or the user's share; -EAGAIN: limit of the
 * control group; -ENOMEM.
 */
int xr_charge(struct xr_charge *c, const struct xr_owner *owner,
	      enum xroce_counted kind, u64 amount)
{
	struct xr_limits *limits = owner->limits;
	struct xr_user *user = owner->user;
	enum xr_refusal why;
	int ret;

	*c = (struct xr_charge){
		.limits = limits,
		.user = user,
		.amount = amount,
		.kind = kind,
	};
	mutex_lock(&limits->lock);
	ret = xr_charge_check(limits, user, kind, amount, &why);
	if (ret)
		xr_refused(limits, user, kind, why);
	else
		xr_count(c);
	mutex_unlock(&limits->lock);
	if (ret) {
		c->limits = NULL;
		return ret;
	}
	if (kind == XROCE_COUNT_PINNED || kind == XROCE_COUNT_AH)
		return 0;
	ret = xr_group_charge(limits, &c->group, true);
	if (ret)
		xr_uncount(c);
	return ret;
}
EXPORT_SYMBOL_GPL(xr_charge);

/* Undo xr_charge(). @c may be empty. Sleeps. */
void xr_uncharge(struct xr_charge *c)
{
	if (!c->limits)
		return;
	xr_group_uncharge(c->limits, c->group, true);
	xr_uncount(c);
}
EXPORT_SYMBOL_GPL(xr_uncharge);

/* Number of deferred packets on all links. */
static atomic_t xr_deferred_all = ATOMIC_INIT(0);

/* Return: the counter of a user's deferred packets, or of a link's persistent queue pairs. */
static atomic_t *xr_deferred_by(const struct xr_owner *owner)
{
	return owner->user ? &owner->user->deferred : &owner->limits->deferred_own;
}

/**
 * xr_charge_deferred() - charge a packet that is about to be deferred
 * @owner: owner of the packet's queue pair; its capabilities do not matter
 *
 * A user may have at most as many deferred packets as remain free: one user leaves half, and two
 * users who defer as many as they can get a third each. In softirq.
 *
 * Return: false: no room; nothing is charged.
 */
bool xr_charge_deferred(const struct xr_owner *owner)
{
	struct xr_limits *limits = owner->limits;
	int all = atomic_inc_return(&xr_deferred_all);
	int link = atomic_inc_return(&limits->deferred);
	int user = atomic_inc_return(xr_deferred_by(owner));

	if (user <= XR_ALL_DEFERRED_MAX - all &&
	    link <= READ_ONCE(limits->link[XROCE_COUNT_DEFERRED]) &&
	    (!owner->user || user <= READ_ONCE(limits->user[XROCE_COUNT_DEFERRED])))
		return true;
	xr_uncharge_deferred(owner);
	return false;
}

/* Undo xr_charge_deferred(): the packet has been executed or dropped. */
void xr_uncharge_deferred(const struct xr_owner *owner)
{
	atomic_dec(xr_deferred_by(owner));
	atomic_dec(&owner->limits->deferred);
	atomic_dec(&xr_deferred_all);
}

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
