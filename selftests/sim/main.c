// SPDX-License-Identifier: GPL-2.0-only
/*
 * How the module's congestion control behaves on networks that no machine here has: a simulation of
 * requesters, responders, links and switches around the module's own cc.c, rtt.c and algorithms.
 *
 *   sim run [--trace FILE] [NAME=VALUE]...
 *   sim table [WORD]...	the rows that have one of the words, or all
 */
#include <stdio.h>
#include <string.h>

#include "spec.h"
#include "table.h"

static int usage(void)
{
	fprintf(stderr, "usage: sim run [--trace FILE] [NAME=VALUE]...\n"
			"       sim table [WORD]...\n"
			"NAME, and its VALUE:\n");
	spec_help(stderr);
	return 2;
}

static int run_one(int words, char **word)
{
	struct spec s;

	spec_default(&s);
	for (; words; words--, word++) {
		if (!strcmp(*word, "--trace") && words > 1) {
			s.trace = *++word;
			words--;
		} else if (!spec_word(&s, *word)) {
			return usage();
		}
	}
	table_head();
	table_row("run", &s);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "run"))
		return run_one(argc - 2, argv + 2);
	if (argc > 1 && !strcmp(argv[1], "table"))
		return table(argc - 2, argv + 2);
	return usage();
}
