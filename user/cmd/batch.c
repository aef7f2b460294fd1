// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* A file of commands, one per line. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "cmd.h"

#define WORDS_MAX	256

/**
 * struct reader - a file that is read command by command
 * @file: the open file
 * @line: the last command, with its continuation lines joined
 * @size: capacity of @line in bytes
 * @number: number of the last line read, from 1
 * @begun: number of the command's first line
 * @error: positive errno that ended the reading; 0: end of the file
 */
struct reader {
	FILE *file;
	char *line;
	size_t size;
	unsigned int number;
	unsigned int begun;
	int error;
};

/*
 * Remove the newline. Return: true if the line ends with an odd number of backslashes, that is,
 * the next line continues it.
 */
static bool strip_end(char *line, size_t *len)
{
	size_t n, slashes = 0;

	if (*len && line[*len - 1] == '\n')
		line[--*len] = 0;
	for (n = *len; n && line[n - 1] == '\\'; n--)
		slashes++;
	return slashes % 2;
}

/* Read the lines of the next command. Return: false at the end, or on an error. */
static bool read_command(struct reader *r)
{
	char *more = NULL;
	size_t size = 0, len = 0;
	bool goes_on = true;
	ssize_t n;

	r->begun = r->number + 1;
	while (goes_on) {
		errno = 0;
		n = getline(&more, &size, r->file);
		if (n < 0)
			break;
		r->number++;
		if (len + n + 1 > r->size) {
			char *bigger = realloc(r->line, len + n + 1);

			if (!bigger)
				break;
			r->line = bigger;
			r->size = len + n + 1;
		}
		memcpy(r->line + len, more, n + 1);
		len += n;
		goes_on = strip_end(r->line, &len);
		if (goes_on)
			r->line[--len] = 0;
	}
	if (goes_on)
		r->error = errno;
	free(more);
	return !r->error && r->line && r->number >= r->begun;
}

/*
 * Split a line into words, in place. Return: number of words; -1: a quote is not closed;
 * -2: more than WORDS_MAX words.
 */
static int split(char *p, char **words)
{
	char *to, quote;
	int n = 0;

	for (;;) {
		while (isspace((unsigned char)*p))
			p++;
		if (!*p || *p == '#')
			return n;
		if (n == WORDS_MAX)
			return -2;
		words[n++] = to = p;
		for (quote = 0; *p && (quote || !isspace((unsigned char)*p)); p++) {
			if (quote ? *p == quote : *p == '"' || *p == '\'')
				quote = quote ? 0 : *p;
			else if (*p == '\\' && p[1] && quote != '\'')
				*to++ = *++p;
			else
				*to++ = *p;
		}
		if (quote)
			return -1;
		if (*p)
			p++;
		*to = 0;
	}
}

static int run_command(struct reader *r, int (*run)(int argc, char **argv))
{
	/* getopt(3) needs the program's name before the words and a NULL behind them. */
	char *words[1 + WORDS_MAX + 1] = { "xroce" };
	int n = split(r->line, words + 1);

	if (n == -1)
		return usage("a quote is not closed");
	if (n == -2)
		return usage("more than %d words in a line", WORDS_MAX);
	if (!n)
		return EXIT_OK;
	words[1 + n] = NULL;
	return run(1 + n, words);
}

int batch_run(const char *word, const char *path, int (*run)(int argc, char **argv))
{
	struct reader r = { .file = stdin };
	int status, result = EXIT_OK;
	unsigned int outer_line;
	const char *outer;

	message_position(&outer, &outer_line);
	if (strcmp(path, "-"))
		r.file = fopen(path, "re");
	if (!r.file)
		return fail("%s %s: %s", word, path, strerror(errno));
	while ((!result || options.force) && read_command(&r)) {
		message_at(path, r.begun);
		status = run_command(&r, run);
		message_at(outer, outer_line);
		if (!result)
			result = status;
	}
	if (r.error)
		result = fail("%s %s: %s", word, path, strerror(r.error));
	if (r.file != stdin)
		fclose(r.file);
	free(r.line);
	return result;
}
