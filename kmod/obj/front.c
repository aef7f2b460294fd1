// SPDX-License-Identifier: GPL-2.0-only
/* Front ends of links: attaching, detaching, and removal with the link. */
#include <linux/export.h>
#include <linux/mutex.h>
#include <linux/string.h>

#include "front.h"
#include "link.h"

/**
 * xr_front_attach() - attach a front end to the link of a network device
 * @front: the front end
 * @dev: the device
 *
 * Return: 0; -ENOENT: the device has no link, or one without maps; -EEXIST: the link has a
 * front end.
 */
int xr_front_attach(struct xr_front *front, struct net_device *dev)
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
 * Refuse what xr_link_take() would refuse when the front end has gone. Without @force that
 * includes the objects of programs that use the front end.
 */
static int xr_front_get(struct xr_link *link, void *arg)
{
	struct xr_front_going *going = arg;
	struct xr_front *front = link->front;

	if (!front)
		return 0;
	if (link->users > 1 || (READ_ONCE(link->nr_pds) && !going->force))
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
