// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The memory of a region on the command line: see mr_memory.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"
#include "mr_memory.h"
#include "pd.h"

const struct reason mr_reasons[] = {
	{ ENOENT, "no such protection domain" },
	{ EFAULT, "the memory is not mapped, or not writable" },
	{ EINVAL, "the rights or the range are not valid" },
	{ ENOMEM, "out of memory, or RLIMIT_MEMLOCK is exceeded" },
	{ ENOSPC, "the memory protection table or the pool of translation tables is full ('xroce mtt show' shows the pool)" },
	{ E2BIG, "more pages than the limit of the pool of translation tables ('xroce mtt show' shows the pool)" },
	{ ESRCH, "no such process" },
	{ EOPNOTSUPP, "this memory cannot be pinned for long" },
	{ ENODEV, "the link has been deleted" },
	{ EBUSY, "a window is bound to it, or another process has changed it meanwhile" },
	{ EEXIST, "another persistent region of the link has this name" },
	{}
};

static const struct reason file_reasons[] = {
	{ EISDIR, "it is a directory: name a file on tmpfs or hugetlbfs" },
	{ ERANGE, "the range is not inside the file" },
	{ EFAULT, "its pages cannot be pinned: use a file on tmpfs or hugetlbfs" },
	{ EOPNOTSUPP, "its pages cannot be mapped or pinned: use a file on tmpfs or hugetlbfs" },
	{}
};

static const struct reason phys_reasons[] = {
	{ EPERM, "not permitted: CAP_NET_ADMIN and CAP_SYS_RAWIO are needed" },
	{ EFAULT, "not all of these pages are in use by programs" },
	{ EINVAL, "the pages, the page size or the range are not valid" },
	{ EOPNOTSUPP, "some of these pages must stay movable" },
	{}
};

static const struct reason pid_reasons[] = {
	{ EPERM, "not permitted: CAP_NET_ADMIN is needed, and for another process CAP_SYS_PTRACE and the right to open its /proc/PID/mem" },
	{}
};

static const struct reason all_reasons[] = {
	{ EFAULT, "a whole address space cannot be pinned, it must be on demand" },
	{}
};

/* Read "ADDR,ADDR...". Return: an exit status. */
static int read_pages(struct mr_memory *m)
{
	const char *p = m->phys, *end;
	size_t n = 1;

	for (; *p; p++)
		n += *p == ',';
	m->pages = calloc(n, sizeof(*m->pages));
	if (!m->pages)
		return fail("mr: phys: %s", strerror(errno));
	for (p = m->phys;; p = end + 1) {
		end = arg_number_at(p, UINT64_MAX, &m->pages[m->npages++]);
		if (!end || (*end && *end != ','))
			return usage("phys \"%s\": must be a list of addresses separated by commas",
				     m->phys);
		if (!*end)
			return EXIT_OK;
	}
}

static int check_phys(struct mr_memory *m)
{
	int status = read_pages(m);

	if (status)
		return status;
	if (!m->page_size || m->page_size & (m->page_size - 1))
		return usage("page-size %llu: must be a power of two",
			     (unsigned long long)m->page_size);
	if (m->npages > UINT64_MAX / m->page_size ||
	    m->offset >= m->npages * m->page_size)
		return fail("mr: offset %llu: not inside the pages",
			    (unsigned long long)m->offset);
	if (!m->length)
		m->length = m->npages * m->page_size - m->offset;
	return EXIT_OK;
}

int mr_memory_check(struct mr_memory *m, const struct arg *args)
{
	const bool pid = arg_seen(args, MEMORY_PID), file = arg_seen(args, MEMORY_FILE);
	const bool phys = arg_seen(args, MEMORY_PHYS);

	if (file + pid + phys > 1)
		return usage("%s and %s: cannot be combined; give one of file, pid and phys",
			     file ? "file" : "pid", phys ? "phys" : "pid");
	if (m->all && !pid)
		return usage("all: can only be used with pid");
	if (m->all && (arg_seen(args, MEMORY_ADDR) || arg_seen(args, MEMORY_SIZE) ||
		       arg_seen(args, MEMORY_IOVA)))
		return usage("%s: cannot be combined with all",
			     arg_seen(args, MEMORY_ADDR) ? "addr" :
			     arg_seen(args, MEMORY_SIZE) ? "size" : "iova");
	if (m->all)
		m->length = XROCE_LENGTH_ALL;
	if (pid && !m->all && (!arg_seen(args, MEMORY_ADDR) || !arg_seen(args, MEMORY_SIZE)))
		return usage("%s is missing", arg_seen(args, MEMORY_ADDR) ? "size" : "addr");
	if (!file && !phys && arg_seen(args, MEMORY_OFFSET))
		return usage("offset: can only be used with file or phys");
	if (!pid && arg_seen(args, MEMORY_ADDR))
		return usage("addr: can only be used with pid");
	if (!phys && arg_seen(args, MEMORY_PAGE_SIZE))
		return usage("page-size: can only be used with phys");
	if (!file && !pid && !phys && arg_seen(args, MEMORY_SIZE))
		return usage("size: can only be used with file, pid or phys");
	if (arg_seen(args, MEMORY_SIZE) && !m->length)
		return fail("mr: size 0: must be at least 1");
	if (pid && !arg_seen(args, MEMORY_IOVA))
		m->iova = m->addr;
	return phys ? check_phys(m) : EXIT_OK;
}

__u64 mr_memory_bytes(const struct mr_memory *m)
{
	struct stat st;

	if (m->length || !m->file || stat(m->file, &st) ||
	    (__u64)st.st_size < m->offset)
		return m->length;
	return st.st_size - m->offset;
}

__u64 mr_memory_pins(__u64 begin, __u64 length, __u32 access)
{
	return access & XROCE_ACCESS_ON_DEMAND ? 0 : length + begin % sysconf(_SC_PAGESIZE);
}

int mr_memory_failed(struct xroce *x, const struct mr_memory *m, const struct mr_wish *wish,
		     int err)
{
	const struct wanted wanted = {
		wish->count, .persistent = true,
		.pid = m->pid, .bytes = m->phys ? 0 :
			mr_memory_pins(m->file ? m->offset : m->addr, mr_memory_bytes(m),
				       wish->access),
	};

	if (pd_foreign(x, "mr", wish->pd, err))
		return EXIT_ERROR;
	if (err == -ENOENT)
		return fail("mr: pd %u: %s", wish->pd, reason(err, mr_reasons));
	if (err == -EEXIST || err == -EBUSY)
		return fail("mr %s: %s", wish->name, reason(err, mr_reasons));
	if (m->file)
		return fail("mr: file %s: %s", m->file,
			    limit_reason(x, err, err == -ERANGE || err == -EFAULT ||
					 err == -EISDIR || err == -EOPNOTSUPP ?
					 file_reasons : mr_reasons, &wanted));
	if (m->all)
		return fail("mr: pid %u all: %s", m->pid,
			    limit_reason(x, err, err == -EPERM ? pid_reasons :
					 err == -EFAULT ? all_reasons : mr_reasons,
					 &wanted));
	if (m->phys)
		return fail("mr: phys %s: %s", m->phys,
			    limit_reason(x, err, err == -EPERM || err == -EFAULT ||
					 err == -EINVAL || err == -EOPNOTSUPP ?
					 phys_reasons : mr_reasons, &wanted));
	return fail("mr: pid %u addr 0x%llx size %llu: %s", m->pid,
		    (unsigned long long)m->addr,
		    (unsigned long long)m->length,
		    limit_reason(x, err, m->pid && err == -EPERM ? pid_reasons :
								   mr_reasons, &wanted));
}

int mr_memory_open(const struct mr_memory *m, __u32 access)
{
	bool write = access & XROCE_ACCESS_LOCAL_WRITE;
	int fd = open(m->file, (write ? O_RDWR : O_RDONLY) | O_CLOEXEC);

	if (fd < 0)
		fail("mr: file %s: %s", m->file,
		     errno == EISDIR ? reason(-EISDIR, file_reasons) : strerror(errno));
	return fd;
}
