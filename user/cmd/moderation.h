/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The word that says how a link's completion events are moderated. */
#ifndef _XROCE_MODERATION_H
#define _XROCE_MODERATION_H

#include <stdbool.h>

#include "arg.h"

/**
 * struct moderation - moderation of a link's completion events
 * @given: the other members have been read
 * @count: completions that make an event; 0: each one does, and @usec is 0
 * @usec: microseconds after which fewer make one
 */
struct moderation {
	bool given;
	__u32 count;
	__u32 usec;
};

extern const struct arg_type moderation_arg;	/* struct moderation */

/* Bytes of moderation_text(), with the NUL. */
#define MODERATION_TEXT	24

/* Write it as moderation_arg reads it. Return: @text. */
char *moderation_text(__u32 count, __u32 usec, char text[MODERATION_TEXT]);

/*
 * Choose the moderation of a link. @what: for an error: the command. Return: an exit status; an
 * error has been printed.
 */
int moderation_link(const char *what, const char *dev, __u32 link, const struct moderation *m);

#endif /* _XROCE_MODERATION_H */
