// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Verbs that work on one object of a link: "[dev DEV] [NAME] VALUE". */
#include "message.h"
#include "one.h"
#include "print.h"

struct call {
	one_fn fn;
	union one one;
};

static int call(struct xroce *x, const char *netdev, void *arg)
{
	const struct call *call = arg;

	(void)netdev;
	return call->fn(x, &call->one);
}

int one_do(int argc, char **argv, const char *name, const struct arg_type *type,
	   one_fn fn)
{
	struct call c = { .fn = fn };
	const char *dev = NULL;
	struct arg args[] = {
		{ "dev", &arg_text, &dev, ARG_OPTIONAL },
		{ name, type, &c.one, ARG_NEEDED | ARG_BARE },
		{}
	};
	int status;

	status = arg_parse(args, argc, argv);
	if (status)
		return status;
	return dev_one(dev, call, &c);
}

int one_show(int argc, char **argv, const char *name,
	     const struct arg_type *type, dev_show show)
{
	const char *dev = NULL;
	union one one = {};
	struct arg args[] = {
		{ name, type, &one, ARG_OPTIONAL | ARG_BARE },
		{ "dev", &arg_text, &dev, ARG_OPTIONAL },
		{}
	};
	bool seen;
	int status;

	status = arg_parse(args, argc, argv);
	if (status)
		return status;
	seen = args[0].state & ARG_SEEN;
	print_list_begin();
	status = seen ? dev_one(dev, show, &one) : dev_each(dev, show, NULL);
	print_list_end();
	return status;
}
