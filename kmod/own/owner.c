// SPDX-License-Identifier: GPL-2.0-only
/* Owners of objects: permission to change and see them. */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/export.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/user_namespace.h>

#include "uapi/xroce.h"

#include "owner.h"

void xr_owner_init(struct xr_owner *own)
{
	own->ops = NULL;
	INIT_LIST_HEAD(&own->pds);
	INIT_LIST_HEAD(&own->mrs);
	INIT_LIST_HEAD(&own->mws);
	INIT_LIST_HEAD(&own->qps);
	INIT_LIST_HEAD(&own->cqs);
	INIT_LIST_HEAD(&own->srqs);
	INIT_LIST_HEAD(&own->rings);
	own->ring_next = 0;
	xr_events_init(&own->events);
	own->pid = NULL;
	own->mm = NULL;
	own->uid = INVALID_UID;
	own->limits = NULL;
	own->user = NULL;
	own->group = NULL;
}

/**
 * xr_owner_open() - make the calling process the owner of objects
 * @own: the owner
 * @ops: see struct xr_owner
 */
void xr_owner_open(struct xr_owner *own, const struct xr_owner_ops *ops)
{
	xr_owner_init(own);
	own->ops = ops;
	own->pid = get_task_pid(current, PIDTYPE_TGID);
	own->mm = current->mm;
	mmgrab(own->mm);
	own->uid = current_uid();
}
EXPORT_SYMBOL_GPL(xr_owner_open);

/**
 * xr_owner_open_kernel() - make an owner for objects of consumers in the kernel
 * @own: the owner
 * @ops: see struct xr_owner
 * @limits: limits of the link, which count for it
 */
void xr_owner_open_kernel(struct xr_owner *own, const struct xr_owner_ops *ops,
			  struct xr_limits *limits)
{
	xr_owner_init(own);
	own->ops = ops;
	own->limits = limits;
}
EXPORT_SYMBOL_GPL(xr_owner_open_kernel);

/* Undo xr_owner_open(). The owner has no objects. */
void xr_owner_close(struct xr_owner *own)
{
	put_pid(own->pid);
	mmdrop(own->mm);
}
EXPORT_SYMBOL_GPL(xr_owner_close);

/* Report an event of an object of @own. With bottom halves off. */
void xr_owner_raise(struct xr_owner *own, struct xr_event *event)
{
	if (own->ops)
		own->ops->event(own, event);
	else
		xr_event_raise(&own->events, event);
}

/*
 * Find out whether @caller may change objects of @owner. Return: 0; -EPERM; -ENOENT: @caller may
 * not even see them.
 */
int xr_owner_check(const struct xr_owner *caller, const struct xr_owner *owner)
{
	if (owner == caller)
		return 0;
	if (!capable(CAP_NET_ADMIN))
		return -ENOENT;
	return xr_owner_persistent(owner) ? 0 : -EPERM;
}

/* True if @caller may see objects of @owner. */
bool xr_owner_sees(const struct xr_owner *caller, const struct xr_owner *owner)
{
	return owner == caller || capable(CAP_NET_ADMIN);
}

/*
 * True if @caller may choose how well objects of @owner perform: they are its own, or another
 * process' of the same user.
 */
bool xr_owner_tunes(const struct xr_owner *caller, const struct xr_owner *owner)
{
	return (owner->pid && uid_eq(owner->uid, current_uid())) || xr_owner_sees(caller, owner);
}

/*
 * True if the caller may use what is reserved for administrators. Not audited: it may do without.
 */
bool xr_owner_admin(void)
{
	return ns_capable_noaudit(&init_user_ns, CAP_NET_ADMIN);
}
EXPORT_SYMBOL_GPL(xr_owner_admin);

u32 xr_owner_pid(const struct xr_owner *owner)
{
	return owner->pid ? pid_vnr(owner->pid) : 0;
}

/* Return: flags of an object in a query: XROCE_F_PERSISTENT, XROCE_F_KERNEL or 0. */
u32 xr_owner_flags(const struct xr_owner *owner)
{
	if (owner->pid)
		return 0;
	return xr_owner_persistent(owner) ? XROCE_F_PERSISTENT : XROCE_F_KERNEL;
}
