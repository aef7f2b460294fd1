// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Programs of two versions can share a map only if both were compiled for the same layout of
 * its values. The BTF of the map and that of the object are compared.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <linux/bpf.h>

#include <bpf/btf.h>

#include "shape.h"

/* Maximum nesting. Values are structures of arrays of structures of integers. */
#define DEPTH_MAX	8

/**
 * struct side - a type on one side of the comparison
 * @btf: the BTF that contains it
 * @type: the type, with typedefs and qualifiers resolved; NULL: unknown
 */
struct side {
	const struct btf *btf;
	const struct btf_type *type;
};

static struct side side_of(const struct btf *btf, __u32 id)
{
	int real = btf__resolve_type(btf, id);

	return (struct side){ btf, real < 0 ? NULL : btf__type_by_id(btf, real) };
}

static const char *name_of(struct side s, __u32 off)
{
	return btf__name_by_offset(s.btf, off) ? : "";
}

static bool same_type(struct side a, struct side b, int depth,
		      char what[XROCE_ERROR_MAX]);

static bool same_members(struct side a, struct side b, int depth,
			 char what[XROCE_ERROR_MAX])
{
	const struct btf_member *x = btf_members(a.type), *y = btf_members(b.type);
	__u32 i;

	for (i = 0; i < btf_vlen(a.type) && i < btf_vlen(b.type); i++, x++, y++) {
		snprintf(what, XROCE_ERROR_MAX, "member '%s', not '%s'",
			 name_of(a, x->name_off), name_of(b, y->name_off));
		if (strcmp(name_of(a, x->name_off), name_of(b, y->name_off)))
			return false;
		snprintf(what, XROCE_ERROR_MAX, "member '%s' has another place or type",
			 name_of(a, x->name_off));
		if (x->offset != y->offset ||
		    !same_type(side_of(a.btf, x->type), side_of(b.btf, y->type),
			       depth, what))
			return false;
	}
	snprintf(what, XROCE_ERROR_MAX, "values have %u members, not %u",
		 btf_vlen(a.type), btf_vlen(b.type));
	return btf_vlen(a.type) == btf_vlen(b.type);
}

/* Enumerators are not compared: new ones are only added at the end. */
static bool same_type(struct side a, struct side b, int depth,
		      char what[XROCE_ERROR_MAX])
{
	const struct btf_array *x, *y;

	if (!a.type || !b.type || depth > DEPTH_MAX ||
	    btf_kind(a.type) != btf_kind(b.type))
		return false;
	if (btf_is_array(a.type)) {
		x = btf_array(a.type);
		y = btf_array(b.type);
		return x->nelems == y->nelems &&
		       same_type(side_of(a.btf, x->type), side_of(b.btf, y->type),
				 depth + 1, what);
	}
	if (a.type->size != b.type->size)
		return false;
	return !btf_is_composite(a.type) || same_members(a, b, depth + 1, what);
}

static bool same_values(const struct bpf_map_info *info, const struct btf *btf,
			__u32 type, char what[XROCE_ERROR_MAX])
{
	struct btf *is;
	bool same;

	/* A ring buffer has no value type. */
	if (!type && !info->btf_value_type_id)
		return true;
	snprintf(what, XROCE_ERROR_MAX, "no BTF describes its values");
	is = info->btf_id ? btf__load_from_kernel_by_id(info->btf_id) : NULL;
	if (!is)
		return false;
	snprintf(what, XROCE_ERROR_MAX, "type of the values");
	same = same_type(side_of(is, info->btf_value_type_id), side_of(btf, type),
			 0, what);
	btf__free(is);
	return same;
}

static bool same_number(const char *name, __u32 is, __u32 want,
			char what[XROCE_ERROR_MAX])
{
	snprintf(what, XROCE_ERROR_MAX, "%s %u, not %u", name, is, want);
	return is == want;
}

int xroce_shape_same(const struct bpf_map_info *info, const struct bpf_object *obj,
		     const struct bpf_map *map, __u32 entries,
		     char what[XROCE_ERROR_MAX])
{
	const struct btf *btf = bpf_object__btf(obj);

	if (!btf)
		return -ENOENT;
	return same_number("type", info->type, bpf_map__type(map), what) &&
	       same_number("flags", info->map_flags, bpf_map__map_flags(map), what) &&
	       same_number("key size", info->key_size, bpf_map__key_size(map), what) &&
	       same_number("value size", info->value_size, bpf_map__value_size(map), what) &&
	       same_number("entries", info->max_entries, entries, what) &&
	       same_values(info, btf, bpf_map__btf_value_type_id(map), what) ?
	       0 : -EINVAL;
}
