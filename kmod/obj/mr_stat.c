// SPDX-License-Identifier: GPL-2.0-only
/*
 * An entry of the map is found once, when a region is registered: the link, which
 * holds the map, outlives its regions.
 */
#include <linux/string.h>

#include "counters.h"
#include "mr_stat.h"

/* Of all regions of links that do not count them. Nobody looks at it. */
static DEFINE_PER_CPU(struct xroce_mr_stat, xr_mr_stat_nobody);

/**
 * xr_mr_stat_new() - get the counters of a new region
 * @map: the map "mr_stat" of its link, whose lock is held; NULL: none
 * @index: of the region's entry in the memory protection table
 *
 * Return: the counters, zero.
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
