// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* xroce mr: memory regions. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "arg.h"
#include "cmd.h"
#include "dev.h"
#include "mr.h"
#include "mr_stat.h"
#include "one.h"
#include "print.h"
#include "progress.h"

static const struct reason reasons[] = {
	{ ENOENT, "no such region" },
	{ EBUSY, "a window is bound to it" },
	{ ENODEV, "the link has been deleted" },
	{ ENOTUNIQ, "several regions of programs have this name: give the handle ('xroce mr show NAME' lists them)" },
	{}
};

int mr_next(struct xroce *x, __u32 mr, struct xroce_mr_query *q)
{
	memset(q, 0, sizeof(*q));
	q->flags = XROCE_F_NEXT;
	q->mr = mr;
	return xroce_mr_query(x, q);
}

static bool mr_named(const struct xroce_mr_query *q, const char *name)
{
	return !strncmp(q->name, name, sizeof(q->name));
}

int mr_find(struct xroce *x, const char *word, struct xroce_mr_query *q)
{
	struct xroce_mr_query one;
	int err, found = 0;
	__u32 mr;

	memset(q, 0, sizeof(*q));
	if (arg_number.parse(word, &q->mr))
		return xroce_mr_query(x, q);

	for (mr = 0; !(err = mr_next(x, mr, &one)); mr = one.mr + 1) {
		if (!mr_named(&one, word))
			continue;
		*q = one;
		/* At most one persistent region of a link has a given name. */
		if (one.flags & XROCE_F_PERSISTENT)
			return 0;
		found++;
	}
	if (err != -ENOENT)
		return err;
	return found > 1 ? -ENOTUNIQ : found ? 0 : -ENOENT;
}

int mr_not_found(const char *word, int err)
{
	return fail("mr %s: %s", word, reason(err, reasons));
}

static int del_one(struct xroce *x, const union one *mr)
{
	struct xroce_mr_query q;
	int err = mr_find(x, mr->word, &q);

	if (!err) {
		progress_begin("deregistering", 0);
		err = xroce_mr_dereg(x, q.mr);
		progress_end();
	}
	return err ? mr_not_found(mr->word, err) : EXIT_OK;
}

static int mr_del(int argc, char **argv)
{
	return one_do(argc, argv, "mr", &arg_text, del_one);
}

/* Print a region's translation table. Return: 0 or -errno. */
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

/* Print the counters of an on-demand region. */
static void show_demand(const struct xroce_mr_query *q)
{
	print_num("resident", q->odp_resident);
	print_num("faults", q->odp_faults);
	print_num("faults_failed", q->odp_failed);
	print_num("fault_pages", q->odp_pages);
	print_num("invalidated", q->odp_invalidated);
	print_num("prefetched", q->odp_prefetched);
	print_num("children", q->odp_children);
	print_num("metadata_bytes", q->odp_bytes);
}

/* @stat: descriptor of the map of regions' counters, or -1. Return: an exit status. */
static int show_one(struct xroce *x, const char *netdev,
		    const struct xroce_mr_query *q, int stat)
{
	int status = EXIT_OK;
	char name[sizeof(q->name) + 1];
	int err = 0;

	snprintf(name, sizeof(name), "%.*s", (int)sizeof(q->name), q->name);
	print_begin();
	print_hex("mr", 1, q->mr);
	print_dev(netdev);
	if (*name)
		print_str("name", name);
	print_num("pd", q->pd);
	print_hex("lkey", 8, q->lkey);
	print_hex("rkey", 8, q->rkey);
	print_bits("access", access_names, ACCESS_BITS,
		   q->access);
	print_hex("iova", 1, q->iova);
	print_size("length", q->length);
	print_hex("addr", 1, q->addr);
	print_num("pages", q->pages);
	print_size("page_size", 1ull << (q->page_shift & 63));
	print_num("offset", q->offset);
	print_num("pid", q->pid);
	print_num("sharers", q->sharers);
	print_flag("all", q->access & XROCE_ACCESS_ON_DEMAND &&
			  q->length == XROCE_LENGTH_ALL);
	print_flag("physical", q->flags & XROCE_F_PHYS);
	print_flag("persistent", q->flags & XROCE_F_PERSISTENT);
	print_flag("kernel", q->flags & XROCE_F_KERNEL);
	if (q->access & XROCE_ACCESS_ON_DEMAND)
		show_demand(q);
	if (stat >= 0)
		status = mr_stat_print(netdev, stat, q->mr);
	if (options.mtt)
		err = show_table(x, q);
	print_end();
	return err ? fail("mr 0x%x: mtt: %s", q->mr, err == -EPERM ?
			  "not permitted: CAP_SYS_ADMIN is needed" :
			  reason(err, reasons)) : status;
}

/* @word: a handle, or a name, which several regions of programs may have; NULL: all regions. */
static int show_some(struct xroce *x, const char *netdev, const char *word,
		     int stat)
{
	struct xroce_mr_query q;
	bool found = false;
	int status, err;
	__u32 mr;

	if (word && arg_number.parse(word, &mr)) {
		err = mr_find(x, word, &q);
		if (err)
			return mr_not_found(word, err);
		return show_one(x, netdev, &q, stat);
	}
	for (mr = 0; !(err = mr_next(x, mr, &q)); mr = q.mr + 1) {
		if (word && !mr_named(&q, word))
			continue;
		found = true;
		status = show_one(x, netdev, &q, stat);
		if (status)
			return status;
	}
	if (err != -ENOENT)
		return fail("dev %s: mr: %s", netdev, reason(err, reasons));
	return word && !found ? mr_not_found(word, -ENOENT) : EXIT_OK;
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
		{ "mr", &arg_text, &word, ARG_OPTIONAL | ARG_BARE },
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
	{ "show", mr_show, "[dev DEV] [[mr] HANDLE|NAME] [--mtt]", true },
	{ "add", mr_add, "[dev DEV] pd N [name NAME] [iova A] access LIST [odp]\n"
	  "\t{ file PATH [offset O] [size S] | pid PID addr A size S | pid PID all |\n"
	  "\t  phys ADDR,... [page-size S] [offset O] [size S] | share MR }" },
	{ "change", mr_change, "[dev DEV] mr HANDLE|NAME [pd N] [access LIST]\n"
	  "\t[iova A] [ file PATH [offset O] [size S] | pid PID addr A size S | pid PID all |\n"
	  "\t           phys ADDR,... [page-size S] [offset O] [size S] ]" },
	{ "advise", mr_advise, "[dev DEV] mr HANDLE|NAME [iova A] [size S]\n"
	  "\t[for read|write|present]" },
	{ "del", mr_del, "[dev DEV] [mr] HANDLE|NAME" },
	{}
};

int do_mr(int argc, char **argv)
{
	return cmd_run("mr", verbs, argc, argv);
}
