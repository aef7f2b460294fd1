// SPDX-License-Identifier: GPL-2.0-only
/* Which queue pair is connected with which peer: see peer.h. */
#include <linux/capability.h>
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/mutex.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <net/ipv6.h>
#include <net/net_namespace.h>

#include "xroce_map.h"

#include "obj/link.h"
#include "own/owner.h"
#include "send/state.h"

#include "peer.h"
#include "qp.h"

#define XR_PEER_BITS	12

/**
 * struct xr_peer - a peer of queue pairs of this machine
 * @node: in xr_peers
 * @net: network namespace of their links; NULL: the devices of these are gone
 * @link: number of their link if @addr is local to it, or 0
 * @qpn: the peer's queue pair number
 * @addr: its address; IPv4 as ::ffff:a.b.c.d
 * @owner: owner of all of them; NULL: there are several, all of them privileged
 * @qps: the queue pairs
 * @users: number of these, and of references
 *
 * The links of one machine may share an address, such as that of a bridge or bond, so all links are
 * in one table.
 */
struct xr_peer {
	struct hlist_node node;
	const struct net *net;
	u32 link;
	u32 qpn;
	struct in6_addr addr;
	const struct xr_owner *owner;
	struct list_head qps;
	u32 users;
};

/* Protects the table and what is in it, and xr_qp::with, with_node and with_privilege. */
static DEFINE_MUTEX(xr_peers_mutex);
static DEFINE_HASHTABLE(xr_peers, XR_PEER_BITS);

void xr_peers_lock(void)
{
	mutex_lock(&xr_peers_mutex);
}

void xr_peers_unlock(void)
{
	mutex_unlock(&xr_peers_mutex);
}

/**
 * xr_peer_privileged() - check whether a caller may use any address and peer
 * @link: the link
 * @caller: owner of the queue pair
 *
 * Return: true: it is in the kernel, or could send any packet from the link's device anyway.
 */
bool xr_peer_privileged(const struct xr_link *link, const struct xr_owner *caller)
{
	struct user_namespace *ns = &init_user_ns;
	const struct net_device *dev;
	bool may;

	if (xr_owner_flags(caller) & XROCE_F_KERNEL)
		return true;
	rcu_read_lock();
	/* RCU keeps the device, and that its namespace. */
	dev = READ_ONCE(link->dev);
	if (dev)
		ns = dev_net(dev)->user_ns;
	may = ns_capable_noaudit(ns, CAP_NET_ADMIN) || ns_capable_noaudit(ns, CAP_NET_RAW);
	rcu_read_unlock();
	return may;
}

static u32 xr_peer_hash(const struct xr_peer *peer)
{
	static u32 seed;

	/* Whoever chooses numbers of peers must not know which of them share a list. */
	get_random_once(&seed, sizeof(seed));
	return jhash_2words(peer->qpn, peer->link, jhash(&peer->addr, sizeof(peer->addr), seed));
}

static struct xr_peer *xr_peer_find(const struct xr_peer *key)
{
	struct xr_peer *peer;

	hash_for_each_possible(xr_peers, peer, node, xr_peer_hash(key))
		if (peer->qpn == key->qpn && peer->net == key->net && peer->link == key->link &&
		    ipv6_addr_equal(&peer->addr, &key->addr))
			return peer;
	return NULL;
}

/* Release a reference of xr_peer_get(), or that of a queue pair. The lock is held. */
void xr_peer_put(struct xr_peer *peer)
{
	lockdep_assert_held(&xr_peers_mutex);
	if (--peer->users)
		return;
	hash_del(&peer->node);
	kfree(peer);
}

static void xr_peer_drop(struct xr_qp *qp)
{
	struct xr_peer *peer = qp->with;

	if (!peer)
		return;
	list_del(&qp->with_node);
	qp->with = NULL;
	xr_peer_put(peer);
}

/* The queue pair is not connected any more. The link's lock is held. */
void xr_peer_leave(struct xr_qp *qp)
{
	xr_peers_lock();
	xr_peer_drop(qp);
	xr_peers_unlock();
}

/* True if a packet, response or work request has ended the connection. Under any lock. */
static bool xr_peer_ended(const struct xr_qp *qp)
{
	return xr_qp_state(qp) == XROCE_QPS_ERR;
}

static void xr_peer_count(const struct xr_link *link)
{
	local_bh_disable();
	this_cpu_inc(link->stat->peer_refused);
	local_bh_enable();
}

/* End the connection of a queue pair whose peer is another owner's from now on. */
static void xr_peer_expel(struct xr_qp *qp)
{
	xr_send_quit(qp);
	xr_peer_count(qp->link);
}

/**
 * xr_peer_get() - find or make the peer of an address and a queue pair number
 * @qp: queue pair that is to be connected with the peer; the lock of its link is held
 * @addr: the peer's address
 * @qpn: its queue pair number
 *
 * The lock of peers is held. Sleeps.
 *
 * Return: the peer, for xr_peer_clear(), and then xr_peer_set() or xr_peer_put(); -ENOMEM.
 */
struct xr_peer *xr_peer_get(const struct xr_qp *qp, const struct in6_addr *addr, u32 qpn)
{
	const struct xr_link *link = qp->link;
	bool local = ipv6_addr_type(addr) & IPV6_ADDR_LINKLOCAL;
	struct xr_peer key = {
		.link = local ? link->id + 1 : 0,
		.qpn = qpn,
		.addr = *addr,
	};
	const struct net_device *dev;
	struct xr_peer *peer;

	lockdep_assert_held(&xr_peers_mutex);
	rcu_read_lock();
	dev = READ_ONCE(link->dev);
	key.net = dev ? dev_net(dev) : NULL;
	rcu_read_unlock();
	peer = xr_peer_find(&key);
	if (!peer) {
		peer = kmemdup(&key, sizeof(key), XR_GFP_LOCKED);
		if (!peer)
			return ERR_PTR(-ENOMEM);
		INIT_LIST_HEAD(&peer->qps);
		hash_add(xr_peers, &peer->node, xr_peer_hash(peer));
		peer->owner = qp->owner;
	}
	peer->users++;
	return peer;
}

/**
 * xr_peer_clear() - have queue pairs of other owners leave a peer
 * @peer: the peer, of xr_peer_get() under the same lock of peers
 * @qp: queue pair that is to be connected with it; the lock of its link is held
 * @privileged: of the caller, see xr_peer_privileged()
 *
 * Queue pairs in ERR leave. If the caller is privileged, so do those that were connected without
 * privileges: this ends their connections, and they move to ERR. A queue pair leaves once for each
 * time that it was connected, so this takes no longer than connecting them did.
 *
 * The lock of peers is held. Sleeps.
 *
 * Return: 0: @qp may be connected; -EADDRINUSE: the caller is not privileged, and a queue pair of
 * another owner is connected.
 */
int xr_peer_clear(struct xr_peer *peer, const struct xr_qp *qp, bool privileged)
{
	struct xr_qp *other, *next;

	lockdep_assert_held(&xr_peers_mutex);
	if (likely(peer->owner == qp->owner))
		return 0;
	list_for_each_entry_safe(other, next, &peer->qps, with_node) {
		if (other->owner == qp->owner)
			continue;
		if (!xr_peer_ended(other)) {
			if (!privileged) {
				xr_peer_count(qp->link);
				return -EADDRINUSE;
			}
			if (other->with_privilege)
				continue;
			xr_peer_expel(other);
		}
		xr_peer_drop(other);
	}
	return 0;
}

/**
 * xr_peer_set() - connect a queue pair with a peer, instead of its previous one
 * @qp: the queue pair; the lock of its link is held
 * @peer: the peer, cleared by xr_peer_clear() under the same lock of peers
 * @privileged: of the caller, see xr_peer_privileged()
 */
void xr_peer_set(struct xr_qp *qp, struct xr_peer *peer, bool privileged)
{
	lockdep_assert_held(&xr_peers_mutex);
	xr_peer_drop(qp);
	if (list_empty(&peer->qps))
		peer->owner = qp->owner;
	else if (peer->owner != qp->owner)
		peer->owner = NULL;
	list_add(&qp->with_node, &peer->qps);
	qp->with = peer;
	qp->with_privilege = privileged;
}
