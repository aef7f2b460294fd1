// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Memory regions: the ioctls, and names and rights that are refused. */
#include <errno.h>
#include <linux/magic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "priv.h"
#include "xroce_name.h"

const char *xroce_mr_access_error(__u32 access)
{
	if (access & XROCE_ACCESS_FLUSH_PERSISTENT)
		return "flush to persistence: persistent memory cannot be registered";
	/* IBTA 11.2.8.1 */
	if (access & XROCE_ACCESS_LOCAL_WRITE)
		return NULL;
	if (access & XROCE_ACCESS_REMOTE_WRITE)
		return "remote write needs local write";
	if (access & XROCE_ACCESS_REMOTE_ATOMIC)
		return "remote atomic needs local write";
	return NULL;
}

const char *xroce_mr_name_error(const char *name)
{
	if (strlen(name) >= XROCE_NAME_MAX)
		return "a name must have at most 31 bytes";
	switch (xroce_name_check(name)) {
	case XROCE_NAME_OK:
		break;
	case XROCE_NAME_NOT_UTF8:
		return "a name must be UTF-8";
	case XROCE_NAME_CONTROL:
		return "a name must not have control characters";
	case XROCE_NAME_NUMBER:
		return "a name must not be a number: numbers are handles";
	}
	return NULL;
}

int xroce_mr_reg_sized(struct xroce *x, struct xroce_mr_reg *reg, size_t size)
{
	return xroce_command_sized(x->fd, XROCE_CMD_MR_REG, reg, size);
}

/* Unit in bytes of the offset and length of a mapping of the file. */
static __u64 map_unit(int fd)
{
	struct statfs fs;

	if (!fstatfs(fd, &fs) && fs.f_type == HUGETLBFS_MAGIC)
		return fs.f_bsize;
	return sysconf(_SC_PAGESIZE);
}

/**
 * struct map - a part of a file that is mapped during a call
 * @base: address of the mapping
 * @span: length of the mapping in bytes
 * @addr: address of the part's first byte
 */
struct map {
	void *base;
	__u64 span;
	__u64 addr;
};

/* Map @length bytes; 0 is replaced by the length up to the end of the file. Return: 0 or -errno. */
static int map_file(int fd, __u64 offset, __u64 *length, __u32 access,
		    struct map *map)
{
	__u64 unit = map_unit(fd), head = offset % unit;
	int prot = PROT_READ;
	struct stat st;

	/* It would name addresses of the program where nothing is mapped after the call. */
	if (access & XROCE_ACCESS_ON_DEMAND)
		return -EINVAL;
	if (fstat(fd, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (offset >= (__u64)st.st_size)
		return -ERANGE;
	if (!*length)
		*length = st.st_size - offset;
	if (*length > st.st_size - offset)
		return -ERANGE;

	map->span = (head + *length + unit - 1) / unit * unit;
	if (access & XROCE_ACCESS_LOCAL_WRITE)
		prot |= PROT_WRITE;
	map->base = mmap(NULL, map->span, prot, MAP_SHARED, fd, offset - head);
	/* The module returns ENODEV for a deleted link, so ENODEV of mmap(2) is replaced. */
	if (map->base == MAP_FAILED)
		return errno == ENODEV ? -EOPNOTSUPP : -errno;
	map->addr = (uintptr_t)map->base + head;
	return 0;
}

int xroce_mr_reg_file_sized(struct xroce *x, int fd, __u64 offset, struct xroce_mr_reg *reg,
			    size_t size)
{
	struct map map = {};
	int err;

	if (!XROCE_HAS(size, struct xroce_mr_reg, length))
		return -EINVAL;
	err = map_file(fd, offset, &reg->length, reg->access, &map);
	if (err)
		return err;
	reg->addr = map.addr;
	err = xroce_mr_reg_sized(x, reg, size);
	munmap(map.base, map.span);
	return err;
}

int xroce_mr_reg_phys_sized(struct xroce *x, struct xroce_mr_reg_phys *reg, size_t size)
{
	return xroce_command_sized(x->fd, XROCE_CMD_MR_REG_PHYS, reg, size);
}

int xroce_mr_reg_shared_sized(struct xroce *x, struct xroce_mr_reg_shared *reg, size_t size)
{
	return xroce_command_sized(x->fd, XROCE_CMD_MR_REG_SHARED, reg, size);
}

int xroce_mr_rereg_sized(struct xroce *x, struct xroce_mr_rereg *rereg, size_t size)
{
	return xroce_command_sized(x->fd, XROCE_CMD_MR_REREG, rereg, size);
}

int xroce_mr_rereg_file_sized(struct xroce *x, int fd, __u64 offset, struct xroce_mr_rereg *rereg,
			      size_t size)
{
	struct xroce_mr_query query = {};
	struct map map = {};
	__u32 access;
	int err;

	if (!XROCE_HAS(size, struct xroce_mr_rereg, length))
		return -EINVAL;
	access = rereg->access;
	if (!(rereg->mask & XROCE_REREG_ACCESS)) {
		query.mr = rereg->mr;
		err = xroce_mr_query(x, &query);
		if (err)
			return err;
		access = query.access;
	}
	err = map_file(fd, offset, &rereg->length, access, &map);
	if (err)
		return err;
	rereg->mask |= XROCE_REREG_TRANSLATION;
	rereg->addr = map.addr;
	err = xroce_mr_rereg_sized(x, rereg, size);
	munmap(map.base, map.span);
	return err;
}

int xroce_mr_dereg(struct xroce *x, __u32 mr)
{
	struct xroce_mr_dereg dereg = { .size = sizeof(dereg), .mr = mr };

	return xroce_command(x->fd, XROCE_CMD_MR_DEREG, &dereg);
}

int xroce_mr_advise_sized(struct xroce *x, struct xroce_mr_advise *advise, size_t size)
{
	return xroce_command_sized(x->fd, XROCE_CMD_MR_ADVISE, advise, size);
}

int xroce_mr_query_sized(struct xroce *x, struct xroce_mr_query *query, size_t size)
{
	/* As in xroce_link_query(). */
	if (XROCE_HAS(size, struct xroce_mr_query, file))
		memset(query->file, 0, sizeof(query->file));
	return xroce_command_sized(x->fd, XROCE_CMD_MR_QUERY, query, size);
}
