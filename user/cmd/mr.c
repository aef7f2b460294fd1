// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* xroce mr: memory regions. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "arg.h"
#include "cmd.h"
#include "dev.h"
#include "mr.h"
#include "mr_stat.h"
#include "one.h"
#include "pd.h"
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

int mr_windows(struct xroce *x, const char *word, __u32 mr)
{
	struct xroce_mw_query q = {};
	__u32 first = 0, n = 0, next = 0;
	char more[32] = "";

	for (;; next = q.mw + 1) {
		memset(&q, 0, sizeof(q));
		q.flags = XROCE_F_NEXT;
		q.mw = next;
		if (xroce_mw_query(x, &q))
			break;
		if (q.bound && q.mr == mr && !n++)
			first = q.mw;
	}
	if (!n)
		return EXIT_OK;
	if (n > 1)
		snprintf(more, sizeof(more), " and %u more", n - 1);
	return fail("mr %s: window 0x%x%s bound to it", word, first,
		    n > 1 ? strcat(more, " are") : " is");
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
	if (err == -EBUSY && mr_windows(x, mr->word, q.mr))
		return EXIT_ERROR;
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

/* A persistent region outlives the command that has made it: 0 then, and nothing in text. */
static void print_pid(const struct xroce_mr_query *q)
{
	bool gone = q->flags & XROCE_F_PERSISTENT && q->pid && kill(q->pid, 0) && errno == ESRCH;

	if (!gone || options.json)
		print_num("pid", gone ? 0 : q->pid);
}

/* @stat: descriptor of the map of regions' counters, or -1. Return: an exit status. */
static int show_one(struct xroce *x, const char *netdev,
		    const struct xroce_mr_query *q, int stat)
{
	int status = EXIT_OK;
	char name[sizeof(q->name) + 1], file[sizeof(q->file) + 1];
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
	print_pid(q);
	snprintf(file, sizeof(file), "%.*s", (int)sizeof(q->file), q->file);
	if (*file)
		print_str("file", file);
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

/* Whose regions are shown. */
static const char *const owners[] = { "persistent", "program", "kernel" };

#define OWNERS	((int)(sizeof(owners) / sizeof(owners[0])))

static const char *owner_of(const struct xroce_mr_query *q)
{
	return owners[q->flags & XROCE_F_PERSISTENT ? 0 : q->flags & XROCE_F_KERNEL ? 2 : 1];
}

static bool parse_owner(const char *text, void *to)
{
	int i;

	for (i = 0; i < OWNERS; i++)
		if (!strcmp(text, owners[i]))
			*(const char **)to = owners[i];
	return *(const char **)to;
}

static const struct arg_type arg_owner = { "persistent, program or kernel", parse_owner };

/**
 * struct wish - the regions that "mr show" shows
 * @word: a handle, or a name, which several regions of programs may have; NULL: any
 * @name: a name; NULL: any
 * @owner: of owners[]; NULL: any but the kernel, and with --details any
 * @pd: a protection domain, if @in_pd
 * @in_pd: only regions of @pd
 */
struct wish {
	const char *word;
	const char *name;
	const char *owner;
	__u32 pd;
	bool in_pd;
};

static bool wished(const struct wish *w, const struct xroce_mr_query *q)
{
	if ((w->word && !mr_named(q, w->word)) || (w->name && !mr_named(q, w->name)))
		return false;
	if (w->in_pd && q->pd != w->pd)
		return false;
	if (w->owner)
		return owner_of(q) == w->owner;
	/* Who names a domain or a region means also the kernel's. */
	return !(q->flags & XROCE_F_KERNEL) || options.details || w->in_pd || w->word || w->name;
}

static int show_some(struct xroce *x, const char *netdev, const struct wish *w, int stat)
{
	const char *word = w->word;
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
		if (!wished(w, &q))
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
	const char *dev = NULL;
	struct wish w = {};
	struct arg args[] = {
		{ "pd", &arg_pd, &w.pd, ARG_OPTIONAL },
		{ "dev", &arg_text, &dev, ARG_OPTIONAL },
		{ "name", &arg_text, &w.name, ARG_OPTIONAL },
		{ "owner", &arg_owner, &w.owner, ARG_OPTIONAL },
		{ "mr", &arg_text, &w.word, ARG_OPTIONAL | ARG_BARE },
		{}
	};
	int status;

	status = arg_parse(args, argc, argv);
	if (status)
		return status;
	w.in_pd = args[0].state & ARG_SEEN;
	if (w.word && (w.name || w.owner || w.in_pd))
		return usage("mr %s: cannot be combined with pd, name and owner", w.word);
	print_list_begin();
	status = (w.word || w.in_pd ? dev_one : dev_each)(dev, show_all, &w);
	print_list_end();
	return status;
}

void mr_show_keys(__u32 mr, __u32 lkey, __u32 rkey, __u64 iova,
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

const struct cmd mr_verbs[] = {
	{ "show", mr_show, "[dev DEV] [ [mr] HANDLE|NAME | [pd N|last] [name NAME]\n"
	  "\t[owner persistent|program|kernel] ] [--mtt]", .mtt = true },
	{ "add", mr_add, "[dev DEV] pd N|last [name NAME] [iova A] access LIST [odp]\n"
	  "\t{ file PATH [offset O] [size S] | pid PID addr A size S | pid PID all |\n"
	  "\t  phys ADDR,... [page-size S] [offset O] [size S] | share MR }" },
	{ "change", mr_change, "[dev DEV] mr HANDLE|NAME [pd N|last] [access LIST]\n"
	  "\t[iova A] [ file PATH [offset O] [size S] | pid PID addr A size S | pid PID all |\n"
	  "\t           phys ADDR,... [page-size S] [offset O] [size S] ]" },
	{ "advise", mr_advise, "[dev DEV] mr HANDLE|NAME [iova A] [size S]\n"
	  "\t[for read|write|present]" },
	{ "del", mr_del, "[dev DEV] [mr] HANDLE|NAME" },
	{}
};
