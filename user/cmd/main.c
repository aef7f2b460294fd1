// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* xroce: options and a command, or a file of commands. */
#include <stdio.h>
#include <string.h>

#include "batch.h"
#include "cmd.h"

static const struct cmd nouns[] = {
	{ "link",	.verbs = link_verbs, .about = "network devices with the responder attached" },
	{ "pd",		.verbs = pd_verbs, .about = "protection domains" },
	{ "mr",		.verbs = mr_verbs, .about = "memory regions" },
	{ "mw",		.verbs = mw_verbs, .about = "memory windows" },
	{ "qp",		.verbs = qp_verbs, .about = "queue pairs" },
	{ "cc",		.verbs = cc_verbs, .about = "algorithms of congestion control" },
	{ "mpt",	.verbs = mpt_verbs, .about = "memory protection table, as the XDP program sees it" },
	{ "mtt",	.verbs = mtt_verbs, .about = "pool of translation tables" },
	{ "stat",	.verbs = stat_verbs, .about = "counters of links" },
	{ "top",	do_top,
	  "[dev DEV] [interval SECONDS] [sort bytes|packets|errors|id] [-n N]",
	  .iterations = true, .about = "rates of links, queue pairs and regions, full screen" },
	{ "monitor",	do_monitor, "[dev DEV] [count N] [refused] [dropped] [objects]",
	  .about = "refused requests, dropped packets, changed objects" },
	{ "feature",	.verbs = feature_verbs, .about = "features of kernel, module, device and CPU" },
	{ "serve",	do_serve, .about = "server of named regions, and passive side of perftest" },
	{}
};

/* Run a noun with its words, which may include options. Return: an exit status. */
static int run(int argc, char **argv)
{
	int status, rest;

	/* serve has its own options, and parses the general ones together with them. */
	if (argc > 1 && strncmp("serve", argv[0], strlen(argv[0]))) {
		status = options_take(argc, argv, false, &rest);
		if (status >= 0)
			return status;
		if (options.batch)
			return usage("-b: cannot be combined with a command");
		/* getopt skipped the noun, as argv[0]: put it before the rest. */
		argv[rest - 1] = argv[0];
		argc -= rest - 1;
		argv += rest - 1;
	}
	return cmd_run(NULL, nouns, argc, argv);
}

int batch_line(int argc, char **argv)
{
	const struct options before = options;
	int status, rest;

	options.batch = NULL;
	status = options_take(argc, argv, true, &rest);
	if (status < 0)
		status = options.batch ? usage("-b: a batch cannot contain another batch") :
					 run(argc - rest, argv + rest);
	options = before;
	return status;
}

int main(int argc, char **argv)
{
	int status, rest;

	status = options_take(argc, argv, true, &rest);
	if (status >= 0)
		return status;
	argc -= rest;
	argv += rest;

	if (options.batch && argc)
		status = usage("-b: cannot be combined with a command");
	else if (options.batch)
		status = batch_run("batch", options.batch, batch_line);
	else
		status = run(argc, argv);
	if (fflush(stdout) || ferror(stdout))
		return fail("standard output: write error");
	return status;
}
