// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* xroce link show: links, and with -s their counters. */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <linux/if_link.h>

#include <bpf/libbpf.h>

#include "../lib/priv.h"

#include "arg.h"
#include "clock.h"
#include "cmd.h"
#include "counter.h"
#include "dev.h"
#include "link.h"
#include "print.h"
#include "provider.h"

#define LINKS_MAX	256
#define RATE_MS		250	/* interval over which rates are measured */

/**
 * struct row - a link that is shown
 * @query: its query result
 * @dev: name of its device
 * @here: the device is in this network namespace
 * @counted: @before is valid
 * @before: counters at the beginning of the interval
 */
struct row {
	struct xroce_link_query query;
	char dev[sizeof(((struct xroce_link_query *)0)->name) + 1];
	bool here;
	bool counted;
	struct xroce_stat before;
};

const char *link_mode(int ifindex)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, xdp);

	if (bpf_xdp_query(ifindex, 0, &xdp))
		return "unknown";
	switch (xdp.attach_mode) {
	case XDP_ATTACHED_DRV:
		return "native";
	case XDP_ATTACHED_SKB:
		return "generic";
	case XDP_ATTACHED_HW:
		return "offload";
	case XDP_ATTACHED_MULTI:
		return "several";
	case XDP_ATTACHED_NONE:
		return "none";
	}
	return "unknown";
}

/*
 * Count the windows of all protection domains, as the link's query has no such count. Return:
 * whether this succeeded.
 */
static bool count_windows(const char *dev, __u32 *count)
{
	struct xroce_pd_query q = {};
	struct xroce *x = xroce_open(dev);
	__u32 next = 0;
	int err;

	*count = 0;
	if (!x)
		return false;
	for (;;) {
		memset(&q, 0, sizeof(q));
		q.flags = XROCE_F_NEXT;
		q.pd = next;
		err = xroce_pd_query(x, &q);
		if (err)
			break;
		*count += q.mws;
		next = q.pd + 1;
	}
	xroce_close(x);
	return err == -ENOENT;
}

static void print_counters(const struct row *r, double elapsed)
{
	struct xroce_stat now;
	size_t i;

	if (!r->counted || xroce_stat_read(r->dev, &now))
		return;
	print_inner_begin("rates");
	print_rate("rx", (now.rx - r->before.rx) / elapsed);
	print_rate("rx_bytes", (now.rx_bytes - r->before.rx_bytes) / elapsed);
	print_rate("tx", (now.tx - r->before.tx) / elapsed);
	print_inner_end();
	print_inner_begin("counters");
	for (i = 0; i < LINK_COUNTERS; i++)
		if (options.json || counter_value(&xroce_link_counters[i], &now))
			print_num(xroce_link_counters[i].name,
				  counter_value(&xroce_link_counters[i], &now));
	print_inner_end();
}

static void show_link(const struct row *r, double since)
{
	const struct xroce_link_query *q = &r->query;
	/* In text, a link is one line that people can read. */
	const bool all = options.json || options.details;
	char moderation[MODERATION_TEXT];
	__u32 windows;

	print_begin();
	print_num("link", q->link);
	print_dev(r->dev);
	print_flag("dead", q->flags & XROCE_F_DEAD);
	if (all)
		print_num("ifindex", q->ifindex);
	if (!r->here)
		print_num("netns", q->netns);
	else
		print_str("mode", link_mode(q->ifindex));
	if (*q->verbs)
		print_str("verbs", q->verbs);
	/* In text only if it is not the default. */
	if (*q->verbs && (all || q->provider))
		print_str("provider", provider_name(q->provider));
	if (all) {
		print_num("mpt", q->mpt_entries);
		print_num("qp", q->qp_entries);
	}
	/* In text only if it is not the default. */
	if (all || q->paths > 1)
		print_num("paths", q->paths);
	if (all || (*q->cc && strcmp(q->cc, "none")))
		print_str("cc", q->cc);
	if (all || q->moderation_count != XROCE_MODERATION_AUTO)
		print_str("moderation", moderation_text(q->moderation_count, q->moderation_usec,
							moderation));
	print_num("pds", q->pds);
	print_num("mrs", q->mrs);
	if (r->here && count_windows(r->dev, &windows))
		print_num("mws", windows);
	print_num("qps", q->qps);
	print_num("users", q->users);
	if (options.details)
		link_limit_print_group(q->link);
	if (all) {
		link_bpf_print(r->dev, q->ifindex);
		link_bpf_print_maps(r->dev, q->ifindex);
	}
	if (options.details)
		link_limit_print(q->link);
	if (options.stats)
		print_counters(r, seconds() - since);
	print_end();
}

static void add_row(struct row *r, const struct xroce_link_query *q,
		    __u64 netns)
{
	memset(r, 0, sizeof(*r));
	r->query = *q;
	r->here = q->netns == netns && !(q->flags & XROCE_F_DEAD);
	if (!r->here || !if_indextoname(q->ifindex, r->dev))
		snprintf(r->dev, sizeof(r->dev), "%.*s", (int)sizeof(q->name),
			 q->name);
}

/* Fill @rows. @n: out: number of links. Return: 0 or -errno. */
static int find_links(const char *dev, __u64 netns, struct row *rows, int *n)
{
	struct xroce_link_query q = {};
	int err;

	*n = 0;
	if (dev) {
		err = xroce_link_find(dev, &q);
		if (!err)
			add_row(&rows[(*n)++], &q, netns);
		return err;
	}
	while (*n < LINKS_MAX && !(err = xroce_link_next(&q, true)))
		add_row(&rows[(*n)++], &q, netns);
	return err == -ENOENT ? 0 : err;
}

static void show_links(struct row *rows, int n)
{
	struct timespec pause = { .tv_nsec = RATE_MS * 1000000l };
	double since = seconds();
	int i;

	if (options.stats) {
		for (i = 0; i < n; i++)
			rows[i].counted = rows[i].here &&
				!xroce_stat_read(rows[i].dev, &rows[i].before);
		if (n)
			nanosleep(&pause, NULL);
	}
	for (i = 0; i < n; i++)
		show_link(&rows[i], since);
}

int link_show(int argc, char **argv)
{
	const char *dev = NULL;
	struct arg args[] = {
		{ "dev", &arg_text, &dev, ARG_OPTIONAL | ARG_BARE },
		{}
	};
	struct row *rows;
	int status, err, n;
	struct stat ns;

	status = arg_parse(args, argc, argv);
	if (status)
		return status;
	if (stat("/proc/self/ns/net", &ns))
		return fail("/proc/self/ns/net: %s", strerror(errno));
	rows = calloc(LINKS_MAX, sizeof(*rows));
	if (!rows)
		return fail("links: %s", strerror(errno));

	print_list_begin();
	err = find_links(dev, ns.st_ino, rows, &n);
	show_links(rows, n);
	print_list_end();
	free(rows);
	if (err)
		return fail("link show%s%s: %s", dev ? " dev " : "",
			    dev ? : "", err != -ENOENT ? reason(err, NULL) :
			    xroce_ifindex(dev) ? "it has no link" : "no such network device");
	return EXIT_OK;
}
