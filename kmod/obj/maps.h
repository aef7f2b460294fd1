/* SPDX-License-Identifier: GPL-2.0-only */
/* The maps of a link: the module reads and writes their entries in place. */
#ifndef _XR_MAPS_H
#define _XR_MAPS_H

#include <linux/percpu.h>
#include <linux/types.h>

struct bpf_map;
struct xroce_link_maps;

/**
 * struct xr_maps - maps, each with a reference
 * @mpt: memory protection table
 * @qp: queue pair table
 * @mr_stat: counters of regions; NULL: none
 * @netdev: address of the network device for the XDP program; NULL: none
 * @stat: counters of the link; NULL: none
 */
struct xr_maps {
	struct bpf_map *mpt;
	struct bpf_map *qp;
	struct bpf_map *mr_stat;
	struct bpf_map *netdev;
	struct bpf_map *stat;
};

int xr_maps_get(struct xr_maps *maps, const struct xroce_link_maps *a);
void xr_maps_put(const struct xr_maps *maps);
void __percpu *xr_counters(const struct bpf_map *map, u32 index);

#endif
