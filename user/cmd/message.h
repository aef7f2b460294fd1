/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Error messages of the command. */
#ifndef _XROCE_MESSAGE_H
#define _XROCE_MESSAGE_H

#include <stdio.h>

/* Exit status of the command. */
enum {
	EXIT_OK,
	EXIT_ERROR,
	EXIT_USAGE,
};

/**
 * message_at() - set the position that precedes messages from now on
 * @file: file of a batch; NULL: no batch
 * @line: number of the line
 */
void message_at(const char *file, unsigned int line);

/* The position as it is, for a batch inside a line of another one. */
void message_position(const char **file, unsigned int *line);

/* Call @fn before each message, to bring the terminal back into its usual state; NULL: none. */
void message_before(void (*fn)(void));

/**
 * struct form - usage of a verb
 * @noun: its noun; NULL: @name is a noun without verbs
 * @name: the verb; NULL: none
 * @args: usage text: the words that it takes
 */
struct form {
	const char *noun;
	const char *name;
	const char *args;
};

void form_print(FILE *to, const struct form *form);

/* Set the form that usage() prints from now on. */
void message_form(const struct form *form);

/* Print an error. Return: EXIT_ERROR. */
int fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Print a warning about something that succeeded. */
void warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Print an error about the words that were typed, and the form. Return: EXIT_USAGE. */
int usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/**
 * struct reason - error text for an errno
 * @err: positive errno; 0 ends a table
 * @text: its text
 */
struct reason {
	int err;
	const char *text;
};

/* Text for negative @err: from @table, else for a limit, else that of xroce_strerror(). */
const char *reason(int err, const struct reason *table);

#endif /* _XROCE_MESSAGE_H */
