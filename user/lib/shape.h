/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Whether a map that is there is one that a program was compiled for. */
#ifndef _LIBXROCE_SHAPE_H
#define _LIBXROCE_SHAPE_H

#include <bpf/libbpf.h>

#include "priv.h"

/*
 * Compare a map with what @obj says of it: type, flags, sizes, and the members of
 * its values by name, place and size. @what: out: the first difference, in words.
 * Return: 0; -EINVAL: there is one; or another -errno.
 */
XROCE_HIDDEN int xroce_shape_same(const struct bpf_map_info *info,
				  const struct bpf_object *obj,
				  const struct bpf_map *map, __u32 entries,
				  char what[XROCE_ERROR_MAX]);

#endif /* _LIBXROCE_SHAPE_H */
