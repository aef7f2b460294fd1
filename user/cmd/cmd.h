/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Nouns and verbs: tables of them, how they are chosen, how they fail. */
#ifndef _XROCE_CMD_H
#define _XROCE_CMD_H

#include <stdbool.h>

#include "options.h"

/* Exit status of the command. */
enum {
	EXIT_OK,
	EXIT_ERROR,
	EXIT_USAGE,
};

/**
 * struct cmd - a noun of the command or a verb of a noun
 * @name: what is typed; a prefix that no other entry has will do
 * @run: gets the words after it, returns the exit status
 * @args: the words that it takes, for people; NULL for a noun that has verbs
 * @mtt: it takes the option --mtt
 * @iterations: it takes the option --iterations
 * @prometheus: it can print Prometheus' text format
 * @about: of a noun: what it is, for people
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
 * @noun: the noun whose verbs these are; NULL: these are the nouns
 * @table: the entries; the first one is the default verb
 * @argc: number of words
 * @argv: the words
 *
 * Return: an exit status.
 */
int cmd_run(const char *noun, const struct cmd *table, int argc, char **argv);

/**
 * cmd_at() - say where the commands from here on stand, for messages
 * @file: file of a batch; NULL: none
 * @line: number of the line
 */
void cmd_at(const char *file, unsigned int line);

/* Call @fn before each message, so that the terminal is fit for it; NULL: nothing. */
void cmd_on_message(void (*fn)(void));

/* Say what went wrong, and with what. Return: EXIT_ERROR. */
int fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Say what has to be known of something that went well. */
void warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Say what was typed wrong, and the right form. Return: EXIT_USAGE. */
int usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/**
 * struct reason - what an errno of a command means
 * @err: positive errno; 0 ends a table
 * @text: for people
 */
struct reason {
	int err;
	const char *text;
};

/* The text for negative @err: the table's, else of a limit, else xroce_strerror()'s. */
const char *reason(int err, const struct reason *table);

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
