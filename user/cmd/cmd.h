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
 * @args: usage text: the words that it takes; NULL: @run has options of its own
 * @verbs: of a noun: its verbs, in place of @run and @args
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
	const struct cmd *verbs;
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

/* The nouns: those that have verbs, and the others. */
extern const struct cmd cc_verbs[];
extern const struct cmd feature_verbs[];
extern const struct cmd link_verbs[];
extern const struct cmd mpt_verbs[];
extern const struct cmd mr_verbs[];
extern const struct cmd mtt_verbs[];
extern const struct cmd mw_verbs[];
extern const struct cmd pd_verbs[];
extern const struct cmd qp_verbs[];
extern const struct cmd stat_verbs[];
int do_monitor(int argc, char **argv);
int do_serve(int argc, char **argv);
int do_top(int argc, char **argv);

#endif /* _XROCE_CMD_H */
