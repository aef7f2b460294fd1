// SPDX-License-Identifier: GPL-2.0-only
/*
 * An entry of the map is found once, when a region is registered: the elements of
 * a per-CPU array stay where they are as long as the map lives, and the link,
 * which holds the map, outlives its regions.
 */
#include <linux/bpf.h>
#include <linux/string.h>

#include "link.h"
#include "mr_stat.h"

/* Of all regions of links that do not count them. Nobody looks at it. */
static DEFINE_PER_CPU(struct xroce_mr_stat, xr_mr_stat_nobody);

/**
 * xr_mr_stat_map() - get the map
 * @fd: descriptor, or -1
 * @entries: how many it must have
 *
 * Return: the map with a reference, NULL for -1, or -EBADF or -EINVAL.
 */
struct bpf_map *xr_mr_stat_map(int fd, u32 entries)
{
	struct bpf_map *map;

	if (fd == -1)
		return NULL;
	map = bpf_map_get(fd);
	if (IS_ERR(map))
		return map;
	/* What the kernel keeps in a value itself must not be there. */
	if (map->map_type == BPF_MAP_TYPE_PERCPU_ARRAY &&
	    map->key_size == sizeof(u32) &&
	    map->value_size == sizeof(struct xroce_mr_stat) &&
	    map->max_entries == entries && IS_ERR_OR_NULL(map->record))
		return map;
	bpf_map_put(map);
	return ERR_PTR(-EINVAL);
}

/**
 * xr_mr_stat_new() - get the counters of a new region
 * @link: where; its lock is held
 * @index: of the region's entry in the memory protection table
 *
 * Return: the counters, zero.
 */
struct xroce_mr_stat __percpu *xr_mr_stat_new(const struct xr_link *link,
					      u32 index)
{
	struct xroce_mr_stat __percpu *stat;
	int cpu;

	if (!link->mr_stat_map)
		return &xr_mr_stat_nobody;
	stat = container_of(link->mr_stat_map, struct bpf_array,
			    map)->pptrs[index];
	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(stat, cpu), 0, sizeof(*stat));
	return stat;
}
