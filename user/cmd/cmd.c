// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Nouns and verbs: tables of them, how they are chosen, how they fail. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "libxroce.h"
#include "text.h"

/* What is being run, for usage(). */
static const char *this_noun;
static const struct cmd *this_cmd;

/* Where it stands, in a batch. */
static const char *this_file;
static unsigned int this_line;

/* What makes the terminal fit for a message. */
static void (*on_message)(void);

void cmd_on_message(void (*fn)(void))
{
	on_message = fn;
}

void cmd_at(const char *file, unsigned int line)
{
	this_file = file;
	this_line = line;
	this_noun = NULL;
	this_cmd = NULL;
}

/* What was typed, or others have said, may be in it. */
static void put_clean(const char *fmt, va_list args)
{
	char *text = NULL, *clean = NULL;

	if (vasprintf(&text, fmt, args) >= 0)
		clean = malloc(TEXT_SIZE(strlen(text)));
	fputs(clean ? text_escape(text, clean) : "no memory", stderr);
	free(clean);
	free(text);
}

static void complain(const char *fmt, va_list args)
{
	char clean[TEXT_SIZE(PATH_MAX)];

	if (on_message)
		on_message();
	fflush(stdout);
	fputs("xroce: ", stderr);
	if (this_file)
		fprintf(stderr, "%s:%u: ", strlen(this_file) < PATH_MAX ?
			text_escape(this_file, clean) : "batch", this_line);
	put_clean(fmt, args);
	putc('\n', stderr);
}

int fail(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	complain(fmt, args);
	va_end(args);
	return EXIT_ERROR;
}

void warn(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	complain(fmt, args);
	va_end(args);
}

static void print_form(FILE *to, const char *noun, const struct cmd *cmd)
{
	fprintf(to, "xroce %s%s%s%s%s\n", noun ? : "", noun ? " " : "",
		cmd->name, *cmd->args ? " " : "", cmd->args);
}

int usage(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	complain(fmt, args);
	va_end(args);
	if (this_cmd) {
		fputs("usage: ", stderr);
		print_form(stderr, this_noun, this_cmd);
	} else {
		fputs("xroce help says more\n", stderr);
	}
	return EXIT_USAGE;
}

/* Of whatever makes objects. */
static const struct reason everywhere[] = {
	{ EDQUOT, "a limit of the link, or of its users, is reached (xroce link show -d)" },
	{ EAGAIN, "the control group's limit (rdma.max) is reached" },
	{}
};

const char *reason(int err, const struct reason *table)
{
	for (; table && table->err; table++)
		if (table->err == -err)
			return table->text;
	for (table = everywhere; table->err; table++)
		if (table->err == -err)
			return table->text;
	return xroce_strerror(err);
}

static int help(const char *noun, const struct cmd *table)
{
	const struct cmd *cmd;

	if (noun) {
		for (cmd = table; cmd->name; cmd++)
			print_form(stdout, noun, cmd);
		return EXIT_OK;
	}
	fputs("usage: xroce [OPTION]... NOUN VERB ...\n"
	      "       xroce NOUN [VERB] help\n"
	      "       xroce -b FILE\n"
	      "nouns, and verbs, may be shortened:\n", stdout);
	for (cmd = table; cmd->name; cmd++)
		printf("  %-8s  %s\n", cmd->name, cmd->about);
	options_help();
	return EXIT_OK;
}

/* What others call a verb of ours. */
static const char *alias(const char *word)
{
	return !strcmp(word, "list") || !strcmp(word, "ls") ? "show" :
	       !strcmp(word, "delete") ? "del" : word;
}

/* Return: the entry, or NULL when none or several begin with @word. */
static const struct cmd *find(const struct cmd *table, const char *word)
{
	const struct cmd *cmd, *found = NULL;
	size_t len = strlen(word);

	for (cmd = table; cmd->name; cmd++) {
		if (!strcmp(cmd->name, word))
			return cmd;
		if (len && !strncmp(cmd->name, word, len)) {
			if (found)
				return NULL;
			found = cmd;
		}
	}
	return found;
}

/* An option that is not for this one? */
static int check_options(const struct cmd *cmd)
{
	if (options.mtt && !cmd->mtt)
		return usage("--mtt: belongs to another verb");
	if (options.iterations && !cmd->iterations)
		return usage("--iterations: belongs to another verb");
	if (options.prometheus && !cmd->prometheus)
		return usage("--output prometheus: belongs to another verb");
	return EXIT_OK;
}

int cmd_run(const char *noun, const struct cmd *table, int argc, char **argv)
{
	const struct cmd *cmd;

	if (!noun && argc > 1 && !strcmp(argv[0], "help")) {
		argc--;
		argv++;
		options.help = true;
	}
	if (argc ? !strcmp(argv[0], "help") : !noun || options.help)
		return help(noun, table);
	cmd = argc ? find(table, alias(argv[0])) : table;
	if (!cmd && noun)
		return usage("%s %s: no such verb, or several; 'xroce %s help' lists them",
			     noun, argc ? argv[0] : "", noun);
	if (!cmd)
		return usage("%s: no such noun, or several", argv[0]);
	if (cmd->args) {
		this_noun = noun;
		this_cmd = cmd;
		if (options.help || (argc == 2 && !strcmp(argv[1], "help"))) {
			print_form(stdout, noun, cmd);
			return EXIT_OK;
		}
		if (check_options(cmd))
			return EXIT_USAGE;
	}
	return cmd->run(argc ? argc - 1 : 0, argc ? argv + 1 : argv);
}
