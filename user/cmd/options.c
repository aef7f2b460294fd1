// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Options, before the noun or behind the verb. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arg.h"
#include "message.h"
#include "options.h"

struct options options;

/* Letters of options that need a value. */
#define NEED_VALUE	"bno"

/* The first SHARED_MAX entries are the SHARED_OPTIONS. */
static const struct option longopts[] = {
	{ "c",		optional_argument, NULL, 'c' },
	{ "color",	optional_argument, NULL, 'c' },
	{ "debug",	no_argument, NULL, 'D' },
	{ "details",	no_argument, NULL, 'd' },
	{ "json",	no_argument, NULL, 'j' },
	{ "pretty",	no_argument, NULL, 'p' },
	{ "raw",	no_argument, NULL, 'r' },
	{ "stats",	no_argument, NULL, 's' },
	{ "version",	no_argument, NULL, 'V' },
	{ "help",	no_argument, NULL, 'h' },
	{ "batch",	required_argument, NULL, 'b' },
	{ "force",	no_argument, NULL, 'f' },
	{ "iterations",	required_argument, NULL, 'n' },
	{ "mtt",	no_argument, NULL, 'm' },
	{ "output",	required_argument, NULL, 'o' },
	{ "timestamp",	no_argument, NULL, 't' },
	{}
};

void options_join(const struct option *own, struct option *all)
{
	while (own->name)
		*all++ = *own++;
	memcpy(all, longopts, SHARED_MAX * sizeof(*all));
	memset(all + SHARED_MAX, 0, sizeof(*all));
}

void options_help(void)
{
	fputs("options, before the noun or behind the verb:\n"
	      "  -j, --json          print JSON\n"
	      "  -p, --pretty        print JSON with line breaks\n"
	      "  -o, --output FORMAT text, json, or prometheus (stat show)\n"
	      "  -d, --details       show more of each object\n"
	      "  -s, --stats         show counters\n"
	      "  -r, --raw           print numbers without units, rights as a bit mask\n"
	      "  -c, --color[=WHEN]  always, auto or never; the default is never\n"
	      "  -t, --timestamp     monitor: print date and time of each event\n"
	      "  -n, --iterations N  top: print N times; needs no terminal\n"
	      "      --mtt           mr show: show translation tables\n"
	      "      --debug         print messages of libbpf and the verifier on stderr\n"
	      "  -b, --batch FILE    run the commands in FILE; -: standard input\n"
	      "  -f, --force         continue a batch after a command that failed\n"
	      "  -V, --version       print the version\n"
	      "  -h, --help          print this text, or the usage of a noun or verb\n",
	      stdout);
}

/* For "auto": not if the user wants no colours, nor if the terminal has none. */
static bool color_wanted(void)
{
	const char *none = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(none && *none) && term &&
	       strcmp(term, "dumb");
}

static int take_color(const char *arg)
{
	if (arg && *arg == '=')
		arg++;
	if (!arg || !strcmp(arg, "always"))
		options.color = true;
	else if (!strcmp(arg, "never"))
		options.color = false;
	else if (!strcmp(arg, "auto"))
		options.color = color_wanted();
	else
		return usage("color \"%s\": must be always, auto or never", arg);
	return -1;
}

static int take_output(const char *arg)
{
	options.json = !strcmp(arg, "json");
	options.prometheus = !strcmp(arg, "prometheus");
	if (options.json || options.prometheus || !strcmp(arg, "text"))
		return -1;
	return usage("output \"%s\": must be text, json or prometheus", arg);
}

static int take_flag(int c)
{
	switch (c) {
	case 'D':
		options.debug = true;
		return -1;
	case 'd':
		options.details = true;
		return -1;
	case 'f':
		options.force = true;
		return -1;
	case 'h':
		options.help = true;
		return -1;
	case 'm':
		options.mtt = true;
		return -1;
	case 'p':
		options.pretty = true;
		/* fallthrough */
	case 'j':
		options.json = true;
		return -1;
	case 'r':
		options.raw = true;
		return -1;
	case 's':
		options.stats = true;
		return -1;
	case 't':
		options.timestamp = true;
		return -1;
	}
	return EXIT_USAGE;
}

int options_take_one(int c, const char *arg)
{
	switch (c) {
	case 'b':
		options.batch = arg;
		return -1;
	case 'c':
		return take_color(arg);
	case 'n':
		if (!arg_number.parse(arg, &options.iterations) ||
		    !options.iterations)
			return usage("iterations \"%s\": must be a number from 1 to 4294967295",
				     arg);
		return -1;
	case 'o':
		return take_output(arg);
	case 'V':
		puts("xroce " XROCE_VERSION);
		return EXIT_OK;
	}
	return take_flag(c);
}

/* List the long options that begin with @word. Return: their number. */
static int meant(const struct option *table, const char *word, char *list,
		 size_t size)
{
	size_t len = strcspn(word, "=");
	int n = 0;

	*list = 0;
	for (; len && table->name; table++) {
		if (strncmp(table->name, word, len))
			continue;
		n++;
		if (strlen(list) + strlen(table->name) + 5 < size) {
			strcat(list, *list ? ", --" : "--");
			strcat(list, table->name);
		}
	}
	return n;
}

int options_complain(char **argv, const struct option *table)
{
	const char *word = argv[optind - 1];
	char list[128];
	int n;

	if (!table)
		table = longopts;
	/*
	 * getopt_long(3) advances optind only after the last letter of a word. Within a word of
	 * letters, @word is the word before it.
	 */
	n = *word == '-' && strcspn(word + 1, "=") > 1 ?
	    meant(table, word + strspn(word, "-"), list, sizeof(list)) : 0;
	if (!n && optopt > ' ' && optopt < 0x7f)
		return strchr(NEED_VALUE, optopt) ?
		       usage("-%c: a value must follow", optopt) :
		       usage("-%c: no such option", optopt);
	if (n > 1)
		return usage("%s: could be %s", word, list);
	if (n)
		return strchr(word, '=') ? usage("%s: takes no value", word) :
					   usage("%s: a value must follow", word);
	return usage("%s: no such option%s", word,
		     word[strspn(word, "-")] >= '0' &&
		     word[strspn(word, "-")] <= '9' ?
		     ", and numbers have no sign" : "");
}

int options_take(int argc, char **argv, bool leading, int *rest)
{
	int c, status;

	optind = 0;
	opterr = 0;
	/* As in ip(8), long options may have a single dash: "-json", "-force". */
	while ((c = getopt_long_only(argc, argv, leading ?
				     "+" SHARED_OPTIONS "b:fn:o:t" :
				     SHARED_OPTIONS "b:fn:o:t",
				     longopts, NULL)) != -1) {
		status = c == '?' ? options_complain(argv, NULL) :
				    options_take_one(c, optarg);
		if (status >= 0)
			return status;
	}
	*rest = optind;
	return -1;
}
