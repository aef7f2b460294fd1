// SPDX-License-Identifier: GPL-2.0-only
/* The maps of a link. */
#include <linux/bpf.h>
#include <linux/err.h>
#include <linux/log2.h>

#include "uapi/xroce.h"
#include "xroce_map.h"

#include "maps.h"

#define XR_MAP_MIN	16u
#define XR_MPT_MAX	(1u << 24)
#define XR_QP_MAX	(1u << 16)

/*
 * Get a map whose number of entries is a power of two, so that an index can be masked. The module
 * writes to its values, so they must have no kptr, timer or lock (record), and the verifier must
 * not take them as constants: in a frozen array with a single entry it does, if programs only read
 * it. Return: the map, with a reference; -EBADF: not a descriptor; -EINVAL: not such a map.
 */
static struct bpf_map *xr_map_get(int fd, enum bpf_map_type type, u32 value_size, u32 min, u32 max)
{
	struct bpf_map *map = bpf_map_get(fd);

	if (IS_ERR(map))
		return map;
	if (map->map_type == type && map->key_size == sizeof(u32) &&
	    map->value_size == value_size && map->max_entries >= min &&
	    map->max_entries <= max && is_power_of_2(map->max_entries) &&
	    !(max == 1 && map->map_flags & BPF_F_RDONLY_PROG) && IS_ERR_OR_NULL(map->record))
		return map;
	bpf_map_put(map);
	return ERR_PTR(-EINVAL);
}

static void xr_map_put(struct bpf_map *map)
{
	if (!IS_ERR_OR_NULL(map))
		bpf_map_put(map);
}

/* True if LINK_MAPS does without this map. */
static bool xr_map_none(int fd)
{
	return fd == 0 || fd == -1;
}

/**
 * xr_maps_get() - get the maps of a link
 * @maps: filled in, for xr_maps_put() in any case
 * @a: descriptors
 *
 * Return: 0; -EBADF: not a descriptor; -EINVAL: not a map of the right type and size.
 */
int xr_maps_get(struct xr_maps *maps, const struct xroce_link_maps *a)
{
	u32 keys;

	*maps = (struct xr_maps){};
	maps->mpt = xr_map_get(a->mpt_fd, BPF_MAP_TYPE_ARRAY, sizeof(struct xroce_mpt),
			       XR_MAP_MIN, XR_MPT_MAX);
	if (IS_ERR(maps->mpt))
		return PTR_ERR(maps->mpt);
	keys = maps->mpt->max_entries;
	maps->qp = xr_map_get(a->qp_fd, BPF_MAP_TYPE_ARRAY, sizeof(struct xroce_qp),
			      XR_MAP_MIN, XR_QP_MAX);
	if (a->mr_stat_fd != -1)
		maps->mr_stat = xr_map_get(a->mr_stat_fd, BPF_MAP_TYPE_PERCPU_ARRAY,
					   sizeof(struct xroce_mr_stat), keys, keys);
	if (!xr_map_none(a->netdev_fd))
		maps->netdev = xr_map_get(a->netdev_fd, BPF_MAP_TYPE_ARRAY,
					  sizeof(struct xroce_netdev), 1, 1);
	if (!xr_map_none(a->stat_fd))
		maps->stat = xr_map_get(a->stat_fd, BPF_MAP_TYPE_PERCPU_ARRAY,
					sizeof(struct xroce_stat), 1, 1);
	return PTR_ERR_OR_ZERO(maps->qp) ? : PTR_ERR_OR_ZERO(maps->mr_stat) ? :
	       PTR_ERR_OR_ZERO(maps->netdev) ? : PTR_ERR_OR_ZERO(maps->stat);
}

/* Undo xr_maps_get(), whatever it has returned. */
void xr_maps_put(const struct xr_maps *maps)
{
	xr_map_put(maps->mpt);
	xr_map_put(maps->qp);
	xr_map_put(maps->mr_stat);
	xr_map_put(maps->netdev);
	xr_map_put(maps->stat);
}

/*
 * The per-CPU copies of entry @index of a map of counters, which must exist. Their address does not
 * change while the map exists.
 */
void __percpu *xr_counters(const struct bpf_map *map, u32 index)
{
	return container_of(map, struct bpf_array, map)->pptrs[index];
}
