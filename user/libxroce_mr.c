// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Memory regions. */
#include <errno.h>
#include <linux/magic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "libxroce_priv.h"

const char *xroce_mr_access_error(__u32 access)
{
	if (access & XROCE_ACCESS_FLUSH_PERSISTENT)
		return "flush to persistence: memory that keeps its content without power cannot be registered";
	/* IBTA 11.2.8.1 */
	if (access & XROCE_ACCESS_LOCAL_WRITE)
		return NULL;
	if (access & XROCE_ACCESS_REMOTE_WRITE)
		return "remote write needs local write";
	if (access & XROCE_ACCESS_REMOTE_ATOMIC)
		return "remote atomic needs local write";
	return NULL;
}

int xroce_mr_reg(struct xroce *x, struct xroce_mr_reg *reg)
{
	reg->size = sizeof(*reg);
	return xroce_command(x->fd, XROCE_CMD_MR_REG, reg);
}

/* Bytes that offset and length of a mapping of the file are multiples of. */
static __u64 map_unit(int fd)
{
	struct statfs fs;

	if (!fstatfs(fd, &fs) && fs.f_type == HUGETLBFS_MAGIC)
		return fs.f_bsize;
	return sysconf(_SC_PAGESIZE);
}

int xroce_mr_reg_file(struct xroce *x, int fd, __u64 offset,
		      struct xroce_mr_reg *reg)
{
	__u64 unit = map_unit(fd), head, span;
	int prot = PROT_READ, err;
	struct stat st;
	void *map;

	if (fstat(fd, &st))
		return -errno;
	if (offset >= (__u64)st.st_size)
		return -ERANGE;
	if (!reg->length)
		reg->length = st.st_size - offset;
	if (reg->length > st.st_size - offset)
		return -ERANGE;

	head = offset % unit;
	span = (head + reg->length + unit - 1) / unit * unit;
	if (reg->access & XROCE_ACCESS_LOCAL_WRITE)
		prot |= PROT_WRITE;
	map = mmap(NULL, span, prot, MAP_SHARED, fd, offset - head);
	if (map == MAP_FAILED)
		return -errno;

	reg->addr = (uintptr_t)map + head;
	err = xroce_mr_reg(x, reg);
	munmap(map, span);
	return err;
}

int xroce_mr_dereg(struct xroce *x, __u32 mr)
{
	struct xroce_mr_dereg dereg = { .size = sizeof(dereg), .mr = mr };

	return xroce_command(x->fd, XROCE_CMD_MR_DEREG, &dereg);
}

int xroce_mr_query(struct xroce *x, struct xroce_mr_query *query)
{
	query->size = sizeof(*query);
	return xroce_command(x->fd, XROCE_CMD_MR_QUERY, query);
}
