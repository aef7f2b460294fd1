// SPDX-License-Identifier: GPL-2.0-only
/* Charging objects, memory and deferred packets, and refusing them. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/printk.h>
#include <linux/user_namespace.h>

#include "limit.h"
#include "owner.h"
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
	ret = xr_group_charge(limits, &c->group, RDMACG_RESOURCE_HCA_OBJECT);
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
	xr_group_uncharge(c->limits, c->group, RDMACG_RESOURCE_HCA_OBJECT);
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
