/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Comparing an existing map with the map that a program was compiled for. */
#ifndef _LIBXROCE_SHAPE_H
#define _LIBXROCE_SHAPE_H

#include <bpf/libbpf.h>

#include "priv.h"

/*
 * Compare an existing map with its description @map in @obj: type, flags, sizes, and the members
 * of its values by name, place and size. @entries: the expected number of entries. @what: out:
 * the first difference, as a text. Return: 0; -EINVAL: they differ; -ENOENT: @obj has no BTF.
 */
XROCE_HIDDEN int xroce_shape_same(const struct bpf_map_info *info,
				  const struct bpf_object *obj,
				  const struct bpf_map *map, __u32 entries,
				  char what[XROCE_ERROR_MAX]);

#endif /* _LIBXROCE_SHAPE_H */
