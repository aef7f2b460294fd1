/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Words that name an algorithm of congestion control. */
#ifndef _XROCE_CC_ARG_H
#define _XROCE_CC_ARG_H

#include <stdbool.h>

#include "arg.h"

/* What a name is, and whether @text is one. At most XROCE_CC_NAME_MAX bytes of it are read. */
#define CC_NAME		"1 to 15 letters, digits, '_', '-' or '.'"
bool cc_name_ok(const char *text);

extern const struct arg_type cc_arg_name;	/* char[XROCE_CC_NAME_MAX] */

/*
 * Choose the algorithm of a link's new connections. @what: for an error: the command. Return: an
 * exit status; an error has been printed.
 */
int cc_link(const char *what, const char *dev, __u32 link, const char *name);

/* The verb "qp set". */
int qp_set(int argc, char **argv);

/* Error text for an algorithm that there is not, ESRCH. */
#define CC_UNKNOWN	"no such algorithm ('xroce cc show' lists them)"

#endif /* _XROCE_CC_ARG_H */
