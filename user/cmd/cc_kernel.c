// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The struct_ops of the module: see cc_kernel.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/bpf.h>

#include <bpf/bpf.h>

#include "xroce_cc.h"

#include "cc_arg.h"
#include "cc_kernel.h"
#include "cc_object.h"
#include "message.h"

/* Names of BPF that are newer than the headers of Debian 12. */
#define CC_F_LINK		(1u << 13)
#define CC_F_VTYPE_BTF_OBJ_FD	(1u << 15)

#define MODULE	"xroce"

/* The arguments of BPF_MAP_CREATE, with one that is likewise newer. */
struct map_create {
	__u32 type;
	__u32 key_size;
	__u32 value_size;
	__u32 max_entries;
	__u32 flags;
	__u32 inner_map_fd;
	__u32 numa_node;
	char name[16];
	__u32 ifindex;
	__u32 btf_fd;
	__u32 btf_key_type_id;
	__u32 btf_value_type_id;
	__u32 btf_vmlinux_value_type_id;
	__u64 extra;
	__s32 value_type_btf_obj_fd;
	__s32 token_fd;
};

/* Open the BTF of the module. Return: a descriptor or -errno. */
static int module_btf(void)
{
	char name[sizeof(MODULE) + 1];
	__u32 id = 0;
	int fd, err;

	while (!bpf_btf_get_next_id(id, &id)) {
		struct bpf_btf_info info = {
			.name = (unsigned long)name,
			.name_len = sizeof(name),
		};
		__u32 len = sizeof(info);

		fd = bpf_btf_get_fd_by_id(id);
		if (fd < 0)
			return -errno;
		/* A longer name is cut off: ENOSPC. */
		err = bpf_obj_get_info_by_fd(fd, &info, &len);
		if (!err && info.kernel_btf && !strcmp(name, MODULE))
			return fd;
		close(fd);
	}
	return -errno;
}

int cc_kernel_open(struct cc_kernel *k, const char *path)
{
	int ops, value;

	*k = (struct cc_kernel){ .fd = module_btf() };
	if (k->fd == -ENOENT)
		return fail("cc: %s: the kernel has no types of module " MODULE ": is it loaded?",
			    path);
	if (k->fd == -EPERM)
		return fail("cc: %s: not permitted: CAP_SYS_ADMIN is needed to load BPF programs for a module",
			    path);
	if (k->fd < 0)
		return fail("cc: %s: types of module " MODULE ": %s", path, strerror(-k->fd));
	k->vmlinux = btf__load_vmlinux_btf();
	k->btf = libbpf_get_error(k->vmlinux) ? NULL : btf__load_module_btf(MODULE, k->vmlinux);
	if (!k->btf || libbpf_get_error(k->btf))
		return fail("cc: %s: /sys/kernel/btf/" MODULE ": %s", path, strerror(errno));
	ops = btf__find_by_name_kind(k->btf, "xroce_cc_ops", BTF_KIND_STRUCT);
	value = btf__find_by_name_kind(k->btf, "bpf_struct_ops_xroce_cc_ops", BTF_KIND_STRUCT);
	if (ops < 0 || value < 0 || btf_vlen(btf__type_by_id(k->btf, value)) != 2)
		return fail("cc: %s: module " MODULE " takes no BPF programs: it is older than this command, or the kernel has no struct_ops (CONFIG_BPF_JIT)",
			    path);
	k->ops = ops;
	k->value = value;
	k->at = btf_members(btf__type_by_id(k->btf, value))[1].offset / 8;
	return EXIT_OK;
}

void cc_kernel_close(struct cc_kernel *k)
{
	if (k->btf && !libbpf_get_error(k->btf))
		btf__free(k->btf);
	if (k->vmlinux && !libbpf_get_error(k->vmlinux))
		btf__free(k->vmlinux);
	if (k->fd >= 0)
		close(k->fd);
}

/* Find a member by its name. Return: its number, or -1. */
static int find_member(const struct btf *btf, const struct btf_type *t, const char *name)
{
	const struct btf_member *m = btf_members(t);
	int i;

	for (i = 0; i < btf_vlen(t); i++)
		if (!strcmp(btf__name_by_offset(btf, m[i].name_off), name))
			return i;
	return -1;
}

static const char *member_name(const struct cc_object *o, const struct btf_member *m)
{
	return btf__name_by_offset(bpf_object__btf(o->obj), m->name_off);
}

int cc_kernel_member(const struct cc_kernel *k, const struct cc_object *o, __u32 at)
{
	const struct btf_member *m = btf_members(o->type);
	int i;

	for (i = 0; i < btf_vlen(o->type); i++)
		if (m[i].offset == at * 8)
			return find_member(k->btf, btf__type_by_id(k->btf, k->ops),
					   member_name(o, &m[i]));
	return -1;
}

static bool all_zero(const char *from, size_t bytes)
{
	while (bytes--)
		if (*from++)
			return false;
	return true;
}

static bool is_function(const struct btf *btf, __u32 id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	return t && btf_is_ptr(t);
}

/*
 * Copy a member that is no function to @to, a struct xroce_cc_ops of the kernel. Return: an exit
 * status.
 */
static int copy_member(const struct cc_kernel *k, const struct cc_object *o,
		       const struct btf_member *m, char *to)
{
	const struct btf_type *kt = btf__type_by_id(k->btf, k->ops);
	__s64 size = btf__resolve_size(bpf_object__btf(o->obj), m->type);
	int i = find_member(k->btf, kt, member_name(o, m));
	const char *from = o->value + m->offset / 8;

	if (size < 0 || m->offset / 8 + size > o->type->size)
		return fail("cc: %s: member %s has no size", o->path, member_name(o, m));
	if (i < 0 || btf__resolve_size(k->btf, btf_members(kt)[i].type) != size)
		return all_zero(from, size) ? EXIT_OK :
		       fail("cc: %s: module " MODULE " does not know member %s of struct xroce_cc_ops: it is of another version",
			    o->path, member_name(o, m));
	memcpy(to + btf_members(kt)[i].offset / 8, from, size);
	return EXIT_OK;
}

/* Fill in a struct xroce_cc_ops of the kernel. Return: an exit status. */
static int fill_value(const struct cc_kernel *k, const struct cc_object *o, char *to)
{
	const struct btf_type *kt = btf__type_by_id(k->btf, k->ops);
	const struct btf_member *m = btf_members(o->type);
	unsigned long fd;
	int i, status;

	for (i = 0; i < btf_vlen(o->type); i++) {
		if (is_function(bpf_object__btf(o->obj), m[i].type))
			continue;
		status = copy_member(k, o, &m[i], to);
		if (status)
			return status;
	}
	for (i = 0; i < o->funcs; i++) {
		fd = bpf_program__fd(o->func[i].prog);
		memcpy(to + btf_members(kt)[cc_kernel_member(k, o, o->func[i].at)].offset / 8,
		       &fd, sizeof(fd));
	}
	return EXIT_OK;
}

/* The reason why the module has refused a value. */
static const char *refused(const struct cc_kernel *k, const char *ops)
{
	const struct btf_type *t = btf__type_by_id(k->btf, k->ops);
	const struct btf_member *m = btf_members(t);
	int name = find_member(k->btf, t, "name"), flags = find_member(k->btf, t, "flags");
	__u32 bits = 0;

	if (name >= 0 && !cc_name_ok(ops + m[name].offset / 8))
		return "name must be " CC_NAME;
	if (flags >= 0)
		memcpy(&bits, ops + m[flags].offset / 8, sizeof(bits));
	if (bits & ~XROCE_CC_FLAGS)
		return "flags has a bit that there is not (XROCE_CC_ECN, XROCE_CC_PARTS)";
	return "init and ack must be there";
}

int cc_kernel_map(const struct cc_kernel *k, const struct cc_object *o,
		  char name[XROCE_CC_NAME_MAX])
{
	const struct btf_type *t = btf__type_by_id(k->btf, k->value);
	struct map_create create = {
		.type = BPF_MAP_TYPE_STRUCT_OPS,
		.key_size = sizeof(__u32),
		.value_size = t->size,
		.max_entries = 1,
		.flags = CC_F_LINK | CC_F_VTYPE_BTF_OBJ_FD,
		.name = "xroce_cc",
		.btf_fd = bpf_object__btf_fd(o->obj),
		.btf_vmlinux_value_type_id = k->value,
		.value_type_btf_obj_fd = k->fd,
	};
	int at = find_member(k->btf, btf__type_by_id(k->btf, k->ops), "name");
	char *value = calloc(1, t->size);
	__u32 zero = 0;
	int fd;

	if (!value || at < 0 || fill_value(k, o, value + k->at)) {
		free(value);
		return -1;
	}
	fd = syscall(__NR_bpf, BPF_MAP_CREATE, &create, sizeof(create));
	if (fd < 0) {
		fail("cc: %s: the kernel makes no map for it: %s", o->path, strerror(errno));
	} else if (bpf_map_update_elem(fd, &zero, value, 0)) {
		fail("cc: %s: the module refused it: %s", o->path,
		     errno == EINVAL ? refused(k, value + k->at) : strerror(errno));
		close(fd);
		fd = -1;
	} else {
		/* The module has checked that it ends. */
		memcpy(name, value + k->at +
		       btf_members(btf__type_by_id(k->btf, k->ops))[at].offset / 8,
		       XROCE_CC_NAME_MAX);
	}
	free(value);
	return fd;
}
