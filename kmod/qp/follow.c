// SPDX-License-Identifier: GPL-2.0-only
/* Queue pairs whose peer, next hop or MTU may have changed: see follow.h. */
#include <linux/bitmap.h>
#include <linux/etherdevice.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netdevice.h>
#include <linux/sched.h>
#include <linux/udp.h>
#include <net/ipv6.h>

#include "xroce_map.h"
#include "xroce_wire.h"

#include "obj/link.h"
#include "obj/neigh.h"
#include "respond/queue.h"
#include "send/state.h"

#include "follow.h"
#include "path.h"
#include "qp.h"
#include "trace.h"

#define XR_FOLLOW_CHUNK	64	/* queue pairs for which the locks are taken once */

/* Of the longest packets behind the IP header, with the invariant CRC. */
#define XR_FOLLOW_HEADERS	(sizeof(struct udphdr) + sizeof(struct xroce_bth) + \
				 sizeof(struct xroce_reth) + sizeof(struct xroce_immdt) + \
				 XROCE_ICRC_LEN)

/**
 * struct xr_follow_walk - the queue pairs of a link are looked at
 * @slot: position of the next one
 * @change: what may have changed
 * @any: @last has been looked up
 * @known: with success
 * @last: the peer that was looked up last; queue pairs of one peer often follow each other
 */
struct xr_follow_walk {
	u32 slot;
	const struct xr_path_change *change;
	bool any;
	bool known;
	struct xr_neigh last;
};

static struct xr_neigh xr_follow_peer(const struct xr_qp *qp)
{
	struct xr_neigh peer = { .vlan = qp->send.attr.vlan };

	memcpy(&peer.from, qp->map->saddr, sizeof(peer.from));
	memcpy(&peer.to, qp->map->daddr, sizeof(peer.to));
	return peer;
}

/*
 * Return: whether a queue pair's Ethernet address is what the stack says. If not, whoever gave it
 * has meant another one. The link's lock is held.
 */
bool xr_follow_known(const struct xr_qp *qp)
{
	struct xr_neigh peer = xr_follow_peer(qp);
	struct net_device *dev;
	bool known;

	if (is_zero_ether_addr(qp->send.attr.dmac))
		return false;
	rcu_read_lock();
	dev = READ_ONCE(qp->link->dev);
	known = dev && xr_neigh_find(dev, &peer, false) &&
		ether_addr_equal(peer.mac, qp->send.attr.dmac);
	rcu_read_unlock();
	return known;
}

/* The Ethernet address of the queue pair's peer is in @w->last. Return: whether it is known. */
static bool xr_follow_find(struct xr_follow_walk *w, const struct xr_qp *qp, struct net_device *dev)
{
	struct xr_neigh peer = xr_follow_peer(qp);

	if (w->any && w->last.vlan == peer.vlan && ipv6_addr_equal(&w->last.to, &peer.to) &&
	    ipv6_addr_equal(&w->last.from, &peer.from))
		return w->known;
	rcu_read_lock();
	w->known = xr_neigh_find(dev, &peer, w->change->silent);
	rcu_read_unlock();
	w->any = true;
	w->last = peer;
	return w->known;
}

/* Send to another Ethernet address, if the peer has one. */
static void xr_follow_qp(struct xr_follow_walk *w, struct xr_qp *qp, struct net_device *dev)
{
	const u8 *to = w->last.mac, *from = qp->send.attr.dmac;

	/* On the loopback device it is 0. */
	if (!qp->follows || is_zero_ether_addr(from) || !xr_follow_find(w, qp, dev) ||
	    ether_addr_equal(from, to))
		return;
	trace_xroce_peer_moved(qp->link->id, qp->qpn, from, to);
	xr_responses_move(qp, to);
	xr_send_move(qp, to);
}

/* Tell whether packets of the queue pair may exceed the MTU, from their IP headers on. */
static void xr_follow_mtu(const struct xr_qp *qp, const struct net_device *dev)
{
	u32 l3 = xr_qp_map_ipv6(qp->map) ? sizeof(struct ipv6hdr) : sizeof(struct iphdr);
	u32 mtu = READ_ONCE(dev->mtu);
	u32 needs = l3 + XR_FOLLOW_HEADERS + qp->mtu;

	if (needs > mtu)
		trace_xroce_mtu_short(qp->link->id, qp->qpn, qp->mtu, needs, mtu);
}

/* Both locks, of links and of the link, are held. */
static void xr_follow_look(struct xr_follow_walk *w, struct xr_qp *qp)
{
	u32 state = xr_qp_state(qp);
	struct net_device *dev = qp->link->dev;

	if (!dev || qp->type == XROCE_QPT_UD ||
	    (state != XROCE_QPS_RTR && state != XROCE_QPS_RTS && state != XROCE_QPS_SQD))
		return;
	if (w->change->mtu)
		xr_follow_mtu(qp, dev);
	if (w->change->moved || w->change->silent)
		xr_follow_qp(w, qp, dev);
}

/* Look at some queue pairs of a link. xr_links_lock is held. Return: 1: there are more; 0. */
static int xr_follow_chunk(struct xr_link *link, void *arg)
{
	struct xr_follow_walk *w = arg;
	struct xr_qp *qp;
	int i;

	mutex_lock(&link->lock);
	for (i = 0; i < XR_FOLLOW_CHUNK; i++) {
		w->slot = find_next_bit(link->qp_used, link->qp_entries, w->slot);
		if (w->slot >= link->qp_entries)
			break;
		qp = xr_qp_in(link, w->slot++);
		if (qp)
			xr_follow_look(w, qp);
	}
	mutex_unlock(&link->lock);
	return w->slot < link->qp_entries;
}

/**
 * xr_follow() - look at the queue pairs of a link
 * @link: its number; it may have gone
 * @change: what may have changed
 *
 * Without locks. Whoever waits for those of links gets them in between. Sleeps.
 */
void xr_follow(u32 link, const struct xr_path_change *change)
{
	struct xr_follow_walk w = { .change = change };

	while (xr_link_do(link, xr_follow_chunk, &w) > 0)
		cond_resched();
}
