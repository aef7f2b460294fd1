/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* What the command says of what goes wrong: where, what and why. */
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
 * message_at() - say where the commands from here on stand, for messages
 * @file: file of a batch; NULL: none
 * @line: number of the line
 */
void message_at(const char *file, unsigned int line);

/* Call @fn before each message, so that the terminal is fit for it; NULL: nothing. */
void message_before(void (*fn)(void));

/**
 * struct form - what is typed of a verb
 * @noun: its noun; NULL: it is one by itself
 * @name: what is typed; NULL: no verb
 * @args: the words that it takes, for people
 */
struct form {
	const char *noun;
	const char *name;
	const char *args;
};

void form_print(FILE *to, const struct form *form);

/* The verb that is run from here on, for usage(). */
void message_form(const struct form *form);

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

#endif /* _XROCE_MESSAGE_H */
