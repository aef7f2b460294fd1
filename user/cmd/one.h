/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Verbs that work on one object of a link: "[dev DEV] [NAME] VALUE". */
#ifndef _XROCE_ONE_H
#define _XROCE_ONE_H

#include "arg.h"
#include "dev.h"

/**
 * union one - identification of an object
 * @number: its number, if read by arg_number or arg_24bit
 * @word: its handle or name, if read by arg_text
 */
union one {
	__u32 number;
	const char *word;
};

/* Operation on an object. Return: an exit status; an error has been printed. */
typedef int (*one_fn)(struct xroce *x, const union one *one);

/**
 * one_do() - read the words, open the link, perform an operation, close the link
 * @argc: number of words
 * @argv: the words
 * @name: the word before the object's number or name
 * @type: type of the number or name
 * @fn: the operation
 *
 * Return: an exit status; an error has been printed.
 */
int one_do(int argc, char **argv, const char *name, const struct arg_type *type,
	   one_fn fn);

/**
 * one_show() - show an object, or the objects of all links if none is named
 * @argc: number of words
 * @argv: the words
 * @name: the word before the object's number
 * @type: type of the number
 * @show: the callback; its @arg is a union one, or NULL for all objects
 *
 * Return: an exit status; an error has been printed.
 */
int one_show(int argc, char **argv, const char *name,
	     const struct arg_type *type, dev_show show);

#endif /* _XROCE_ONE_H */
