// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* xroce pd: protection domains. */
#include <errno.h>
#include <string.h>

#include "arg.h"
#include "cmd.h"
#include "dev.h"
#include "limit_reason.h"
#include "one.h"
#include "pd.h"
#include "print.h"

static const struct reason reasons[] = {
	{ ENOENT, "no such protection domain" },
	{ ENOSPC, "all numbers of protection domains are in use" },
	{ ENODEV, "the link has been deleted" },
	{}
};

/* Number that the last "pd add" of this process has returned; 0: none. */
static __u32 last;

static bool parse_pd(const char *text, void *to)
{
	if (strcmp(text, "last"))
		return arg_number.parse(text, to);
	*(__u32 *)to = last;
	return last;
}

const struct arg_type arg_pd = {
	"a number, or last behind a 'pd add' of the same batch", parse_pd
};

bool pd_foreign(struct xroce *x, const char *what, __u32 pd, int err)
{
	struct xroce_pd_query q = { .pd = pd };

	if (err != -EPERM || xroce_pd_query(x, &q) || q.flags & XROCE_F_PERSISTENT)
		return false;
	if (q.flags & XROCE_F_KERNEL)
		fail("%s: pd %u: it belongs to the kernel, on the verbs device of the link; 'pd add' makes one, and in a batch 'pd last' names it",
		     what, pd);
	else
		fail("%s: pd %u: it belongs to process %u; 'pd add' makes one, and in a batch 'pd last' names it",
		     what, pd, q.pid);
	return true;
}

static int pd_add(int argc, char **argv)
{
	const char *dev = NULL;
	struct arg args[] = {
		{ "dev", &arg_text, &dev, ARG_OPTIONAL },
		{}
	};
	struct xroce *x;
	int status, err;
	__u32 pd;

	status = arg_parse(args, argc, argv);
	if (status)
		return status;
	status = dev_open(dev, &x);
	if (status)
		return status;
	err = xroce_pd_add(x, XROCE_F_PERSISTENT, &pd);
	status = err ? fail("pd: %s", limit_reason(x, err, reasons, &(struct wanted){
				XROCE_COUNT_PD, .persistent = true })) : EXIT_OK;
	xroce_close(x);
	if (status)
		return status;

	last = pd;
	print_begin();
	print_num("pd", pd);
	print_end();
	return EXIT_OK;
}

/* Say which members a domain has that cannot be deleted. Return: EXIT_ERROR. */
static int busy(struct xroce *x, __u32 pd)
{
	struct xroce_pd_query q = { .pd = pd };

	if (xroce_pd_query(x, &q) || !(q.mrs + q.mws + q.qps))
		return fail("pd %u: it still has shared receive queues", pd);
	return fail("pd %u: it still has members (mr %u, mw %u, qp %u); 'mr show', 'mw show' and 'qp show' list them",
		    pd, q.mrs, q.mws, q.qps);
}

static int del_one(struct xroce *x, const union one *pd)
{
	int err = xroce_pd_del(x, pd->number);

	if (pd_foreign(x, "pd del", pd->number, err))
		return EXIT_ERROR;
	if (err == -EBUSY)
		return busy(x, pd->number);
	return err ? fail("pd %u: %s", pd->number, reason(err, reasons)) :
		     EXIT_OK;
}

static int pd_del(int argc, char **argv)
{
	return one_do(argc, argv, "pd", &arg_pd, del_one);
}

static int show_all(struct xroce *x, const char *netdev, void *arg)
{
	const union one *wanted = arg;
	struct xroce_pd_query q = {
		.flags = wanted ? 0 : XROCE_F_NEXT,
		.pd = wanted ? wanted->number : 0,
	};
	__u32 next;
	int err;

	while (!(err = xroce_pd_query(x, &q))) {
		print_begin();
		print_num("pd", q.pd);
		print_dev(netdev);
		print_num("mrs", q.mrs);
		print_num("mws", q.mws);
		print_num("qps", q.qps);
		print_num("pid", q.pid);
		print_flag("persistent", q.flags & XROCE_F_PERSISTENT);
		print_flag("kernel", q.flags & XROCE_F_KERNEL);
		print_end();
		if (wanted)
			return EXIT_OK;
		next = q.pd + 1;
		memset(&q, 0, sizeof(q));
		q.flags = XROCE_F_NEXT;
		q.pd = next;
	}
	if (wanted)
		return fail("pd %u: %s", wanted->number, reason(err, reasons));
	if (err != -ENOENT)
		return fail("dev %s: pd: %s", netdev, reason(err, reasons));
	return EXIT_OK;
}

static int pd_show(int argc, char **argv)
{
	return one_show(argc, argv, "pd", &arg_pd, show_all);
}

const struct cmd pd_verbs[] = {
	{ "show", pd_show, "[dev DEV] [[pd] N|last]" },
	{ "add", pd_add, "[dev DEV]" },
	{ "del", pd_del, "[dev DEV] [pd] N|last" },
	{}
};
