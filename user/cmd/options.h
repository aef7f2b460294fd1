/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Options that stand before the noun or behind the verb. */
#ifndef _XROCE_OPTIONS_H
#define _XROCE_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>

#include <linux/types.h>

/**
 * struct options - what has been asked for
 * @batch: file of commands; "-": standard input; NULL: none
 * @iterations: of top; 0: no end, full screen
 * @color: text may have colours
 * @debug: let libbpf and the verifier speak on stderr
 * @details: show more of each object
 * @force: go on after a command of the batch that failed
 * @help: print the form of what follows instead
 * @json: print JSON
 * @mtt: show translation tables; for some verbs only, as are the next
 * @prometheus: print Prometheus' text format
 * @pretty: JSON with line breaks
 * @raw: numbers as they are: no units, no names of bits
 * @stats: show counters
 * @timestamp: say when
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
 * options_take() - take the options out of some words
 * @argc: number of words
 * @argv: the words, the first of which is none; options go to the front
 * @leading: only those before the first word that is no option
 * @rest: out: place of the first word that is left
 *
 * Return: -1: taken; an exit status: leave with it.
 */
int options_take(int argc, char **argv, bool leading, int *rest);

/* Letters of those that a noun with options of its own has as well. */
#define SHARED_OPTIONS	"c::djprsVh"
#define SHARED_MAX	10

/**
 * options_join() - put their long forms behind those of a noun
 * @own: the noun's; an empty entry ends them
 * @all: out: has room for SHARED_MAX more
 */
void options_join(const struct option *own, struct option *all);

/**
 * options_take_one() - take one that getopt_long(3) has found
 * @c: what it returned
 * @arg: the option's value
 *
 * Return: -1: taken; an exit status: leave with it.
 */
int options_take_one(int c, const char *arg);

/*
 * After getopt_long(3) has found one that it does not know in @table; NULL: in ours.
 * Return: EXIT_USAGE.
 */
int options_complain(char **argv, const struct option *table);

/* Print them, for people. */
void options_help(void);

#endif /* _XROCE_OPTIONS_H */
