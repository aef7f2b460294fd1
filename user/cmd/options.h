/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Options, before the noun or behind the verb. */
#ifndef _XROCE_OPTIONS_H
#define _XROCE_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>

#include <linux/types.h>

/**
 * struct options - options of the command line
 * @batch: file of commands; "-": standard input; NULL: none
 * @iterations: "top" only: how often to print; 0: full screen, without end
 * @color: print text with colours
 * @debug: print messages of libbpf and the verifier on stderr
 * @details: show more of each object
 * @force: continue a batch after a command that failed
 * @help: print the usage of the command instead of running it
 * @json: print JSON
 * @mtt: "mr show" only: show translation tables
 * @prometheus: "stat show" only: print Prometheus' text format
 * @pretty: print JSON with line breaks
 * @raw: print numbers without units, and rights as a bit mask
 * @stats: show counters
 * @timestamp: "monitor" only: print date and time of each event
 */
struct options {
	const char *batch;
	__u32 iterations;
	bool color;
	bool debug;
	bool details;
	bool force;
	bool help;
	bool json;
	bool mtt;
	bool prometheus;
	bool pretty;
	bool raw;
	bool stats;
	bool timestamp;
};

extern struct options options;

/**
 * options_take() - parse the options among some words
 * @argc: number of words
 * @argv: the words; argv[0] is skipped; options are moved to the front
 * @leading: stop at the first word that is not an option
 * @rest: out: index of the first word that is left
 *
 * Return: -1: success; else an exit status with which to end.
 */
int options_take(int argc, char **argv, bool leading, int *rest);

/* Letters, and number of long forms, of the options that a noun with own options shares. */
#define SHARED_OPTIONS	"c::djprsVh"
#define SHARED_MAX	10

/**
 * options_join() - append the shared long options to those of a noun
 * @own: the noun's options; an empty entry ends them
 * @all: out: has room for SHARED_MAX entries more than @own
 */
void options_join(const struct option *own, struct option *all);

/**
 * options_take_one() - set an option that getopt_long(3) has found
 * @c: its return value
 * @arg: value of the option
 *
 * Return: -1: success; else an exit status with which to end.
 */
int options_take_one(int c, const char *arg);

/*
 * Print an error for an option that getopt_long(3) has refused. @table: the long options; NULL:
 * those of options_take(). Return: EXIT_USAGE.
 */
int options_complain(char **argv, const struct option *table);

/* Print the help text of the options. */
void options_help(void);

#endif /* _XROCE_OPTIONS_H */
