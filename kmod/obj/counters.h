/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Maps of counters: per-CPU arrays in which the module writes some of the fields. The
 * address of an entry does not change while the map exists.
 */
#ifndef _XR_COUNTERS_H
#define _XR_COUNTERS_H

#include <linux/percpu.h>
#include <linux/types.h>

struct bpf_map;

struct bpf_map *xr_counters_map(int fd, u32 size, u32 entries);
void __percpu *xr_counters(const struct bpf_map *map, u32 index);

#endif
