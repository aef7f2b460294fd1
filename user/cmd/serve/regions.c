// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The named regions of xroce serve. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arg.h"
#include "limit_reason.h"
#include "message.h"
#include "print.h"
#include "progress.h"
#include "serve/regions.h"

#define DEFAULT_ACCESS	(XROCE_ACCESS_REMOTE_WRITE | XROCE_ACCESS_REMOTE_READ | \
			 XROCE_ACCESS_REMOTE_ATOMIC)
#define WRITING		(XROCE_ACCESS_REMOTE_WRITE | XROCE_ACCESS_REMOTE_ATOMIC)
#define SIZE_MOST	(1ull << 40)

static const struct reason file_reasons[] = {
	{ EFAULT, "its pages cannot be pinned: give odp, or use a file on tmpfs or hugetlbfs" },
	{ EOPNOTSUPP, "its pages cannot be pinned: give odp, or use a file on tmpfs or hugetlbfs" },
	{ ENOMEM, "out of memory, or RLIMIT_MEMLOCK is exceeded" },
	{ ENOSPC, "the memory protection table or the pool of translation tables is full" },
	{}
};

static const struct reason *const memory_reasons = file_reasons + 2;

static bool name_ok(const char *name)
{
	const char *p;

	for (p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("._-", *p))
			return false;
	return *name && strlen(name) < XROCE_NAME_MAX;
}

/* Would the region exceed the 64-bit address space? */
static bool past_the_end(const struct region *r)
{
	return r->size && r->iova + (r->size - 1) < r->iova;
}

static int check(struct region *r, bool have_size)
{
	__u32 local = XROCE_ACCESS_LOCAL_WRITE | XROCE_ACCESS_ON_DEMAND;

	if (r->access & ~(REGION_REMOTE | local) || !(r->access & REGION_REMOTE))
		return usage("region %s: access: must be one or more of remote-write, remote-read, remote-atomic and flush-global",
			     r->name);
	/* IBTA 11.2.8.1; nothing else here needs it */
	if (r->access & WRITING)
		r->access |= XROCE_ACCESS_LOCAL_WRITE;
	if (have_size ? !r->size || r->size > SIZE_MOST : !r->path)
		return usage("region %s: size: must be from 1 to 1T%s",
			     r->name, have_size ? "" :
			     "; it may be omitted only with file");
	if (past_the_end(r))
		return usage("region %s: iova: the region would exceed the 64-bit address space",
			     r->name);
	return EXIT_OK;
}

/* Parse the words of one region, after "region". Return: an exit status. */
static int parse_one(struct region *r, int argc, char **argv)
{
	bool odp = false;
	enum { SIZE };
	struct arg args[] = {
		[SIZE] = { "size", &arg_size, &r->size, ARG_OPTIONAL },
		{ "file", &arg_text, &r->path, ARG_OPTIONAL },
		{ "iova", &arg_address, &r->iova, ARG_OPTIONAL },
		{ "access", &arg_access, &r->access, ARG_OPTIONAL },
		{ "odp", &arg_flag, &odp, ARG_OPTIONAL },
		{}
	};
	const char *wrong;
	int status;

	if (!argc || !name_ok(argv[0]))
		return usage("region \"%s\": a name must have 1 to %u letters, digits, '.', '_' or '-'",
			     argc ? argv[0] : "", XROCE_NAME_MAX - 1);
	*r = (struct region){
		.name = argv[0],
		.access = DEFAULT_ACCESS,
		.fd = -1,
		.buf = MAP_FAILED,
	};
	wrong = xroce_mr_name_error(argv[0]);
	if (wrong)
		return usage("region %s: %s", argv[0], wrong);
	status = arg_parse(args, argc - 1, argv + 1);
	if (status)
		return status;
	if (odp)
		r->access |= XROCE_ACCESS_ON_DEMAND;
	return check(r, args[SIZE].state & ARG_SEEN);
}

/* Number of words before the next "region". Each word except "odp" has a value. */
static int words_of_one(int argc, char **argv)
{
	int i = 1;

	while (i < argc && strcmp(argv[i], "region"))
		i += strcmp(argv[i], "odp") ? 2 : 1;
	return i < argc ? i : argc;
}

int regions_parse(struct regions *regions, int argc, char **argv)
{
	struct region one = { .name = "" };
	int n, status;

	for (regions->n = 0; argc; argc -= n, argv += n) {
		if (strcmp(argv[0], "region"))
			return usage("%s: no such argument; see 'xroce serve --help'",
				     argv[0]);
		argc--;
		argv++;
		n = words_of_one(argc, argv);
		if (n > argc)
			n = argc;
		status = parse_one(&one, n, argv);
		if (status)
			return status;
		if (regions_find(regions, one.name))
			return usage("region %s: given twice", one.name);
		if (regions->n == REGIONS_MAX)
			return usage("more than %d regions are given", REGIONS_MAX);
		regions->all[regions->n++] = one;
	}
	return EXIT_OK;
}

const struct region *regions_find(const struct regions *regions,
				  const char *name)
{
	size_t i;

	for (i = 0; i < regions->n; i++)
		if (!strcmp(regions->all[i].name, name))
			return &regions->all[i];
	return NULL;
}

static int file_failed(const struct region *r, int err)
{
	return fail("region %s: file %s: %s", r->name, r->path,
		    reason(err, file_reasons));
}

static int not_registered(const struct region *r, struct xroce *x, int err)
{
	const bool demand = r->access & XROCE_ACCESS_ON_DEMAND;
	const struct wanted wanted = {
		XROCE_COUNT_MR, .bytes = demand ? 0 : r->size,
	};

	if (r->path)
		return fail("region %s: file %s: %s", r->name, r->path,
			    limit_reason(x, err, file_reasons, &wanted));
	return fail("region %s: %llu bytes: %s", r->name,
		    (unsigned long long)r->size,
		    limit_reason(x, err, memory_reasons, &wanted));
}

/* Give an empty file the length of the region. It may be open for reading only. */
static int extend(const struct region *r)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", r->fd);
	return truncate(path, r->size);
}

/* Open the region's file, create it if necessary, and check its length. */
static int open_file(struct region *r)
{
	bool write = r->access & XROCE_ACCESS_LOCAL_WRITE;
	struct stat st;

	/* Without waiting, which would be for the writer of a FIFO. */
	r->fd = open(r->path, (write ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK);
	/* A new file must be opened for writing, whatever the rights of clients. */
	if (r->fd < 0 && errno == ENOENT && r->size)
		r->fd = open(r->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (r->fd < 0 || fstat(r->fd, &st))
		return file_failed(r, -errno);
	if (!S_ISREG(st.st_mode))
		return fail("region %s: file %s: not a regular file", r->name,
			    r->path);
	/* The lock keeps two servers, or two regions, from overwriting each other's data. */
	if (flock(r->fd, (write ? LOCK_EX : LOCK_SH) | LOCK_NB))
		return errno == EWOULDBLOCK ?
			fail("region %s: file %s: in use by another region or server",
			     r->name, r->path) : file_failed(r, -errno);
	if (!st.st_size && r->size) {
		if (extend(r))
			return file_failed(r, -errno);
		st.st_size = r->size;
	}
	if (!r->size)
		r->size = st.st_size;
	if ((__u64)st.st_size != r->size)
		return fail("region %s: file %s: has %llu bytes, not %llu",
			    r->name, r->path, (unsigned long long)st.st_size,
			    (unsigned long long)r->size);
	if (!r->size || past_the_end(r))
		return fail("region %s: file %s: %s", r->name, r->path,
			    r->size ? "too long for the given iova" : "empty: give size");
	return EXIT_OK;
}

static int open_one(struct region *r, struct xroce *x, __u32 pd)
{
	bool write = r->access & XROCE_ACCESS_LOCAL_WRITE;
	struct xroce_mr_reg reg = { .pd = pd };
	int flags = MAP_PRIVATE | MAP_ANONYMOUS, err, status;

	if (r->path) {
		status = open_file(r);
		if (status)
			return status;
		flags = MAP_SHARED;
	} else if (r->access & XROCE_ACCESS_ON_DEMAND) {
		flags |= MAP_NORESERVE;
	}
	/* Anonymous memory is always mapped writable, so that not the zero page is pinned. */
	r->buf = mmap(NULL, r->size, PROT_READ | (write || !r->path ? PROT_WRITE : 0),
		      flags, r->fd, 0);
	if (r->buf == MAP_FAILED)
		return fail("region %s: memory: %s", r->name, strerror(errno));
	reg.access = r->access & ~REGION_REMOTE;
	reg.addr = (uintptr_t)r->buf;
	reg.iova = r->iova;
	reg.length = r->size;
	strcpy(reg.name, r->name);
	progress_begin("registering", r->access & XROCE_ACCESS_ON_DEMAND ? 0 :
				      r->size);
	err = xroce_mr_reg(x, &reg);
	progress_end();
	if (err)
		return not_registered(r, x, err);
	r->mr = reg.mr;
	return EXIT_OK;
}

int regions_open(struct regions *regions, struct xroce *x, __u32 pd)
{
	int status = EXIT_OK;
	size_t i;

	for (i = 0; i < regions->n && !status; i++)
		status = open_one(&regions->all[i], x, pd);
	return status;
}

void regions_print(const struct regions *regions)
{
	const struct region *r;

	print_array_begin("regions", "region");
	for (r = regions->all; r < regions->all + regions->n; r++) {
		print_begin();
		print_str("name", r->name);
		print_size("length", r->size);
		print_hex("iova", 1, r->iova);
		print_bits("access", access_names, ACCESS_BITS,
			   r->access & REGION_REMOTE);
		print_flag("odp", r->access & XROCE_ACCESS_ON_DEMAND);
		print_str_or_null("file", r->path);
		print_end();
	}
	print_array_end();
}

static int close_one(struct region *r)
{
	int status = EXIT_OK;

	if (r->buf != MAP_FAILED) {
		if (r->path && r->access & XROCE_ACCESS_LOCAL_WRITE &&
		    (msync(r->buf, r->size, MS_SYNC) || fsync(r->fd)))
			status = file_failed(r, -errno);
		munmap(r->buf, r->size);
		r->buf = MAP_FAILED;
	}
	if (r->fd >= 0)
		close(r->fd);
	r->fd = -1;
	return status;
}

int regions_close(struct regions *regions)
{
	int status = EXIT_OK;
	size_t i;

	for (i = 0; i < regions->n; i++)
		if (close_one(&regions->all[i]))
			status = EXIT_ERROR;
	return status;
}
