// SPDX-License-Identifier: GPL-2.0-only
/*
 * An entry of the map is found once, when a region is registered: the link, which
 * holds the map, outlives its regions.
 */
#include <linux/string.h>

#include "counters.h"
#include "link.h"
#include "mr_stat.h"

/* Of all regions of links that do not count them. Nobody looks at it. */
static DEFINE_PER_CPU(struct xroce_mr_stat, xr_mr_stat_nobody);

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
	stat = xr_counters(link->mr_stat_map, index);
	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(stat, cpu), 0, sizeof(*stat));
	return stat;
}
