/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Finding the limit that prevents a new object, for its error message. link_limit.c shows and
 * sets limits.
 */
#ifndef _XROCE_LIMIT_REASON_H
#define _XROCE_LIMIT_REASON_H

#include <stdbool.h>

#include "libxroce.h"
#include "message.h"

/**
 * struct wanted - an object that could not be made
 * @what: kind of the object
 * @persistent: it would count for the link only, not for a user
 * @bytes: bytes that it would pin; 0: none
 * @pid: process whose memory it is; 0: this process
 */
struct wanted {
	enum xroce_counted what;
	bool persistent;
	__u64 bytes;
	__u32 pid;
};

/* The word for @what in "link limit" and in counts of what has been refused. */
const char *limit_word(enum xroce_counted what);

/**
 * limit_reason() - reason() with a description of the limit that has been reached
 * @x: the handle
 * @err: negative errno that making the object returned
 * @table: texts of other errors
 * @wanted: the object
 *
 * The text for -EDQUOT names the limit, its owner, its value, the present use, and how to
 * change it. The text for -ENOMEM does so for RLIMIT_MEMLOCK, if that limit is the reason.
 *
 * Return: a text, valid until this thread calls the function again.
 */
const char *limit_reason(struct xroce *x, int err, const struct reason *table,
			 const struct wanted *wanted);

#endif /* _XROCE_LIMIT_REASON_H */
