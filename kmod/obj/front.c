// SPDX-License-Identifier: GPL-2.0-only
/* Front ends of links: attaching, detaching, and removal with the link. */
#include <linux/export.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/string.h>

#include "xroce_map.h"

#include "qp/qp.h"

#include "front.h"
#include "link.h"

/**
 * xr_front_attach() - attach a front end to the link of a network device
 * @front: the front end
 * @dev: the device
 * @ops: of the owner of objects of consumers in the kernel
 *
 * Return: 0; -ENOENT: the device has no link, or one without maps; -EEXIST: the link has a
 * front end.
 */
int xr_front_attach(struct xr_front *front, struct net_device *dev,
		    const struct xr_owner_ops *ops)
{
	struct xr_link *link;
	int ret = 0;

	mutex_lock(&xr_links_lock);
	link = xr_link_of_dev(dev);
	if (!link || !link->mpt_entries) {
		ret = -ENOENT;
	} else if (link->front) {
		ret = -EEXIST;
	} else {
		xr_owner_open_kernel(&front->own, ops, &link->limits);
		front->link = link;
		link->front = front;
		link->users++;
	}
	mutex_unlock(&xr_links_lock);
	return ret;
}
EXPORT_SYMBOL_GPL(xr_front_attach);

/* Detach a front end, whose programs have no objects on the link any more. Sleeps. */
void xr_front_detach(struct xr_front *front)
{
	mutex_lock(&xr_links_lock);
	front->link->front = NULL;
	front->link->users--;
	front->link = NULL;
	mutex_unlock(&xr_links_lock);
}
EXPORT_SYMBOL_GPL(xr_front_detach);

/* Sleeps. */
void xr_front_rename(struct xr_front *front, const char *name)
{
	mutex_lock(&xr_links_lock);
	strscpy(front->name, name, sizeof(front->name));
	mutex_unlock(&xr_links_lock);
}
EXPORT_SYMBOL_GPL(xr_front_rename);

struct xr_front_going {
	struct xr_front *front;
	bool force;
};

/*
 * True if the link has objects of programs, or persistent ones, or a consumer in the kernel has a
 * queue pair other than QP 1, which each verbs device has.
 */
static bool xr_front_in_use(struct xr_link *link, struct xr_front *front)
{
	const struct xr_qp *qp;
	bool in_use;

	mutex_lock(&link->lock);
	in_use = link->nr_pds > list_count_nodes(&front->own.pds);
	list_for_each_entry(qp, &front->own.qps, node)
		in_use |= qp->qpn != XROCE_QPN_GSI;
	mutex_unlock(&link->lock);
	return in_use;
}

/*
 * Refuse what xr_link_take() would refuse when the front end has gone. Without @force that
 * includes the objects of programs that use the front end.
 */
static int xr_front_get(struct xr_link *link, void *arg)
{
	struct xr_front_going *going = arg;
	struct xr_front *front = link->front;

	if (!front)
		return 0;
	if (link->users > 1 || (!going->force && xr_front_in_use(link, front)))
		return -EBUSY;
	if (front->ops->get(front))
		going->front = front;
	return 0;
}

/**
 * xr_front_remove() - ask the front end of a link, if there is one, to go
 * @link: number of the link
 * @force: even if programs use it
 *
 * Sleeps.
 *
 * Return: 0: there is none, or it has gone; -EBUSY: programs use it, or the link cannot be
 * deleted for another reason, see xr_link_take(); -ENOENT: the caller sees no such link.
 */
int xr_front_remove(u32 link, bool force)
{
	struct xr_front_going going = { .force = force };
	int ret = xr_link_do(link, xr_front_get, &going);

	return ret || !going.front ? ret : going.front->ops->remove(going.front, force);
}
