/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Tables of nouns and verbs, and the selection of an entry. */
#ifndef _XROCE_CMD_H
#define _XROCE_CMD_H

#include <stdbool.h>

#include "message.h"
#include "options.h"

/**
 * struct cmd - a noun of the command, or a verb of a noun
 * @name: its word; a prefix that no other entry has is accepted, too
 * @run: gets the words after @name, returns the exit status
 * @args: usage text: the words that it takes; NULL for a noun that has verbs
 * @mtt: it takes the option --mtt
 * @iterations: it takes the option --iterations
 * @prometheus: it takes the option --output prometheus
 * @about: of a noun: its description, for the help text
 *
 * A table ends with an empty entry.
 */
struct cmd {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *args;
	bool mtt;
	bool iterations;
	bool prometheus;
	const char *about;
};

/**
 * cmd_run() - run the entry of a table that the first word names
 * @noun: the noun whose verbs are in @table; NULL: @table has the nouns
 * @table: the entries; the first one is the default verb
 * @argc: number of words
 * @argv: the words
 *
 * Return: an exit status.
 */
int cmd_run(const char *noun, const struct cmd *table, int argc, char **argv);

/* The nouns. */
int do_feature(int argc, char **argv);
int do_link(int argc, char **argv);
int do_monitor(int argc, char **argv);
int do_mpt(int argc, char **argv);
int do_mr(int argc, char **argv);
int do_mtt(int argc, char **argv);
int do_mw(int argc, char **argv);
int do_pd(int argc, char **argv);
int do_qp(int argc, char **argv);
int do_serve(int argc, char **argv);
int do_stat(int argc, char **argv);
int do_top(int argc, char **argv);

#endif /* _XROCE_CMD_H */
