// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Nouns and verbs: tables of them, how they are chosen, how they fail. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"

/* What is being run, for usage(). */
static const char *this_noun;
static const struct cmd *this_cmd;

static void complain(const char *fmt, va_list args)
{
	fflush(stdout);
	fputs("xroce: ", stderr);
	vfprintf(stderr, fmt, args);
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

static void print_form(FILE *to, const char *noun, const struct cmd *cmd)
{
	fprintf(to, "%s %s %s%s%s\n", "xroce", noun, cmd->name,
		*cmd->args ? " " : "", cmd->args);
}

int usage(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	complain(fmt, args);
	va_end(args);
	if (this_noun && this_cmd) {
		fputs("usage: ", stderr);
		print_form(stderr, this_noun, this_cmd);
	} else {
		fputs("xroce help says more\n", stderr);
	}
	return EXIT_USAGE;
}

const char *reason(int err, const struct reason *table)
{
	for (; table && table->err; table++)
		if (table->err == -err)
			return table->text;
	return strerror(-err);
}

static int help(const char *noun, const struct cmd *table)
{
	const struct cmd *cmd;

	if (noun) {
		for (cmd = table; cmd->name; cmd++)
			print_form(stdout, noun, cmd);
		return EXIT_OK;
	}
	fputs("usage: xroce [-j] [-p] [-s] [-d] NOUN VERB ...\n"
	      "       xroce NOUN help\n"
	      "nouns:", stdout);
	for (cmd = table; cmd->name; cmd++)
		printf(" %s", cmd->name);
	fputs("\n"
	      "options:\n"
	      "  -j, --json     print JSON\n"
	      "  -p, --pretty   print JSON with line breaks\n"
	      "  -s, --stats    show counters of regions\n"
	      "  -d, --debug    let libbpf and the verifier speak on stderr\n"
	      "  -V, --version  print the version\n"
	      "  -h, --help     print this\n", stdout);
	return EXIT_OK;
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

int cmd_run(const char *noun, const struct cmd *table, int argc, char **argv)
{
	const struct cmd *cmd;

	if (!argc && noun)
		cmd = find(table, "show");
	else if (!argc || !strcmp(argv[0], "help"))
		return help(noun, table);
	else
		cmd = find(table, argv[0]);

	if (!cmd && noun)
		return usage("%s %s: no such verb, or several; 'xroce %s help' lists them",
			     noun, argc ? argv[0] : "", noun);
	if (!cmd)
		return usage("%s: no such noun, or several", argv[0]);
	if (cmd->args) {
		this_noun = noun;
		this_cmd = cmd;
	}
	if (cmd->args && options.mtt && !cmd->mtt)
		return usage("--mtt: belongs to another verb");
	return cmd->run(argc ? argc - 1 : 0, argc ? argv + 1 : argv);
}
