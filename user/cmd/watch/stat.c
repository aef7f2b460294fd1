// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* xroce stat: counters of links, summed over all CPUs. */
#include "arg.h"
#include "cmd.h"
#include "counter.h"
#include "dev.h"
#include "print.h"
#include "watch/prometheus.h"

static int show_counters(struct xroce *x, const char *netdev, void *arg)
{
	struct xroce_stat sums;
	bool *all = arg;
	size_t i;
	int err;

	(void)x;
	err = xroce_stat_read(netdev, &sums);
	if (err)
		return fail("dev %s: stat: %s", netdev, dev_pin_reason(err));
	print_begin();
	print_dev(netdev);
	for (i = 0; i < LINK_COUNTERS; i++)
		print_row(xroce_link_counters[i].name,
			  counter_value(&xroce_link_counters[i], &sums),
			  xroce_link_counters[i].note, *all);
	print_end();
	return EXIT_OK;
}

static int stat_show(int argc, char **argv)
{
	const char *dev = NULL;
	bool all = false;
	struct arg args[] = {
		{ "dev", &arg_text, &dev, ARG_OPTIONAL | ARG_BARE },
		{ "all", &arg_flag, &all, ARG_OPTIONAL },
		{}
	};
	int status;

	status = arg_parse(args, argc, argv);
	if (status)
		return status;
	if (options.prometheus)
		return prometheus_print(dev);
	print_list_begin();
	status = dev_each_pin(dev, show_counters, &all);
	print_list_end();
	return status;
}

const struct cmd stat_verbs[] = {
	{ "show", stat_show, "[[dev] DEV] [all]", .prometheus = true },
	{}
};
