// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* xroce link limit: limits on the objects of a link; and the limits in "link show -d". */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "arg.h"
#include "cmd.h"
#include "dev.h"
#include "limit_reason.h"
#include "link.h"
#include "print.h"
#include "priv.h"

static bool parse_none(const char *text, void *to)
{
	if (strcmp(text, "none"))
		return false;
	*(__u64 *)to = XROCE_LIMIT_NONE;
	return true;
}

static bool parse_limit(const char *text, void *to)
{
	return parse_none(text, to) || arg_address.parse(text, to);
}

static bool parse_limit_size(const char *text, void *to)
{
	return parse_none(text, to) || arg_size.parse(text, to);
}

static const struct arg_type arg_limit = {
	"a number, or none", parse_limit
};

static const struct arg_type arg_limit_size = {
	"a number of bytes, a number with K, M, G or T, or none", parse_limit_size
};

static const struct reason reasons[] = {
	{ ENOENT, "it has no link; 'xroce link add' makes one" },
	{}
};

static struct xroce_limit_query query(__u32 link, __u32 flags)
{
	struct xroce_limit_query q = {
		.flags = flags, .link = link, .uid = flags ? getuid() : 0,
	};
	int i;

	/* The link has been deleted, or the module is older and has no limits. */
	if (xroce_limit_query(&q))
		for (i = 0; i < XROCE_COUNTED; i++)
			q.limit[i] = XROCE_LIMIT_NONE;
	return q;
}

static void print_count(int what, const char *name, __u64 value)
{
	if (value == XROCE_LIMIT_NONE)
		print_str_or_null(name, NULL);
	else if (what == XROCE_COUNT_PINNED)
		print_size(name, value);
	else
		print_num(name, value);
}

/* In text only if there have been any. */
static void print_refused(__u64 refused)
{
	if (options.json || refused)
		print_num("refused", refused);
}

/* @every: in text also print limits that are not set and have no use. */
static void print_limits(__u32 link, bool every)
{
	const struct xroce_limit_query all = query(link, 0);
	const struct xroce_limit_query each = query(link, XROCE_F_USER);
	int i;

	print_array_begin("limits", "limit");
	for (i = 0; i < XROCE_COUNTED; i++) {
		if (!options.json && !every && !all.used[i] && !all.refused[i] &&
		    all.limit[i] == XROCE_LIMIT_NONE &&
		    each.limit[i] == XROCE_LIMIT_NONE)
			continue;
		print_begin();
		print_str("of", limit_word(i));
		print_count(i, "used", all.used[i]);
		print_count(i, "link", all.limit[i]);
		print_count(i, "user", each.limit[i]);
		print_refused(all.refused[i]);
		print_end();
	}
	/* Kinds that have no limit of their own. */
	for (; i < XROCE_REFUSED; i++) {
		if (!options.json && !all.refused[i])
			continue;
		print_begin();
		print_str("of", limit_word(i));
		print_refused(all.refused[i]);
		print_end();
	}
	print_array_end();
}

static void print_users(__u32 link)
{
	struct xroce_limit_query q = {
		.flags = XROCE_F_USER | XROCE_F_NEXT, .link = link,
	};
	__u32 uid;
	int i;

	print_array_begin("uses", "user");
	while (!xroce_limit_query(&q)) {
		print_begin();
		print_num("uid", q.uid);
		for (i = 0; i < XROCE_COUNTED; i++)
			print_count(i, limit_word(i), q.used[i]);
		print_end();
		uid = q.uid;
		memset(&q, 0, sizeof(q));
		q.flags = XROCE_F_USER | XROCE_F_NEXT;
		q.link = link;
		q.uid = uid + 1;
		if (!q.uid)
			break;
	}
	print_array_end();
}

static int set_limits(const char *dev, struct xroce_limit_set *set)
{
	struct xroce_link_query q;
	char name[IF_NAMESIZE];
	int err, status;

	if (!dev) {
		status = dev_only(name);
		if (status)
			return status;
		dev = name;
	}
	err = xroce_link_find(dev, &q);
	if (!err) {
		set->link = q.link;
		err = xroce_limit_set(set);
	}
	return err ? fail("link limit dev %s: %s", dev, reason(err, reasons)) :
		     EXIT_OK;
}

static void show_limits(const struct xroce_link_query *q, const char *dev)
{
	print_begin();
	print_num("link", q->link);
	print_dev(dev);
	print_limits(q->link, true);
	print_users(q->link);
	print_end();
}

/* Show the limits of a device's link, or of all links in this network namespace. */
static int show_all(const char *dev)
{
	struct xroce_link_query q = {};
	char name[IF_NAMESIZE];
	int err;

	print_list_begin();
	if (dev) {
		err = xroce_link_find(dev, &q);
		if (!err)
			show_limits(&q, dev);
	} else {
		while (!(err = xroce_link_next(&q, false)))
			show_limits(&q, dev_name(&q, name));
		if (err == -ENOENT)
			err = 0;
	}
	print_list_end();
	return err ? fail("link limit%s%s: %s", dev ? " dev " : "", dev ? : "",
			  reason(err, reasons)) : EXIT_OK;
}

/* @dev, @show: out; NULL: these words are not accepted. Return: an exit status. */
static int read_words(int argc, char **argv, struct xroce_limit_set *set,
		      const char **dev, bool *show)
{
	bool user = false;
	struct arg args[] = {
		{ "pd", &arg_limit, &set->limit[XROCE_COUNT_PD], ARG_OPTIONAL },
		{ "mr", &arg_limit, &set->limit[XROCE_COUNT_MR], ARG_OPTIONAL },
		{ "mw", &arg_limit, &set->limit[XROCE_COUNT_MW], ARG_OPTIONAL },
		{ "qp", &arg_limit, &set->limit[XROCE_COUNT_QP], ARG_OPTIONAL },
		{ "cq", &arg_limit, &set->limit[XROCE_COUNT_CQ], ARG_OPTIONAL },
		{ "srq", &arg_limit, &set->limit[XROCE_COUNT_SRQ], ARG_OPTIONAL },
		{ "pinned", &arg_limit_size, &set->limit[XROCE_COUNT_PINNED],
		  ARG_OPTIONAL },
		{ "deferred", &arg_limit, &set->limit[XROCE_COUNT_DEFERRED], ARG_OPTIONAL },
		{ "user", &arg_flag, &user, ARG_OPTIONAL },
		{ dev ? "dev" : NULL, &arg_text, dev, ARG_OPTIONAL | ARG_BARE },
		{ "show", &arg_flag, show, ARG_OPTIONAL },
		{}
	};
	int status, i;

	memset(set, 0, sizeof(*set));
	status = arg_parse(args, argc, argv);
	if (status)
		return status;
	/* The first XROCE_COUNTED entries of args are in the order of enum xroce_counted. */
	for (i = 0; i < XROCE_COUNTED; i++)
		if (args[i].state & ARG_SEEN)
			set->mask |= 1u << i;
	set->flags = user ? XROCE_F_USER : 0;
	if (set->mask || (dev && !user))
		return EXIT_OK;
	return usage("link limit: no limit is given; give one or more of pd, mr, mw, qp, cq, srq, pinned and deferred");
}

int link_limit_read(int argc, char **argv, struct xroce_limit_set *set)
{
	return read_words(argc, argv, set, NULL, NULL);
}

int link_limit(int argc, char **argv)
{
	struct xroce_limit_set set;
	const char *dev = NULL;
	bool show = false;
	int status;

	status = read_words(argc, argv, &set, &dev, &show);
	if (status)
		return status;
	if (show && set.mask)
		return usage("link limit show: accepts only a device, no limits");
	return set.mask ? set_limits(dev, &set) : show_all(dev);
}

void link_limit_print_group(__u32 link)
{
	struct xroce_limit_query all = query(link, 0);
	char name[sizeof(all.device) + 1] = "";

	memcpy(name, all.device, sizeof(all.device));
	print_str_or_null("rdma_device", *name ? name : NULL);
}

void link_limit_print(__u32 link)
{
	print_limits(link, false);
	print_users(link);
}
