// SPDX-License-Identifier: GPL-2.0-only
/*
 * In place of the module, and of the kernel's maps: what the library calls. It has the structures
 * of the library's version. It checks and writes a structure as xr_ioctl() does.
 */
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "libxroce.h"
#include "sized.h"

static int device = -1;
static ring_buffer_sample_fn take;
static void *take_ctx;
__u32 module_size;

#define COMMAND(name, type) { XROCE_NR_##name, sizeof(struct xroce_##type) }

static const struct {
	unsigned int nr;
	__u32 size;
} commands[] = {
	COMMAND(LINK_QUERY, link_query), COMMAND(LIMIT_SET, limit_set),
	COMMAND(LIMIT_QUERY, limit_query), COMMAND(PD_QUERY, pd_query),
	COMMAND(MR_REG, mr_reg), COMMAND(MR_REG_PHYS, mr_reg_phys),
	COMMAND(MR_REG_SHARED, mr_reg_shared), COMMAND(MR_REREG, mr_rereg),
	COMMAND(MR_ADVISE, mr_advise), COMMAND(MR_QUERY, mr_query),
	COMMAND(CC_QUERY, cc_query), COMMAND(MTT_QUERY, mtt_query),
	COMMAND(QP_ADD, qp_add), COMMAND(QP_MODIFY, qp_modify),
	COMMAND(QP_QUERY, qp_query), COMMAND(SRQ_QUERY, srq_query), COMMAND(MW_ADD, mw_add),
	COMMAND(MW_QUERY, mw_query), COMMAND(MW_BIND, mw_bind),
};

/* For xroce_link_find(): the device lo has link 0. */
static void answer(unsigned int nr, void *arg)
{
	struct xroce_link_query *q = arg;
	struct stat ns = {};

	if (nr != XROCE_NR_LINK_QUERY)
		return;
	stat("/proc/self/ns/net", &ns);
	q->flags = 0;
	q->ifindex = if_nametoindex("lo");
	q->netns = ns.st_ino;
}

int __wrap_ioctl(int fd, unsigned long command, void *arg)
{
	unsigned int nr = command & 0xff;
	__u32 known = 0, both, i;
	char copy[4096];

	(void)fd;
	memcpy(&module_size, arg, sizeof(module_size));
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (commands[i].nr == nr)
			known = commands[i].size;
	if (!known)
		return 0;
	both = module_size < known ? module_size : known;
	for (i = both; i < module_size; i++)
		if (((char *)arg)[i]) {
			errno = E2BIG;
			return -1;
		}
	memcpy(copy, arg, both);
	answer(nr, copy);
	memcpy(arg, copy, both);
	return 0;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	if (strcmp(path, XROCE_DEV_PATH))
		return __real_open(path, flags);
	if (device < 0)
		device = __real_open("/dev/null", O_RDWR);
	return dup(device);
}

void *__real_mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset)
{
	struct stat st;

	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		return __real_mmap(addr, length, prot, flags, fd, offset);
	return calloc(1, 1 << 16);	/* a ring */
}

int __wrap_munmap(void *addr, size_t length)
{
	(void)addr;
	(void)length;
	return 0;
}

int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout)
{
	(void)n;
	(void)timeout;
	fds->revents = fds->events;
	return 1;
}

ssize_t __wrap_read(int fd, void *to, size_t size)
{
	struct xroce_async async = { .type = XROCE_EVENT_SRQ_LIMIT, .id = SIZED_ID };

	(void)fd;
	if (size > sizeof(async))
		size = sizeof(async);
	memcpy(to, &async, size);
	return size;
}

int __wrap_xroce_pin_open(const char *netdev, const char *name)
{
	(void)netdev;
	(void)name;
	return __real_open("/dev/null", O_RDWR);
}

int __wrap_bpf_map_update_elem(int fd, const void *key, const void *value, __u64 flags)
{
	(void)fd;
	(void)key;
	(void)value;
	(void)flags;
	return 0;
}

struct ring_buffer *__wrap_ring_buffer__new(int fd, ring_buffer_sample_fn fn, void *ctx,
					    const struct ring_buffer_opts *opts)
{
	(void)fd;
	(void)opts;
	take = fn;
	take_ctx = ctx;
	return (void *)&take;
}

/* The program of the link is older than the library: its event is shorter. */
int __wrap_ring_buffer__consume(struct ring_buffer *rings)
{
	struct xroce_event event = { .qpn = SIZED_ID };

	(void)rings;
	return take(take_ctx, &event, sizeof(event) - sizeof(__u64));
}

int __wrap_ring_buffer__epoll_fd(const struct ring_buffer *rings)
{
	(void)rings;
	return -1;
}

void __wrap_ring_buffer__free(struct ring_buffer *rings)
{
	(void)rings;
}

/* A map whose values have the length that the name of the test asks for, on two CPUs. */
int __wrap_bpf_obj_get_info_by_fd(int fd, struct bpf_map_info *info, __u32 *len)
{
	(void)fd;
	(void)len;
	info->type = BPF_MAP_TYPE_PERCPU_ARRAY;
	info->key_size = sizeof(__u32);
	info->value_size = sized_map_value;
	return 0;
}

int __wrap_libbpf_num_possible_cpus(void)
{
	return 2;
}

int __wrap_bpf_map_lookup_elem(int fd, const void *key, void *value)
{
	__u64 *words = value;
	size_t i;

	(void)fd;
	(void)key;
	for (i = 0; i < 2 * sized_map_value / sizeof(*words); i++)
		words[i] = 21;
	return 0;
}
