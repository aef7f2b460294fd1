/* SPDX-License-Identifier: GPL-2.0-only */
/* A link: one network device, its maps, and the objects that live on it. */
#ifndef _XR_LINK_H
#define _XR_LINK_H

#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/rhashtable-types.h>
#include <linux/types.h>
#include <linux/xarray.h>

#include "own/limit.h"
#include "own/owner.h"

#include "key.h"

#define XR_MAX_LINKS	256

struct bpf_map;
struct bpf_prog;
struct xr_ctx;
struct xr_mr;
struct xr_mw;
struct xr_qp;
struct xroce_link_maps;
struct xroce_link_query;
struct xroce_stat;

/**
 * struct xr_link - a link
 * @id: its place in the table of links
 * @dev: network device, with a reference; NULL once it has been unregistered
 * @name: of @dev, kept when @dev has gone
 * @dev_tracker: of the reference to @dev
 * @mpt_map: memory protection table, with a reference
 * @qp_map: queue pair table, with a reference
 * @mr_stat_map: counters of regions, with a reference; NULL: none
 * @netdev_map: what the XDP program knows of @dev, with a reference; NULL: nothing
 * @stat_map: counters of the link, with a reference; NULL: none
 * @stat: those; or, without @stat_map, counters that nobody looks at
 * @prog: XDP program, with a reference; NULL: none. Run under RCU
 * @mpt_entries: size of @mpt_map, @mr and @mw, a power of two; 0: no maps yet
 * @qp_entries: size of @qp_map and @qp, a power of two; 0: no maps yet
 * @mpt_mask: @mpt_entries - 1
 * @qp_mask: @qp_entries - 1
 * @maker: file that made it, until it has maps
 * @users: files that use it
 * @lock: for the objects
 * @mr: region by key index; read by the data path under RCU
 * @mw: window by key index; likewise
 * @qp: queue pair by place in @qp_map; likewise
 * @keys: indices of @mr, @mw and @mpt_map that are free
 * @mr_used: bitmap of key indices that regions have
 * @mw_used: bitmap of key indices that windows have
 * @qp_used: bitmap of places in @qp_map that are not free
 * @names: regions by name, see name.h
 * @pds: protection domain by number
 * @cqs: completion queue by number
 * @srqs: shared receive queue by number
 * @pd_next: where the search for a free number goes on
 * @cq_next: likewise
 * @srq_next: likewise
 * @nr_pds: number of protection domains
 * @nr_mrs: number of memory regions
 * @nr_mws: number of memory windows
 * @nr_qps: number of queue pairs
 * @own: the persistent objects
 * @limits: of what its users make; with a lock of their own
 *
 * From @id to @users under xr_links_lock, the rest under @lock. Maps, sizes and
 * tables do not change once @mpt_entries is set; @prog does, but not to NULL.
 */
struct xr_link {
	u32 id;
	struct net_device *dev;
	char name[IFNAMSIZ];
	netdevice_tracker dev_tracker;
	struct bpf_map *mpt_map;
	struct bpf_map *qp_map;
	struct bpf_map *mr_stat_map;
	struct bpf_map *netdev_map;
	struct bpf_map *stat_map;
	struct xroce_stat __percpu *stat;
	struct bpf_prog __rcu *prog;
	u32 mpt_entries;
	u32 qp_entries;
	u32 mpt_mask;
	u32 qp_mask;
	struct xr_ctx *maker;
	unsigned int users;

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
};

/* Those that have maps. */
extern struct xr_link __rcu *xr_links_up[XR_MAX_LINKS];

/*
 * Find a link on the data path: in softirq, under RCU, which keeps it. Of @id only the
 * low eight bits are looked at: a number of no link may be another's, as any number may.
 *
 * Return: the link, which has maps and tables, or NULL.
 */
static inline struct xr_link *xr_link_rcu(u32 id)
{
	BUILD_BUG_ON(XR_MAX_LINKS != U8_MAX + 1);
	return rcu_dereference_bh(xr_links_up[(u8)id]);
}

int xr_link_init(void);
void xr_link_exit(void);
int xr_link_add(struct xr_ctx *maker, u32 ifindex);
int xr_link_maps(struct xr_ctx *maker, const struct xroce_link_maps *a);
int xr_link_prog(u32 id, int fd);
struct xr_link *xr_link_take(u32 id, bool force);
void xr_link_free(struct xr_link *link);
void xr_link_forget_maker(struct xr_ctx *maker);
int xr_link_query(u32 id, bool next, struct xroce_link_query *q);
int xr_link_do(u32 id, int (*fn)(struct xr_link *link, void *arg), void *arg);
struct xr_link *xr_link_use(u32 ifindex);
void xr_link_unuse(struct xr_link *link);

#endif
