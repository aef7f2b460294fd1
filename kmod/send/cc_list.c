// SPDX-License-Identifier: GPL-2.0-only
/* The algorithms of congestion control: see cc_list.h. */
#include <linux/bpf.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/list.h>
#include <linux/moduleparam.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "uapi/xroce.h"
#include "xroce_cc.h"

#include "cc_list.h"

/**
 * struct xr_cc_alg - an algorithm
 * @ops: what it does
 * @node: in the list of algorithms
 * @id: number that no other one has had
 * @bpf: it is a BPF program
 * @link: of a BPF program: its BPF link; NULL: it has none
 * @users: connections that use it, struct xr_cc_user::node
 * @connections: their number
 * @choices: links that have chosen it, struct xr_cc_choice::node
 * @links: their number
 *
 * Under xr_cc_lock.
 */
struct xr_cc_alg {
	const struct xroce_cc_ops *ops;
	struct list_head node;
	u32 id;
	bool bpf;
	const struct bpf_link *link;
	struct list_head users;
	u32 connections;
	struct list_head choices;
	u32 links;
};

#define XR_CC_BUILTIN(id_, ops_, prev_, next_)				\
	{								\
		.ops = &(ops_),						\
		.node = { .prev = (prev_), .next = (next_) },		\
		.id = (id_),						\
		.users = LIST_HEAD_INIT(xr_cc_builtin[id_].users),	\
		.choices = LIST_HEAD_INIT(xr_cc_builtin[id_].choices),	\
	}

/*
 * Linked by hand, in the order of their ids: the module parameter is set before there is a function
 * that could.
 */
static struct list_head xr_cc_all;
static struct xr_cc_alg xr_cc_builtin[] = {
	XR_CC_BUILTIN(0, xr_cc_none, &xr_cc_all, &xr_cc_builtin[1].node),
	XR_CC_BUILTIN(1, xr_cc_delay, &xr_cc_builtin[0].node, &xr_cc_builtin[2].node),
	XR_CC_BUILTIN(2, xr_cc_dcqcn, &xr_cc_builtin[1].node, &xr_cc_all),
};
static struct list_head xr_cc_all = {
	.next = &xr_cc_builtin[0].node,
	.prev = &xr_cc_builtin[2].node,
};

static u32 xr_cc_ids = ARRAY_SIZE(xr_cc_builtin);

/* That of the module parameter. */
static struct xr_cc_alg *xr_cc_standard = &xr_cc_builtin[0];

static DEFINE_SPINLOCK(xr_cc_lock);

/* Find an algorithm by its name. Under xr_cc_lock. Return: the algorithm; NULL: there is none. */
static struct xr_cc_alg *xr_cc_find(const char *name)
{
	struct xr_cc_alg *alg;

	lockdep_assert_held(&xr_cc_lock);
	list_for_each_entry(alg, &xr_cc_all, node)
		if (!strcmp(name, alg->ops->name))
			return alg;
	return NULL;
}

/* Find the algorithm that has these functions. Likewise. */
static struct xr_cc_alg *xr_cc_find_ops(const struct xroce_cc_ops *ops)
{
	struct xr_cc_alg *alg;

	lockdep_assert_held(&xr_cc_lock);
	list_for_each_entry(alg, &xr_cc_all, node)
		if (alg->ops == ops)
			return alg;
	return NULL;
}

/* Count a connection as a user of an algorithm. Under xr_cc_lock. */
static void xr_cc_enter(struct xr_cc_user *user, struct xr_cc_alg *alg)
{
	user->alg = alg;
	alg->connections++;
	list_add_tail(&user->node, &alg->users);
}

/* Remove a connection from the users of its algorithm. Under xr_cc_lock. */
static void xr_cc_quit(struct xr_cc_user *user)
{
	list_del(&user->node);
	user->alg->connections--;
	user->alg = NULL;
}

/**
 * xr_cc_join() - a connection begins
 * @user: of the connection, which has no algorithm
 * @choice: its link's algorithm
 *
 * Return: the functions of its algorithm, which stay until xr_cc_leave(), but may be replaced under
 * the lock of the send side.
 */
const struct xroce_cc_ops *xr_cc_join(struct xr_cc_user *user,
				       const struct xr_cc_choice *choice)
{
	const struct xroce_cc_ops *ops;
	struct xr_cc_alg *alg;

	spin_lock_bh(&xr_cc_lock);
	alg = choice->alg ? : xr_cc_standard;
	xr_cc_enter(user, alg);
	ops = alg->ops;
	spin_unlock_bh(&xr_cc_lock);
	return ops;
}

/**
 * xr_cc_rejoin() - a connection changes its algorithm
 * @user: of the connection, which has one
 * @name: of the new one; NULL: "none"
 *
 * The caller must make its last call of the previous functions before it releases the lock of the
 * send side, and before bottom halves are on.
 *
 * Return: the new functions; NULL: there is no such algorithm.
 */
const struct xroce_cc_ops *xr_cc_rejoin(struct xr_cc_user *user, const char *name)
{
	const struct xroce_cc_ops *ops = NULL;
	struct xr_cc_alg *alg;

	spin_lock_bh(&xr_cc_lock);
	alg = name ? xr_cc_find(name) : &xr_cc_builtin[0];
	if (alg) {
		xr_cc_quit(user);
		xr_cc_enter(user, alg);
		ops = alg->ops;
	}
	spin_unlock_bh(&xr_cc_lock);
	return ops;
}

/* A connection ends. */
void xr_cc_leave(struct xr_cc_user *user)
{
	if (!user->alg)
		return;
	spin_lock_bh(&xr_cc_lock);
	xr_cc_quit(user);
	spin_unlock_bh(&xr_cc_lock);
}

static void xr_cc_unchoose(struct xr_cc_choice *choice)
{
	if (!choice->alg)
		return;
	list_del(&choice->node);
	choice->alg->links--;
	choice->alg = NULL;
}

/**
 * xr_cc_choose() - choose the algorithm of a link's new connections
 * @choice: of the link
 * @name: its name; empty: that of the module parameter
 *
 * Return: 0, or -ENOENT: there is no such algorithm, and the choice is as it was.
 */
int xr_cc_choose(struct xr_cc_choice *choice, const char *name)
{
	struct xr_cc_alg *alg;

	spin_lock_bh(&xr_cc_lock);
	alg = *name ? xr_cc_find(name) : NULL;
	if (alg || !*name)
		xr_cc_unchoose(choice);
	if (alg) {
		choice->alg = alg;
		alg->links++;
		list_add_tail(&choice->node, &alg->choices);
	}
	spin_unlock_bh(&xr_cc_lock);
	return alg || !*name ? 0 : -ENOENT;
}

/* Fill in the name, of XROCE_CC_NAME_MAX bytes, of the algorithm that new connections have. */
void xr_cc_chosen(const struct xr_cc_choice *choice, char *name)
{
	spin_lock_bh(&xr_cc_lock);
	strscpy_pad(name, (choice->alg ? : xr_cc_standard)->ops->name, XROCE_CC_NAME_MAX);
	spin_unlock_bh(&xr_cc_lock);
}

/* True if that algorithm listens to congestion marks. */
bool xr_cc_listens(const struct xr_cc_choice *choice)
{
	bool ret;

	spin_lock_bh(&xr_cc_lock);
	ret = (choice->alg ? : xr_cc_standard)->ops->flags & XROCE_CC_ECN;
	spin_unlock_bh(&xr_cc_lock);
	return ret;
}

/**
 * xr_cc_query() - query an algorithm
 * @q: in: its number; XROCE_F_NEXT: or, if there is none, the next higher one; out: all
 *
 * Return: 0 or -ENOENT.
 */
int xr_cc_query(struct xroce_cc_query *q)
{
	bool next = q->flags & XROCE_F_NEXT;
	int ret = -ENOENT;
	struct xr_cc_alg *alg;

	BUILD_BUG_ON(sizeof(q->name) != XROCE_CC_NAME_MAX);
	spin_lock_bh(&xr_cc_lock);
	list_for_each_entry(alg, &xr_cc_all, node) {
		if (alg->id < q->id || (alg->id > q->id && !next))
			continue;
		ret = 0;
		q->flags = 0;
		q->id = alg->id;
		q->cc_flags = alg->ops->flags;
		strscpy_pad(q->name, alg->ops->name, sizeof(q->name));
		q->bpf = alg->bpf;
		q->bpf_link = alg->link ? READ_ONCE(alg->link->id) : 0;
		q->connections = alg->connections;
		q->links = alg->links;
		q->standard = alg == xr_cc_standard;
		break;
	}
	spin_unlock_bh(&xr_cc_lock);
	return ret;
}

/**
 * xr_cc_register() - add an algorithm
 * @ops: its functions, with a name
 * @link: its BPF link, or NULL
 *
 * Both stay until xr_cc_unregister() or xr_cc_replace(). Return: 0; -EEXIST: the name is in use;
 * -ENOMEM.
 */
int xr_cc_register(const struct xroce_cc_ops *ops, const struct bpf_link *link)
{
	struct xr_cc_alg *alg = kzalloc(sizeof(*alg), GFP_KERNEL_ACCOUNT);
	int ret = 0;

	if (!alg)
		return -ENOMEM;
	alg->ops = ops;
	alg->link = link;
	alg->bpf = true;
	INIT_LIST_HEAD(&alg->users);
	INIT_LIST_HEAD(&alg->choices);
	spin_lock_bh(&xr_cc_lock);
	if (xr_cc_find(ops->name)) {
		ret = -EEXIST;
	} else {
		alg->id = xr_cc_ids++;
		list_add_tail(&alg->node, &xr_cc_all);
	}
	spin_unlock_bh(&xr_cc_lock);
	if (ret)
		kfree(alg);
	return ret;
}

/*
 * Take an algorithm away from all its connections, which go on with that of @name, or with "none"
 * if it is NULL. No other connection may begin with it. Sleeps.
 */
static void xr_cc_evict(struct xr_cc_alg *alg, const char *name, xr_cc_evict_fn *evict)
{
	struct xr_cc_user *user;

	do {
		/* A connection is freed after a grace period. */
		rcu_read_lock();
		spin_lock_bh(&xr_cc_lock);
		user = list_first_entry_or_null(&alg->users, struct xr_cc_user, node);
		spin_unlock_bh(&xr_cc_lock);
		if (user)
			evict(user, alg, name);
		rcu_read_unlock();
		cond_resched();
	} while (user);
	/* No program runs any more, even of a connection that has just ended. */
	synchronize_rcu();
}

/**
 * xr_cc_unregister() - remove an algorithm
 * @ops: its functions
 * @evict: see there
 *
 * Connections that use it go on with "none", new ones of its links begin with that of the module
 * parameter. When this returns, its functions are not called any more. Sleeps.
 */
void xr_cc_unregister(const struct xroce_cc_ops *ops, xr_cc_evict_fn *evict)
{
	struct xr_cc_choice *choice, *other;
	struct xr_cc_alg *alg;

	spin_lock_bh(&xr_cc_lock);
	alg = xr_cc_find_ops(ops);
	if (alg) {
		list_del(&alg->node);
		list_for_each_entry_safe(choice, other, &alg->choices, node)
			xr_cc_unchoose(choice);
		if (xr_cc_standard == alg)
			xr_cc_standard = &xr_cc_builtin[0];
	}
	spin_unlock_bh(&xr_cc_lock);
	if (WARN_ON_ONCE(!alg))
		return;
	xr_cc_evict(alg, NULL, evict);
	kfree(alg);
}

/**
 * xr_cc_replace() - replace an algorithm by one of the same name
 * @old: its functions
 * @ops: those of the new one
 * @evict: see there
 *
 * Links and connections that use it have the new one from now on. When this returns, the old
 * functions are not called any more. Sleeps.
 *
 * Return: 0; -ENOMEM; -EINVAL: the names are not the same.
 */
int xr_cc_replace(const struct xroce_cc_ops *old, const struct xroce_cc_ops *ops,
		  xr_cc_evict_fn *evict)
{
	struct xr_cc_alg *gone = kzalloc(sizeof(*gone), GFP_KERNEL_ACCOUNT);
	struct xr_cc_alg *alg;
	struct xr_cc_user *user, *other;

	if (!gone)
		return -ENOMEM;
	INIT_LIST_HEAD(&gone->users);
	spin_lock_bh(&xr_cc_lock);
	alg = xr_cc_find_ops(old);
	if (!alg || strcmp(ops->name, old->name)) {
		spin_unlock_bh(&xr_cc_lock);
		kfree(gone);
		return -EINVAL;
	}
	gone->ops = old;
	list_for_each_entry_safe(user, other, &alg->users, node) {
		xr_cc_quit(user);
		xr_cc_enter(user, gone);
	}
	alg->ops = ops;
	spin_unlock_bh(&xr_cc_lock);
	xr_cc_evict(gone, ops->name, evict);
	kfree(gone);
	return 0;
}

static int xr_cc_set(const char *val, const struct kernel_param *kp)
{
	char name[XROCE_CC_NAME_MAX + 1];
	struct xr_cc_alg *alg;

	strscpy(name, val, sizeof(name));
	strreplace(name, '\n', 0);
	spin_lock_bh(&xr_cc_lock);
	alg = xr_cc_find(name);
	if (alg)
		xr_cc_standard = alg;
	spin_unlock_bh(&xr_cc_lock);
	return alg ? 0 : -ENOENT;
}

static int xr_cc_get(char *buf, const struct kernel_param *kp)
{
	int ret;

	spin_lock_bh(&xr_cc_lock);
	ret = sysfs_emit(buf, "%s\n", xr_cc_standard->ops->name);
	spin_unlock_bh(&xr_cc_lock);
	return ret;
}

static const struct kernel_param_ops xr_cc_param = {
	.set = xr_cc_set,
	.get = xr_cc_get,
};

module_param_cb(cc, &xr_cc_param, NULL, 0644);
MODULE_PARM_DESC(cc, "Congestion control of new connections: none, delay, dcqcn, or one in BPF");
