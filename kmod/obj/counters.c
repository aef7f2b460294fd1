// SPDX-License-Identifier: GPL-2.0-only
#include <linux/bpf.h>
#include <linux/err.h>

#include "counters.h"

/**
 * xr_counters_map() - get a map of counters
 * @fd: descriptor, or -1
 * @size: of a CPU's copy of an entry
 * @entries: how many it must have
 *
 * Return: the map with a reference, NULL for -1, or -EBADF or -EINVAL.
 */
struct bpf_map *xr_counters_map(int fd, u32 size, u32 entries)
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
	    map->value_size == size &&
	    map->max_entries == entries && IS_ERR_OR_NULL(map->record))
		return map;
	bpf_map_put(map);
	return ERR_PTR(-EINVAL);
}

/* The copies of an entry, which is there. */
void __percpu *xr_counters(const struct bpf_map *map, u32 index)
{
	return container_of(map, struct bpf_array, map)->pptrs[index];
}
