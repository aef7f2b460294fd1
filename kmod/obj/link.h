/* SPDX-License-Identifier: GPL-2.0-only */
/* A link: one network device, its maps, and the objects on it. */
#ifndef _XR_LINK_H
#define _XR_LINK_H

#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/rhashtable-types.h>
#include <linux/types.h>
#include <linux/xarray.h>

#include "frame/loop.h"
#include "own/limit.h"
#include "own/owner.h"
#include "recv/group.h"
#include "send/cc_list.h"

#include "key.h"
#include "maps.h"
#include "moderation.h"

#define XR_MAX_LINKS	256

struct bpf_prog;
struct xr_ctx;
struct xr_front;
struct xr_link;
struct xr_mr;
struct xr_mw;
struct xr_qp;
struct xroce_link_maps;
struct xroce_link_query;
struct xroce_stat;

#define XR_FRONT_NAME	64	/* bytes, with the NUL */

/**
 * struct xr_front_ops - how the core asks a front end to go
 * @get: keeps the front end and its code until @remove. Under xr_links_lock. Return: whether
 *	it could be kept; if not, it is going already
 * @remove: undoes @get. The link is being deleted: calls xr_front_detach() unless programs use
 *	the front end and @force is false. Without locks; sleeps. Return: 0, or -EBUSY
 */
struct xr_front_ops {
	bool (*get)(struct xr_front *front);
	int (*remove)(struct xr_front *front, bool force);
};

/**
 * struct xr_front - a front end of a link
 * @ops: its functions
 * @link: its link, which it uses; NULL: it is not attached
 * @own: owner of the objects of consumers in the kernel
 * @name: its name, for LINK_QUERY
 * @provider: enum xroce_provider, for LINK_QUERY
 *
 * @link and @name are under xr_links_lock. The front end allocates the structure, and sets
 * @ops, @name and @provider before it attaches itself, and @own before others can use it.
 */
struct xr_front {
	const struct xr_front_ops *ops;
	struct xr_link *link;
	struct xr_owner own;
	char name[XR_FRONT_NAME];
	u32 provider;
};

/**
 * struct xr_link - a link
 * @id: its number, the position in the table of links
 * @dev: network device, with a reference; NULL after it was unregistered
 * @name: name of @dev, kept after @dev was unregistered
 * @dev_tracker: tracks the reference to @dev
 * @maps: its maps
 * @stat: the counters in the map "stat"; without it, counters that nobody reads
 * @prog: XDP program, with a reference; NULL: none. Run under RCU
 * @mpt_entries: size of the map "mpt", @mr and @mw, a power of two; 0: no maps yet
 * @qp_entries: size of the map "qp" and @qp, a power of two; 0: no maps yet
 * @mpt_mask: @mpt_entries - 1
 * @qp_mask: @qp_entries - 1
 * @paths: UDP source ports that requests of a connection on RC are divided among, see send/paths.h
 * @maker: file that made it; NULL when it has maps
 * @users: number of files that use it, plus one for @front
 * @front: its verbs device; NULL: none
 * @tx_lost: @dev loses frames of XDP_TX, so the module sends all responses, see frame/xdp_tx.c
 * @lock: protects the objects
 * @mr: region by key index; read by the data path under RCU
 * @mw: window by key index; read by the data path under RCU
 * @qp: queue pair by position in the map "qp"; read by the data path under RCU
 * @keys: free key indices, that is, indices of @mr, @mw and the map "mpt"
 * @mr_used: bitmap of key indices of regions
 * @mw_used: bitmap of key indices of windows
 * @qp_used: bitmap of positions in the map "qp" that are taken
 * @names: regions by name, see name.h
 * @pds: protection domain by number
 * @cqs: completion queue by number
 * @srqs: shared receive queue by number
 * @pd_next: number at which the search for a free one in @pds continues
 * @cq_next: likewise in @cqs
 * @srq_next: likewise in @srqs
 * @nr_pds: number of protection domains
 * @nr_mrs: number of memory regions
 * @nr_mws: number of memory windows
 * @nr_qps: number of queue pairs
 * @own: owner of the persistent objects
 * @limits: limits and counts of objects; with a lock of their own
 * @loop: frames to itself; with a lock of their own
 * @mcast: multicast groups; with a lock of their own
 * @cc: algorithm of congestion control of new connections; with a lock of its own
 * @moderation: of events of the completion queues that have none of their own; written under
 *	xr_links_lock and @lock
 *
 * The fields from @id to @tx_lost are under xr_links_lock, the others under @lock, except the
 * key bytes in @keys (key.h). The data path reads @dev and @prog under RCU, and @tx_lost. Maps,
 * sizes, tables and @paths do not change after @mpt_entries is set. @prog can be replaced, but not
 * by NULL.
 */
struct xr_link {
	u32 id;
	struct net_device *dev;
	char name[IFNAMSIZ];
	netdevice_tracker dev_tracker;
	struct xr_maps maps;
	struct xroce_stat __percpu *stat;
	struct bpf_prog __rcu *prog;
	u32 mpt_entries;
	u32 qp_entries;
	u32 mpt_mask;
	u32 qp_mask;
	u32 paths;
	struct xr_ctx *maker;
	unsigned int users;
	struct xr_front *front;
	bool tx_lost;

	struct mutex lock;
	struct xr_mr __rcu **mr;
	struct xr_mw __rcu **mw;
	struct xr_qp __rcu **qp;
	struct xr_keys keys;
	unsigned long *mr_used;
	unsigned long *mw_used;
	unsigned long *qp_used;
	struct rhashtable names;
	struct xarray pds;
	struct xarray cqs;
	struct xarray srqs;
	u32 pd_next;
	u32 cq_next;
	u32 srq_next;
	u32 nr_pds;
	u32 nr_mrs;
	u32 nr_mws;
	u32 nr_qps;
	struct xr_owner own;
	struct xr_limits limits;
	struct xr_loop loop;
	struct xr_mcast mcast;
	struct xr_cc_choice cc;
	struct xr_moderation moderation;
};

/* Links that have maps, by number. Written under xr_links_lock, read under RCU. */
extern struct xr_link __rcu *xr_links_up[XR_MAX_LINKS];

/*
 * Find a link on the data path: in softirq, under RCU, which keeps the link. Only the low
 * eight bits of @id count. A larger number may find another link, which does no harm: the
 * caller could have passed that link's number as well.
 *
 * Return: the link, which has maps and tables; NULL: none.
 */
static inline struct xr_link *xr_link_rcu(u32 id)
{
	BUILD_BUG_ON(XR_MAX_LINKS != U8_MAX + 1);
	return rcu_dereference_bh(xr_links_up[(u8)id]);
}

/* The table of links; see struct xr_link. */
extern struct mutex xr_links_lock;

int xr_link_init(void);
void xr_link_exit(void);
int xr_link_add(struct xr_ctx *maker, u32 ifindex);
int xr_link_maps(struct xr_ctx *maker, const struct xroce_link_maps *a);
int xr_link_prog(u32 id, int fd);
struct xr_link *xr_link_take(u32 id, bool force);
void xr_link_free(struct xr_link *link);
void xr_link_forget_maker(struct xr_ctx *maker);
int xr_link_query(struct xroce_link_query *q);
int xr_link_do(u32 id, int (*fn)(struct xr_link *link, void *arg), void *arg);
struct xr_link *xr_link_of_dev(const struct net_device *dev);
struct xr_link *xr_link_use(u32 ifindex);
void xr_link_unuse(struct xr_link *link);

#endif
