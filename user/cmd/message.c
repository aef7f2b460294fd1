// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Error messages of the command. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "libxroce.h"
#include "message.h"
#include "text.h"

/* Form of the verb that is being run, for usage(). */
static struct form this_form;

/* Position of the command in a batch; NULL: not in a batch. */
static const char *this_file;
static unsigned int this_line;

/* Called before each message, see message_before(). */
static void (*before)(void);

void message_before(void (*fn)(void))
{
	before = fn;
}

void message_at(const char *file, unsigned int line)
{
	this_file = file;
	this_line = line;
	this_form = (struct form){};
}

void message_position(const char **file, unsigned int *line)
{
	*file = this_file;
	*line = this_line;
}

/* Print a message, escaped because it may contain typed words or words of a peer. */
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

	if (before)
		before();
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

void form_print(FILE *to, const struct form *form)
{
	fprintf(to, "xroce %s%s%s%s%s\n", form->noun ? : "", form->noun ? " " : "",
		form->name, *form->args ? " " : "", form->args);
}

void message_form(const struct form *form)
{
	this_form = *form;
}

int usage(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	complain(fmt, args);
	va_end(args);
	if (this_form.name) {
		fputs("usage: ", stderr);
		form_print(stderr, &this_form);
	} else {
		fputs("'xroce help' lists nouns and options\n", stderr);
	}
	return EXIT_USAGE;
}

/* Errors of all commands that make objects. */
static const struct reason everywhere[] = {
	{ EDQUOT, "a limit of the link or of its users is reached; 'xroce link limit' shows them" },
	{ EAGAIN, "the limit of the control group (rdma.max) is reached" },
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
