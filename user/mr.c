// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* xroce mr: memory regions. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "arg.h"
#include "cmd.h"
#include "dev.h"
#include "mr_stat.h"
#include "print.h"

static const struct reason reasons[] = {
	{ ENOENT, "no such region" },
	{ EPERM, "not permitted" },
	{ ENODEV, "the link has been deleted" },
	{}
};

static const struct reason reg_reasons[] = {
	{ ENOENT, "no such protection domain" },
	{ EPERM, "not permitted" },
	{ EFAULT, "the memory is not mapped, or not writable" },
	{ EINVAL, "the rights or the range are not possible" },
	{ ENOMEM, "no memory, or over RLIMIT_MEMLOCK" },
	{ ENOSPC, "the memory protection table is full, or the pool of translation tables (xroce mtt show)" },
	{ E2BIG, "more pages than the limit of the pool of translation tables (xroce mtt show)" },
	{ ESRCH, "no such process" },
	{ EOPNOTSUPP, "this memory cannot be pinned for long" },
	{ ENODEV, "the link has been deleted" },
	{}
};

static const struct reason file_reasons[] = {
	{ ERANGE, "the range is not inside the file" },
	{ EFAULT, "its pages cannot be pinned: use tmpfs, hugetlbfs or a memfd" },
	{ EOPNOTSUPP, "its pages cannot be pinned: use tmpfs, hugetlbfs or a memfd" },
	{}
};

struct mr_add {
	const char *dev;
	const char *name;
	const char *file;
	__u64 offset;
	struct xroce_mr_reg reg;
};

static int reg_file(struct xroce *x, struct mr_add *add)
{
	bool write = add->reg.access & XROCE_ACCESS_LOCAL_WRITE;
	int fd, err;

	fd = open(add->file, (write ? O_RDWR : O_RDONLY) | O_CLOEXEC);
	if (fd < 0)
		return fail("mr: file %s: %s", add->file, strerror(errno));
	err = xroce_mr_reg_file(x, fd, add->offset, &add->reg);
	close(fd);
	if (err == -ERANGE || err == -EFAULT || err == -EOPNOTSUPP)
		return fail("mr: file %s: %s", add->file,
			    reason(err, file_reasons));
	if (err == -ENOENT)
		return fail("mr: pd %u: %s", add->reg.pd,
			    reason(err, reg_reasons));
	if (err)
		return fail("mr: file %s: %s", add->file,
			    reason(err, reg_reasons));
	return EXIT_OK;
}

static int reg_pid(struct xroce *x, struct mr_add *add)
{
	int err = xroce_mr_reg(x, &add->reg);

	if (err == -ENOENT)
		return fail("mr: pd %u: %s", add->reg.pd,
			    reason(err, reg_reasons));
	if (err)
		return fail("mr: pid %u addr 0x%llx size %llu: %s",
			    add->reg.pid, (unsigned long long)add->reg.addr,
			    (unsigned long long)add->reg.length,
			    reason(err, reg_reasons));
	return EXIT_OK;
}

/* What the words say about one region: of a file, or of a process. */
static int check_add(struct mr_add *add, bool pid, bool addr, bool size,
		     bool offset, bool iova)
{
	const char *wrong;

	if (!add->file == !pid)
		return usage("either file or pid must be given");
	if (pid && (!addr || !size))
		return usage("%s is missing", addr ? "size" : "addr");
	if (pid && offset)
		return usage("offset: belongs to file");
	if (!pid && addr)
		return usage("addr: belongs to pid");
	if (size && !add->reg.length)
		return fail("mr: size 0: a region has a byte at least");

	wrong = xroce_mr_access_error(add->reg.access);
	if (wrong)
		return fail("mr%s%s: %s", add->name ? " " : "", add->name ? : "",
			    wrong);
	if (add->name) {
		if (strlen(add->name) >= sizeof(add->reg.name))
			return fail("mr %s: a name has %zu bytes at most",
				    add->name, sizeof(add->reg.name) - 1);
		strcpy(add->reg.name, add->name);
	}
	if (pid) {
		add->reg.flags |= XROCE_F_PID;
		if (!iova)
			add->reg.iova = add->reg.addr;
	}
	return EXIT_OK;
}

static int mr_add(int argc, char **argv)
{
	struct mr_add add = { .reg.flags = XROCE_F_PERSISTENT };
	enum { PID, ADDR, SIZE, OFFSET, IOVA };
	struct arg args[] = {
		[PID] = { "pid", &arg_number, &add.reg.pid, ARG_OPTIONAL },
		[ADDR] = { "addr", &arg_address, &add.reg.addr, ARG_OPTIONAL },
		[SIZE] = { "size", &arg_size, &add.reg.length, ARG_OPTIONAL },
		[OFFSET] = { "offset", &arg_size, &add.offset, ARG_OPTIONAL },
		[IOVA] = { "iova", &arg_address, &add.reg.iova, ARG_OPTIONAL },
		{ "dev", &arg_text, &add.dev, ARG_OPTIONAL },
		{ "pd", &arg_number, &add.reg.pd, ARG_NEEDED },
		{ "name", &arg_text, &add.name, ARG_OPTIONAL },
		{ "file", &arg_text, &add.file, ARG_OPTIONAL },
		{ "access", &arg_access, &add.reg.access, ARG_NEEDED },
		{}
	};
	struct xroce *x;
	int status;

	status = arg_parse(args, argc, argv);
	if (!status)
		status = check_add(&add, args[PID].state & ARG_SEEN, args[ADDR].state & ARG_SEEN,
				   args[SIZE].state & ARG_SEEN, args[OFFSET].state & ARG_SEEN,
				   args[IOVA].state & ARG_SEEN);
	if (status)
		return status;
	x = dev_open(add.dev);
	if (!x)
		return EXIT_ERROR;
	status = add.file ? reg_file(x, &add) : reg_pid(x, &add);
	xroce_close(x);
	if (status)
		return status;

	print_begin();
	print_hex("mr", 1, add.reg.mr);
	print_hex("lkey", 8, add.reg.lkey);
	print_hex("rkey", 8, add.reg.rkey);
	print_hex("iova", 1, add.reg.iova);
	print_num("length", add.reg.length);
	print_end();
	return EXIT_OK;
}

/* The first region at @mr or above. Return: 0 or -errno. */
static int query_next(struct xroce *x, __u32 mr, struct xroce_mr_query *q)
{
	memset(q, 0, sizeof(*q));
	q->flags = XROCE_F_NEXT;
	q->mr = mr;
	return xroce_mr_query(x, q);
}

/* A handle or a name. Return: 0 and the region in @q, or -errno. */
static int find(struct xroce *x, const char *word, struct xroce_mr_query *q)
{
	struct xroce_mr_query one;
	int err, found = 0;
	__u32 mr;

	memset(q, 0, sizeof(*q));
	if (arg_number.parse(word, &q->mr))
		return xroce_mr_query(x, q);

	for (mr = 0; !(err = query_next(x, mr, &one)); mr = one.mr + 1) {
		if (!strncmp(one.name, word, sizeof(one.name))) {
			*q = one;
			found++;
		}
	}
	if (err != -ENOENT)
		return err;
	return found > 1 ? -ENOTUNIQ : found ? 0 : -ENOENT;
}

static int not_found(const char *word, int err)
{
	return fail("mr %s: %s", word, err == -ENOTUNIQ ?
		    "several regions have this name" : reason(err, reasons));
}

static int mr_del(int argc, char **argv)
{
	const char *dev = NULL, *word = NULL;
	struct arg args[] = {
		{ "dev", &arg_text, &dev, ARG_OPTIONAL },
		{ "mr", &arg_text, &word, ARG_NEEDED },
		{}
	};
	struct xroce_mr_query q;
	struct xroce *x;
	int status, err;

	status = arg_parse(args, argc, argv);
	if (status)
		return status;
	x = dev_open(dev);
	if (!x)
		return EXIT_ERROR;
	err = find(x, word, &q);
	if (!err)
		err = xroce_mr_dereg(x, q.mr);
	xroce_close(x);
	return err ? not_found(word, err) : EXIT_OK;
}

/* Return: 0 or -errno. */
static int show_table(struct xroce *x, const struct xroce_mr_query *q)
{
	__u64 entry[XROCE_MTT_READ_MAX], first;
	int n;

	for (first = 0; first < q->pages; first += n) {
		n = xroce_mtt_read(x, q->mr, first, entry, XROCE_MTT_READ_MAX);
		if (n < 0)
			return n;
		print_addresses("mtt", first, entry, n);
	}
	return 0;
}

/* @stat is the map of its counters, or -1. */
static int show_one(struct xroce *x, const char *netdev,
		    const struct xroce_mr_query *q, int stat)
{
	int status = EXIT_OK;
	char name[sizeof(q->name) + 1];
	int err = 0;

	snprintf(name, sizeof(name), "%.*s", (int)sizeof(q->name), q->name);
	print_begin();
	print_hex("mr", 1, q->mr);
	print_str("dev", netdev);
	if (*name)
		print_str("name", name);
	print_num("pd", q->pd);
	print_hex("lkey", 8, q->lkey);
	print_hex("rkey", 8, q->rkey);
	print_bits("access", access_names, ACCESS_BITS,
		   q->access);
	print_hex("iova", 1, q->iova);
	print_num("length", q->length);
	print_hex("addr", 1, q->addr);
	print_num("pages", q->pages);
	print_num("page_size", 1ull << (q->page_shift & 63));
	print_num("offset", q->offset);
	print_num("pid", q->pid);
	print_flag("persistent", q->flags & XROCE_F_PERSISTENT);
	if (stat >= 0)
		status = mr_stat_print(netdev, stat, q->mr);
	if (options.mtt)
		err = show_table(x, q);
	print_end();
	return err ? fail("mr 0x%x: mtt: %s", q->mr, err == -EPERM ?
			  "not permitted: CAP_SYS_ADMIN is needed" :
			  reason(err, reasons)) : status;
}

static int show_some(struct xroce *x, const char *netdev, const char *word,
		     int stat)
{
	struct xroce_mr_query q;
	int status, err;
	__u32 mr;

	if (word) {
		err = find(x, word, &q);
		if (err)
			return not_found(word, err);
		return show_one(x, netdev, &q, stat);
	}
	for (mr = 0; !(err = query_next(x, mr, &q)); mr = q.mr + 1) {
		status = show_one(x, netdev, &q, stat);
		if (status)
			return status;
	}
	if (err != -ENOENT)
		return fail("dev %s: mr: %s", netdev, reason(err, reasons));
	return EXIT_OK;
}

static int show_all(struct xroce *x, const char *netdev, void *arg)
{
	int stat = -1, status;

	if (options.stats) {
		stat = mr_stat_open(netdev);
		if (stat < 0)
			return EXIT_ERROR;
	}
	status = show_some(x, netdev, arg, stat);
	if (stat >= 0)
		close(stat);
	return status;
}

static int mr_show(int argc, char **argv)
{
	const char *dev = NULL, *word = NULL;
	struct arg args[] = {
		{ "dev", &arg_text, &dev, ARG_OPTIONAL },
		{ "mr", &arg_text, &word, ARG_OPTIONAL },
		{ "", &arg_text, &word, ARG_OPTIONAL },
		{}
	};
	int status;

	status = arg_parse(args, argc, argv);
	if (status)
		return status;
	print_list_begin();
	status = dev_each(dev, word, show_all, (void *)word);
	print_list_end();
	return status;
}

static const struct cmd verbs[] = {
	{ "show", mr_show, "[dev DEV] [HANDLE|NAME] [--mtt]", true },
	{ "add", mr_add, "[dev DEV] pd N [name NAME] [iova A] access LIST\n"
	  "\t{ file PATH [offset O] [size S] | pid PID addr A size S }" },
	{ "del", mr_del, "[dev DEV] mr HANDLE|NAME" },
	{}
};

int do_mr(int argc, char **argv)
{
	return cmd_run("mr", verbs, argc, argv);
}
