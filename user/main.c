// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* xroce: options, then a noun. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "print.h"

struct options options;

static const struct option longopts[] = {
	{ "json",	no_argument, NULL, 'j' },
	{ "pretty",	no_argument, NULL, 'p' },
	{ "stats",	no_argument, NULL, 's' },
	{ "debug",	no_argument, NULL, 'd' },
	{ "mtt",	no_argument, NULL, 'm' },
	{ "version",	no_argument, NULL, 'V' },
	{ "help",	no_argument, NULL, 'h' },
	{}
};

static const struct cmd nouns[] = {
	{ "link",	do_link, NULL },
	{ "pd",		do_pd, NULL },
	{ "mr",		do_mr, NULL },
	{ "mw",		do_mw, NULL },
	{ "qp",		do_qp, NULL },
	{ "mpt",	do_mpt, NULL },
	{ "mtt",	do_mtt, NULL },
	{ "stat",	do_stat, NULL },
	{ "monitor",	do_monitor, NULL },
	{ "serve",	do_serve, NULL },
	{}
};

int global_option(int c)
{
	switch (c) {
	case 'j':
		print_json(false);
		return -1;
	case 'p':
		print_json(true);
		return -1;
	case 's':
		options.stats = true;
		return -1;
	case 'd':
		options.debug = true;
		return -1;
	case 'm':
		options.mtt = true;
		return -1;
	case 'V':
		puts("xroce " XROCE_VERSION);
		return EXIT_OK;
	case 'h':
		return cmd_run(NULL, nouns, 0, NULL);
	}
	return EXIT_USAGE;
}

/* Take options from @argv up to the first word, or among the words, too. */
static int take_options(int argc, char **argv, const char *optstring)
{
	int c, status;

	optind = 0;
	while ((c = getopt_long(argc, argv, optstring, longopts, NULL)) != -1) {
		status = global_option(c);
		if (status >= 0)
			return status;
	}
	return -1;
}

int main(int argc, char **argv)
{
	int status;

	status = take_options(argc, argv, "+" GLOBAL_OPTIONS);
	if (status >= 0)
		return status;
	argc -= optind;
	argv += optind;

	/* serve has options of its own, and takes these with them. */
	if (argc > 1 && strncmp("serve", argv[0], strlen(argv[0]))) {
		status = take_options(argc, argv, GLOBAL_OPTIONS);
		if (status >= 0)
			return status;
		/* getopt skipped the noun as if it were a program's name. */
		argv[optind - 1] = argv[0];
		argc -= optind - 1;
		argv += optind - 1;
	}

	status = cmd_run(NULL, nouns, argc, argv);
	if (fflush(stdout) || ferror(stdout))
		return fail("standard output: write error");
	return status;
}
