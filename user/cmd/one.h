/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Verbs that work on one object of a link: "[dev DEV] [NAME] VALUE". */
#ifndef _XROCE_ONE_H
#define _XROCE_ONE_H

#include "arg.h"
#include "dev.h"

/**
 * union one - what names an object
 * @number: of arg_number, arg_24bit
 * @word: of arg_text: a handle or a name
 */
union one {
	__u32 number;
	const char *word;
};

/* What is done to it. Return: an exit status; what is wrong has been said. */
typedef int (*one_fn)(struct xroce *x, const union one *one);

/**
 * one_do() - read the words, open the link, do it, close the link
 * @argc: number of words
 * @argv: the words
 * @name: the word before the object's number or name
 * @type: how that is read
 * @fn: what to do
 *
 * Return: an exit status; what is wrong has been said.
 */
int one_do(int argc, char **argv, const char *name, const struct arg_type *type,
	   one_fn fn);

/**
 * one_show() - show an object, or those of all links when none is named
 * @argc: number of words
 * @argv: the words
 * @name: the word before the object's number
 * @type: how that is read
 * @show: shows what its @arg, a union one, says, or all where it is NULL
 *
 * Return: an exit status; what is wrong has been said.
 */
int one_show(int argc, char **argv, const char *name,
	     const struct arg_type *type, dev_show show);

#endif /* _XROCE_ONE_H */
