// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changes are noted for each link, and a work item has the queue pairs of those links looked at
 * (follow.c):
 *
 * - the kernel has learnt the address of a neighbour, or has been told another next hop. The stack
 *   is asked anew for each peer, because the neighbour may be the next hop to many of them;
 * - a peer is silent. Nothing notifies the module when a route changes, and without traffic of the
 *   stack nothing confirms a neighbour, so the stack is also told to ask it;
 * - the MTU of the network device is another one.
 *
 * However many changes there are, a look at a link is at most one in XR_PATH_TICKS, and takes at
 * most a tenth of the time.
 */
#include <linux/bitmap.h>
#include <linux/jiffies.h>
#include <linux/netdevice.h>
#include <linux/workqueue.h>
#include <net/neighbour.h>
#include <net/netevent.h>

#include "obj/link.h"

#include "path.h"

#define XR_PATH_TICKS	(HZ / 50)	/* from a change to the look at the queue pairs */
#define XR_PATH_SHARE	10		/* times as long as a look is the wait for the next one */

/* Links, by number: what has changed. Bits are set in any context, and cleared by the work item. */
static DECLARE_BITMAP(xr_paths_moved, XR_MAX_LINKS);
static DECLARE_BITMAP(xr_paths_silent, XR_MAX_LINKS);
static DECLARE_BITMAP(xr_paths_mtu, XR_MAX_LINKS);

static struct workqueue_struct *xr_path_wq;
static unsigned long xr_path_wait = XR_PATH_TICKS;

/* See xr_path_init(). */
static void (*xr_path_look)(u32 link, const struct xr_path_change *change);

static void xr_path_run(struct work_struct *work)
{
	unsigned long begin = jiffies;
	struct xr_path_change c;
	u32 id;

	for (id = 0; id < XR_MAX_LINKS; id++) {
		c.moved = test_and_clear_bit(id, xr_paths_moved);
		c.silent = test_and_clear_bit(id, xr_paths_silent);
		c.mtu = test_and_clear_bit(id, xr_paths_mtu);
		if (c.moved || c.silent || c.mtu)
			xr_path_look(id, &c);
	}
	WRITE_ONCE(xr_path_wait, max_t(unsigned long, XR_PATH_TICKS,
				       XR_PATH_SHARE * (jiffies - begin)));
}

static DECLARE_DELAYED_WORK(xr_path_work, xr_path_run);

/* Note what has changed for a link. In any context. */
static void xr_path_note(unsigned long *what, u32 id)
{
	set_bit(id, what);
	/* If it is queued already, it sees the bit. */
	queue_delayed_work(xr_path_wq, &xr_path_work, READ_ONCE(xr_path_wait));
}

/* A peer of the link has not answered within a local ACK timeout. In softirq. */
void xr_path_silent(const struct xr_link *link)
{
	xr_path_note(xr_paths_silent, link->id);
}

/* True if packets of the stack to neighbours of @dev may leave by the link's device. Under RCU. */
static bool xr_path_over(const struct xr_link *link, struct net_device *dev)
{
	struct net_device *own = READ_ONCE(link->dev);

	return own && (own == dev || netdev_has_upper_dev_all_rcu(own, dev));
}

/* In atomic context. */
static int xr_path_netevent(struct notifier_block *nb, unsigned long event, void *ptr)
{
	const struct netevent_redirect *redirect = ptr;
	const struct neighbour *n;
	const struct xr_link *link;
	u32 id;

	if (event == NETEVENT_NEIGH_UPDATE)
		n = ptr;
	else if (event == NETEVENT_REDIRECT)
		n = redirect->neigh;
	else
		return NOTIFY_DONE;
	/* One that has gone, or does not answer, says nothing of where the peer is. */
	if (!(READ_ONCE(n->nud_state) & NUD_VALID))
		return NOTIFY_DONE;
	rcu_read_lock();
	for (id = 0; id < XR_MAX_LINKS; id++) {
		link = rcu_dereference(xr_links_up[id]);
		if (link && xr_path_over(link, n->dev))
			xr_path_note(xr_paths_moved, id);
	}
	rcu_read_unlock();
	return NOTIFY_DONE;
}

static struct notifier_block xr_path_neighbours = {
	.notifier_call = xr_path_netevent,
};

static int xr_path_netdev_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	const struct xr_link *link;

	if (event != NETDEV_CHANGEMTU)
		return NOTIFY_DONE;
	mutex_lock(&xr_links_lock);
	link = xr_link_of_dev(netdev_notifier_info_to_dev(ptr));
	if (link)
		xr_path_note(xr_paths_mtu, link->id);
	mutex_unlock(&xr_links_lock);
	return NOTIFY_DONE;
}

static struct notifier_block xr_path_netdevs = {
	.notifier_call = xr_path_netdev_event,
};

/**
 * xr_path_init() - begin to take note of changes
 * @look: looks at the queue pairs of a link; by its number, as it may have gone. Sleeps
 *
 * Return: 0 or a negative errno.
 */
int xr_path_init(void (*look)(u32 link, const struct xr_path_change *change))
{
	int ret;

	xr_path_look = look;
	/* Storage may be behind a link, and memory be freed by writing to it. */
	xr_path_wq = alloc_workqueue("xroce_path", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!xr_path_wq)
		return -ENOMEM;
	ret = register_netdevice_notifier(&xr_path_netdevs);
	if (ret)
		goto err_wq;
	ret = register_netevent_notifier(&xr_path_neighbours);
	if (ret)
		goto err_netdevs;
	return 0;

err_netdevs:
	unregister_netdevice_notifier(&xr_path_netdevs);
err_wq:
	destroy_workqueue(xr_path_wq);
	return ret;
}

/* There are no links any more. */
void xr_path_exit(void)
{
	unregister_netevent_notifier(&xr_path_neighbours);
	unregister_netdevice_notifier(&xr_path_netdevs);
	cancel_delayed_work_sync(&xr_path_work);
	destroy_workqueue(xr_path_wq);
}
