// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* xroce mr add and mr change: registering regions and changing them. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arg.h"
#include "dev.h"
#include "limit_reason.h"
#include "message.h"
#include "mr.h"
#include "pd.h"
#include "print.h"
#include "progress.h"

static const struct reason reasons[] = {
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

static const struct reason share_reasons[] = {
	{ EACCES, "its pages are pinned read-only" },
	{}
};

/**
 * struct memory - the memory of a region, as given on the command line
 * @file: path of a file; NULL: none
 * @phys: text of the list of physical addresses; NULL: none
 * @pages: the parsed list, allocated
 * @npages: number of elements in @pages
 * @page_size: size of the physical pages in bytes
 * @offset: offset in the file, or in the first page
 * @addr: address in process @pid
 * @length: bytes; 0: to the end of the file or of the pages
 * @iova: address for peers
 * @pid: process whose memory it is
 * @all: the whole address space of the process
 */
struct memory {
	const char *file;
	const char *phys;
	__u64 *pages;
	__u32 npages;
	__u64 page_size;
	__u64 offset;
	__u64 addr;
	__u64 length;
	__u64 iova;
	__u32 pid;
	bool all;
};

/* The arguments that describe memory, for both verbs. They come first in the tables. */
enum { PID, ADDR, SIZE, OFFSET, IOVA, FILE_, PHYS, PAGE_SIZE, ALL, WORDS };

#define MEMORY_ARGS(m) \
	[PID] = { "pid", &arg_number, &(m).pid, ARG_OPTIONAL }, \
	[ADDR] = { "addr", &arg_address, &(m).addr, ARG_OPTIONAL }, \
	[SIZE] = { "size", &arg_size, &(m).length, ARG_OPTIONAL }, \
	[OFFSET] = { "offset", &arg_size, &(m).offset, ARG_OPTIONAL }, \
	[IOVA] = { "iova", &arg_address, &(m).iova, ARG_OPTIONAL }, \
	[FILE_] = { "file", &arg_text, &(m).file, ARG_OPTIONAL }, \
	[PHYS] = { "phys", &arg_text, &(m).phys, ARG_OPTIONAL }, \
	[PAGE_SIZE] = { "page-size", &arg_size, &(m).page_size, ARG_OPTIONAL }, \
	[ALL] = { "all", &arg_flag, &(m).all, ARG_OPTIONAL }

static bool seen(const struct arg *args, int word)
{
	return args[word].state & ARG_SEEN;
}

/* Read "ADDR,ADDR...". Return: an exit status. */
static int read_pages(struct memory *m)
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

static int check_phys(struct memory *m)
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

/* Check that the arguments that describe memory are complete and go together. */
static int check_memory(struct memory *m, const struct arg *args)
{
	const bool pid = seen(args, PID), file = seen(args, FILE_);
	const bool phys = seen(args, PHYS);

	if (file + pid + phys > 1)
		return usage("%s and %s: cannot be combined; give one of file, pid and phys",
			     file ? "file" : "pid", phys ? "phys" : "pid");
	if (m->all && !pid)
		return usage("all: can only be used with pid");
	if (m->all && (seen(args, ADDR) || seen(args, SIZE) || seen(args, IOVA)))
		return usage("%s: cannot be combined with all",
			     seen(args, ADDR) ? "addr" :
			     seen(args, SIZE) ? "size" : "iova");
	if (m->all)
		m->length = XROCE_LENGTH_ALL;
	if (pid && !m->all && (!seen(args, ADDR) || !seen(args, SIZE)))
		return usage("%s is missing", seen(args, ADDR) ? "size" : "addr");
	if (!file && !phys && seen(args, OFFSET))
		return usage("offset: can only be used with file or phys");
	if (!pid && seen(args, ADDR))
		return usage("addr: can only be used with pid");
	if (!phys && seen(args, PAGE_SIZE))
		return usage("page-size: can only be used with phys");
	if (!file && !pid && !phys && seen(args, SIZE))
		return usage("size: can only be used with file, pid or phys");
	if (seen(args, SIZE) && !m->length)
		return fail("mr: size 0: must be at least 1");
	if (pid && !seen(args, IOVA))
		m->iova = m->addr;
	return phys ? check_phys(m) : EXIT_OK;
}

/* Length of the region in bytes, for messages. Without a size, a file is taken to its end. */
static __u64 bytes_of(const struct memory *m)
{
	struct stat st;

	if (m->length || !m->file || stat(m->file, &st) ||
	    (__u64)st.st_size < m->offset)
		return m->length;
	return st.st_size - m->offset;
}

/* Bytes that memory pins from the beginning of its first page on; @begin: of the memory. */
static __u64 pins(__u64 begin, __u64 length, __u32 access)
{
	return access & XROCE_ACCESS_ON_DEMAND ? 0 : length + begin % sysconf(_SC_PAGESIZE);
}

/*
 * Print why a region over memory could not be registered. @name: its name, or NULL; @new: it would
 * be one more region, not one that changes.
 */
static int memory_failed(struct xroce *x, const struct memory *m,
			 const char *name, bool new, __u32 pd, __u32 access, int err)
{
	const struct wanted wanted = {
		new ? XROCE_COUNT_MR : XROCE_COUNT_PINNED, .persistent = true,
		.pid = m->pid, .bytes = m->phys ? 0 :
			pins(m->file ? m->offset : m->addr, bytes_of(m), access),
	};

	if (pd_foreign(x, "mr", pd, err))
		return EXIT_ERROR;
	if (err == -ENOENT)
		return fail("mr: pd %u: %s", pd, reason(err, reasons));
	if (err == -EEXIST || err == -EBUSY)
		return fail("mr %s: %s", name, reason(err, reasons));
	if (m->file)
		return fail("mr: file %s: %s", m->file,
			    limit_reason(x, err, err == -ERANGE || err == -EFAULT ||
					 err == -EISDIR || err == -EOPNOTSUPP ?
					 file_reasons : reasons, &wanted));
	if (m->all)
		return fail("mr: pid %u all: %s", m->pid,
			    limit_reason(x, err, err == -EPERM ? pid_reasons :
					 err == -EFAULT ? all_reasons : reasons,
					 &wanted));
	if (m->phys)
		return fail("mr: phys %s: %s", m->phys,
			    limit_reason(x, err, err == -EPERM || err == -EFAULT ||
					 err == -EINVAL || err == -EOPNOTSUPP ?
					 phys_reasons : reasons, &wanted));
	return fail("mr: pid %u addr 0x%llx size %llu: %s", m->pid,
		    (unsigned long long)m->addr,
		    (unsigned long long)m->length,
		    limit_reason(x, err, m->pid && err == -EPERM ? pid_reasons :
								   reasons, &wanted));
}

static int open_file(const struct memory *m, __u32 access)
{
	bool write = access & XROCE_ACCESS_LOCAL_WRITE;

	return open(m->file, (write ? O_RDWR : O_RDONLY) | O_CLOEXEC);
}

static __u32 page_shift(const struct memory *m)
{
	return __builtin_ctzll(m->page_size);
}

static void show_keys(__u32 mr, __u32 lkey, __u32 rkey, __u64 iova,
		      __u64 length)
{
	print_begin();
	print_hex("mr", 1, mr);
	print_hex("lkey", 8, lkey);
	print_hex("rkey", 8, rkey);
	print_hex("iova", 1, iova);
	print_size("length", length);
	print_end();
}

/* The arguments of "mr add" other than those that describe memory. */
struct add {
	const char *name;
	const char *share;
	__u32 pd;
	__u32 access;
};

static int add_virtual(struct xroce *x, struct memory *m, const struct add *add)
{
	struct xroce_mr_reg reg = {
		.flags = XROCE_F_PERSISTENT | (m->file ? 0 : XROCE_F_PID),
		.pd = add->pd,
		.access = add->access,
		.addr = m->addr,
		.length = m->length,
		.iova = m->iova,
		.pid = m->pid,
	};
	int err, fd;

	if (add->name)
		strcpy(reg.name, add->name);
	progress_begin("registering", bytes_of(m));
	if (m->file) {
		fd = open_file(m, add->access);
		if (fd < 0)
			return fail("mr: file %s: %s", m->file,
				    errno == EISDIR ? reason(-EISDIR, file_reasons) :
				    strerror(errno));
		err = xroce_mr_reg_file(x, fd, m->offset, &reg);
		close(fd);
	} else {
		err = xroce_mr_reg(x, &reg);
	}
	progress_end();
	if (err)
		return memory_failed(x, m, add->name, true, add->pd,
				     add->access, err);
	show_keys(reg.mr, reg.lkey, reg.rkey, reg.iova, reg.length);
	return EXIT_OK;
}

static int add_phys(struct xroce *x, struct memory *m, const struct add *add)
{
	struct xroce_mr_reg_phys reg = {
		.flags = XROCE_F_PERSISTENT,
		.pd = add->pd,
		.access = add->access,
		.pages = (uintptr_t)m->pages,
		.npages = m->npages,
		.page_shift = page_shift(m),
		.offset = m->offset,
		.length = m->length,
		.iova = m->iova,
	};
	int err;

	if (add->name)
		strcpy(reg.name, add->name);
	err = xroce_mr_reg_phys(x, &reg);
	if (err)
		return memory_failed(x, m, add->name, true, add->pd,
				     add->access, err);
	show_keys(reg.mr, reg.lkey, reg.rkey, reg.iova, reg.length);
	return EXIT_OK;
}

static int add_shared(struct xroce *x, const struct memory *m,
		      const struct add *add)
{
	struct xroce_mr_reg_shared reg = {
		.flags = XROCE_F_PERSISTENT,
		.pd = add->pd,
		.access = add->access,
		.iova = m->iova,
	};
	struct xroce_mr_query q;
	int err;

	if (add->name)
		strcpy(reg.name, add->name);
	err = mr_find(x, add->share, &q);
	if (err)
		return mr_not_found(add->share, err);
	reg.from = q.mr;
	err = xroce_mr_reg_shared(x, &reg);
	if (pd_foreign(x, "mr", add->pd, err))
		return EXIT_ERROR;
	if (err == -ENOENT || err == -EEXIST)
		return memory_failed(x, m, add->name, true, add->pd,
				     add->access, err);
	if (err)
		return fail("mr: share %s: %s", add->share,
			    limit_reason(x, err, err == -EACCES ? share_reasons :
								  reasons,
					 &(struct wanted){ XROCE_COUNT_MR,
							   .persistent = true }));
	show_keys(reg.mr, reg.lkey, reg.rkey, reg.iova, reg.length);
	return EXIT_OK;
}

/* Check that exactly one kind of memory is given. */
static int check_kinds(const struct arg *args, const char *share)
{
	const bool given[] = {
		seen(args, FILE_), seen(args, PID), seen(args, PHYS), share
	};
	static const char *const kinds[] = { "file", "pid", "phys", "share" };
	const char *one = NULL;
	size_t i;

	for (i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
		if (given[i] && one)
			return usage("%s and %s: cannot be combined; give one of file, pid, phys and share",
				     one, kinds[i]);
		if (given[i])
			one = kinds[i];
	}
	return one ? EXIT_OK :
		     usage("no memory is given; give one of file, pid, phys and share");
}

static int check_add(struct memory *m, const struct arg *args,
		     const struct add *add)
{
	const char *wrong;
	int status;

	status = check_kinds(args, add->share);
	if (status)
		return status;
	status = check_memory(m, args);
	if (status)
		return status;
	if (seen(args, FILE_) && add->access & XROCE_ACCESS_ON_DEMAND)
		return usage("on demand: cannot be combined with file, which is mapped only while this command runs; use pid");
	if (seen(args, PHYS) && add->access & XROCE_ACCESS_ON_DEMAND)
		return usage("on demand: cannot be combined with phys, whose pages are there");
	wrong = xroce_mr_access_error(add->access);
	if (wrong)
		return fail("mr%s%s: %s", add->name ? " " : "", add->name ? : "",
			    wrong);
	wrong = add->name ? xroce_mr_name_error(add->name) : NULL;
	if (wrong)
		return fail("mr %s: %s", add->name, wrong);
	return EXIT_OK;
}

int mr_add(int argc, char **argv)
{
	struct memory m = { .page_size = 4096 };
	const char *dev = NULL;
	struct add add = {};
	bool odp = false;
	struct arg args[] = {
		MEMORY_ARGS(m),
		{ "dev", &arg_text, &dev, ARG_OPTIONAL },
		{ "pd", &arg_pd, &add.pd, ARG_NEEDED },
		{ "name", &arg_text, &add.name, ARG_OPTIONAL },
		{ "share", &arg_text, &add.share, ARG_OPTIONAL },
		{ "access", &arg_access, &add.access, ARG_NEEDED },
		{ "odp", &arg_flag, &odp, ARG_OPTIONAL },
		{}
	};
	struct xroce *x;
	int status;

	status = arg_parse(args, argc, argv);
	if (odp || m.all)
		add.access |= XROCE_ACCESS_ON_DEMAND;
	if (!status)
		status = check_add(&m, args, &add);
	if (status)
		goto out;
	status = dev_open(dev, &x);
	if (status)
		goto out;
	status = add.share ? add_shared(x, &m, &add) :
		 m.phys ? add_phys(x, &m, &add) :
			  add_virtual(x, &m, &add);
	xroce_close(x);
out:
	free(m.pages);
	return status;
}

/* Change those attributes of region @q that r->mask selects. Return: an exit status. */
static int change(struct xroce *x, const struct memory *m, const char *word,
		  const struct xroce_mr_query *q, struct xroce_mr_rereg *r)
{
	__u32 access;
	int err, fd;

	/* Paging stays as it is while the memory does. */
	if (r->mask & XROCE_REREG_ACCESS && !(r->mask & XROCE_REREG_TRANSLATION))
		r->access |= q->access & XROCE_ACCESS_ON_DEMAND;
	access = r->mask & XROCE_REREG_ACCESS ? r->access : q->access;
	r->mr = q->mr;
	progress_begin("registering", bytes_of(m));
	if (m->file) {
		fd = open_file(m, access);
		if (fd < 0)
			return fail("mr: file %s: %s", m->file,
				    errno == EISDIR ? reason(-EISDIR, file_reasons) :
				    strerror(errno));
		err = xroce_mr_rereg_file(x, fd, m->offset, r);
		close(fd);
	} else {
		err = xroce_mr_rereg(x, r);
	}
	progress_end();
	if (err == -EBUSY && mr_windows(x, word, q->mr))
		return EXIT_ERROR;
	if (r->mask & XROCE_REREG_PD && pd_foreign(x, "mr", r->pd, err))
		return EXIT_ERROR;
	if (err && r->mask & XROCE_REREG_TRANSLATION)
		return memory_failed(x, m, word, false, r->pd, access, err);
	if (err == -ENOENT && r->mask & XROCE_REREG_PD)
		return fail("mr %s: pd %u: %s", word, r->pd,
			    reason(err, reasons));
	/* Other rights may need the pages pinned again, while they still are. */
	if (err)
		return fail("mr %s: %s", word,
			    limit_reason(x, err, reasons, &(struct wanted){
				XROCE_COUNT_PINNED, .persistent = true,
				.bytes = pins(q->addr, q->length, q->access) }));
	show_keys(r->mr, r->lkey, r->rkey,
		  r->mask & XROCE_REREG_TRANSLATION ? r->iova : q->iova,
		  r->mask & XROCE_REREG_TRANSLATION ? r->length : q->length);
	return EXIT_OK;
}

static int check_change(struct memory *m, const struct arg *args,
			struct xroce_mr_rereg *r, bool pd, bool access)
{
	const char *wrong = access ? xroce_mr_access_error(r->access) : NULL;
	int status = check_memory(m, args);

	if (status)
		return status;
	r->mask = (pd ? XROCE_REREG_PD : 0) | (access ? XROCE_REREG_ACCESS : 0);
	if (m->file || m->phys || seen(args, PID))
		r->mask |= XROCE_REREG_TRANSLATION;
	else if (seen(args, IOVA))
		return usage("iova: can only be used with file, pid or phys");
	if (!r->mask)
		return usage("nothing to change; give one or more of file, pid, phys, pd and access");
	if (wrong)
		return fail("mr: %s", wrong);
	if (m->all && access)
		r->access |= XROCE_ACCESS_ON_DEMAND;

	r->flags = m->phys ? XROCE_F_PHYS : seen(args, PID) ? XROCE_F_PID : 0;
	r->addr = m->addr;
	r->length = m->length;
	r->iova = m->iova;
	r->pid = m->pid;
	r->pages = (uintptr_t)m->pages;
	r->npages = m->npages;
	r->page_shift = page_shift(m);
	r->offset = m->offset;
	return EXIT_OK;
}

int mr_change(int argc, char **argv)
{
	struct memory m = { .page_size = 4096 };
	const char *dev = NULL, *word = NULL;
	struct xroce_mr_rereg r = {};
	enum { PD = WORDS, ACCESS };
	struct arg args[] = {
		MEMORY_ARGS(m),
		[PD] = { "pd", &arg_pd, &r.pd, ARG_OPTIONAL },
		[ACCESS] = { "access", &arg_access, &r.access, ARG_OPTIONAL },
		{ "dev", &arg_text, &dev, ARG_OPTIONAL },
		{ "mr", &arg_text, &word, ARG_NEEDED },
		{}
	};
	struct xroce_mr_query q;
	struct xroce *x;
	int status, err;

	status = arg_parse(args, argc, argv);
	if (!status)
		status = check_change(&m, args, &r, seen(args, PD),
				      seen(args, ACCESS));
	if (status)
		goto out;
	status = dev_open(dev, &x);
	if (status)
		goto out;
	err = mr_find(x, word, &q);
	status = err ? mr_not_found(word, err) : change(x, &m, word, &q, &r);
	xroce_close(x);
out:
	free(m.pages);
	return status;
}
