// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters of regions. The entry of a region is looked up once, at registration: the link
 * has a reference to the map and outlives its regions.
 */
#include <linux/string.h>

#include "maps.h"
#include "mr_stat.h"

/* Shared by all regions of links without a map "mr_stat". Nobody reads it. */
static DEFINE_PER_CPU(struct xroce_mr_stat, xr_mr_stat_nobody);

/**
 * xr_mr_stat_new() - get the counters of a new region
 * @map: the map "mr_stat" of its link, whose lock is held; NULL: none
 * @index: index of the region's entry in the memory protection table
 *
 * Return: the counters, set to 0; without @map, counters that nobody reads.
 */
struct xroce_mr_stat __percpu *xr_mr_stat_new(const struct bpf_map *map,
					      u32 index)
{
	struct xroce_mr_stat __percpu *stat;
	int cpu;

	if (!map)
		return &xr_mr_stat_nobody;
	stat = xr_counters(map, index);
	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(stat, cpu), 0, sizeof(*stat));
	return stat;
}
