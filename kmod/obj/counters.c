// SPDX-License-Identifier: GPL-2.0-only
/* Maps of counters. */
#include <linux/bpf.h>
#include <linux/err.h>

#include "counters.h"

/**
 * xr_counters_map() - get a map of counters
 * @fd: file descriptor; -1: none
 * @size: bytes of one CPU's copy of an entry
 * @entries: number of entries that the map must have
 *
 * Return: the map, with a reference; NULL: @fd is -1; -EBADF: not a descriptor; -EINVAL:
 * not a map of this type and size.
 */
struct bpf_map *xr_counters_map(int fd, u32 size, u32 entries)
{
	struct bpf_map *map;

	if (fd == -1)
		return NULL;
	map = bpf_map_get(fd);
	if (IS_ERR(map))
		return map;
	/* The module writes to values, so they must have no kptr, timer or lock (record). */
	if (map->map_type == BPF_MAP_TYPE_PERCPU_ARRAY &&
	    map->key_size == sizeof(u32) &&
	    map->value_size == size &&
	    map->max_entries == entries && IS_ERR_OR_NULL(map->record))
		return map;
	bpf_map_put(map);
	return ERR_PTR(-EINVAL);
}

/* The per-CPU copies of entry @index, which must exist. */
void __percpu *xr_counters(const struct bpf_map *map, u32 index)
{
	return container_of(map, struct bpf_array, map)->pptrs[index];
}
