/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counters of regions: the map "mr_stat". The functions that move bytes count them, in
 * softirq, while they hold the region, or RCU.
 */
#ifndef _XR_MR_STAT_H
#define _XR_MR_STAT_H

#include <linux/percpu.h>

#include "xroce_map.h"

struct bpf_map;

struct xroce_mr_stat __percpu *xr_mr_stat_new(const struct bpf_map *map,
					      u32 index);

static inline void xr_mr_count_in(struct xroce_mr_stat __percpu *stat, u32 packets,
				  u32 bytes, u32 requests)
{
	this_cpu_add(stat->in_packets, packets);
	this_cpu_add(stat->in_bytes, bytes);
	this_cpu_add(stat->in_requests, requests);
}

static inline void xr_mr_count_out(struct xroce_mr_stat __percpu *stat, u32 bytes,
				   u32 requests)
{
	this_cpu_inc(stat->out_packets);
	this_cpu_add(stat->out_bytes, bytes);
	this_cpu_add(stat->out_requests, requests);
}

static inline void xr_mr_count_atomic(struct xroce_mr_stat __percpu *stat)
{
	this_cpu_inc(stat->atomics);
}

static inline void xr_mr_count_refused(struct xroce_mr_stat __percpu *stat)
{
	this_cpu_inc(stat->refused);
}

#endif
