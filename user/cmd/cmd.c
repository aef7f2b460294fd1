// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Tables of nouns and verbs, and the selection of an entry. */
#include <stdio.h>
#include <string.h>

#include "cmd.h"

static void print_form(const char *noun, const struct cmd *cmd)
{
	form_print(stdout, &(struct form){ noun, cmd->name, cmd->args });
}

static int help(const char *noun, const struct cmd *table)
{
	const struct cmd *cmd;

	if (noun) {
		for (cmd = table; cmd->name; cmd++)
			print_form(noun, cmd);
		return EXIT_OK;
	}
	fputs("usage: xroce [OPTION]... NOUN VERB ...\n"
	      "       xroce NOUN [VERB] help\n"
	      "       xroce -b FILE\n"
	      "nouns and verbs may be shortened to a unique prefix:\n", stdout);
	for (cmd = table; cmd->name; cmd++)
		printf("  %-8s  %s\n", cmd->name, cmd->about);
	options_help();
	return EXIT_OK;
}

/* Translate a verb of other commands into the verb of this one. */
static const char *alias(const char *word)
{
	return !strcmp(word, "list") || !strcmp(word, "ls") || !strcmp(word, "s") ? "show" :
	       !strcmp(word, "delete") ? "del" : word;
}

/* Return: the entry, or NULL if none or several begin with @word. */
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

/*
 * The entries that begin with @word, or all if none does, separated by commas. Return: @text,
 * which has ENTRIES_MAX bytes.
 */
#define ENTRIES_MAX	128
static const char *entries(const struct cmd *table, const char *word, bool *some, char *text)
{
	const struct cmd *cmd;
	size_t len = strlen(word), at = 0;

	*some = false;
	for (cmd = table; len && cmd->name; cmd++)
		*some |= !strncmp(cmd->name, word, len);
	*text = 0;
	for (cmd = table; cmd->name && at < ENTRIES_MAX; cmd++)
		if (!*some || !strncmp(cmd->name, word, len))
			at += snprintf(text + at, ENTRIES_MAX - at, "%s%s", at ? ", " : "",
				       cmd->name);
	return text;
}

/* No entry, or several, begin with @word. Return: EXIT_USAGE. */
static int no_entry(const char *noun, const struct cmd *table, const char *word)
{
	char text[ENTRIES_MAX];
	bool some;

	entries(table, word, &some, text);
	return usage("%s%s%s: %s %s", noun ? : "", noun ? " " : "", word,
		     some ? "could be" : noun ? "no such verb; there are" :
						"no such noun; there are", text);
}

/* Refuse options that this entry does not take. Return: an exit status. */
static int check_options(const struct cmd *cmd)
{
	const char *batch;
	unsigned int line;

	if (options.mtt && !cmd->mtt)
		return usage("--mtt: can only be used with 'mr show'");
	if (options.iterations && !cmd->iterations)
		return usage("--iterations: can only be used with 'top'");
	if (options.prometheus && !cmd->prometheus)
		return usage("--output prometheus: can only be used with 'stat show'");
	/* The lines of a batch have the options of the command. */
	message_position(&batch, &line);
	if (options.force && !options.batch && !batch)
		return usage("--force: can only be used with --batch");
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
	if (!cmd)
		return no_entry(noun, table, argv[0]);
	if (argc) {
		argc--;
		argv++;
	}
	if (cmd->verbs)
		return cmd_run(cmd->name, cmd->verbs, argc, argv);
	if (cmd->args) {
		message_form(&(struct form){ noun, cmd->name, cmd->args });
		if (options.help || (argc == 1 && !strcmp(argv[0], "help"))) {
			print_form(noun, cmd);
			return EXIT_OK;
		}
		if (check_options(cmd))
			return EXIT_USAGE;
	}
	return cmd->run(argc, argv);
}
