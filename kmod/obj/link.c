// SPDX-License-Identifier: GPL-2.0-only
/* Links: adding, giving them maps, finding and removing them. */
#include <linux/bitmap.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/if_vlan.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/nsproxy.h>
#include <linux/rcupdate.h>
#include <linux/rhashtable.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/version.h>
#include <net/net_namespace.h>
#include <net/rtnetlink.h>

#include "uapi/xroce.h"
#include "xroce_map.h"

#include "addr.h"
#include "link.h"
#include "maps.h"
#include "name.h"

/* MODULE_IMPORT_NS() takes a string since 6.13. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
MODULE_IMPORT_NS(BPF_INTERNAL);
#else
MODULE_IMPORT_NS("BPF_INTERNAL");
#endif

/* Shared by all links without a map "stat". Nobody reads it. */
static DEFINE_PER_CPU(struct xroce_stat, xr_stat_nobody);

struct xr_link __rcu *xr_links_up[XR_MAX_LINKS];
static struct xr_link *xr_links[XR_MAX_LINKS];
DEFINE_MUTEX(xr_links_lock);

static struct xr_link *xr_link_locked(u32 id)
{
	lockdep_assert_held(&xr_links_lock);
	if (id >= XR_MAX_LINKS)
		return NULL;
	return xr_links[array_index_nospec(id, XR_MAX_LINKS)];
}

/* The link of a network device; NULL: none. xr_links_lock is held. */
struct xr_link *xr_link_of_dev(const struct net_device *dev)
{
	struct xr_link *link;
	u32 id;

	for (id = 0; id < XR_MAX_LINKS; id++) {
		link = xr_link_locked(id);
		if (link && link->dev == dev)
			return link;
	}
	return NULL;
}

static void xr_link_put_dev(struct xr_link *link)
{
	if (link->dev)
		netdev_put(link->dev, &link->dev_tracker);
	link->dev = NULL;
}

static void xr_prog_put(struct bpf_prog *prog)
{
	if (!IS_ERR_OR_NULL(prog))
		bpf_prog_put(prog);
}

/* Free what xr_link_tables() has allocated, if anything. */
static void xr_link_tables_free(struct xr_link *link)
{
	xr_keys_exit(&link->keys);
	bitmap_free(link->mr_used);
	bitmap_free(link->mw_used);
	bitmap_free(link->qp_used);
	kvfree(link->mr);
	kvfree(link->mw);
	kvfree(link->qp);
	link->keys = (struct xr_keys){};
	link->mr_used = NULL;
	link->mw_used = NULL;
	link->qp_used = NULL;
	link->mr = NULL;
	link->mw = NULL;
	link->qp = NULL;
}

/* Allocate the tables of a link that has none. Return: 0 or -ENOMEM. */
static int xr_link_tables(struct xr_link *link, u32 keys, u32 qps)
{
	int ret = xr_keys_init(&link->keys, keys);

	link->mr = kvcalloc(keys, sizeof(*link->mr), GFP_KERNEL_ACCOUNT);
	link->mw = kvcalloc(keys, sizeof(*link->mw), GFP_KERNEL_ACCOUNT);
	link->qp = kvcalloc(qps, sizeof(*link->qp), GFP_KERNEL_ACCOUNT);
	link->mr_used = bitmap_zalloc(keys, GFP_KERNEL_ACCOUNT);
	link->mw_used = bitmap_zalloc(keys, GFP_KERNEL_ACCOUNT);
	link->qp_used = bitmap_zalloc(qps, GFP_KERNEL_ACCOUNT);
	if (!ret && link->mr && link->mw && link->qp && link->mr_used &&
	    link->mw_used && link->qp_used)
		return 0;
	xr_link_tables_free(link);
	return -ENOMEM;
}

/* Free a link that has no objects and that nobody can find or still uses. Sleeps. */
void xr_link_free(struct xr_link *link)
{
	xr_loop_close(&link->loop);
	xr_cc_choose(&link->cc, "");
	xr_limits_exit(&link->limits);
	xr_maps_put(&link->maps);
	xr_prog_put(rcu_dereference_protected(link->prog, true));
	rhashtable_destroy(&link->names);
	xa_destroy(&link->pds);
	xa_destroy(&link->cqs);
	xa_destroy(&link->srqs);
	xr_link_tables_free(link);
	mutex_destroy(&link->lock);
	kfree(link);
}

/*
 * Remove a link from the tables, so that nobody finds it any more. xr_links_lock is held.
 * A holder of rtnl may be waiting for that lock, so the caller frees the link later,
 * without the lock.
 */
static void xr_link_unpublish(struct xr_link *link)
{
	xr_links[link->id] = NULL;
	RCU_INIT_POINTER(xr_links_up[link->id], NULL);
	xr_link_put_dev(link);
}

/*
 * True if a link can be made on this kind of device. An ipvlan device has the MAC address of the
 * device below it, as all its siblings have, and does not get frames that are sent to itself.
 */
static bool xr_link_dev_ok(const struct net_device *dev)
{
	const char *kind = dev->rtnl_link_ops ? dev->rtnl_link_ops->kind : "";

	return strcmp(kind, "ipvlan") && strcmp(kind, "ipvtap");
}

/* Make a link that has no device and that nobody can find. Return: the link, or an errno. */
static struct xr_link *xr_link_new(struct xr_ctx *maker)
{
	struct xr_link *link = kzalloc(sizeof(*link), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!link)
		return ERR_PTR(-ENOMEM);
	ret = xr_names_init(&link->names);
	if (ret) {
		kfree(link);
		return ERR_PTR(ret);
	}
	mutex_init(&link->lock);
	xr_loop_init(&link->loop, &link->prog, &link->dev);
	xr_mcast_init(&link->mcast);
	xa_init_flags(&link->pds, XA_FLAGS_ALLOC1);
	xa_init_flags(&link->cqs, XA_FLAGS_ALLOC1);
	xa_init_flags(&link->srqs, XA_FLAGS_ALLOC1);
	xr_owner_init(&link->own);
	link->moderation = xr_moderation_of(XROCE_MODERATION_AUTO, 0);
	xr_limits_init(&link->limits, link->name);
	link->own.limits = &link->limits;
	link->maker = maker;
	return link;
}

/**
 * xr_link_add() - make a link without maps
 * @maker: file that it belongs to until it has maps
 * @ifindex: network device in the caller's network namespace
 *
 * Return: the number of the link; -ENODEV: no such device; -EOPNOTSUPP: it is an ipvlan
 * device; -EEXIST: it has a link; -ENOSPC: there are XR_MAX_LINKS links; -ENOMEM.
 */
int xr_link_add(struct xr_ctx *maker, u32 ifindex)
{
	struct xr_link *link = xr_link_new(maker);
	u32 id;
	int ret;

	if (IS_ERR(link))
		return PTR_ERR(link);
	mutex_lock(&xr_links_lock);
	/*
	 * Under the lock: if the device is being unregistered, either it is not found
	 * here, or the notifier runs after the unlock and finds the link.
	 */
	link->dev = dev_get_by_index(current->nsproxy->net_ns, ifindex);
	if (!link->dev) {
		ret = -ENODEV;
		goto err;
	}
	ret = !xr_link_dev_ok(link->dev) ? -EOPNOTSUPP :
	      xr_link_of_dev(link->dev) ? -EEXIST : 0;
	if (ret) {
		dev_put(link->dev);
		link->dev = NULL;
		goto err;
	}
	netdev_tracker_alloc(link->dev, &link->dev_tracker, GFP_KERNEL);
	strscpy(link->name, link->dev->name, sizeof(link->name));
	for (id = 0; id < XR_MAX_LINKS && xr_link_locked(id); id++)
		;
	if (id == XR_MAX_LINKS) {
		xr_link_put_dev(link);
		ret = -ENOSPC;
		goto err;
	}
	link->id = id;
	xr_limits_name(&link->limits, id);
	xr_links[id] = link;
	mutex_unlock(&xr_links_lock);
	return id;

err:
	mutex_unlock(&xr_links_lock);
	xr_link_free(link);
	return ret;
}

/*
 * A file is being closed: free the links that it made and gave no maps. Such a link has no
 * objects, and the data path does not find it.
 */
void xr_link_forget_maker(struct xr_ctx *maker)
{
	struct xr_link *link;
	u32 id;

	for (id = 0; id < XR_MAX_LINKS; id++) {
		mutex_lock(&xr_links_lock);
		link = xr_link_locked(id);
		if (link && link->maker != maker)
			link = NULL;
		if (link)
			xr_link_unpublish(link);
		mutex_unlock(&xr_links_lock);
		if (link)
			xr_link_free(link);
	}
}

/*
 * Get an XDP program that the module may run: not bound to a device, and to be attached to
 * a device, not to a map. Return: the program, with a reference; NULL: @fd is -1; or
 * -EBADF, -EINVAL.
 */
static struct bpf_prog *xr_prog_get(int fd)
{
	struct bpf_prog *prog;

	if (fd == -1)
		return NULL;
	prog = bpf_prog_get_type_dev(fd, BPF_PROG_TYPE_XDP, false);
	if (IS_ERR(prog))
		return prog;
	if (!bpf_prog_is_dev_bound(prog->aux) &&
	    prog->expected_attach_type == BPF_XDP)
		return prog;
	bpf_prog_put(prog);
	return ERR_PTR(-EINVAL);
}

/* Take over maps, program and @paths. xr_links_lock is held. Return: 0 or -ENOMEM. */
static int xr_link_set_maps(struct xr_link *link, const struct xr_maps *maps,
			    struct bpf_prog *prog, u32 paths)
{
	u32 keys = maps->mpt->max_entries, qps = maps->qp->max_entries;
	int ret = xr_link_tables(link, keys, qps);

	if (ret)
		return ret;
	link->maps = *maps;
	link->stat = maps->stat ? xr_counters(maps->stat, 0) : &xr_stat_nobody;
	xr_addr_publish(maps->netdev, link->dev);
	rcu_assign_pointer(link->prog, prog);
	link->maker = NULL;
	link->qp_entries = qps;
	link->qp_mask = qps - 1;
	link->mpt_entries = keys;
	link->mpt_mask = keys - 1;
	link->paths = paths ? : 1;
	xr_limits_tables(&link->limits, keys, qps);
	rcu_assign_pointer(xr_links_up[link->id], link);
	return 0;
}

/**
 * xr_link_maps() - give a link its maps, so that it outlives the file that made it
 * @maker: the requesting file
 * @a: number of the link; descriptors of maps and program; the number of paths, which is possible
 *
 * Return: 0; -ENOENT: no such link; -EEXIST: it has maps, or another file made it; -EBADF,
 * -EINVAL: a map or the program; -ENOMEM.
 */
int xr_link_maps(struct xr_ctx *maker, const struct xroce_link_maps *a)
{
	struct bpf_prog *prog = xr_prog_get(a->prog_fd);
	struct xr_link *link;
	struct xr_maps maps;
	int ret;

	ret = xr_maps_get(&maps, a) ? : PTR_ERR_OR_ZERO(prog);
	if (!ret) {
		mutex_lock(&xr_links_lock);
		link = xr_link_locked(a->link);
		ret = !link ? -ENOENT :
		      link->maker != maker ? -EEXIST :
		      xr_link_set_maps(link, &maps, prog, a->paths);
		mutex_unlock(&xr_links_lock);
	}
	if (ret) {
		xr_prog_put(prog);
		xr_maps_put(&maps);
	}
	return ret;
}

/**
 * xr_link_prog() - give a link another XDP program
 * @id: number of the link
 * @fd: file descriptor of the program
 *
 * The data path may still run the previous program, under RCU; the kernel frees it after a
 * grace period.
 *
 * Return: 0; -ENOENT: no such link, or one without maps; -EBADF, -EINVAL: the program.
 */
int xr_link_prog(u32 id, int fd)
{
	struct bpf_prog *prog = fd == -1 ? ERR_PTR(-EBADF) : xr_prog_get(fd);
	struct xr_link *link;
	int ret = 0;

	if (IS_ERR(prog))
		return PTR_ERR(prog);
	mutex_lock(&xr_links_lock);
	link = xr_link_locked(id);
	if (link && link->mpt_entries)
		prog = rcu_replace_pointer(link->prog, prog,
					   lockdep_is_held(&xr_links_lock));
	else
		ret = -ENOENT;
	mutex_unlock(&xr_links_lock);
	xr_prog_put(prog);
	return ret;
}

/**
 * xr_link_take() - remove a link that no file uses from the table
 * @id: number of the link
 * @force: even if it has persistent objects
 *
 * When this returns, no packet is executed on the link. Sleeps.
 *
 * Return: the link, which now belongs to the caller, who destroys its objects and then
 * calls xr_link_free(); -ENOENT: no such link; -EBUSY: a file uses it, it has no maps yet,
 * or it has persistent objects and @force is false.
 */
struct xr_link *xr_link_take(u32 id, bool force)
{
	struct xr_link *link;

	mutex_lock(&xr_links_lock);
	link = xr_link_locked(id);
	if (!link)
		link = ERR_PTR(-ENOENT);
	else if (link->users || link->maker || (link->nr_pds && !force))
		link = ERR_PTR(-EBUSY);
	else
		xr_link_unpublish(link);
	mutex_unlock(&xr_links_lock);
	/* Wait for packets on the data path that have found the link. */
	if (!IS_ERR(link))
		synchronize_rcu();
	return link;
}

/*
 * Find a link that the caller may see: without CAP_NET_ADMIN only one of the caller's
 * network namespace. xr_links_lock is held.
 */
static struct xr_link *xr_link_seen(u32 id)
{
	struct xr_link *link = xr_link_locked(id);
	bool here;

	if (!link || capable(CAP_NET_ADMIN))
		return link;
	rcu_read_lock();
	here = link->dev && net_eq(dev_net(link->dev),
				   current->nsproxy->net_ns);
	rcu_read_unlock();
	return here ? link : NULL;
}

/* True if a VLAN device is on top of @dev. Under RCU. */
static bool xr_link_vlan_on(struct net_device *dev)
{
	struct net_device *upper;
	struct list_head *iter;

	netdev_for_each_upper_dev_rcu(dev, upper, iter)
		if (is_vlan_dev(upper))
			return true;
	return false;
}

/* True if one is on top of @dev, or of the bridge or bond of which it is a port. Under RCU. */
static bool xr_link_has_vlan(struct net_device *dev)
{
	struct net_device *master = netdev_master_upper_dev_get_rcu(dev);

	return xr_link_vlan_on(dev) || (master && xr_link_vlan_on(master));
}

/**
 * xr_link_query() - query a link
 * @q: in: number; XROCE_F_NEXT: or, if there is no such link, the next higher one; out: all fields
 *
 * Return: 0; -ENOENT: the caller sees no such link.
 */
int xr_link_query(struct xroce_link_query *q)
{
	bool next = q->flags & XROCE_F_NEXT;
	struct xr_link *link;
	u32 id = q->link;
	int ret = -ENOENT;

	mutex_lock(&xr_links_lock);
	link = xr_link_seen(id);
	while (next && !link && id < XR_MAX_LINKS)
		link = xr_link_seen(++id);
	if (!link)
		goto out;

	q->link = id;
	q->flags = link->dev ? 0 : XROCE_F_DEAD;
	q->ifindex = link->dev ? link->dev->ifindex : 0;
	rcu_read_lock();
	if (link->dev && xr_link_has_vlan(link->dev))
		q->flags |= XROCE_F_VLAN;
	q->netns = link->dev ? dev_net(link->dev)->ns.inum : 0;
	rcu_read_unlock();
	strscpy_pad(q->name, link->name, sizeof(q->name));
	q->mpt_entries = link->mpt_entries;
	q->qp_entries = link->qp_entries;
	q->users = link->users - !!link->front;
	q->pds = READ_ONCE(link->nr_pds);
	q->mrs = READ_ONCE(link->nr_mrs);
	q->qps = READ_ONCE(link->nr_qps);
	q->paths = link->paths;
	xr_cc_chosen(&link->cc, q->cc);
	q->moderation_count = xr_moderation_count(&link->moderation);
	q->moderation_usec = xr_moderation_usec(&link->moderation);
	strscpy_pad(q->verbs, link->front ? link->front->name : "", sizeof(q->verbs));
	q->provider = link->front ? link->front->provider : 0;
	ret = 0;
out:
	mutex_unlock(&xr_links_lock);
	return ret;
}

/**
 * xr_link_do() - call a function with a link that is not removed meanwhile
 * @id: number of the link
 * @fn: the function; called with xr_links_lock held
 * @arg: argument of @fn
 *
 * Return: the value of @fn; -ENOENT: the caller sees no such link.
 */
int xr_link_do(u32 id, int (*fn)(struct xr_link *link, void *arg), void *arg)
{
	struct xr_link *link;
	int ret;

	mutex_lock(&xr_links_lock);
	link = xr_link_seen(id);
	ret = link ? fn(link, arg) : -ENOENT;
	mutex_unlock(&xr_links_lock);
	return ret;
}

/**
 * xr_link_use() - find the link of a network device and count a user of it
 * @ifindex: network device in the caller's network namespace
 *
 * Return: the link, to be released with xr_link_unuse(); -ENODEV: no such device; -ENOENT:
 * it has no link, or one without maps.
 */
struct xr_link *xr_link_use(u32 ifindex)
{
	struct net_device *dev;
	struct xr_link *link;

	dev = dev_get_by_index(current->nsproxy->net_ns, ifindex);
	if (!dev)
		return ERR_PTR(-ENODEV);
	mutex_lock(&xr_links_lock);
	link = xr_link_of_dev(dev);
	if (link && link->mpt_entries)
		link->users++;
	else
		link = ERR_PTR(-ENOENT);
	mutex_unlock(&xr_links_lock);
	dev_put(dev);
	return link;
}

void xr_link_unuse(struct xr_link *link)
{
	mutex_lock(&xr_links_lock);
	link->users--;
	mutex_unlock(&xr_links_lock);
}

static int xr_netdev_event(struct notifier_block *nb, unsigned long event,
			   void *ptr)
{
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);
	struct xr_link *link;

	if (event != NETDEV_UNREGISTER && event != NETDEV_CHANGENAME &&
	    event != NETDEV_CHANGEADDR)
		return NOTIFY_DONE;

	mutex_lock(&xr_links_lock);
	link = xr_link_of_dev(dev);
	if (!link)
		goto out;
	if (event == NETDEV_CHANGENAME) {
		strscpy(link->name, dev->name, sizeof(link->name));
	} else if (event == NETDEV_CHANGEADDR) {
		xr_addr_publish(link->maps.netdev, link->dev);
	} else if (dev->reg_state != NETREG_REGISTERED) {
		/* Not merely moved to another network namespace. */
		xr_link_put_dev(link);
	}
out:
	mutex_unlock(&xr_links_lock);
	return NOTIFY_DONE;
}

static struct notifier_block xr_netdev_notifier = {
	.notifier_call = xr_netdev_event,
};

int xr_link_init(void)
{
	return register_netdevice_notifier(&xr_netdev_notifier);
}

void xr_link_exit(void)
{
	unregister_netdevice_notifier(&xr_netdev_notifier);
}
