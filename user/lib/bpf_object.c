// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The BPF object file: its path, and the constants in it. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/auxv.h>
#include <sys/stat.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "priv.h"

/* Find the object of the build tree if the executable is in a build tree. */
static bool build_tree_object(char *path, size_t size)
{
	static const char object[] = "/../bpf/xroce.bpf.o";
	char exe[PATH_MAX], *slash;
	ssize_t n;

	n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	if (n <= 0)
		return false;
	exe[n] = 0;
	slash = strrchr(exe, '/');
	if (!slash)
		return false;
	*slash = 0;
	if ((size_t)snprintf(path, size, "%s%s", exe, object) >= size)
		return false;
	return !access(path, R_OK);
}

int xroce_object_path(const char *wanted, char *path, size_t size)
{
	struct stat st;

	if (!wanted)
		wanted = secure_getenv("XROCE_BPF_OBJECT");
	/* Whoever may link a privileged program elsewhere must not choose its object. */
	if (!wanted && !getauxval(AT_SECURE) && build_tree_object(path, size))
		return 0;
	if (!wanted)
		wanted = XROCE_BPF_OBJ;
	if ((size_t)snprintf(path, size, "%s", wanted) >= size)
		return -ENAMETOOLONG;
	if (access(path, R_OK))
		return -errno;
	return !stat(path, &st) && S_ISDIR(st.st_mode) ? -EISDIR : 0;
}

const char *xroce_object_cure(const char *wanted)
{
	return !wanted && secure_getenv("XROCE_BPF_OBJECT") ?
	       "; unset XROCE_BPF_OBJECT to load the installed object" : "";
}

const char *xroce_libbpf_strerror(int err, char text[XROCE_LIBBPF_ERROR_MAX])
{
	if (libbpf_strerror(err, text, XROCE_LIBBPF_ERROR_MAX))
		snprintf(text, XROCE_LIBBPF_ERROR_MAX, "libbpf error %d", err);
	return text;
}

int xroce_rodata_set(struct bpf_object *obj, const char *name,
		     const void *value, size_t size)
{
	const struct btf *btf = bpf_object__btf(obj);
	const struct btf_var_secinfo *var;
	const struct btf_type *section;
	size_t map_size, i;
	struct bpf_map *map;
	char *data;
	int id;

	map = bpf_object__find_map_by_name(obj, ".rodata");
	if (!map || !btf)
		return -ENOENT;
	id = btf__find_by_name_kind(btf, ".rodata", BTF_KIND_DATASEC);
	if (id < 0)
		return -ENOENT;
	/* The section may be changed until the object is loaded. */
	data = (char *)bpf_map__initial_value(map, &map_size);
	if (!data)
		return -ENOENT;

	section = btf__type_by_id(btf, id);
	var = btf_var_secinfos(section);
	for (i = 0; i < btf_vlen(section); i++, var++) {
		const struct btf_type *t = btf__type_by_id(btf, var->type);

		if (strcmp(btf__name_by_offset(btf, t->name_off), name))
			continue;
		if (var->size != size || var->offset > map_size ||
		    size > map_size - var->offset)
			return -EINVAL;
		memcpy(data + var->offset, value, size);
		return 0;
	}
	return -ENOENT;
}
